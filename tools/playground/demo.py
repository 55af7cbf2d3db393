"""Write the page of the playground that the documentation links to.

    python tools/playground/demo.py docs/playground.html

Its model is trained on the documentation and the Python package, so it needs no download and is the
same on every machine.
"""

from __future__ import annotations

import sys
from pathlib import Path

import superword
from superword import playground

ROOT = Path(__file__).resolve().parents[2]
TEXT = """\
Train a tokenizer on the text of your choice, and look at what it does.
As well as words, it learns superwords: tokens that join several words.

for path in sorted(folder.glob("*.md")):
    print(path.name, len(path.read_text()))
"""


def main() -> None:
    """Train the model and write the page."""
    sources = [*sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("python/superword/**/*.py"))]
    texts = [path.read_text(encoding="utf-8") for path in sources]
    tokenizer = superword.train_from_iterator(
        texts, vocab_size=8000, method="superbpe", supermerges=2000
    )
    path = playground.write(sys.argv[1], {"superword's own documentation": tokenizer}, TEXT)
    print(f"playground: wrote {path} ({path.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()

"""Tries an installed superword: `python tools/release/smoke.py`. Needs nothing but the package.

Trains each method, and checks that text survives encoding, saving and loading, on threads too.
"""

from __future__ import annotations

import platform
import sys
import tempfile
from pathlib import Path

import superword

TEXTS = [
    "One of the first things, as well as one of the last.",
    "naïve café, 言葉と言葉, слова и слова, 👩‍👧 and\r\n\ttabs",
    "of the of the of the as well as as well as",
    "",
]


def main() -> None:
    """Try everything, and say what was tried."""
    for method in ("bpe", "boundless", "superbpe"):
        extra = {"supermerges": 5} if method == "superbpe" else {}
        tok = superword.train_from_iterator(TEXTS * 20, vocab_size=290, method=method, **extra)
        ids = tok.encode_batch(TEXTS * 50, threads=4)
        assert [tok.decode(each) for each in ids] == TEXTS * 50
        with tempfile.TemporaryDirectory() as folder:
            # A name that is not ASCII, and a file that is replaced.
            path = Path(folder) / "модель.superword"
            tok.save(path)
            tok.save(path)
            loaded = superword.Tokenizer.load(path)
            assert loaded == tok
            assert loaded.encode_batch(TEXTS) == ids[: len(TEXTS)]
            del loaded
            text = Path(folder) / "text.txt"
            text.write_bytes("\n".join(TEXTS).encode())
            work = Path(folder) / "work"
            options = {"vocab_size": 270, "format": "lines", "work_dir": work}
            first = superword.train(text, **options)
            assert superword.train(text, **options) == first
    lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(
        f"superword {superword.__version__} works on {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}{'' if lock else ', free-threaded'}"
    )


if __name__ == "__main__":
    main()

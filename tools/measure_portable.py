"""Compare the default preset with the paper's, by language, for the numbers in the docs.

    python tools/measure_portable.py CORPUS -o docs/data/portable.json

CORPUS is a folder with en-1.jsonl.zst, code.jsonl.zst and multi/*.jsonl.zst. BoundlessBPE learns
from nine tenths of the first documents of each file, once with each preset, and encodes the rest.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import superword
from superword.inputs import documents

PRESETS = ("gpt4o-script", "gpt4o-portable")
VOCAB_SIZE = 40_000


def main() -> None:
    """Train, encode, compare, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    sizes = {options.corpus / f"{name}.jsonl.zst": "12MB" for name in ("en-1", "code")}
    sizes |= dict.fromkeys(sorted((options.corpus / "multi").glob("*.jsonl.zst")), "1.2MB")
    learn: list[str] = []
    held_out: dict[str, list[str]] = {}
    for file, size in sizes.items():
        texts = list(documents([file], max_bytes=size))
        held_out[file.name.removesuffix(".jsonl.zst")] = texts[::10]
        learn += [text for place, text in enumerate(texts) if place % 10]
    rows: dict[str, dict[str, int]] = {
        name: {"bytes": sum(len(text.encode()) for text in texts)}
        for name, texts in held_out.items()
    }
    for preset in PRESETS:
        model = superword.train_from_iterator(learn, vocab_size=VOCAB_SIZE, pretokenizer=preset)
        for name, texts in held_out.items():
            rows[name][preset] = sum(model.count_tokens(texts))
    result = {
        "command": "python tools/measure_portable.py CORPUS -o docs/data/portable.json",
        "superword": superword.__version__,
        "model": {"method": "boundless", "vocab_size": VOCAB_SIZE},
        "learned_from_bytes": sum(len(text.encode()) for text in learn),
        "tokens": {name: rows[name] for name in sorted(rows)},
    }
    options.output.write_text(json.dumps(result, indent=1) + "\n")
    for name, row in sorted(rows.items(), key=lambda item: _more(item[1])):
        print(f"{name:14} {_more(row):+.3%}")


def _more(row: dict[str, int]) -> float:
    """How many more tokens the second preset needs."""
    script, portable = (row[preset] for preset in PRESETS)
    return portable / script - 1 if script else 0.0


if __name__ == "__main__":
    main()

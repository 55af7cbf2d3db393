"""Measure how faithful exports are on real text in each language, for the numbers in the docs.

    python tools/measure_fidelity.py CORPUS -o docs/data/fidelity.json

CORPUS is a folder with en-*.jsonl.zst, code.jsonl.zst and multi/*.jsonl.zst. A SuperBPE model is
trained on a sample of all of it, exported in every mode, and compared on the first documents of
each file.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import superword
from superword.export import open_export, verify
from superword.inputs import documents as read

VOCAB_SIZE, SUPERMERGES = 40_000, 12_000
SAMPLE = "40MB"


def documents(file: Path, size: int) -> list[str]:
    """The first documents of a file, up to this many bytes."""
    found: list[str] = []
    seen = 0
    for text in read([file]):
        found.append(text)
        seen += len(text.encode())
        if seen >= size:
            break
    return found


def main() -> None:
    """Train, export, compare, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--bytes", type=int, default=300_000, help="text of each file")
    options = parser.parse_args()
    files = sorted(options.corpus.glob("*.jsonl.zst"))
    files += sorted((options.corpus / "multi").glob("*.jsonl.zst"))
    tokenizer = superword.train(
        files,
        vocab_size=VOCAB_SIZE,
        method="superbpe",
        supermerges=SUPERMERGES,
        max_bytes=SAMPLE,
    )
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        exports = {}
        for mode in ("exact", "approximate"):
            for target in ("huggingface", "tiktoken"):
                path = Path(folder) / f"{mode}-{target}.tiktoken"
                if target == "huggingface":
                    path = path.with_suffix("")
                    tokenizer.export_huggingface(path, mode)  # type: ignore[arg-type]
                else:
                    tokenizer.export_tiktoken(path, mode)  # type: ignore[arg-type]
                exports[f"{target}, {mode}"] = open_export(path, tokenizer)
        for file in files:
            texts = documents(file, options.bytes)
            row = {}
            for name, export in exports.items():
                found = verify(tokenizer, export, texts, show=0)
                row[name] = {
                    "documents_differ": found.documents_differ,
                    "tokens_differ": found.tokens_differ,
                    "bytes_differ": found.bytes_differ,
                }
            row["of"] = {
                "documents": found.documents,
                "tokens": found.tokens,
                "bytes": found.bytes,
            }
            rows[file.name.removesuffix(".jsonl.zst")] = row
            print(file.name, row)
    result = {
        "command": "python tools/measure_fidelity.py CORPUS -o docs/data/fidelity.json",
        "versions": _versions(),
        "model": {
            "method": "superbpe",
            "vocab_size": VOCAB_SIZE,
            "supermerges": SUPERMERGES,
            "pretokenizer": tokenizer.pretokenizer.name,
            "boundary": tokenizer.facts["options"]["boundary"],
            "trained_on": f"{SAMPLE} of all files",
        },
        "bytes_of_each_file": options.bytes,
        "files": rows,
    }
    options.output.write_text(json.dumps(result, indent=1) + "\n")


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    names = ("tokenizers", "tiktoken")
    return {"superword": superword.__version__} | {name: version(name) for name in names}


if __name__ == "__main__":
    main()

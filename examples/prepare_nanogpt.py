"""Data for nanoGPT: all documents as ids in `train.bin` and `val.bin`, ready for np.memmap.

    python examples/prepare_nanogpt.py m.superword texts.jsonl data/

Documents end with `<|endoftext|>` if the model has it. Ids take two bytes each where the vocabulary
allows it, else four; `meta.json` says which. Texts are read and written in pieces, so a corpus may
be larger than memory.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import superword

BATCH = 1000
EVERY = 20  # One document in so many is kept for validation.


def texts_of(source: Path) -> Iterator[str]:
    """The texts of a JSONL file, a line at a time."""
    with source.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)["text"]


def main(model: str, source: str, folder: str) -> None:
    """Write train.bin, val.bin and meta.json."""
    tok = superword.Tokenizer.load(model)
    dtype = np.uint16 if tok.n_vocab <= 2**16 else np.uint32
    end = [] if tok.eot_token is None else [tok.eot_token]
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    texts = texts_of(Path(source))
    counts = {"train": 0, "val": 0}
    number = 0
    with (target / "train.bin").open("wb") as train, (target / "val.bin").open("wb") as val:
        while some := list(islice(texts, BATCH)):
            for ids in tok.encode_batch(some):
                split = "val" if number % EVERY == 0 else "train"
                file = val if split == "val" else train
                file.write(np.array(ids + end, dtype=dtype).tobytes())
                counts[split] += len(ids) + len(end)
                number += 1
    meta = {"vocab_size": tok.n_vocab, "dtype": np.dtype(dtype).name, "tokens": counts}
    (target / "meta.json").write_text(json.dumps(meta, indent=2) + "\n")
    print(f"{counts['train']} tokens to train on, {counts['val']} to validate on")


if __name__ == "__main__":
    main(*sys.argv[1:4])

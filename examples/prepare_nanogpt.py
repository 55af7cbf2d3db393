"""Prepare data for nanoGPT: all documents as ids in `train.bin` and `val.bin`, for np.memmap.

    python examples/prepare_nanogpt.py m.superword data/ corpus/ more.jsonl.zst

The inputs are the same as for `superword train`. `encode_files` turns them into shards, on all
cores and in constant memory, and resumes if it was interrupted. This script then joins the shards
into two files. One document in twenty is for validation. Documents end with `<|endoftext|>` if the
model has that token. `meta.json` records the vocabulary size and the type of the ids.
"""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import superword

VALIDATION_EVERY = 20


def main(model: str, directory: str, *inputs: str) -> None:
    """Write train.bin, val.bin and meta.json."""
    tok = superword.Tokenizer.load(model)
    target = Path(directory)
    corpus = tok.encode_files(inputs, target / "shards", eot=tok.eot_token is not None)
    tokens = {"train": 0, "val": 0}
    number = 0
    with (target / "train.bin").open("wb") as train, (target / "val.bin").open("wb") as val:
        files = {"train": train, "val": val}
        for shard in corpus.shards:
            ids, offsets = (np.load(corpus.path / name, mmap_mode="r") for name in shard.files)
            for start, end in pairwise(offsets):
                split = "val" if number % VALIDATION_EVERY == 0 else "train"
                files[split].write(ids[start:end].tobytes())
                tokens[split] += int(end - start)
                number += 1
    meta = {"vocab_size": tok.n_vocab, "dtype": corpus.dtype, "tokens": tokens}
    (target / "meta.json").write_text(json.dumps(meta, indent=2) + "\n")
    print(f"{tokens['train']} tokens for training, {tokens['val']} for validation")


if __name__ == "__main__":
    main(*sys.argv[1:])

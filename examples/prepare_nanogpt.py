"""Data for nanoGPT: all documents as ids in `train.bin` and `val.bin`, ready for np.memmap.

    python examples/prepare_nanogpt.py m.superword data/ corpus/ more.jsonl.zst

Inputs are those of `superword train`. `encode_files` turns them into shards on all cores, in
constant memory, and goes on where it was stopped; here the shards are joined into two files: one
document in twenty is for validation. Documents end with `<|endoftext|>` if the model has it.
`meta.json` says how wide the ids are.
"""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import superword

EVERY = 20


def main(model: str, folder: str, *inputs: str) -> None:
    """Write train.bin, val.bin and meta.json."""
    tok = superword.Tokenizer.load(model)
    target = Path(folder)
    tok.encode_files(inputs, target / "shards", eot=tok.eot_token is not None)
    counts = {"train": 0, "val": 0}
    number = 0
    with (target / "train.bin").open("wb") as train, (target / "val.bin").open("wb") as val:
        files = {"train": train, "val": val}
        for documents in sorted((target / "shards").glob("shard-*.documents.npy")):
            ids = np.load(str(documents).replace(".documents", ""), mmap_mode="r")
            places = np.load(documents)
            for start, end in pairwise(places):
                split = "val" if number % EVERY == 0 else "train"
                files[split].write(ids[start:end].tobytes())
                counts[split] += int(end - start)
                number += 1
            width = ids.dtype.name
    meta = {"vocab_size": tok.n_vocab, "dtype": width, "tokens": counts}
    (target / "meta.json").write_text(json.dumps(meta, indent=2) + "\n")
    print(f"{counts['train']} tokens to train on, {counts['val']} to validate on")


if __name__ == "__main__":
    main(*sys.argv[1:])

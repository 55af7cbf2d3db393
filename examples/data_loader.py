"""Batches of ids for training: documents are packed into rows of one length.

    python examples/data_loader.py m.superword texts.jsonl

`PackedTexts` is an iterable dataset. With PyTorch it is handed to `torch.utils.data.DataLoader`;
without, `batches` does the same with numpy.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import superword

try:
    from torch.utils.data import DataLoader, IterableDataset
except ImportError:  # The example runs without PyTorch.
    DataLoader = None
    IterableDataset = object


class PackedTexts(IterableDataset):  # type: ignore[misc]
    """Rows of `length + 1` ids: the input, and the same one further on as what to predict."""

    def __init__(self, model: str, texts: Iterable[str], length: int) -> None:
        self.tok = superword.Tokenizer.load(model)
        self.texts = texts
        self.length = length

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        end = [] if self.tok.eot_token is None else [self.tok.eot_token]
        texts = iter(self.texts)
        kept: list[int] = []
        # Many texts at a time: the engine uses all cores.
        while some := list(islice(texts, 1000)):
            for ids in self.tok.encode_batch(some):
                kept += ids + end
            whole = (len(kept) - 1) // self.length
            for row in range(max(whole, 0)):
                start = row * self.length
                ids_of_row = np.array(kept[start : start + self.length + 1], dtype=np.int64)
                yield ids_of_row[:-1], ids_of_row[1:]
            del kept[: max(whole, 0) * self.length]


def batches(rows: Iterable[tuple[Any, Any]], size: int) -> Iterator[tuple[Any, Any]]:
    """Full batches of rows, as DataLoader(drop_last=True) gives them, in arrays of numpy."""
    rows = iter(rows)
    while len(some := list(islice(rows, size))) == size:
        yield np.stack([row[0] for row in some]), np.stack([row[1] for row in some])


def main(model: str, source: str) -> None:
    """Go through a JSONL file once and say how many batches it makes."""
    lines = Path(source).read_text(encoding="utf-8").splitlines()
    rows = PackedTexts(model, [json.loads(line)["text"] for line in lines], length=64)
    if DataLoader is None:
        loader: Any = batches(rows, 4)
    else:
        loader = DataLoader(rows, batch_size=4, drop_last=True)
    count = 0
    for inputs, targets in loader:
        assert tuple(inputs.shape) == tuple(targets.shape) == (4, 64)
        count += 1
    print(f"{count} batches")


if __name__ == "__main__":
    main(*sys.argv[1:3])

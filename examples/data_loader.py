"""Batches of ids for training a language model, with documents packed into rows of equal length.

    python examples/data_loader.py m.superword texts.jsonl

`PackedTexts` is an iterable dataset for `torch.utils.data.DataLoader`. Without PyTorch, `batches`
makes the same batches with numpy.
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
except ImportError:  # The example also runs without PyTorch.
    DataLoader = None
    IterableDataset = object


class PackedTexts(IterableDataset):  # type: ignore[misc]
    """Pairs of rows with `length` ids: the input, and the targets, which are shifted by one."""

    def __init__(self, model: str, texts: Iterable[str], length: int) -> None:
        self.tok = superword.Tokenizer.load(model)
        self.texts = texts
        self.length = length

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        end = [] if self.tok.eot_token is None else [self.tok.eot_token]
        texts = iter(self.texts)
        pending: list[int] = []
        # Encode many texts per call, so that the engine can use all cores.
        while chunk := list(islice(texts, 1000)):
            for ids in self.tok.encode_batch(chunk):
                pending += ids + end
            rows = max((len(pending) - 1) // self.length, 0)
            for row in range(rows):
                start = row * self.length
                # One id more than `length`, because the targets are shifted by one.
                ids_of_row = np.array(pending[start : start + self.length + 1], dtype=np.int64)
                yield ids_of_row[:-1], ids_of_row[1:]
            del pending[: rows * self.length]


def batches(rows: Iterable[tuple[Any, Any]], size: int) -> Iterator[tuple[Any, Any]]:
    """Return full batches as numpy arrays, like DataLoader(drop_last=True)."""
    rows = iter(rows)
    while len(chunk := list(islice(rows, size))) == size:
        yield np.stack([row[0] for row in chunk]), np.stack([row[1] for row in chunk])


def main(model: str, source: str) -> None:
    """Read a JSONL file once and print the number of batches."""
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

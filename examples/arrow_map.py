"""Tokenize a Parquet file, batch by batch, like `datasets.Dataset.map(batched=True)`.

    python examples/arrow_map.py m.superword texts.parquet ids.parquet

The function that `tokenizer_for` returns takes and returns columns, so you can also pass it to
`dataset.map(tokenize, batched=True)`. Needs pyarrow: pip install 'superword[arrow]'.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import superword

Columns = dict[str, list[Any]]


def tokenizer_for(model: str) -> Callable[[Columns], Columns]:
    """Return a function from columns with `text` to columns with `input_ids` and `length`."""
    tok = superword.Tokenizer.load(model)

    def tokenize(batch: Columns) -> Columns:
        ids = tok.encode_batch(batch["text"])
        return {"input_ids": ids, "length": [len(row) for row in ids]}

    return tokenize


def main(model: str, source: str, target: str) -> None:
    """Write `input_ids` and `length` for each `text`, in constant memory."""
    tokenize = tokenizer_for(model)
    schema = pa.schema([("input_ids", pa.list_(pa.uint32())), ("length", pa.int64())])
    tokens = 0
    with pq.ParquetWriter(target, schema) as writer:
        for batch in pq.ParquetFile(source).iter_batches(batch_size=1000, columns=["text"]):
            columns = tokenize(batch.to_pydict())
            tokens += sum(columns["length"])
            writer.write_table(pa.table(columns, schema=schema))
    print(f"{tokens} tokens")


if __name__ == "__main__":
    main(*sys.argv[1:4])

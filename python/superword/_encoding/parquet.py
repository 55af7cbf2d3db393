"""Shards as Parquet files, with pyarrow (`pip install 'superword[arrow]'`).

The engine decides what is in each row group and puts finished files in place.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from superword._support.extras import need

__all__ = ["COLUMN", "ParquetShard", "check_installed"]

COLUMN = "input_ids"


def check_installed() -> Any:
    """The package `pyarrow`, or an error that says how to install it."""
    return need("pyarrow", "arrow", "writing Parquet")


class ParquetShard:
    """A Parquet file with one column, a list of ids for each document."""

    def __init__(self, path: Path) -> None:
        self._arrow = pa = check_installed()
        import pyarrow.parquet as pq

        self._schema = pa.schema([pa.field(COLUMN, pa.list_(pa.int32()))])
        # Opened by Python, which can open every path and reports a full disk as such.
        self._file = Path(path).open("wb")  # noqa: SIM115
        self._writer = pq.ParquetWriter(self._file, self._schema, compression="zstd")

    def append(self, ids: bytes, offsets: bytes) -> None:
        """Write a row group. Both are 32-bit numbers in Arrow's layout."""
        pa = self._arrow
        values = pa.Array.from_buffers(pa.int32(), len(ids) // 4, [None, pa.py_buffer(ids)])
        rows = len(offsets) // 4 - 1
        lists = pa.Array.from_buffers(
            self._schema.field(COLUMN).type,
            rows,
            [None, pa.py_buffer(offsets)],
            children=[values],
        )
        table = pa.Table.from_arrays([lists], schema=self._schema)
        self._writer.write_table(table, row_group_size=rows)

    def finish(self) -> None:
        """Write the rest of the file."""
        self._writer.close()
        self._file.close()

    def abandon(self) -> None:
        """Close the file after an error. Nobody reads it."""
        with suppress(Exception):
            self._writer.close()
        with suppress(Exception):
            self._file.close()

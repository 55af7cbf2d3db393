"""Counts as Arrow tables and files, with pyarrow (`pip install 'superword[arrow]'`).

Columns are passed to the engine in Arrow's own layout, without a Python object for each row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from superword._files.replace import replace
from superword._support.extras import pyarrow
from superword._support.paths import openable
from superword.errors import CountsError, SaveError

__all__ = [
    "candidates_columns",
    "candidates_table",
    "counts_columns",
    "counts_table",
    "described",
    "read",
    "schema",
    "write",
]

KEY = b"superword"


def counts_table(columns: Sequence[tuple[bytes, bytes, bytes]], described: dict[str, Any]) -> Any:
    """A table of tokens and counts, made from the columns of the engine."""
    pa = pyarrow()
    schema = pa.schema(
        [
            pa.field("token", pa.binary(), nullable=False),
            pa.field("count", pa.uint64(), nullable=False),
        ],
        metadata={KEY: json.dumps(described).encode()},
    )
    batches = []
    for offsets, data, counts in columns:
        rows = len(counts) // 8
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
        tokens = pa.Array.from_buffers(pa.binary(), rows, buffers)
        numbers = pa.Array.from_buffers(pa.uint64(), rows, [None, pa.py_buffer(counts)])
        batches.append(pa.record_batch([tokens, numbers], schema=schema))
    return pa.Table.from_batches(batches, schema=schema)


def candidates_table(
    columns: Sequence[tuple[bytes, bytes, bytes, bytes]], described: dict[str, Any]
) -> Any:
    """A table of lists of tokens and counts, made from the columns of the engine."""
    pa = pyarrow()
    kind = pa.list_(pa.field("item", pa.binary(), nullable=False))
    schema = pa.schema(
        [
            pa.field("tokens", kind, nullable=False),
            pa.field("count", pa.uint64(), nullable=False),
        ],
        metadata={KEY: json.dumps(described).encode()},
    )
    batches = []
    for runs, offsets, data, counts in columns:
        rows = len(counts) // 8
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
        tokens = pa.Array.from_buffers(pa.binary(), len(offsets) // 4 - 1, buffers)
        lists = pa.Array.from_buffers(kind, rows, [None, pa.py_buffer(runs)], children=[tokens])
        numbers = pa.Array.from_buffers(pa.uint64(), rows, [None, pa.py_buffer(counts)])
        batches.append(pa.record_batch([lists, numbers], schema=schema))
    return pa.Table.from_batches(batches, schema=schema)


def counts_columns(table: Any) -> list[tuple[bytes, bytes, bytes]]:
    """Convert the columns of a table to those of the engine."""
    pa = pyarrow()
    columns = []
    for batch in _checked(table, "token").to_batches():
        offsets, data = _strings(pa, _cast(batch, "token", pa.large_binary()))
        columns.append((offsets, data, _numbers(_cast(batch, "count", pa.uint64()))))
    return columns


def candidates_columns(table: Any) -> list[tuple[bytes, bytes, bytes, bytes]]:
    """The same for candidates."""
    pa = pyarrow()
    columns = []
    for batch in _checked(table, "tokens").to_batches():
        lists = _cast(batch, "tokens", pa.large_list(pa.large_binary()))
        tokens = lists.values
        if tokens.null_count:
            raise CountsError("the column tokens holds null")
        runs = _numbers(lists.offsets.cast(pa.uint64()))
        offsets, data = _strings(pa, tokens)
        columns.append((runs, offsets, data, _numbers(_cast(batch, "count", pa.uint64()))))
    return columns


def _checked(table: Any, tokens: str) -> Any:
    for name in (tokens, "count"):
        if name not in table.column_names:
            raise CountsError(
                f"there is no column {name!r}; the columns are "
                f"{', '.join(table.column_names) or 'none'}",
                hint=f"name the columns {tokens!r} and 'count'",
            )
    return table.select([tokens, "count"])


def _cast(batch: Any, name: str, kind: Any) -> Any:
    column = batch.column(name)
    if column.null_count:
        raise CountsError(f"the column {name} holds null")
    try:
        return column.cast(kind)
    except Exception as error:  # pyarrow raises several kinds, all about the values.
        raise CountsError(
            f"the column {name} is {column.type} and cannot be used as {kind}: {error}"
        ) from None


def _strings(pa: Any, column: Any) -> tuple[bytes, bytes]:
    """Offsets (64 bits, from 0) and bytes of a column of large binaries."""
    # A slice shares the buffers of the whole column; pass on only its own part.
    column = pa.concat_arrays([column]) if column.offset else column
    _, offsets, data = column.buffers()
    used = offsets.slice(column.offset * 8, (len(column) + 1) * 8) if offsets else None
    if used is None or used.size < 8:
        return bytes(8), b""
    return used.to_pybytes(), data.to_pybytes() if data is not None else b""


def _numbers(column: Any) -> bytes:
    """A column of 64-bit numbers without nulls."""
    data = column.buffers()[1]
    if data is None:
        return b""
    taken: bytes = data.slice(column.offset * 8, len(column) * 8).to_pybytes()
    return taken


def described(schema: Any) -> dict[str, Any] | None:
    """What a table records about itself, in its schema. None if it records nothing."""
    metadata: Mapping[bytes, bytes] = schema.metadata or {}
    if KEY not in metadata:
        return None
    try:
        recorded = json.loads(metadata[KEY])
    except ValueError as error:
        raise CountsError(f"the metadata is damaged: {error}") from None
    if not isinstance(recorded, dict):
        raise CountsError("the metadata is damaged: it is not a JSON object")
    return recorded


def write(path: str, table: Any) -> None:
    """Write a table atomically, as Parquet or Arrow, selected by the suffix."""
    pa = pyarrow()

    def fill(file: BinaryIO) -> None:
        try:
            if Path(path).suffix.lower() == ".parquet":
                import pyarrow.parquet as pq

                pq.write_table(table, file, compression="zstd")
            else:
                with pa.ipc.new_file(file, table.schema) as writer:
                    writer.write_table(table)
        except (pa.ArrowException, MemoryError) as error:
            raise SaveError(f"writing {path} failed: {error}", path=path) from None

    replace(path, fill)


def read(path: str) -> Any:
    """Read a table from a Parquet or Arrow file, selected by the suffix."""
    return _opened(path, lambda file: file.read(), lambda reader: reader.read_all())


def schema(path: str) -> Any:
    """Read only the schema of a table."""
    return _opened(path, lambda file: file.schema_arrow, lambda reader: reader.schema)


def _opened(path: str, parquet: Callable[[Any], Any], arrow: Callable[[Any], Any]) -> Any:
    pa = pyarrow()
    try:
        if Path(path).suffix.lower() == ".parquet":
            import pyarrow.parquet as pq

            return parquet(pq.ParquetFile(openable(path)))
        at = openable(path)
        with pa.OSFile(at) if isinstance(at, str) else pa.PythonFile(at, "r") as file:
            try:
                return arrow(pa.ipc.open_file(file))
            except pa.ArrowInvalid:
                file.seek(0)
                return arrow(pa.ipc.open_stream(file))
    except FileNotFoundError:
        raise CountsError(f"{path}: no such file", hint="check the path", path=path) from None
    except (pa.ArrowException, OSError) as error:
        raise CountsError(
            f"{path}: cannot be read: {error}",
            hint="the file may be damaged; create it again",
            path=path,
        ) from None

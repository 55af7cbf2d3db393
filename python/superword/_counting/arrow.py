"""Counts as Arrow tables and files, with pyarrow (`pip install 'superword[arrow]'`).

Columns are passed to the engine in Arrow's own layout, without a Python object for each row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from superword._files.replace import replace
from superword._support.extras import pyarrow
from superword._support.json_values import parse_json
from superword._support.paths import openable
from superword.errors import CountsError, SaveError

__all__ = ["CANDIDATES", "COUNTS", "Layout", "described", "read", "write"]

KEY = b"superword"

# Rows that are read at once. The row groups of other programs may be large.
BATCH_ROWS = 1 << 16


@dataclass(frozen=True)
class Layout:
    """How a kind of counts is laid out as a table: the type of the rows, and the conversions."""

    key: str
    kind: Callable[[Any], Any]
    to_batch: Callable[[Any, Any, Any], Any]
    to_columns: Callable[[Any, Any], Any]

    def schema(self, described: dict[str, Any]) -> Any:
        """The schema, with a record of where the counts come from."""
        pa = pyarrow()
        fields = [
            pa.field(self.key, self.kind(pa), nullable=False),
            pa.field("count", pa.uint64(), nullable=False),
        ]
        return pa.schema(fields, metadata={KEY: json.dumps(described).encode()})

    def batches(self, columns: Iterable[Any], schema: Any) -> Iterator[Any]:
        """Record batches of the columns of the engine, one for each batch of columns."""
        pa = pyarrow()
        return (self.to_batch(pa, batch, schema) for batch in columns)

    def table(self, columns: Iterable[Any], described: dict[str, Any]) -> Any:
        """A table of the columns of the engine."""
        schema = self.schema(described)
        return pyarrow().Table.from_batches(list(self.batches(columns, schema)), schema=schema)

    def columns(self, schema: Any, batches: Iterable[Any]) -> Iterator[Any]:
        """Convert record batches to columns of the engine, one batch at a time."""
        pa = pyarrow()
        _check(schema.names, self.key)
        return (self.to_columns(pa, batch) for batch in batches)


def _counts_batch(pa: Any, columns: tuple[bytes, bytes, bytes], schema: Any) -> Any:
    offsets, data, counts = columns
    rows = len(counts) // 8
    tokens = pa.Array.from_buffers(
        pa.binary(), rows, [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    )
    return pa.record_batch([tokens, _count_array(pa, counts)], schema=schema)


def _counts_columns(pa: Any, batch: Any) -> tuple[bytes, bytes, bytes]:
    offsets, data = _strings(pa, _cast(batch, "token", pa.large_binary()))
    return offsets, data, _numbers(_cast(batch, "count", pa.uint64()))


def _runs(pa: Any) -> Any:
    return pa.list_(pa.field("item", pa.binary(), nullable=False))


def _candidates_batch(pa: Any, columns: tuple[bytes, bytes, bytes, bytes], schema: Any) -> Any:
    runs, offsets, data, counts = columns
    rows = len(counts) // 8
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    tokens = pa.Array.from_buffers(pa.binary(), len(offsets) // 4 - 1, buffers)
    lists = pa.Array.from_buffers(_runs(pa), rows, [None, pa.py_buffer(runs)], children=[tokens])
    return pa.record_batch([lists, _count_array(pa, counts)], schema=schema)


def _candidates_columns(pa: Any, batch: Any) -> tuple[bytes, bytes, bytes, bytes]:
    lists = _cast(batch, "tokens", pa.large_list(pa.large_binary()))
    tokens = lists.values
    if tokens.null_count:
        raise CountsError("the column tokens holds null")
    runs = _numbers(lists.offsets.cast(pa.uint64()))
    offsets, data = _strings(pa, tokens)
    return runs, offsets, data, _numbers(_cast(batch, "count", pa.uint64()))


def _count_array(pa: Any, counts: bytes) -> Any:
    return pa.Array.from_buffers(pa.uint64(), len(counts) // 8, [None, pa.py_buffer(counts)])


COUNTS = Layout("token", lambda pa: pa.binary(), _counts_batch, _counts_columns)
CANDIDATES = Layout("tokens", _runs, _candidates_batch, _candidates_columns)


def _check(names: Sequence[str], key: str) -> None:
    for name in (key, "count"):
        if name not in names:
            raise CountsError(
                f"there is no column {name!r}; the columns are {', '.join(names) or 'none'}",
                hint=f"name the columns {key!r} and 'count'",
            )


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
        recorded = parse_json(metadata[KEY])
    except ValueError as error:
        raise CountsError(f"the metadata is damaged: {error}") from None
    if not isinstance(recorded, dict):
        raise CountsError("the metadata is damaged: it is not a JSON object")
    return recorded


def write(path: str, schema: Any, batches: Iterable[Any]) -> None:
    """Write record batches atomically, as Parquet or Arrow, selected by the suffix.

    Each batch becomes a row group of its own. A larger row group could exceed the 2 GiB that the
    offsets of a column can address when it is read back.
    """
    pa = pyarrow()

    def fill(file: BinaryIO) -> None:
        try:
            if Path(path).suffix.lower() == ".parquet":
                import pyarrow.parquet as pq

                with pq.ParquetWriter(file, schema, compression="zstd") as writer:
                    for batch in batches:
                        writer.write_batch(batch, row_group_size=max(1, batch.num_rows))
            else:
                with pa.ipc.new_file(file, schema) as writer:
                    for batch in batches:
                        writer.write_batch(batch)
        except (pa.ArrowException, MemoryError) as error:
            raise SaveError(f"writing {path} failed: {error}", path=path) from None

    replace(path, fill)


def read(path: str) -> tuple[Any, Iterator[Any]]:
    """The schema of a Parquet or Arrow file, selected by the suffix, and its record batches.

    The batches are read one by one, so that a large file need not fit into memory.
    """
    pa = pyarrow()
    with _readable(path):
        if Path(path).suffix.lower() == ".parquet":
            import pyarrow.parquet as pq

            file = pq.ParquetFile(openable(path))
            schema = file.schema_arrow
        else:
            at = openable(path)
            file = pa.OSFile(at) if isinstance(at, str) else pa.PythonFile(at, "r")
            try:
                file = pa.ipc.open_file(file)
            except pa.ArrowInvalid:
                file.seek(0)
                file = pa.ipc.open_stream(file)
            schema = file.schema

    def batches() -> Iterator[Any]:
        with _readable(path):
            if hasattr(file, "iter_batches"):
                columns = [name for name in ("token", "tokens", "count") if name in schema.names]
                # A batch that spans row groups could exceed 2 GiB.
                for group in range(file.num_row_groups):
                    yield from file.iter_batches(BATCH_ROWS, row_groups=[group], columns=columns)
            elif hasattr(file, "num_record_batches"):
                yield from (file.get_batch(at) for at in range(file.num_record_batches))
            else:
                yield from file

    return schema, batches()


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Turn errors of pyarrow and of the system into errors about the file."""
    pa = pyarrow()
    try:
        yield
    except FileNotFoundError:
        raise CountsError(f"{path}: no such file", hint="check the path", path=path) from None
    except (pa.ArrowException, OSError) as error:
        raise CountsError(
            f"{path}: cannot be read: {error}",
            hint="the file may be damaged; create it again",
            path=path,
        ) from None

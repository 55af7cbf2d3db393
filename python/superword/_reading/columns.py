"""Tables with a text column: Parquet and Arrow files, Arrow tables, Hugging Face datasets.

Batches of the column are passed to the engine in Arrow's own layout, without a Python object for
each row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from superword import _core
from superword._support.extras import pyarrow
from superword._support.paths import openable
from superword._support.text import suggestion
from superword.errors import DamagedInputError, DocumentError, InputError
from superword.inputs import Batches, Input, columnar_format, is_dataset

__all__ = ["batches"]

ROWS = 1024

Batch = tuple[bytes, bytes, bytes | None]


def batches(item: Input, field: str, failures: list[BaseException] | None = None) -> _core.Batches:
    """A source for the engine, from a columnar input.

    With `failures`, record batches of an iterator are streamed, so they can be read only once. An
    exception of the iterator is added to `failures`, because the engine knows only its message.
    """
    pa = pyarrow()
    if item.data is None:
        if columnar_format(item.path, item.format) == "parquet":
            size, columns = _parquet(pa, item.path, field)
        else:
            size, columns = _arrow_file(pa, item.path, field)
    elif is_dataset(item.data):
        size, columns = _dataset(item, field)
    elif failures is not None and isinstance(item.data, Batches | pa.RecordBatchReader):
        size, columns = _stream(item, field, failures)
    else:
        size, columns = _table(pa, item, field)

    def open_() -> Iterator[Batch]:
        for column in columns():
            yield from _parts(pa, column, item.path, field)

    return _core.Batches(item.path, size, open_)


Columns = Callable[[], Iterator[Any]]


def _check(names: list[str], name: str, field: str) -> None:
    if field not in names:
        raise DocumentError(
            f"{name}: no column {field!r}; the columns are {', '.join(map(repr, names))}",
            hint=f"set `text_field` to the column that holds the text; {suggestion(field, names)}",
            path=name,
        )


def _check_text(pa: Any, kind: Any, name: str, field: str) -> None:
    if not _is_text(pa, kind.value_type if pa.types.is_dictionary(kind) else kind):
        raise DocumentError(
            f"{name}: the column {field!r} holds {kind}, not text",
            hint="choose another column with `text_field`",
            path=name,
        )


def _parquet(pa: Any, path: str, field: str) -> tuple[int, Columns]:
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(openable(path))
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, error) from None
    _check(file.schema_arrow.names, path, field)
    _check_text(pa, file.schema_arrow.field(field).type, path, field)
    index = file.schema_arrow.names.index(field)
    size = 0
    for group in range(file.metadata.num_row_groups):
        row_group = file.metadata.row_group(group)
        if index < row_group.num_columns:
            size += row_group.column(index).total_uncompressed_size

    def columns() -> Iterator[Any]:
        file = pq.ParquetFile(openable(path))
        # Group by group, so that the groups before a damaged one can be read.
        for group in range(file.metadata.num_row_groups):
            for batch in file.iter_batches(batch_size=ROWS, row_groups=[group], columns=[field]):
                yield batch.column(0)

    return size, columns


def _arrow_file(pa: Any, path: str, field: str) -> tuple[int, Columns]:
    def opened() -> Any:
        at = openable(path)
        source = pa.memory_map(at) if isinstance(at, str) else pa.PythonFile(at, "r")
        try:
            return pa.ipc.open_file(source)
        except pa.ArrowInvalid:
            source.seek(0)
            return pa.ipc.open_stream(source)

    try:
        reader = opened()
        _check(reader.schema.names, path, field)
        _check_text(pa, reader.schema.field(field).type, path, field)
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, error) from None

    def columns() -> Iterator[Any]:
        reader = opened()
        if hasattr(reader, "num_record_batches"):
            found = (reader.get_batch(at) for at in range(reader.num_record_batches))
        else:
            found = iter(reader)
        for batch in found:
            yield batch.column(batch.schema.names.index(field))

    return 0, columns


def _stream(item: Input, field: str, failures: list[BaseException]) -> tuple[int, Columns]:
    given = item.data.batches if isinstance(item.data, Batches) else item.data

    def columns() -> Iterator[Any]:
        try:
            for batch in given:
                _check(batch.schema.names, item.path, field)
                yield batch.column(batch.schema.names.index(field))
        except Exception as error:
            failures.append(error)
            raise

    return 0, columns


def _table(pa: Any, item: Input, field: str) -> tuple[int, Columns]:
    data = item.data
    if isinstance(data, Batches):
        collected = list(data.batches)
        if not collected:
            # No batch, so there is no schema to check.
            return 0, lambda: iter(())
        data = collected
    try:
        table = pa.Table.from_batches(data) if data is not item.data else pa.table(data)
    except Exception as error:  # The other package may raise anything.
        raise InputError(f"{item.path}: cannot be read as an Arrow table: {error}") from None
    _check(table.column_names, item.path, field)
    column = table.column(field)
    _check_text(pa, column.type, item.path, field)
    return column.nbytes, lambda: iter(column.chunks)


def _dataset(item: Input, field: str) -> tuple[int, Columns]:
    data = item.data
    if isinstance(data, dict):
        raise InputError(
            f"{item.path} has several splits: {', '.join(data)}",
            hint=f"choose one, such as dataset[{next(iter(data), 'train')!r}]",
            path=item.path,
        )
    names = getattr(data, "column_names", None)
    if names is not None:
        _check(list(names), item.path, field)

    def columns() -> Iterator[Any]:
        for batch in data.with_format("arrow").iter(batch_size=ROWS):
            if field not in batch.column_names:
                _check(batch.column_names, item.path, field)
            yield from batch.column(field).chunks

    return 0, columns


def _parts(pa: Any, column: Any, name: str, field: str) -> Iterator[Batch]:
    """The buffers of a column, `ROWS` rows at a time."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    # Binary columns are accepted too: the engine checks that they hold UTF-8.
    wanted = pa.large_binary() if _is_bytes(pa, kind) else pa.large_string()
    _check_text(pa, column.type, name, field)
    for start in range(0, len(column), ROWS):
        part = column.slice(start, ROWS).cast(wanted)
        there, offsets, data = part.buffers()
        if part.offset or (offsets is not None and offsets.size < (len(part) + 1) * 8):
            part = pa.concat_arrays([part, part.slice(0, 0)])
            there, offsets, data = part.buffers()
        first = part.offset
        used = offsets.slice(first * 8, (len(part) + 1) * 8).to_pybytes()
        begin, end = (int.from_bytes(used[at : at + 8], "little") for at in (0, len(used) - 8))
        # A slice of a large column shares its buffer; pass on only the bytes of these rows.
        text = data.slice(begin, end - begin).to_pybytes() if end > begin else b""
        if begin:
            shifted = pa.Array.from_buffers(pa.int64(), len(part) + 1, [None, pa.py_buffer(used)])
            import pyarrow.compute as pc

            used = pc.subtract(shifted, begin).buffers()[1].to_pybytes()[: len(used)]
        mask = None
        if part.null_count:
            if first % 8:
                mask = pa.array(part.is_valid()).buffers()[1].to_pybytes()
            else:
                mask = there.slice(first // 8).to_pybytes()
        yield used, text, mask


def _is_bytes(pa: Any, kind: Any) -> bool:
    names = ("is_binary", "is_large_binary", "is_binary_view", "is_fixed_size_binary")
    return any(getattr(pa.types, name)(kind) for name in names if hasattr(pa.types, name))


def _is_text(pa: Any, kind: Any) -> bool:
    names = ("is_string", "is_large_string", "is_string_view", "is_null")
    texts = any(getattr(pa.types, name)(kind) for name in names if hasattr(pa.types, name))
    return texts or _is_bytes(pa, kind)


def _damaged(path: str, error: Exception) -> DamagedInputError:
    return DamagedInputError(
        f"{path}: cannot be read: {error}", hint="create or download the file again", path=path
    )

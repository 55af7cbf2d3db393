"""Encodes Arrow columns with pyarrow (`pip install 'superword[arrow]'`)."""

from __future__ import annotations

import sys
from typing import Any

from superword import _core
from superword._support.extras import need
from superword.errors import TextError

__all__ = ["column_of_texts", "encode_arrow"]


def encode_arrow(model: _core.Model, column: Any, allowed: list[str], threads: int) -> Any:
    """The ids of each row of an Array or a ChunkedArray; see `Tokenizer.encode_arrow`."""
    pa = need("pyarrow", "arrow", "encode_arrow")
    if not isinstance(column, pa.Array | pa.ChunkedArray):
        # Columns of other libraries, such as polars, offer the Arrow C interface.
        if hasattr(column, "__arrow_c_stream__"):
            column = pa.chunked_array(column)
        elif hasattr(column, "__arrow_c_array__"):
            column = pa.array(column)
        else:
            raise TypeError(
                f"encode_arrow takes a pyarrow Array or ChunkedArray, not {type(column).__name__}"
            )
    column = _as_text(pa, column)
    if isinstance(column, pa.ChunkedArray):
        chunks = [_encode(pa, model, chunk, allowed, threads) for chunk in column.chunks]
        return pa.chunked_array(chunks, type=_list_type(pa, column.type))
    return _encode(pa, model, column, allowed, threads)


def column_of_texts(column: Any) -> tuple[Any, _core.Column]:
    """An Array or a ChunkedArray of text as one Array, and as the engine takes it."""
    pa: Any = sys.modules["pyarrow"]
    column = _as_text(pa, column, "texts must be a column of text")
    if column.null_count:
        index = column.is_null().index(True).as_py()
        raise TextError(
            f"text {index} is null",
            hint='fill nulls with column.fill_null(""), or call encode_arrow, which keeps them',
        )
    if isinstance(column, pa.ChunkedArray):
        if column.num_chunks == 1:
            column = column.chunk(0)
        else:
            # 32-bit offsets may be too narrow for all chunks together.
            column = column.cast(pa.large_string())
            column = pa.concat_arrays(column.chunks or [pa.array([], pa.large_string())])
    ends, wide, text = _parts(pa, column)
    return column, _core.Column(_bytes_of(ends), wide, _bytes_of(text))


def _as_text(pa: Any, column: Any, wanted: str = "encode_arrow takes text") -> Any:
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    is_view = getattr(pa.types, "is_string_view", lambda _: False)
    if pa.types.is_string(inner) or pa.types.is_large_string(inner) or is_view(inner):
        # The engine reads plain strings, so other layouts are copied.
        return column.cast(pa.large_string())
    if pa.types.is_null(kind):
        return column.cast(pa.string())
    raise TypeError(f"{wanted} (string or large_string), not {kind}")


def _list_type(pa: Any, kind: Any) -> Any:
    return (pa.large_list if pa.types.is_large_string(kind) else pa.list_)(pa.uint32())


def _parts(pa: Any, array: Any) -> tuple[Any, bool, Any]:
    """The offsets of an Array, whether they have 64 bits, and its text."""
    wide = pa.types.is_large_string(array.type)
    size = 8 if wide else 4
    _, offsets, data = array.buffers()
    if len(array) == 0 or offsets is None:
        return None, wide, None
    ends = offsets.slice(array.offset * size, (len(array) + 1) * size)
    first, last = (
        int.from_bytes(ends.slice(at, size), sys.byteorder, signed=True)
        for at in (0, ends.size - size)
    )
    # A slice shares the buffer of the whole column. Only its own text is passed on.
    return ends, wide, data.slice(first, last - first) if 0 <= first < last else None


def _encode(pa: Any, model: _core.Model, array: Any, allowed: list[str], threads: int) -> Any:
    ends, wide, text = _parts(pa, array)
    if ends is None:
        return pa.array([], _list_type(pa, array.type))
    validity = array.is_valid().buffers()[1] if array.null_count else None
    there = None if validity is None else _bytes_of(validity)
    ids, offsets = model.encode_arrow(
        _bytes_of(ends), wide, _bytes_of(text), there, allowed, threads
    )
    values = pa.Array.from_buffers(pa.uint32(), len(ids), [None, pa.py_buffer(ids)])
    return pa.Array.from_buffers(
        _list_type(pa, array.type),
        len(array),
        [validity, pa.py_buffer(offsets)],
        null_count=array.null_count,
        children=[values],
    )


def _bytes_of(buffer: Any) -> Any:
    """An Arrow buffer as a numpy array, without copying."""
    import numpy

    if buffer is None or buffer.size == 0:
        return numpy.empty(0, numpy.uint8)
    return numpy.frombuffer(buffer, numpy.uint8)

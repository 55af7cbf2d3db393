"""Arrow columns of text to columns of ids: all layouts, nulls, slices and chunks."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy
import pytest
import superword
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from superword import _core
from superword.errors import SpecialTokenError, TextError
from support.strategies import texts as random_texts

pa: Any = pytest.importorskip("pyarrow", reason="superword[arrow] is not installed")

rows = st.lists(st.none() | random_texts, max_size=12)


def test_rows_are_the_texts_one_by_one(boundless: superword.Tokenizer) -> None:
    @settings(max_examples=60, deadline=None)
    @given(rows, st.booleans(), st.integers(0, 5), st.integers(0, 12), st.sampled_from([1, 3]))
    def check(texts: list[str | None], large: bool, start: int, length: int, threads: int) -> None:
        kind = pa.large_string() if large else pa.string()
        column = pa.array(texts, kind).slice(start, length)
        encoded = boundless.encode_arrow(column, threads=threads)
        encoded.validate(full=True)
        assert encoded.type == (pa.large_list if large else pa.list_)(pa.uint32())
        expected = [None if text is None else boundless.encode(text) for text in column.to_pylist()]
        assert encoded.to_pylist() == expected

    check()


def test_chunks_stay_chunks(boundless: superword.Tokenizer) -> None:
    column = pa.chunked_array([["of the", None], [], ["name"]], pa.string())
    encoded = boundless.encode_arrow(column)
    assert [len(chunk) for chunk in encoded.chunks] == [2, 0, 1]
    assert encoded.to_pylist() == [boundless.encode("of the"), None, boundless.encode("name")]
    empty = boundless.encode_arrow(pa.chunked_array([], pa.large_string()))
    assert empty.type == pa.large_list(pa.uint32())
    table = pa.table({"text": column})
    assert table.append_column("ids", boundless.encode_arrow(table["text"])).num_columns == 2


def test_other_layouts_of_text(boundless: superword.Tokenizer) -> None:
    texts = ["of the", None, "of the", ""]
    expected = [None if text is None else boundless.encode(text) for text in texts]
    column = pa.array(texts)
    layouts = [column.dictionary_encode(), column.cast(pa.large_string())]
    if hasattr(pa, "string_view"):
        layouts.append(column.cast(pa.string_view()))
    for layout in layouts:
        assert boundless.encode_arrow(layout).to_pylist() == expected
    assert boundless.encode_arrow(pa.nulls(2)).to_pylist() == [None, None]


def test_columns_of_other_libraries(boundless: superword.Tokenizer) -> None:
    class Series:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.chunked_array([["of the"]]).__arrow_c_stream__(requested_schema)

    class Column:
        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            return pa.array(["of the"]).__arrow_c_array__(requested_schema)

    for column in (Series(), Column()):
        assert boundless.encode_arrow(column).to_pylist() == [boundless.encode("of the")]


def test_special_tokens(boundless: superword.Tokenizer) -> None:
    column = pa.array(["<|pad|>"])
    assert boundless.encode_arrow(column, allowed_special="all").to_pylist() == [[439]]
    assert boundless.encode_arrow(column).to_pylist() == [boundless.encode("<|pad|>")]
    with pytest.raises(SpecialTokenError):
        boundless.encode_arrow(column, allowed_special={"<|nope|>"})


def test_what_is_no_text_is_said(boundless: superword.Tokenizer) -> None:
    for wrong in (["a"], "a", pa.array([1, 2]), pa.array([b"a"]), None):
        with pytest.raises(TypeError, match="encode_arrow takes"):
            boundless.encode_arrow(wrong)


def test_buffers_that_do_not_fit_are_said(boundless: superword.Tokenizer) -> None:
    model: _core.Model = boundless._model

    def raw(data: bytes) -> NDArray[numpy.uint8]:
        return numpy.array(list(data), numpy.uint8)

    def numbers(*ends: int) -> NDArray[numpy.uint8]:
        return raw(b"".join(end.to_bytes(8, sys.byteorder, signed=True) for end in ends))

    for wrong in (numbers(0, -1), numbers(5, 4), numbers(-(2**63), 2**63 - 1)):
        with pytest.raises(TextError, match="offsets outside of its text"):
            model.encode_arrow(wrong, True, raw(b"abc"), None, [], 1)
    with pytest.raises(TextError, match="row 0 of the Arrow array is not UTF-8"):
        model.encode_arrow(numbers(0, 4), True, raw(b"abc"), None, [], 1)
    # A row without a validity bit is null, and its bytes are never read.
    ids, offsets = model.encode_arrow(numbers(0, 4, 9), True, raw(b"abc"), raw(b""), [], 1)
    assert (len(ids), bytes(offsets)) == (0, bytes(numbers(0, 0, 0)))
    ids, offsets = model.encode_arrow(raw(b""), True, raw(b""), None, [], 1)
    assert (len(ids), offsets) == (0, bytearray(8))


def test_bytes_that_are_no_utf8_are_said(boundless: superword.Tokenizer) -> None:
    def column(data: bytes, ends: list[int]) -> Any:
        offsets = b"".join(end.to_bytes(4, sys.byteorder) for end in ends)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
        return pa.Array.from_buffers(pa.string(), len(ends) - 1, buffers)

    good = column("aé".encode(), [0, 1, 3])
    assert boundless.encode_arrow(good).to_pylist() == boundless.encode_batch(["a", "é"])
    for wrong in (column(b"ab\xff", [0, 1, 3]), column("é".encode(), [0, 1, 2])):
        with pytest.raises(TextError, match=r"row . of the Arrow array is not UTF-8"):
            boundless.encode_arrow(wrong)


def test_without_pyarrow_the_extra_is_named(boundless: superword.Tokenizer) -> None:
    code = """
import sys
sys.modules["pyarrow"] = None
import superword
tok = superword.train_from_iterator(["a b"], vocab_size=256, method="bpe")
try:
    tok.encode_arrow(["a"])
except superword.errors.MissingExtraError as error:
    assert error.extra == "arrow" and "superword[arrow]" in error.hint
else:
    raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", code], check=True)

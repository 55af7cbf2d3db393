"""What can be encoded: `str` of every kind, bytes, other buffers, and columns of pyarrow."""

from __future__ import annotations

import array
import mmap
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import superword
from hypothesis import given, settings
from hypothesis import strategies as st
from superword import _core
from superword.errors import SpecialTokenError, TextError
from support.strategies import texts as random_texts

EOT = "<|endoftext|>"

# One string for each way in which CPython stores them, and lengths around those of the blocks in
# which they are converted.
KINDS = [
    "",
    "a",
    "é",
    "ascii text",
    "café",
    "Жизнь и",
    "中文 text",
    "😀 smile",
    "\0",
    "a\0é\0中\0😀",
]
STRINGS = KINDS + [kind * times for kind in KINDS for times in (15, 16, 17, 1023, 1024, 1025, 5000)]


class Subclass(str):
    """A string whose characters are not beside its header."""


def test_both_ways_to_read_strings_agree() -> None:
    strings = [
        *STRINGS,
        *(sys.intern(text) for text in KINDS),
        *(Subclass(text) for text in STRINGS),
        *(np.str_(text) for text in KINDS),
        *("x" * at + code + "x" * (40 - at) for at in range(40) for code in "é中😀"),
        *map(chr, range(0x300)),
    ]
    expected = [str.encode(text) for text in strings]
    # First without UTF-8 in the memory of the strings. Reading them through Python leaves it there.
    assert _core.texts_as_utf8(strings, True) == expected
    assert _core.texts_as_utf8(strings, False) == expected
    assert _core.texts_as_utf8(strings, True) == expected


@given(st.lists(random_texts | st.text(), max_size=6))
def test_both_ways_agree_on_random_strings(strings: list[str]) -> None:
    expected = [text.encode() for text in strings]
    assert _core.texts_as_utf8(strings, True) == expected
    assert _core.texts_as_utf8(tuple(strings), False) == expected


@pytest.mark.skipif(
    sys.implementation.name != "cpython"
    or sys.maxsize < 2**32
    or sys.byteorder != "little"
    or hasattr(sys, "gettotalrefcount"),
    reason="strings are read through Python here",
)
def test_strings_are_read_directly_in_the_versions_that_are_known() -> None:
    free_threaded = "free-threading" in sys.version
    known = [(3, 14)] if free_threaded else [(3, minor) for minor in range(10, 15)]
    assert _core.reads_strings_directly() == (sys.version_info[:2] in known)


@pytest.mark.parametrize("direct", [True, False])
def test_surrogates_are_found_in_both_ways(direct: bool) -> None:
    for code in ("\ud800", "\udbff", "\udc00", "\udfff"):
        for text in (code, "a" + code, "中" * 2000 + code, "😀" + code, Subclass("é" + code)):
            with pytest.raises(_core.NotTextError) as caught:
                _core.texts_as_utf8(["fine", text, text], direct)
            assert caught.value.args == (1,)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="there are no such strings any more")
@pytest.mark.filterwarnings("ignore:PyUnicode_FromUnicode:DeprecationWarning")
@pytest.mark.parametrize("direct", [True, False])
def test_strings_made_by_deprecated_functions_are_read(direct: bool) -> None:
    import ctypes

    for text in ("plain", "Жизнь", "😀 smile", ""):
        wide = ctypes.create_unicode_buffer(text)
        make = ctypes.pythonapi.PyUnicode_FromUnicode
        make.argtypes, make.restype = (ctypes.c_void_p, ctypes.c_ssize_t), ctypes.py_object
        start = ctypes.pythonapi.PyUnicode_AsUnicode
        start.argtypes, start.restype = (ctypes.py_object,), ctypes.c_void_p
        # Its characters are in another block of memory, and are not counted before they are used.
        legacy = make(None, len(text))
        ctypes.memmove(start(legacy), wide, len(text) * ctypes.sizeof(ctypes.c_wchar))
        assert _core.texts_as_utf8([legacy], direct) == [text.encode()]
        assert _core.texts_as_utf8([legacy], True) == [text.encode()]


def test_encoding_leaves_no_utf8_in_the_strings(boundless: superword.Tokenizer) -> None:
    text = "".join(["Жизнь", " ", "и"])
    size = sys.getsizeof(text)
    boundless.encode(text)
    boundless.encode_batch([text] * 3)
    if _core.reads_strings_directly():
        assert sys.getsizeof(text) == size


def forms(text: str) -> list[Any]:
    """The text in every form that is accepted."""
    data = text.encode()
    padded = memoryview(b"..." + data + b"...")[3 : 3 + len(data)]
    return [text, data, bytearray(data), memoryview(data), padded, np.frombuffer(data, np.uint8)]


def test_every_form_of_a_text_has_the_same_ids(boundless: superword.Tokenizer) -> None:
    for text in ("", "of the", "été 中文 😀" * 50):
        expected = boundless.encode(text)
        for form in forms(text) if text else forms(text)[:-1]:
            assert boundless.encode(form) == expected
            assert boundless.encode_ordinary(form) == expected
            assert boundless.encode_to_numpy(form).tolist() == expected
            assert boundless.encode_with_offsets(form) == boundless.encode_with_offsets(text)
            if not isinstance(form, np.ndarray):
                assert boundless.count_tokens(form) == len(expected)


@pytest.mark.parametrize("threads", [1, 3])
def test_several_texts_may_have_different_forms(
    boundless: superword.Tokenizer, threads: int
) -> None:
    texts = ["of the", "été 中文", "", "😀", "one" * 50_000, "中" * 300_000]
    mixed = [form for text in texts for form in forms(text or "x")]
    expected = [boundless.encode(text or "x") for text in texts for _ in range(6)]
    assert boundless.encode_batch(mixed, threads=threads) == expected
    assert boundless.count_tokens(mixed, threads=threads) == list(map(len, expected))
    ids, offsets = boundless.encode_batch_to_numpy(iter(mixed), threads=threads)
    assert ids.tolist() == list(chain.from_iterable(expected))
    assert np.diff(offsets.astype(np.int64)).tolist() == list(map(len, expected))


def test_arrays_are_the_same_for_every_number_of_threads(boundless: superword.Tokenizer) -> None:
    # Hundreds of chunks; the last part has one token for each byte and does not fit in the array.
    texts = [f"one of the {number} été " * (number % 90) for number in range(2000)]
    texts += ["\x01\x02" * 200_000, "", "of the"]
    expected = boundless.encode_batch(texts, threads=1)
    flat = np.concatenate([np.array(ids, np.uint32) for ids in expected])
    ends = np.cumsum([0, *map(len, expected)])
    for given_texts in (texts, [text.encode() for text in texts]):
        for threads in (1, 2, 7):
            ids, offsets = boundless.encode_batch_to_numpy(given_texts, threads=threads)
            assert np.array_equal(ids, flat)
            assert np.array_equal(offsets, ends)


def test_a_mapped_file_is_a_text(boundless: superword.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("été of the".encode())
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        texts: list[Any] = [data]
        assert boundless.encode_batch(texts) == [boundless.encode("été of the")]


def calls(tok: superword.Tokenizer) -> list[Callable[[Any], object]]:
    return [
        tok.encode,
        tok.encode_ordinary,
        tok.encode_to_numpy,
        tok.encode_with_offsets,
    ]


def test_bytes_that_are_not_utf8_are_a_text_error_with_their_place(
    boundless: superword.Tokenizer,
) -> None:
    for wrong in (b"caf\xe9", b"one\xff\xfe", "中".encode()[:2], b"\xed\xa0\x80"):
        position = len(wrong) - len(wrong.lstrip(b"cafone"))
        for form in (wrong, bytearray(wrong), memoryview(wrong)):
            count: Callable[[Any], object] = boundless.count_tokens
            for call in [*calls(boundless), count]:
                with pytest.raises(TextError, match="the text is not UTF-8: byte 0x") as caught:
                    call(form)
                assert caught.value.position == position
                assert caught.value.hint
        for threads in (1, 2):
            batches: list[Any] = [boundless.encode_batch, boundless.encode_batch_to_numpy]
            for batch in batches:
                with pytest.raises(TextError, match="text 2 is not UTF-8") as caught:
                    batch(["fine", b"fine", wrong, wrong], threads=threads)
                assert caught.value.position == position
    # The first text that is wrong is named, whatever is wrong with it.
    with pytest.raises(TextError, match="text 1 has a lone surrogate"):
        boundless.count_tokens([b"a", "\ud800", b"\xff"])
    with pytest.raises(TextError, match="text 0 is not UTF-8"):
        boundless.count_tokens([b"\xff", "\ud800"])


def test_what_is_not_a_text_is_said(boundless: superword.Tokenizer) -> None:
    for wrong in (7, None, ["a"], object()):
        for call in calls(boundless):
            with pytest.raises(TypeError, match=r"the text must be a str, bytes or another buffer"):
                call(wrong)
        with pytest.raises(TypeError, match=r"text 1 must be .*, not "):
            boundless.encode_batch(["a", wrong])  # type: ignore[list-item]
        with pytest.raises(TypeError, match=r"text 1 must be .*, not "):
            boundless.encode_batch(["a", wrong], disallowed_special="all")  # type: ignore[list-item]
    for wrong in (array.array("i", [1, 2]), memoryview(b"abcdef")[::2]):
        with pytest.raises(TypeError, match="one block of bytes"):
            boundless.encode(wrong)  # type: ignore[arg-type]
    for one in ("a text", b"a text", bytearray(b"a"), memoryview(b"a")):
        with pytest.raises(TypeError, match="several texts, not a single"):
            boundless.encode_batch(one)  # type: ignore[arg-type]
    batches: list[Callable[[Any], object]] = [
        boundless.encode_batch,
        boundless.encode_batch_to_numpy,
        boundless.count_tokens,
    ]
    for nothing in (None, 5, object()):
        kind = type(nothing).__name__
        for batch in batches:
            with pytest.raises(TypeError, match=f"texts must be a list or .* of texts, not {kind}"):
                batch(nothing)

    def broken() -> Iterator[str]:
        yield "a"
        raise TypeError("from the source")

    with pytest.raises(TypeError, match="from the source"):
        boundless.encode_batch(broken())


def test_special_tokens_are_found_in_bytes(boundless: superword.Tokenizer) -> None:
    text = f"é{EOT}"
    for form in forms(text):
        assert boundless.encode(form, allowed_special="all") == boundless.encode(
            text, allowed_special="all"
        )
        where = "character 1" if isinstance(form, str) else "byte 2"
        with pytest.raises(SpecialTokenError, match=f"the text has the disallowed .* at {where}"):
            boundless.encode(form, disallowed_special="all")
    with pytest.raises(SpecialTokenError, match=r"text 1 has the disallowed .* at byte 2"):
        boundless.encode_batch([b"a", text.encode()], disallowed_special="all")


def test_columns_of_pyarrow_are_several_texts(boundless: superword.Tokenizer) -> None:
    pa: Any = pytest.importorskip("pyarrow", reason="superword[arrow] is not installed")

    @settings(max_examples=40, deadline=None)
    @given(st.lists(random_texts, max_size=12), st.integers(0, 5), st.integers(0, 12))
    def check(texts: list[str], start: int, length: int) -> None:
        expected = boundless.encode_batch(texts[start:][:length])
        columns = [pa.array(texts, kind) for kind in (pa.string(), pa.large_string())]
        columns += [pa.chunked_array([texts[:3], texts[3:]], pa.string())]
        for column in columns:
            column = column.slice(start, length)
            assert boundless.encode_batch(column) == expected
            assert boundless.count_tokens(column) == list(map(len, expected))
            ids, offsets = boundless.encode_batch_to_numpy(column)
            assert ids.tolist() == list(chain.from_iterable(expected))
            assert len(offsets) == len(expected) + 1

    check()
    with pytest.raises(TextError, match="text 1 is null") as caught:
        boundless.encode_batch(pa.array(["a", None]))
    assert caught.value.hint
    with pytest.raises(TypeError, match="texts must be a column of text"):
        boundless.encode_batch(pa.array([1, 2]))
    with pytest.raises(SpecialTokenError, match="text 1 has"):
        boundless.encode_batch(pa.array(["a", EOT]), disallowed_special="all")
    offsets, data = np.array([0, 1, 2], np.int64), b"a\xff"
    wrong = pa.Array.from_buffers(
        pa.large_string(), 2, [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    )
    with pytest.raises(TextError, match="text 1 is not UTF-8"):
        boundless.encode_batch(wrong)


def test_texts_in_one_buffer_become_a_column(boundless: superword.Tokenizer) -> None:
    pa: Any = pytest.importorskip("pyarrow", reason="superword[arrow] is not installed")
    texts = ["of the", "été", ""]
    data = "".join(texts).encode()
    ends = np.cumsum([0, *(len(text.encode()) for text in texts)])
    column = pa.LargeStringArray.from_buffers(3, pa.py_buffer(ends), pa.py_buffer(data))
    assert boundless.encode_batch(column) == boundless.encode_batch(texts)


def test_texts_are_released(boundless: superword.Tokenizer) -> None:
    buffer = bytearray(b"of the")
    boundless.encode_batch([buffer, memoryview(buffer)])
    boundless.encode(buffer)
    with pytest.raises(TextError):
        boundless.encode_batch([buffer, b"\xff"])
    buffer.append(0)  # An exported buffer could not be resized.

"""A packed shard is read like an array, whatever its ids, their width and the index."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from superword.errors import SuperwordError
from superword.shards import PackedShard, pack

TYPES = [np.uint16, np.uint32, np.int32, np.uint64, np.int64]


def by_hand(path: Path) -> list[int]:
    """The ids, read as the documentation of the format says."""
    content = path.read_bytes()
    assert content[:8] == b"\x93SWIDS\r\n"
    bits, count = content[12], int.from_bytes(content[16:24], "little")
    assert len(content) == 64 + -(-count * bits // 8) + 8
    stream = int.from_bytes(content[64:], "little")
    return [stream >> (at * bits) & ((1 << bits) - 1) for at in range(count)]


@st.composite
def shards(draw: st.DrawFn) -> tuple[int, list[int]]:
    """A width, and ids of this width."""
    bits = draw(st.integers(1, 32))
    return bits, draw(st.lists(st.integers(0, 2**bits - 1), max_size=60))


def indices() -> st.SearchStrategy[Any]:
    some = st.none() | st.integers(-70, 70)
    step = st.none() | st.integers(-9, 9).filter(bool)
    slices = st.builds(slice, some, some, step)
    return st.integers(-70, 70) | slices | st.lists(st.integers(-70, 70), max_size=5)


@settings(deadline=None)  # Files are written.
@given(shards(), st.lists(indices(), max_size=6))
def test_every_width_and_every_index_gives_what_an_array_gives(
    given_shard: tuple[int, list[int]], keys: list[Any]
) -> None:
    bits, ids = given_shard
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.packed"
        shard = pack(ids, path, bits=bits)
        assert by_hand(path) == ids
        array = np.array(ids, shard.dtype)
        assert (len(shard), shard.bits, shard.documents) == (len(ids), bits, 1)
        assert shard.dtype == (np.uint16 if bits <= 16 else np.uint32)
        np.testing.assert_array_equal(np.asarray(shard), array, strict=True)
        assert list(shard) == ids
        shard.verify()
        for key in keys:
            used = np.array(key, np.int64) if isinstance(key, list) else key
            try:
                expected = array[used]
            except IndexError:
                expected = None
            try:
                found = shard[key]
            except IndexError:
                found = None
            assert (found is None) == (expected is None), key
            if found is not None:
                np.testing.assert_array_equal(found, expected, strict=True)


@settings(deadline=None)  # Files are written.
@given(shards(), st.data())
def test_windows_are_slices_of_every_type(
    given_shard: tuple[int, list[int]], data: st.DataObject
) -> None:
    bits, ids = given_shard
    length = data.draw(st.integers(0, len(ids)))
    starts = data.draw(st.lists(st.integers(0, len(ids) - length), max_size=5))
    with tempfile.TemporaryDirectory() as folder:
        shard = pack(ids, Path(folder) / "a.packed", bits=bits)
        for kind in TYPES:
            if bits > 8 * np.dtype(kind).itemsize - (kind == np.int32):
                continue
            array = np.array(ids, kind)
            expected = np.array([array[at : at + length] for at in starts], kind)
            found = shard.windows(starts, length, dtype=kind)
            assert found.dtype == kind
            np.testing.assert_array_equal(found, expected.reshape(len(starts), length))
            for at in starts:
                one = shard.read(at, at + length, dtype=kind)
                np.testing.assert_array_equal(one, array[at : at + length], strict=True)


@settings(deadline=None)  # Files are written.
@given(shards(), st.data())
def test_a_changed_file_is_an_error_of_the_package(
    given_shard: tuple[int, list[int]], data: st.DataObject
) -> None:
    bits, ids = given_shard
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.packed"
        pack(ids, path, bits=bits)
        documents = path.with_suffix(".documents.npy")
        for file in (path, documents):
            content = bytearray(file.read_bytes())
            at = data.draw(st.integers(0, len(content) - 1))
            content[at] ^= data.draw(st.integers(1, 255))
            cut = data.draw(st.none() | st.integers(0, len(content)))
            file.write_bytes(content[:cut])
            with suppress(SuperwordError):
                shard = PackedShard(path)
                shard.verify()
                assert [document.tolist() for document in shard.iter_documents()] == [ids]

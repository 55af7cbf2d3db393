"""Reads packed shards. The engine unpacks them (`encode/shards/packed/`)."""

from __future__ import annotations

import mmap
import operator
import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from superword import _core
from superword.errors import InputError, MissingInputError, OptionError, ShardFileError

__all__ = ["NOT_NPY", "PackedShard", "documents_path", "files_of"]

DOCUMENTS_SUFFIX = ".documents.npy"

# The types that the engine writes, and the bits that each of them can hold.
_HOLDS: dict[np.dtype[Any], int] = {
    np.dtype(np.uint16): 16,
    np.dtype(np.uint32): 32,
    np.dtype(np.int32): 31,
    np.dtype(np.uint64): 64,
    np.dtype(np.int64): 63,
}

# What numpy raises if a file is truncated, or is not in its format. It reads headers like Python.
NOT_NPY = (ValueError, EOFError, OverflowError, TypeError, SyntaxError, TokenError)

# Iteration unpacks this many ids at a time.
_BLOCK = 1 << 16


class PackedShard:
    """The ids of a packed shard, which behaves like a one-dimensional array of numpy.

    >>> ids = superword.shards.PackedShard("shards/shard-00000.packed")
    >>> ids[1000:3049]                                     # one training example
    >>> ids.windows(starts, 2049, dtype=np.int64)          # a batch of them
    >>> ids.document(7)

    The file is mapped into memory, and only the ids that are read are unpacked. Every result is a
    new array. A shard can be shared between threads and forked processes. Pickling it pickles its
    path, so it can be passed to the workers of a data loader.

    `path` is the file, `dtype` the type of the arrays, `bits` the bits of each id in the file, and
    `documents` the number of documents. An index that is out of range raises an `IndexError`, and a
    file that is not a packed shard a `ShardFileError`.
    """

    path: Path
    dtype: np.dtype[Any]
    bits: int
    documents: int

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        # For other processes, which may work in another directory. Links stay links.
        self._absolute = os.path.abspath(path)  # noqa: PTH100
        self._ids = _core.PackedIds(_mapped(self.path), self.path)
        self._length, self.documents, self.bits, size = self._ids.facts()
        self.dtype = np.dtype(np.uint16 if size == 2 else np.uint32)
        self._offsets: NDArray[np.uint64] | None = None
        # Types that were given and are possible. To look at one anew takes as long as 1,000 ids.
        self._known: dict[Any, np.dtype[Any]] = {None: self.dtype}

    def __repr__(self) -> str:
        return f"PackedShard({str(self.path)!r}, {self._length:,} ids of {self.bits} bits)"

    def __reduce__(self) -> tuple[Any, ...]:
        return PackedShard, (self._absolute,)

    def __len__(self) -> int:
        return self._length

    @property
    def size(self) -> int:
        """The number of ids."""
        return self._length

    @property
    def shape(self) -> tuple[int]:
        """The number of ids, as a tuple."""
        return (self._length,)

    @property
    def ndim(self) -> int:
        """1."""
        return 1

    def __getitem__(self, key: Any) -> Any:
        """Return an id, or a new array of the ids at a slice or at an array of positions."""
        if isinstance(key, slice):
            start, stop, step = key.indices(self._length)
            if step == 1:
                return self._read(start, stop, self.dtype)
            return self._at(np.arange(start, stop, step, dtype=np.int64))
        if isinstance(key, (np.ndarray, list)):
            return self._at(self._positions(key))
        try:
            at = operator.index(key)
        except TypeError:
            raise IndexError(
                "an index of a packed shard is an integer, a slice or an array of integers"
            ) from None
        if not -self._length <= at < self._length:
            raise IndexError(f"id {at} is not in the shard, which has {self._length}")
        return self.dtype.type(self._ids.get(at % self._length))

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, self._length, _BLOCK):
            yield from self[start : start + _BLOCK]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Unpack all ids, for `np.asarray`."""
        if copy is False:
            raise ValueError("a packed shard cannot become an array without a copy")
        wanted = self.dtype if dtype is None else np.dtype(dtype)
        if _HOLDS.get(wanted, 0) >= self.bits:
            return self._read(0, self._length, wanted)
        return self._read(0, self._length, self.dtype).astype(wanted)

    def read(self, start: int, stop: int, *, dtype: DTypeLike | None = None) -> NDArray[Any]:
        """Return the ids from `start` up to `stop` as a new array of type `dtype`.

        This is `ids[start:stop].astype(dtype)` in one step, except that both must be in the shard.
        """
        start, stop = operator.index(start), operator.index(stop)
        if start > stop:
            raise IndexError(f"ids {start} to {stop} are no range: the start is after the stop")
        if start < 0 or stop > self._length:
            raise IndexError(
                f"ids {start} to {stop} are not in the shard, which has {self._length}"
            )
        return self._read(start, stop, self._checked(dtype))

    def windows(
        self,
        starts: ArrayLike,
        length: int,
        *,
        dtype: DTypeLike | None = None,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Return windows of `length` ids as the rows of an array: a batch of training examples.

        Each window begins at one of `starts`. `dtype` is `uint16`, `uint32`, `int32`, `uint64` or
        `int64`; by default it is that of the shard. With `out`, an array of one of these types and
        of the right shape is filled and returned instead of a new one.
        """
        whole = _integers(starts)
        if whole is None:
            raise OptionError(
                f"starts must be integers, not {np.asarray(starts).dtype.name}",
                hint="give the position of the first id of each window",
                option="starts",
            )
        shape = (whole.size, operator.index(length))
        begins = self._starts(whole, shape[1])
        if begins.ndim != 1 or shape[1] < 0:
            raise OptionError(
                "starts must be one-dimensional, and length not negative",
                hint="give the position of the first id of each window",
                option="starts",
            )
        if out is None:
            out = np.empty(shape, self._checked(dtype))
        elif out.shape != shape or not out.flags.carray or dtype not in (None, out.dtype):
            raise OptionError(
                f"out must be a writable array in C order with the shape {shape} and the type "
                "that `dtype` says",
                hint="omit out to get a new array",
                option="out",
            )
        else:
            self._checked(out.dtype)
        self._ids.read_windows(out, begins, shape[1])
        return out

    @property
    def offsets(self) -> NDArray[np.uint64]:
        """Where documents start and end: document `i` is `ids[offsets[i]:offsets[i + 1]]`."""
        if self._offsets is None:
            self._offsets = self._read_offsets()
        return self._offsets

    def document(self, number: int, *, dtype: DTypeLike | None = None) -> NDArray[Any]:
        """Return the ids of a document. Negative numbers count from the last."""
        at = operator.index(number)
        if not -self.documents <= at < self.documents:
            raise IndexError(f"document {at} is not in the shard, which has {self.documents}")
        at %= self.documents
        start, stop = self.offsets[at : at + 2].tolist()
        if not start <= stop <= self._length:
            raise self._wrong_offsets()
        return self._read(start, stop, self._checked(dtype))

    def iter_documents(self, *, dtype: DTypeLike | None = None) -> Iterator[NDArray[Any]]:
        """Iterate over the documents, each as an array."""
        return (self.document(number, dtype=dtype) for number in range(self.documents))

    def verify(self) -> None:
        """Read the whole shard and raise a `ShardFileError` if it is not as it was written."""
        self._ids.verify()
        if any(start > stop for start, stop in pairwise(self.offsets.tolist())):
            raise self._wrong_offsets()

    def _read(self, start: int, stop: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        out = np.empty(stop - start if stop > start else 0, dtype)
        if out.size:
            self._ids.read(out, start)
        return out

    def _at(self, positions: NDArray[np.int64]) -> NDArray[Any]:
        out = np.empty(positions.shape, self.dtype)
        self._ids.read_windows(out, positions.reshape(-1), 1)
        return out

    def _positions(self, key: NDArray[Any] | list[Any]) -> NDArray[np.int64]:
        """The positions that an array of indices or a mask selects."""
        mask = np.asarray(key)
        if mask.dtype == bool:
            if mask.shape != self.shape:
                raise IndexError(f"a mask must have the shape of the shard, {self.shape}")
            return np.flatnonzero(mask)
        given = _integers(key)
        if given is None:
            raise IndexError("arrays that are used as indices must be of integers or booleans")
        least, most = (int(given.min()), int(given.max())) if given.size else (0, -1)
        if least < -self._length or most >= self._length:
            wrong = _first_outside(given, -self._length, self._length)
            raise IndexError(f"id {wrong} is not in the shard, which has {self._length}")
        signed = np.ascontiguousarray(given, dtype=np.int64)
        if least < 0:
            signed = np.ascontiguousarray(np.where(signed < 0, signed + self._length, signed))
        return signed

    def _starts(self, given: NDArray[Any], length: int) -> NDArray[np.int64]:
        """Where windows begin, as the engine takes it. It checks whether the shard has them."""
        if given.dtype.kind in "uO":  # Others fit into 64 bits with a sign.
            wrong = _first_outside(given, -(2**63), 2**63)
            if wrong is not None:
                raise IndexError(
                    f"{length} ids from {wrong} on are not in the shard, which has {self._length}"
                )
        return np.ascontiguousarray(given, dtype=np.int64)

    def _checked(self, dtype: DTypeLike | None) -> np.dtype[Any]:
        try:
            return self._known[dtype]
        except (KeyError, TypeError):
            wanted = np.dtype(dtype)
        if _HOLDS.get(wanted, 0) < self.bits:
            native = wanted.newbyteorder("=")
            if _HOLDS.get(native, 0) >= self.bits:
                raise OptionError(
                    f"ids cannot be read as {wanted.str}: its byte order is not the machine's",
                    hint=f"read them as {native.name}, and call astype on the result",
                    option="dtype",
                    value=wanted.str,
                )
            possible = [kind.name for kind, holds in _HOLDS.items() if holds >= self.bits]
            raise OptionError(
                f"ids of {self.bits} bits cannot be read as {wanted.name}",
                hint=f"set `dtype` to {', '.join(possible[:-1])} or {possible[-1]}",
                option="dtype",
                value=wanted.name,
            )
        with suppress(TypeError):  # A dtype may be given as a list, which cannot be looked up.
            self._known[dtype] = wanted
        return wanted

    def _read_offsets(self) -> NDArray[np.uint64]:
        path = documents_path(self.path)
        try:
            offsets = np.load(path, mmap_mode="r", allow_pickle=False)
        except FileNotFoundError:
            raise MissingInputError(
                f"no such file: {path}",
                hint="keep both files of a shard in one directory",
                path=str(path),
            ) from None
        except (OSError, *NOT_NPY):
            raise self._wrong_offsets() from None
        right = (
            isinstance(offsets, np.ndarray)
            and offsets.dtype == np.uint64
            and offsets.shape == (self.documents + 1,)
            and (int(offsets[0]), int(offsets[-1])) == (0, self._length)
        )
        if not right:
            raise self._wrong_offsets()
        # A plain array: slices of a memmap take several times as long.
        plain: NDArray[np.uint64] = offsets.view(np.ndarray)
        return plain

    def _wrong_offsets(self) -> ShardFileError:
        path = documents_path(self.path)
        return ShardFileError(
            f"{path} does not say where the documents of {self.path.name} are",
            hint="copy both files of the shard again, or encode the corpus again",
            path=str(path),
        )


def documents_path(path: Path) -> Path:
    """The second file of a packed shard."""
    return path.with_suffix(DOCUMENTS_SUFFIX)


def _integers(given: Any) -> NDArray[Any] | None:
    """Integers as an array, of objects if 64 bits cannot hold them. None for anything else."""
    array = np.asarray(given)
    if array.dtype.kind in "iu":
        return array
    if array.size == 0:
        return np.empty(array.shape, np.int64)
    # numpy makes floats or objects of integers that are too large.
    if isinstance(given, list | tuple) and array.dtype.kind in "fO":
        array = np.asarray(given, object)
        whole = (int, np.integer)
        if all(isinstance(n, whole) and not isinstance(n, bool) for n in array.flat):
            return array
    return None


def _first_outside(numbers: NDArray[Any], low: int, high: int) -> int | None:
    """The first of the numbers that is less than `low`, or not less than `high`."""
    if numbers.size == 0 or low <= int(numbers.min()) <= int(numbers.max()) < high:
        return None
    return next(number for number in map(int, numbers.flat) if not low <= number < high)


def files_of(source: object) -> list[str]:
    """The files that a packed shard or an array in a file is read from."""
    if isinstance(source, PackedShard):
        return [source._absolute, str(documents_path(Path(source._absolute)))]
    name = source.filename if isinstance(source, np.memmap) else None
    return [] if name is None else [os.fspath(name)]


def _mapped(path: Path) -> NDArray[np.uint8]:
    """The bytes of a file, mapped into memory."""
    try:
        with path.open("rb") as file:
            # An empty file cannot be mapped.
            if os.fstat(file.fileno()).st_size == 0:
                return np.empty(0, np.uint8)
            return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    except FileNotFoundError:
        raise MissingInputError(
            f"no such file: {path}", hint="check the path", path=str(path)
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(
            f"reading {path} failed: {error}",
            hint="check that it is a file, and its permissions",
            path=str(path),
        ) from None

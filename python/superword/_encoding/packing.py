"""Writes ids as packed shards. The engine packs them (`encode/shards/packed/`)."""

from __future__ import annotations

import io
import operator
import os
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from superword import _core
from superword._encoding.packed import PackedShard, documents_path, files_of
from superword._files.outputs import check_not_read, check_output, check_replaceable
from superword._files.replace import replace
from superword._support.checks import wrong_type
from superword.errors import OptionError, SaveError

__all__ = ["pack"]

SUFFIX = ".packed"


def pack(
    ids: ArrayLike,
    path: str | os.PathLike[str],
    *,
    offsets: ArrayLike | None = None,
    bits: int | None = None,
    overwrite: bool = False,
) -> PackedShard:
    """Write ids as a packed shard, for example those of an npy shard, and open it.

    `offsets` says where documents start and end, as in the second file of an npy shard. Without it,
    all ids are one document. `bits` defaults to what the largest id needs. `path` must end with
    `.packed`. The documents go to a second file beside it, whose name ends with `.documents.npy`.

    A packed shard is replaced, with its second file. Any other existing file is replaced only with
    `overwrite=True`. The shard that `ids` reads is never replaced.
    """
    target = Path(path)
    if target.suffix != SUFFIX:
        raise OptionError(
            f"the name of a packed shard ends with {SUFFIX}, not like {target}",
            hint=f"write to {target.with_suffix(SUFFIX)}",
            option="path",
        )
    numbers = np.asarray(ids)
    whole = numbers.ndim == 1 and (numbers.dtype.kind in "iu" or numbers.size == 0)
    if not whole or (numbers.size and not 0 <= numbers.min() <= numbers.max() < 2**32):
        raise OptionError("ids must be one-dimensional, with numbers below 2^32", option="ids")
    ends = np.asarray([0, numbers.size] if offsets is None else offsets)
    right = (
        ends.ndim == 1
        and ends.size > 0
        and ends.dtype.kind in "iu"
        and (int(ends[0]), int(ends[-1])) == (0, numbers.size)
        and bool((ends[1:] >= ends[:-1]).all())
    )
    if not right:
        raise OptionError(
            f"offsets must rise from 0 to the number of ids, {numbers.size}", option="offsets"
        )
    width = _checked_bits(bits) if bits is not None else int(numbers.max(initial=1)).bit_length()
    second = io.BytesIO()
    np.save(second, ends.astype(np.uint64))
    documents = documents_path(target)
    # The second file may belong to an npy shard too. It is not touched if it would stay the same.
    same = _has_content(documents, second.getvalue())
    outputs = [target] if same else [target, documents]
    check_not_read(outputs, lambda: [*files_of(ids), *files_of(offsets)])
    check_output(target, "packed shard", overwrite)
    if not same:
        _check_documents(documents, target, overwrite)
    packed = _core.pack_ids(np.ascontiguousarray(numbers, np.uint32), ends.size - 1, width)
    if not same:
        replace(documents, second.getvalue())
    replace(target, packed)
    return PackedShard(target)


def _checked_bits(given: object) -> int:
    wanted = "a whole number from 1 to 32"
    try:
        bits = operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        raise wrong_type("bits", given, wanted) from None
    if isinstance(given, bool):
        raise wrong_type("bits", given, wanted)
    if not 1 <= bits <= 32:
        raise OptionError(
            f"bits must be {wanted}, not {bits}",
            hint="leave it out to use as many as the largest id needs",
            option="bits",
            value=bits,
        )
    return bits


def _has_content(path: Path, content: bytes) -> bool:
    """Whether a file exists and has this content."""
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False


def _check_documents(path: Path, shard: Path, overwrite: bool) -> None:
    """Raise `SaveError` if the second file of a shard may not be replaced."""
    check_replaceable(path, "documents", overwrite)
    if not overwrite and not shard.exists() and path.is_file() and path.stat().st_size:
        raise SaveError(
            f"{path} is not replaced: it says where the documents of another shard are",
            hint="give its content as offsets, choose another name, or give `overwrite=True` to "
            "replace the file",
            path=str(path),
        )

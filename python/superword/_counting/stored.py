"""What counts and candidates have in common: checks, files and partitions."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from superword._counting.origin import Origin
from superword._counting.receipts import (
    RECEIPT,
    Receipt,
    check_can_be_added,
    pruned_before,
)
from superword._files.outputs import check_replaceable, is_counts, is_hidden
from superword.errors import CountsError, SaveError
from superword.pretokenizer import Pretokenizer

if TYPE_CHECKING:
    from superword._counting.arrow import Layout

__all__ = [
    "SUFFIXES",
    "Stored",
    "check_count",
    "check_directory",
    "check_not_pruned",
    "check_pretokenizer",
    "check_same_cut",
    "check_suffix",
    "check_token",
    "is_part",
]

SUFFIXES = (".parquet", ".arrow", ".feather", ".tsv")

_PART = re.compile(r"part-\d{5}-of-\d{5}\.parquet")
_BOUNDS = re.compile(r"bounds(-\d{5}-of-\d{5})?\.bin")


class Stored:
    """What counts and candidates have in common: facts, files and partitions."""

    __slots__ = ()

    _kind: ClassVar[str]
    _engine: Any
    origin: Origin

    @property
    def facts(self) -> dict[str, Any]:
        """What is known about the text, such as documents and bytes."""
        facts: dict[str, Any] = json.loads(self._engine.facts)
        return facts

    @property
    def checksum(self) -> int:
        """A checksum that adds up: that of a sum is the sum of the checksums, modulo 2**64."""
        return int(self._engine.checksum())

    def _described(self) -> dict[str, Any]:
        return self.origin.describe(self._kind, self.facts)

    def _layout(self) -> Layout:
        from superword._counting import arrow

        return arrow.COUNTS if self._kind == "counts" else arrow.CANDIDATES

    def _save(self, path: str | os.PathLike[str], overwrite: bool, rows: Any) -> None:
        name = os.fspath(path)
        suffix = check_suffix(name)
        check_replaceable(name, "counts", overwrite)
        if suffix == ".tsv":
            from superword._counting import tsv

            tsv.write(name, self._described(), rows(self._engine.columns()))
        else:
            from superword._counting import arrow

            layout = self._layout()
            schema = layout.schema(self._described())
            arrow.write(name, schema, layout.batches(self._engine.columns(), schema))

    def _receipt(self) -> Receipt:
        """The receipt of a directory with these counts, without checksums."""
        facts = {name: value for name, value in self.facts.items() if name != "unique_pretokens"}
        if "pruned" in facts:
            raise CountsError(
                "counts that were pruned cannot be divided into partitions",
                hint="divide them first, and prune when adding up",
            )
        cut_below = getattr(self, "cut_below", 1)
        return Receipt(self._kind, self.origin, facts, (), cut_below)

    def save_partitions(
        self, directory: str | os.PathLike[str], partitions: int, *, overwrite: bool = False
    ) -> None:
        """Write a directory with a Parquet file for each partition, and a receipt.

        Partitions are chosen by a hash of each key, so those of several directories can be added
        up independently (see `merge_partition`). A directory of counts is replaced; any other
        directory that is not empty only with `overwrite=True`.
        """
        from superword._counting import directory as directories

        partitions = directories.check_partitions(partitions)
        check_directory(directory, overwrite)
        bounds = getattr(self, "bounds", None)
        directories.write(directory, self._engine, self._receipt(), partitions, bounds)


def check_token(token: object) -> bytes:
    """Accept bytes that are not empty."""
    if not isinstance(token, bytes) or not token:
        raise CountsError(f"a token must be bytes that are not empty, not {token!r}")
    return token


def check_count(token: object, count: object) -> int:
    """Accept an integer that fits in 64 bits."""
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count < 2**64:
        raise CountsError(
            f"the count of {token!r} is {count!r}, not an unsigned 64-bit integer",
            hint="counts are whole numbers from 0 to 2**64 - 1",
        )
    return count


def check_suffix(path: str) -> str:
    """The suffix of a count file: one of `SUFFIXES`."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise CountsError(
            f"{path}: unknown suffix for a count file",
            hint=f"use {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}",
            path=path,
        )
    return suffix


def is_part(path: Path) -> bool:
    """Whether a file was written to a directory of counts, and is not just called so."""
    if _BOUNDS.fullmatch(path.name):
        return True
    return _PART.fullmatch(path.name) is not None and is_counts(path)


def check_directory(path: str | os.PathLike[str], overwrite: bool) -> None:
    """Raise `SaveError` unless counts may be written to a directory."""
    folder = Path(path)
    if folder.exists() and not folder.is_dir():
        raise SaveError(
            f"cannot save to {folder}: it is a file", hint="give a directory", path=str(folder)
        )
    if overwrite or not folder.exists() or (folder / RECEIPT).exists():
        return
    # Another process that adds up the same counts may write the receipt meanwhile.
    others = [
        path.name
        for path in folder.iterdir()
        if path.name != RECEIPT and not (is_part(path) or is_hidden(path))
    ]
    if others:
        raise SaveError(
            f"{folder} is not replaced: it is not a directory of counts, and it holds {others[0]}",
            hint="choose another directory, or give `overwrite=True` to write into this one",
            path=str(folder),
        )


def check_not_pruned(parts: Sequence[Stored]) -> None:
    """Raise if rare keys were removed from one of several counts."""
    if len(parts) > 1 and any("pruned" in part.facts for part in parts):
        raise pruned_before()


def check_same_cut(cuts: Sequence[int], origin: Origin) -> None:
    """Raise unless candidates that were cut in these ways can be added up."""
    check_can_be_added(max(cuts), origin)
    if len(set(cuts)) > 1:
        raise CountsError(
            f"the candidates were cut at {min(cuts)} and at {max(cuts)}",
            hint="count them again with one `cut_below`",
        )


def check_pretokenizer(origin: Origin, given: str | Pretokenizer | None) -> None:
    """Raise if the counts were made with another pretokenizer than the one given."""
    wanted = Pretokenizer(given) if isinstance(given, str) else given
    if wanted is not None and wanted != origin.pretokenizer:
        raise CountsError(
            f"the counts were made with {origin.pretokenizer!r}, not with {wanted!r}",
            hint="leave `pretokenizer` out to use that of the counts",
        )

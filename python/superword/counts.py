"""Counts of pretokens, to learn words from, and of candidates, to learn superwords from.

A corpus can be counted in parts, on several machines or by other programs, and added up:

>>> a, b = Counts.load("a.parquet"), Counts.load("b.parquet")
>>> Counts.merge([a, b]).save("all.parquet")

Counts record the pretokenizer, options and inputs they come from. Counts that do not belong
together cannot be added up. The suffix of a file selects Parquet, Arrow (both need
`pip install 'superword[arrow]'`) or TSV.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from superword import _core
from superword._core import BigramBounds
from superword._counting.origin import (
    Origin,
    cut_below_of,
    origin_of,
    sum_facts,
    together,
    words_key,
)
from superword._counting.receipts import Receipt, pruned_fact
from superword._counting.stored import (
    SUFFIXES,
    Stored,
    check_count,
    check_not_pruned,
    check_pretokenizer,
    check_same_cut,
    check_suffix,
    check_token,
)
from superword.errors import CountsError
from superword.pretokenizer import DEFAULT, Pretokenizer

if TYPE_CHECKING:
    import pyarrow

__all__ = [
    "SUFFIXES",
    "BigramBounds",
    "Candidates",
    "Counts",
    "Origin",
    "Receipt",
    "merge_partition",
    "words_key",
]


class Counts(Stored, Mapping[bytes, int]):
    """How often each pretoken of a text occurs. An immutable mapping.

    >>> Counts({b"a": 3, b" b": 2**40}, pretokenizer="gpt4o")[b" b"]
    1099511627776

    `facts` describes the text, and becomes part of the facts of a model. `bounds` are upper bounds
    on the counts of bigrams, if they were counted: they tell where candidates can be cut.
    """

    __slots__ = ("_engine", "bounds", "origin")

    _kind = "counts"
    _engine: _core.Counts

    def __init__(
        self,
        counts: Mapping[bytes, int],
        *,
        pretokenizer: str | Pretokenizer = DEFAULT,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(pretokenizer, str):
            pretokenizer = Pretokenizer(pretokenizer)
        checked = {check_token(token): check_count(token, n) for token, n in counts.items()}
        self._engine = _core.Counts.from_dict(checked, _counted_facts(checked, facts))
        self.origin = Origin(pretokenizer)
        self.bounds: BigramBounds | None = None

    @classmethod
    def _wrap(
        cls, engine: _core.Counts, origin: Origin, bounds: BigramBounds | None = None
    ) -> Counts:
        self = cls.__new__(cls)
        self._engine = engine
        self.origin = origin
        self.bounds = bounds
        return self

    @property
    def pretokenizer(self) -> Pretokenizer:
        """The pretokenizer that split the text."""
        assert self.origin.pretokenizer is not None
        return self.origin.pretokenizer

    @classmethod
    def merge(cls, parts: Iterable[Counts], *, allow_repeats: bool = False) -> Counts:
        """Add up the counts of parts of a text. `CountsError` if they do not belong together."""
        listed = list(parts)
        origin = together([part.origin for part in listed], allow_repeats)
        check_not_pruned(listed)
        facts = sum_facts([part.facts for part in listed])
        engine = _core.Counts.merge([part._engine for part in listed], "{}")
        if "unique_pretokens" in facts:
            facts["unique_pretokens"] = len(engine)
        bounds = [part.bounds for part in listed if part.bounds is not None]
        summed = BigramBounds.merge(bounds) if len(bounds) == len(listed) else None
        return cls._wrap(engine.with_facts(json.dumps(facts)), origin, summed)

    def prune(self, min_count: int) -> Counts:
        """Drop pretokens that occur less than `min_count` times.

        The result is not exact, and a model that is trained on it differs from an exact one. The
        fact `pruned` of the counts and of the model says so, and how much was dropped.
        """
        check_not_pruned([self])
        engine, (rows, count, _) = self._engine.without_rare(min_count)
        facts = {**self.facts, "unique_pretokens": len(engine)}
        facts["pruned"] = pruned_fact(min_count, rows, count)
        return self._wrap(engine.with_facts(json.dumps(facts)), self.origin, self.bounds)

    def to_arrow(self) -> pyarrow.Table:
        """A table of the columns `token` (binary) and `count` (uint64), sorted by token."""
        return self._layout().table(self._engine.columns(), self._described())

    @classmethod
    def from_arrow(
        cls, table: pyarrow.Table, *, pretokenizer: str | Pretokenizer | None = None
    ) -> Counts:
        """The counts in a table made by `to_arrow`, or in any table with these columns.

        A table of another program does not record the pretokenizer: give it as `pretokenizer`.
        """
        return cls._from_batches(table.schema, table.to_batches(), pretokenizer)

    @classmethod
    def _from_batches(
        cls, schema: Any, batches: Iterable[Any], pretokenizer: str | Pretokenizer | None
    ) -> Counts:
        from superword._counting import arrow

        origin, facts = origin_of(arrow.described(schema), "counts", pretokenizer)
        engine = _core.Counts.from_columns(arrow.COUNTS.columns(schema, batches), "{}")
        if facts is None:
            facts = {"unique_pretokens": len(engine)}
        return cls._wrap(engine.with_facts(json.dumps(facts)), origin)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a file whose suffix selects the format: .parquet, .arrow, .feather or .tsv.

        Counts are replaced. Any other existing file is replaced only with `overwrite=True`.
        """
        from superword._counting import tsv

        self._save(path, overwrite, tsv.rows)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, pretokenizer: str | Pretokenizer | None = None
    ) -> Counts:
        """Read a file of `save`, a directory of partitions, or a file of another program."""
        name = os.fspath(path)
        try:
            if Path(name).is_dir():
                from superword._counting import directory

                loaded, receipt, known = directory.load(name, "counts")
                check_pretokenizer(receipt.origin, pretokenizer)
                bounds = directory.bounds_of(name, receipt)
                return cls._wrap(loaded.with_facts(json.dumps(known)), receipt.origin, bounds)
            if check_suffix(name) == ".tsv":
                from superword._counting import tsv

                described, rows = tsv.read(name)
                origin, facts = origin_of(described, "counts", pretokenizer)
                counts: dict[bytes, int] = {}
                for line, tokens, count in rows:
                    if len(tokens) != 1:
                        raise CountsError(f"line {line} has {len(tokens) + 1} fields, not 2")
                    counts[tokens[0]] = counts.get(tokens[0], 0) + count
                checked = {token: check_count(token, n) for token, n in counts.items()}
                return cls._wrap(
                    _core.Counts.from_dict(checked, _counted_facts(checked, facts)), origin
                )
            from superword._counting import arrow

            schema, batches = arrow.read(name)
            return cls._from_batches(schema, batches, pretokenizer)
        except CountsError as error:
            raise error._at(name, path=name) from None

    @staticmethod
    def load_bounds(directory: str | os.PathLike[str]) -> BigramBounds:
        """Only the bounds of a directory of counts."""
        from superword._counting.directory import bounds_of
        from superword._counting.receipts import read_receipt

        bounds = bounds_of(directory, read_receipt(directory))
        if bounds is None:
            raise CountsError(
                f"{directory} has no bounds of bigrams",
                hint="count again with `partitions` or `plan`, or with `bounds=True`",
                path=os.fspath(directory),
            )
        return bounds

    def __getitem__(self, token: bytes) -> int:
        count = self._engine.get(token) if isinstance(token, bytes) else 0
        if not count:
            raise KeyError(token)
        return count

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._engine.to_dict())

    def items(self) -> Any:
        """All pretokens with their counts, in no particular order."""
        return self._engine.to_dict().items()

    def __len__(self) -> int:
        return len(self._engine)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        same = self.pretokenizer == other.pretokenizer and len(self) == len(other)
        return same and self._engine.to_dict() == other._engine.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Counts of {len(self):,} pretokens by {self.pretokenizer!r}>"


class Candidates(Stored, Mapping[tuple[bytes, ...], int]):
    """How often each run of eligible single-token pretokens occurs. An immutable mapping.

    >>> Candidates({(b"of", b" the"): 12})[b"of", b" the"]
    12

    Runs were cut at bigrams that occur less than `cut_below` times; 1 means that none were cut.
    """

    __slots__ = ("_counts", "_engine", "origin")

    _kind = "candidates"
    _engine: _core.Candidates

    def __init__(
        self,
        counts: Mapping[tuple[bytes, ...], int],
        *,
        cut_below: int = 1,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        checked = {tuple(map(check_token, run)): check_count(run, n) for run, n in counts.items()}
        self._counts: dict[tuple[bytes, ...], int] | None = None
        self._engine = _core.Candidates.from_dict(checked, cut_below, json.dumps(dict(facts or {})))
        self.origin = Origin()

    @classmethod
    def _wrap(cls, engine: _core.Candidates, origin: Origin) -> Candidates:
        self = cls.__new__(cls)
        self._counts = None
        self._engine = engine
        self.origin = origin
        return self

    @property
    def cut_below(self) -> int:
        """Runs were cut at bigrams that occur less often. 1 means that none were cut."""
        return self._engine.cut_below

    @classmethod
    def merge(cls, parts: Iterable[Candidates], *, allow_repeats: bool = False) -> Candidates:
        """Add up the candidates of parts of a text, counted with the same words.

        Candidates that were cut can be added up only if the bounds of the whole text decided where.
        """
        listed = list(parts)
        origin = together([part.origin for part in listed], allow_repeats)
        if len(listed) > 1:
            check_same_cut([part.cut_below for part in listed], origin)
        check_not_pruned(listed)
        facts = json.dumps(sum_facts([part.facts for part in listed]))
        return cls._wrap(_core.Candidates.merge([part._engine for part in listed], facts), origin)

    def prune(self, min_count: int) -> Candidates:
        """Drop candidates that occur less than `min_count` times. See `Counts.prune`."""
        check_not_pruned([self])
        engine, (rows, count, _) = self._engine.without_rare(min_count)
        facts = {**self.facts, "pruned": pruned_fact(min_count, rows, count)}
        return self._wrap(engine.with_facts(json.dumps(facts)), self.origin)

    def to_arrow(self) -> pyarrow.Table:
        """A table of the columns `tokens` (list of binary) and `count` (uint64), sorted."""
        return self._layout().table(self._engine.columns(), self._described())

    @classmethod
    def from_arrow(cls, table: pyarrow.Table) -> Candidates:
        """The candidates in a table made by `to_arrow`."""
        return cls._from_batches(table.schema, table.to_batches())

    @classmethod
    def _from_batches(cls, schema: Any, batches: Iterable[Any]) -> Candidates:
        from superword._counting import arrow

        described = arrow.described(schema)
        origin, facts = origin_of(described, "candidates", None)
        engine = _core.Candidates.from_columns(
            arrow.CANDIDATES.columns(schema, batches),
            cut_below_of(described),
            json.dumps(facts or {}),
        )
        return cls._wrap(engine, origin)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a file whose suffix selects the format: .parquet, .arrow, .feather or .tsv.

        Counts are replaced. Any other existing file is replaced only with `overwrite=True`.
        """
        from superword._counting import tsv

        self._save(path, overwrite, tsv.run_rows)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Candidates:
        """Read a file of `save`, a directory of partitions, or a file of another program."""
        name = os.fspath(path)
        try:
            if Path(name).is_dir():
                from superword._counting import directory

                loaded, receipt, known = directory.load(name, "candidates")
                return cls._wrap(loaded.with_facts(json.dumps(known)), receipt.origin)
            if check_suffix(name) == ".tsv":
                from superword._counting import tsv

                described, rows = tsv.read(name)
                origin, facts = origin_of(described, "candidates", None)
                counts: dict[tuple[bytes, ...], int] = {}
                for line, tokens, count in rows:
                    if len(tokens) < 2:
                        raise CountsError(f"line {line} has fewer than two tokens and a count")
                    counts[tokens] = check_count(tokens, counts.get(tokens, 0) + count)
                cut_below = cut_below_of(described)
                engine = _core.Candidates.from_dict(counts, cut_below, json.dumps(facts or {}))
                return cls._wrap(engine, origin)
            from superword._counting import arrow

            return cls._from_batches(*arrow.read(name))
        except CountsError as error:
            raise error._at(name, path=name) from None

    def _described(self) -> dict[str, Any]:
        return self.origin.describe("candidates", self.facts, cut_below=self.cut_below)

    def _dict(self) -> dict[tuple[bytes, ...], int]:
        # Built on first use; the engine does not need it.
        if self._counts is None:
            self._counts = self._engine.to_dict()
        return self._counts

    def __getitem__(self, tokens: tuple[bytes, ...]) -> int:
        return self._dict()[tokens]

    def __iter__(self) -> Iterator[tuple[bytes, ...]]:
        return iter(self._dict())

    def __len__(self) -> int:
        return len(self._engine)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Candidates: {len(self):,} runs of tokens>"


def merge_partition(
    directories: Iterable[str | os.PathLike[str]],
    partition: int,
    output: str | os.PathLike[str],
    *,
    min_count: int = 1,
    allow_repeats: bool = False,
) -> int:
    """Add up one partition of several directories of counts. Returns the number of its keys.

    >>> for k in range(16):  # on any machines, at the same time
    ...     merge_partition(["counts/"], k, "all-counts/")

    `output` is a directory that `Counts.load` or `Candidates.load` reads once all partitions are
    there. A directory that holds the directories of the tasks of a plan stands for all of them; a
    missing task is an error. `min_count` drops rarer keys, which is not exact: see `Counts.prune`.
    """
    from superword._counting import directory

    _, rows = directory.merge_partition(
        list(directories), partition, output, min_count=min_count, allow_repeats=allow_repeats
    )
    return rows


def _counted_facts(counts: Mapping[bytes, int], facts: Mapping[str, Any] | None) -> str:
    if facts is None:
        facts = {"pretokens": sum(counts.values()), "unique_pretokens": len(counts)}
    return json.dumps(dict(facts))


def kind_of(path: str | os.PathLike[str]) -> type[Counts] | type[Candidates]:
    """Whether a file holds counts or candidates, according to its own record.

    A file of another program has no such record, and holds counts.
    """
    name = os.fspath(path)
    try:
        if Path(name).is_dir():
            from superword._counting import receipts

            found = next(iter(receipts.receipts_in([name]).values()))
            return Candidates if found.kind == "candidates" else Counts
        if check_suffix(name) == ".tsv":
            from superword._counting import tsv

            described = tsv.describe(name)
        else:
            from superword._counting import arrow

            described = arrow.described(arrow.read(name)[0])
    except CountsError as error:
        raise error._at(name, path=name) from None
    return Candidates if (described or {}).get("kind") == "candidates" else Counts

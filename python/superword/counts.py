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
from superword._counting.origin import Origin, origin_of, sum_facts, together, words_key
from superword._files.outputs import check_replaceable
from superword.errors import CountsError
from superword.pretokenizer import DEFAULT, Pretokenizer

if TYPE_CHECKING:
    import pyarrow

__all__ = ["SUFFIXES", "Candidates", "Counts", "Origin", "words_key"]

SUFFIXES = (".parquet", ".arrow", ".feather", ".tsv")


class Counts(Mapping[bytes, int]):
    """How often each pretoken of a text occurs. An immutable mapping.

    >>> Counts({b"a": 3, b" b": 2**40}, pretokenizer="gpt4o")[b" b"]
    1099511627776

    `facts` describes the text, and becomes part of the facts of a model.
    """

    __slots__ = ("_engine", "origin")

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

    @classmethod
    def _wrap(cls, engine: _core.Counts, origin: Origin) -> Counts:
        self = cls.__new__(cls)
        self._engine = engine
        self.origin = origin
        return self

    @property
    def pretokenizer(self) -> Pretokenizer:
        """The pretokenizer that split the text."""
        assert self.origin.pretokenizer is not None
        return self.origin.pretokenizer

    @property
    def facts(self) -> dict[str, Any]:
        """What is known about the text: documents, bytes, pretokens."""
        facts: dict[str, Any] = json.loads(self._engine.facts)
        return facts

    @classmethod
    def merge(cls, parts: Iterable[Counts], *, allow_repeats: bool = False) -> Counts:
        """Add up the counts of parts of a text. `CountsError` if they do not belong together."""
        listed = list(parts)
        origin = together([part.origin for part in listed], allow_repeats)
        facts = sum_facts([part.facts for part in listed])
        engine = _core.Counts.merge([part._engine for part in listed], "{}")
        if "unique_pretokens" in facts:
            facts["unique_pretokens"] = len(engine)
        return cls._wrap(engine.with_facts(json.dumps(facts)), origin)

    def to_arrow(self) -> pyarrow.Table:
        """A table of the columns `token` (binary) and `count` (uint64), sorted by token."""
        from superword._counting import arrow

        described = self.origin.describe("counts", self.facts)
        return arrow.counts_table(self._engine.columns(), described)

    @classmethod
    def from_arrow(
        cls, table: pyarrow.Table, *, pretokenizer: str | Pretokenizer | None = None
    ) -> Counts:
        """The counts in a table made by `to_arrow`, or in any table with these columns.

        A table of another program does not record the pretokenizer: give it as `pretokenizer`.
        """
        from superword._counting import arrow

        origin, facts = origin_of(arrow.described(table.schema), "counts", pretokenizer)
        engine = _core.Counts.from_columns(arrow.counts_columns(table), "{}")
        if facts is None:
            facts = {"unique_pretokens": len(engine)}
        return cls._wrap(engine.with_facts(json.dumps(facts)), origin)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a file whose suffix selects the format: .parquet, .arrow, .feather or .tsv.

        Counts are replaced. Any other existing file is replaced only with `overwrite=True`.
        """
        name = os.fspath(path)
        suffix = check_suffix(name)
        check_replaceable(name, "counts", overwrite)
        if suffix == ".tsv":
            from superword._counting import tsv

            described = self.origin.describe("counts", self.facts)
            tsv.write(name, described, tsv.rows(self._engine.columns()))
        else:
            from superword._counting import arrow

            arrow.write(name, self.to_arrow())

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, pretokenizer: str | Pretokenizer | None = None
    ) -> Counts:
        """Read a file of `save`, or a file of another program with the same columns."""
        name = os.fspath(path)
        try:
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

            return cls.from_arrow(arrow.read(name), pretokenizer=pretokenizer)
        except CountsError as error:
            raise error._at(name, path=name) from None

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


class Candidates(Mapping[tuple[bytes, ...], int]):
    """How often each run of eligible single-token pretokens occurs. An immutable mapping.

    >>> Candidates({(b"of", b" the"): 12})[b"of", b" the"]
    12

    Runs were cut at bigrams that occur less than `cut_below` times; 1 means that none were cut.
    """

    __slots__ = ("_counts", "_engine", "origin")

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

    @property
    def facts(self) -> dict[str, Any]:
        """What is known about the text."""
        facts: dict[str, Any] = json.loads(self._engine.facts)
        return facts

    @classmethod
    def merge(cls, parts: Iterable[Candidates], *, allow_repeats: bool = False) -> Candidates:
        """Add up the candidates of parts of a text, counted with the same words and not cut."""
        listed = list(parts)
        origin = together([part.origin for part in listed], allow_repeats)
        if any(part.cut_below > 1 for part in listed):
            raise CountsError(
                "candidates that were cut cannot be added up: what is rare in one part may be "
                "common in the whole text",
                hint="count the candidates again without `cut_below`",
            )
        facts = json.dumps(sum_facts([part.facts for part in listed]))
        return cls._wrap(_core.Candidates.merge([part._engine for part in listed], facts), origin)

    def to_arrow(self) -> pyarrow.Table:
        """A table of the columns `tokens` (list of binary) and `count` (uint64), sorted."""
        from superword._counting import arrow

        return arrow.candidates_table(self._engine.columns(), self._described())

    @classmethod
    def from_arrow(cls, table: pyarrow.Table) -> Candidates:
        """The candidates in a table made by `to_arrow`."""
        from superword._counting import arrow

        described = arrow.described(table.schema)
        origin, facts = origin_of(described, "candidates", None)
        engine = _core.Candidates.from_columns(
            arrow.candidates_columns(table),
            int((described or {}).get("cut_below", 1)),
            json.dumps(facts or {}),
        )
        return cls._wrap(engine, origin)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a file whose suffix selects the format: .parquet, .arrow, .feather or .tsv.

        Counts are replaced. Any other existing file is replaced only with `overwrite=True`.
        """
        name = os.fspath(path)
        suffix = check_suffix(name)
        check_replaceable(name, "counts", overwrite)
        if suffix == ".tsv":
            from superword._counting import tsv

            tsv.write(name, self._described(), tsv.run_rows(self._engine.columns()))
        else:
            from superword._counting import arrow

            arrow.write(name, self.to_arrow())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Candidates:
        """Read a file of `save`, or a file of another program with the same columns."""
        name = os.fspath(path)
        try:
            if check_suffix(name) == ".tsv":
                from superword._counting import tsv

                described, rows = tsv.read(name)
                origin, facts = origin_of(described, "candidates", None)
                counts: dict[tuple[bytes, ...], int] = {}
                for line, tokens, count in rows:
                    if len(tokens) < 2:
                        raise CountsError(f"line {line} has fewer than two tokens and a count")
                    counts[tokens] = check_count(tokens, counts.get(tokens, 0) + count)
                cut_below = int((described or {}).get("cut_below", 1))
                engine = _core.Candidates.from_dict(counts, cut_below, json.dumps(facts or {}))
                return cls._wrap(engine, origin)
            from superword._counting import arrow

            return cls.from_arrow(arrow.read(name))
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
        if check_suffix(name) == ".tsv":
            from superword._counting import tsv

            described = tsv.describe(name)
        else:
            from superword._counting import arrow

            described = arrow.described(arrow.schema(name))
    except CountsError as error:
        raise error._at(name, path=name) from None
    return Candidates if (described or {}).get("kind") == "candidates" else Counts

"""The stages of training, each by itself.

`superword.train` does all of this at once. A corpus that is counted in pieces, on many machines
or by another engine is learned from stage by stage:

>>> counts = count_pretokens(["docs/*.jsonl"])
>>> words = train_words(counts, vocab_size=32_768)
>>> candidates = count_candidates(["docs/*.jsonl"], words)
>>> tok = train_superwords(words, candidates, method="boundless", vocab_size=32_768)

The result is that of `superword.train` with the same options.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from superword import _core
from superword.errors import CountsError, OptionError, ShortfallWarning, SkippedWarning
from superword.inputs import Texts, expand
from superword.options import (
    Alphabet,
    Boundary,
    Format,
    GreedySplit,
    Method,
    OnError,
    PickySplit,
    TrainOptions,
)
from superword.pretokenizer import DEFAULT, Pretokenizer
from superword.tokenizer import Tokenizer
from superword.training import ProgressOption, Report, open_sources, spool, watching

__all__ = [
    "Candidates",
    "Counts",
    "count_candidates",
    "count_pretokens",
    "train_superwords",
    "train_words",
]

Inputs = str | os.PathLike[str] | Texts | Iterable[str | os.PathLike[str]]


class Counts(Mapping[bytes, int]):
    """How often each pretoken of a text occurs, and by which pretokenizer. Immutable.

    >>> Counts({b"a": 3, b" b": 2**40}, pretokenizer="gpt4o")[b" b"]
    1099511627776

    `facts` says what is known of the text; it becomes part of the facts of a model.
    """

    __slots__ = ("_engine", "_pretokenizer")

    def __init__(
        self,
        counts: Mapping[bytes, int],
        *,
        pretokenizer: str | Pretokenizer = DEFAULT,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(pretokenizer, str):
            pretokenizer = Pretokenizer(pretokenizer)
        checked = {_token(token): _count(token, count) for token, count in counts.items()}
        if facts is None:
            facts = {"pretokens": sum(checked.values()), "unique_pretokens": len(checked)}
        self._engine = _core.Counts.from_dict(checked, json.dumps(dict(facts)))
        self._pretokenizer = pretokenizer

    @classmethod
    def _wrap(cls, engine: _core.Counts, pretokenizer: Pretokenizer) -> Counts:
        self = cls.__new__(cls)
        self._engine = engine
        self._pretokenizer = pretokenizer
        return self

    @property
    def pretokenizer(self) -> Pretokenizer:
        """What cut the text."""
        return self._pretokenizer

    @property
    def facts(self) -> dict[str, Any]:
        """What is known of the text: documents, bytes, pretokens."""
        facts: dict[str, Any] = json.loads(self._engine.facts)
        return facts

    def __getitem__(self, token: bytes) -> int:
        count = self._engine.get(token) if isinstance(token, bytes) else 0
        if not count:
            raise KeyError(token)
        return count

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._engine.to_dict())

    def items(self) -> Any:
        """All pretokens and their counts, in no particular order."""
        return self._engine.to_dict().items()

    def __len__(self) -> int:
        return len(self._engine)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        same = self._pretokenizer == other._pretokenizer and len(self) == len(other)
        return same and self._engine.to_dict() == other._engine.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Counts of {len(self):,} pretokens by {self._pretokenizer!r}>"


class Candidates(Mapping[tuple[bytes, ...], int]):
    """How often each run of eligible single-token pretokens occurs. Immutable.

    >>> Candidates({(b"of", b" the"): 12})[b"of", b" the"]
    12

    `cut_below`: bigrams that occur less often were cut (1: none were).
    """

    __slots__ = ("_counts", "_engine")

    def __init__(
        self,
        counts: Mapping[tuple[bytes, ...], int],
        *,
        cut_below: int = 1,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        checked = {
            tuple(map(_token, tokens)): _count(tokens, count) for tokens, count in counts.items()
        }
        self._counts: dict[tuple[bytes, ...], int] | None = None
        self._engine = _core.Candidates.from_dict(checked, cut_below, json.dumps(dict(facts or {})))

    @classmethod
    def _wrap(cls, engine: _core.Candidates) -> Candidates:
        self = cls.__new__(cls)
        self._counts = None
        self._engine = engine
        return self

    @property
    def cut_below(self) -> int:
        """Bigrams that occur less often were cut; 1 if none were."""
        return self._engine.cut_below

    @property
    def facts(self) -> dict[str, Any]:
        """What is known of the text."""
        facts: dict[str, Any] = json.loads(self._engine.facts)
        return facts

    def _dict(self) -> dict[tuple[bytes, ...], int]:
        # Made once, on the first look: the engine has no use for it.
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


def count_pretokens(
    inputs: Inputs,
    *,
    pretokenizer: str | Pretokenizer = DEFAULT,
    threads: int | None = None,
    text_field: str = "text",
    max_bytes: int | str | None = None,
    on_error: OnError = "stop",
    format: Format | None = None,
    progress: ProgressOption = False,
) -> Counts:
    """Count the pretokens of a text: the first stage. Inputs and options as in `superword.train`.

    >>> count_pretokens(Texts(["a b a"]))[b" b"]
    1
    """
    options = TrainOptions(
        vocab_size=_ANY_SIZE,
        pretokenizer=pretokenizer,
        threads=threads,
        text_field=text_field,
        max_bytes=max_bytes,
        on_error=on_error,
        format=format,
    )
    assert isinstance(options.pretokenizer, Pretokenizer)
    reading = {**options.for_reading(), "pretokenizer": options.pretokenizer._engine}
    with watching(progress) as tell:
        counts, report = _core.count_pretokens(sources_of(inputs, format), reading, tell)
    _warn(Report.of(report))
    return Counts._wrap(counts, options.pretokenizer)


def train_words(
    counts: Counts | Mapping[bytes, int],
    *,
    vocab_size: int,
    alphabet: Alphabet = "bytes",
    min_count: int = 1,
    picky: float | None = None,
    picky_split: PickySplit = "parts",
    special_tokens: Iterable[str] = (),
    progress: ProgressOption = False,
) -> Tokenizer:
    """Learn words from counts: phase 1. The result is a tokenizer of the kind `bpe`."""
    if not isinstance(counts, Counts):
        counts = Counts(counts)
    options = TrainOptions(
        vocab_size=vocab_size,
        method="bpe",
        alphabet=alphabet,
        min_count=min_count,
        picky=picky,
        picky_split=picky_split,
        special_tokens=special_tokens,
    )
    learning = {**options.for_learning(), "pretokenizer": counts.pretokenizer._engine}
    with watching(progress) as tell:
        model, shortfall = _core.train_words(counts._engine, learning, tell)
    _warn(Report(shortfall=shortfall))
    return Tokenizer._wrap(model)


def count_candidates(
    inputs: Inputs,
    words: Tokenizer,
    *,
    cut_below: int | None = None,
    threads: int | None = None,
    text_field: str = "text",
    max_bytes: int | str | None = None,
    on_error: OnError = "stop",
    format: Format | None = None,
    progress: ProgressOption = False,
) -> Candidates:
    """Count the candidates for superwords of a text: runs of pretokens that are one token each.

    With `cut_below`, runs are cut at bigrams that occur less often **in this text**: nothing is
    lost if no superword as rare as that is learned, which `train_superwords` checks. Candidates
    of parts of a text that are to be added up must not be cut.
    """
    options = TrainOptions(
        vocab_size=_ANY_SIZE,
        threads=threads,
        text_field=text_field,
        max_bytes=max_bytes,
        on_error=on_error,
        format=format,
    )
    if cut_below is not None and (type(cut_below) is not int or cut_below < 1):
        raise OptionError(
            f"cut_below must be a whole number, 1 or more, not {cut_below!r}", option="cut_below"
        )
    reading = {**options.for_reading(), "cut_below": cut_below}
    sources = sources_of(inputs, format)
    with watching(progress) as tell:
        candidates, report = _core.count_candidates(sources, words._model, reading, tell)
    _warn(Report.of(report))
    return Candidates._wrap(candidates)


def train_superwords(
    words: Tokenizer,
    candidates: Candidates | Mapping[tuple[bytes, ...], int],
    *,
    vocab_size: int,
    method: Method = "boundless",
    supermerges: int | None = None,
    min_count: int = 1,
    greedy_split: GreedySplit = False,
    max_words: int | None = None,
    same_script: bool = False,
    boundary: Boundary = "any",
    veto: str | None = None,
    special_tokens: Iterable[str] = (),
    progress: ProgressOption = False,
) -> Tokenizer:
    """Learn superwords from candidates: phase 2.

    The result is that of `superword.train` if `words` were learned at `vocab_size` (boundless) or
    `vocab_size - supermerges` (superbpe), less the number of special tokens, which are only given
    here. `words` with special tokens or ids of their own keep all of their ids (superbpe only).
    """
    if not isinstance(candidates, Candidates):
        candidates = Candidates(candidates)
    learned = words.facts.get("options", {})
    picky = learned.get("picky")
    options = TrainOptions(
        vocab_size=vocab_size,
        method=method,
        supermerges=supermerges,
        alphabet=words.alphabet,  # type: ignore[arg-type]
        min_count=min_count,
        picky=picky,
        picky_split=words._model.picky_split if picky is not None else "parts",  # type: ignore[arg-type]
        greedy_split=greedy_split,
        max_words=max_words,
        same_script=same_script,
        boundary=boundary,
        veto=veto,
        special_tokens=special_tokens,
    )
    with watching(progress) as tell:
        model, shortfall = _core.train_superwords(
            words._model, candidates._engine, options.for_learning(), tell
        )
    _warn(Report(shortfall=shortfall))
    return Tokenizer._wrap(model)


# Counting needs no size; the options have one to be checked against.
_ANY_SIZE = 1 << 20


def sources_of(inputs: Inputs, format: str | None) -> list[_core.Source]:
    """The sources that the inputs stand for, as the engine takes them."""
    if isinstance(inputs, Texts):
        return [(spool(inputs.texts), None)]
    return open_sources(expand(inputs, format))


def _token(token: object) -> bytes:
    if not isinstance(token, bytes) or not token:
        raise CountsError(f"a token must be bytes that are not empty, not {token!r}")
    return token


def _count(token: object, count: object) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count < 2**64:
        raise CountsError(
            f"the count of {token!r} is {count!r}, not a whole number of 64 bits",
            hint="counts are whole numbers from 0 to 2**64 - 1",
        )
    return count


def _warn(report: Report) -> None:
    # 3: the line that called the stage.
    if report.skipped:
        warnings.warn(report.skipped_text(), SkippedWarning, stacklevel=3)
    if report.shortfall:
        warnings.warn(report.shortfall, ShortfallWarning, stacklevel=3)

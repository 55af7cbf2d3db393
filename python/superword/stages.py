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
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from superword import _core
from superword._support.paths import printable
from superword.counts import Candidates, Counts, Origin, words_key
from superword.errors import CountsError, OptionError, ShortfallWarning, SkippedWarning
from superword.inputs import expand
from superword.options import (
    SUPERWORDS_ONLY,
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
from superword.training import Inputs, ProgressOption, Report, Sources, gather, watching

if TYPE_CHECKING:
    import pyarrow

__all__ = [
    "Candidates",
    "Counts",
    "count_candidates",
    "count_pretokens",
    "extend",
    "train_from_counts",
    "train_superwords",
    "train_words",
]


def count_pretokens(
    inputs: Inputs,
    *,
    pretokenizer: str | Pretokenizer = DEFAULT,
    threads: int | None = None,
    text_field: str = "text",
    max_bytes: int | str | None = None,
    sample: int | str | None = None,
    seed: int = 0,
    weights: Mapping[str, float] | Iterable[str] = (),
    max_memory: int | str | None = None,
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
        sample=sample,
        seed=seed,
        weights=weights,
        max_memory=max_memory,
        on_error=on_error,
        format=format,
    )
    assert isinstance(options.pretokenizer, Pretokenizer)
    sources = gather(expand(inputs, format), options)
    reading = {
        **options.for_reading(),
        "groups": sources.groups,
        "pretokenizer": options.pretokenizer._engine,
    }
    with watching(progress) as tell:
        counts, report = _core.count_pretokens(sources.sources, reading, tell)
    _warn(Report.of(report))
    return Counts._wrap(counts, _origin(options, sources, report))


def train_words(
    counts: Counts | Mapping[bytes, int] | pyarrow.Table,
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
        is_mapping = isinstance(counts, Mapping)
        counts = Counts(counts) if is_mapping else Counts.from_arrow(counts)
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
    sample: int | str | None = None,
    seed: int = 0,
    weights: Mapping[str, float] | Iterable[str] = (),
    max_memory: int | str | None = None,
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
        sample=sample,
        seed=seed,
        weights=weights,
        max_memory=max_memory,
        on_error=on_error,
        format=format,
    )
    if cut_below is not None and (type(cut_below) is not int or cut_below < 1):
        raise OptionError(
            f"cut_below must be a whole number, 1 or more, not {cut_below!r}", option="cut_below"
        )
    sources = gather(expand(inputs, format), options)
    reading = {**options.for_reading(), "groups": sources.groups, "cut_below": cut_below}
    with watching(progress) as tell:
        candidates, report = _core.count_candidates(sources.sources, words._model, reading, tell)
    _warn(Report.of(report))
    origin = _origin(options, sources, report)
    return Candidates._wrap(
        candidates, origin._replace(pretokenizer=words.pretokenizer, words=words_key(words))
    )


def train_superwords(
    words: Tokenizer,
    candidates: Candidates | Mapping[tuple[bytes, ...], int] | pyarrow.Table,
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
        is_mapping = isinstance(candidates, Mapping)
        candidates = Candidates(candidates) if is_mapping else Candidates.from_arrow(candidates)
    _check_words(candidates, words)
    learned = words.facts.get("options", {})
    picky = learned.get("picky")
    options = TrainOptions(
        vocab_size=vocab_size,
        method=method,
        supermerges=supermerges,
        alphabet=words.alphabet,  # type: ignore[arg-type]
        min_count=min_count,
        picky=picky,
        picky_split="bytes" if picky and words._model.picky_split == "bytes" else "parts",
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


def extend(
    base: Tokenizer,
    inputs: Inputs,
    *,
    supermerges: int,
    min_count: int = 1,
    greedy_split: GreedySplit = False,
    max_words: int | None = None,
    same_script: bool = False,
    boundary: Boundary = "any",
    veto: str | None = None,
    threads: int | None = None,
    text_field: str = "text",
    max_bytes: int | str | None = None,
    sample: int | str | None = None,
    seed: int = 0,
    weights: Mapping[str, float] | Iterable[str] = (),
    max_memory: int | str | None = None,
    on_error: OnError = "stop",
    format: Format | None = None,
    progress: ProgressOption = False,
) -> Tokenizer:
    """Add superwords learned from a text to a tokenizer of words, as SuperBPE does.

    >>> tok = extend(words, ["docs/*.jsonl"], supermerges=4000)

    Tokens, ids and merges of `base` stay what they are, its special tokens too; superwords get
    the ids after all of them. A base that has superwords is refused. The result cannot be cut to
    a smaller vocabulary where the base has special tokens: their ids would be in the middle.
    """
    options = TrainOptions(
        vocab_size=base.n_vocab + supermerges,
        method="superbpe",
        supermerges=supermerges,
        alphabet=base.alphabet,  # type: ignore[arg-type]
        min_count=min_count,
        greedy_split=greedy_split,
        max_words=max_words,
        same_script=same_script,
        boundary=boundary,
        veto=veto,
        threads=threads,
        text_field=text_field,
        max_bytes=max_bytes,
        sample=sample,
        seed=seed,
        weights=weights,
        max_memory=max_memory,
        on_error=on_error,
        format=format,
    )
    sources = gather(expand(inputs, format), options)
    tokenizer, report = extend_from(base, sources, options, progress)
    _warn(report)
    return tokenizer


def extend_from(
    base: Tokenizer, sources: Sources, options: TrainOptions, progress: ProgressOption = False
) -> tuple[Tokenizer, Report]:
    """The same from sources and options, and what was done."""
    reading = {**options.for_reading(), "groups": sources.groups, "cut_below": None}
    about = {"method": base.method, "n_vocab": base.n_vocab, "words": words_key(base)}
    with watching(progress) as tell:
        candidates, told = _core.count_candidates(sources.sources, base._model, reading, tell)
        facts = json.dumps({**json.loads(candidates.facts), "base": about})
        learning = {**options.for_learning(), "facts": facts}
        model, shortfall = _core.train_superwords(base._model, candidates, learning, tell)
    return Tokenizer._wrap(model), replace(Report.of(told), shortfall=shortfall)


def train_from_counts(
    counts: Counts,
    options: TrainOptions,
    candidates: Candidates | None = None,
    sources: Sources | None = None,
    progress: ProgressOption = False,
) -> tuple[Tokenizer, Report]:
    """Both phases from counts; candidates as they are given or counted in `sources`."""
    special = tuple(options.special_tokens)
    with watching(progress) as tell:
        if options.method == "bpe":
            learning = {**options.for_learning(), "pretokenizer": counts.pretokenizer._engine}
            model, shortfall = _core.train_words(counts._engine, learning, tell)
            return Tokenizer._wrap(model), Report(shortfall=shortfall)
        words_only = replace(
            options,
            method="bpe",
            vocab_size=options.vocab_size - (options.supermerges or 0) - len(special),
            special_tokens=(),
            supermerges=None,
            **{name: _DEFAULTS[name] for name in SUPERWORDS_ONLY},
        )
        learning = {**words_only.for_learning(), "pretokenizer": counts.pretokenizer._engine}
        model, _ = _core.train_words(counts._engine, learning, tell)
        words = Tokenizer._wrap(model)
        report = Report()
        if candidates is None:
            assert sources is not None
            reading = {**options.for_reading(), "groups": sources.groups, "cut_below": None}
            engine, told = _core.count_candidates(sources.sources, model, reading, tell)
            candidates = Candidates._wrap(engine, Origin())
            report = Report.of(told)
        _check_words(candidates, words)
        model, shortfall = _core.train_superwords(
            model, candidates._engine, options.for_learning(), tell
        )
    return Tokenizer._wrap(model), replace(report, shortfall=shortfall)


def _check_words(candidates: Candidates, words: Tokenizer) -> None:
    if candidates.origin.words not in (None, words_key(words)):
        raise CountsError(
            "the candidates were counted with other words than these",
            hint="count them again with this model of words",
        )


_DEFAULTS: dict[str, Any] = {option.name: option.default for option in fields(TrainOptions)}

# Counting needs no size; the options have one to be checked against.
_ANY_SIZE = 1 << 20


def _origin(options: TrainOptions, sources: Sources, report: Mapping[str, Any]) -> Origin:
    """Where counts are from."""
    assert isinstance(options.pretokenizer, Pretokenizer)
    inputs = tuple(
        {"name": printable(name), "documents": documents, "bytes": size, "skipped": skipped}
        for name, (documents, size, skipped) in zip(sources.names, report["inputs"], strict=True)
    )
    reading = options.for_reading()
    recorded: dict[str, Any] = {}
    if reading["sample"] is not None:
        recorded = {"sample": reading["sample"], "seed": reading["seed"]}
    if options.weights:
        recorded["weights"] = dict(options.weights)  # type: ignore[arg-type]
    return Origin(options.pretokenizer, recorded, inputs)


def _warn(report: Report) -> None:
    # 3: the line that called the stage.
    if report.skipped:
        warnings.warn(report.skipped_text(), SkippedWarning, stacklevel=3)
    if report.shortfall:
        warnings.warn(report.shortfall, ShortfallWarning, stacklevel=3)

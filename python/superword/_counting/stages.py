"""The stages of training with sources and options that are checked already, and with reports.

`superword.stages`, the command line and the plans all use these.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from superword import _core
from superword._reading.sources import Sources, raising
from superword._support.paths import as_unicode
from superword.counts import BigramBounds, Candidates, Counts, Origin, words_key
from superword.errors import CountsError
from superword.options import DEFAULTS, SUPERWORDS_ONLY, ReadOptions, TrainOptions
from superword.pretokenizer import Pretokenizer
from superword.tokenizer import Tokenizer
from superword.training import ProgressOption, Report, watching

__all__ = [
    "candidates_from",
    "check_words",
    "count_from",
    "extend_from",
    "superwords_from",
    "train_from_counts",
    "train_in_parts",
    "words_options",
]


def count_from(
    sources: Sources,
    pretokenizer: Pretokenizer,
    options: ReadOptions,
    bounds: bool = False,
    progress: ProgressOption = False,
    *,
    allow_empty: bool = False,
) -> tuple[Counts, Report]:
    """`superword.stages.count_pretokens`. With `allow_empty`, there may be no text."""
    reading = {
        **options.for_reading(),
        "groups": sources.groups,
        "pretokenizer": pretokenizer._engine,
        "bounds": bounds,
        "allow_empty": allow_empty,
    }
    with watching(progress) as tell, raising(sources.failures):
        counts, report, bounded = _core.count_pretokens(sources.sources, reading, tell)
    origin = _origin(pretokenizer, options, sources, report)
    return Counts._wrap(counts, origin, bounded), Report.of(report)


def candidates_from(
    sources: Sources,
    words: Tokenizer,
    options: ReadOptions,
    cut_below: int | None = None,
    bounds: BigramBounds | None = None,
    progress: ProgressOption = False,
    *,
    allow_empty: bool = False,
) -> tuple[Candidates, Report]:
    """`superword.stages.count_candidates`. With `allow_empty`, there may be no text."""
    reading = {
        **options.for_reading(),
        "groups": sources.groups,
        "cut_below": cut_below,
        "bounds": bounds,
        "allow_empty": allow_empty,
    }
    with watching(progress) as tell, raising(sources.failures):
        candidates, report = _core.count_candidates(sources.sources, words._model, reading, tell)
    origin = _origin(words.pretokenizer, options, sources, report)
    digest = None if bounds is None else bounds.digest()
    origin = origin._replace(words=words_key(words), bounds=digest)
    return Candidates._wrap(candidates, origin), Report.of(report)


def extend_from(
    base: Tokenizer, sources: Sources, options: TrainOptions, progress: ProgressOption = False
) -> tuple[Tokenizer, Report]:
    """`superword.stages.extend`."""
    reading = {**options.for_reading(), "groups": sources.groups, "cut_below": None}
    about = {"method": base.method, "n_vocab": base.n_vocab, "words": words_key(base)}
    with watching(progress) as tell:
        candidates, told = _core.count_candidates(sources.sources, base._model, reading, tell)
        facts = json.dumps({**json.loads(candidates.facts), "base": about})
        learning = {**options.for_learning(), "facts": facts}
        model, shortfall = _core.train_superwords(base._model, candidates, learning, tell)
    return Tokenizer._wrap(model), replace(Report.of(told), shortfall=shortfall)


def words_options(options: TrainOptions) -> TrainOptions:
    """The options for learning only the words of a model with superwords."""
    if options.method == "bpe":
        return options
    return replace(
        options,
        method="bpe",
        vocab_size=options.vocab_size
        - (options.supermerges or 0)
        - len(tuple(options.special_tokens)),
        special_tokens=(),
        supermerges=None,
        **{name: DEFAULTS[name] for name in SUPERWORDS_ONLY},
    )


def train_from_counts(
    counts: Counts,
    options: TrainOptions,
    candidates: Candidates | None = None,
    sources: Sources | None = None,
    progress: ProgressOption = False,
) -> tuple[Tokenizer, Report]:
    """Both phases from counts, with the given candidates or candidates counted in `sources`."""
    with watching(progress) as tell:
        words, shortfall = _learn_words(counts, words_options(options), tell)
        if options.method == "bpe":
            return words, Report(shortfall=shortfall)
        report = Report()
        if candidates is None:
            assert sources is not None
            reading = {**options.for_reading(), "groups": sources.groups, "cut_below": None}
            engine, told = _core.count_candidates(sources.sources, words._model, reading, tell)
            candidates = Candidates._wrap(engine, Origin())
            report = Report.of(told)
        tokenizer, shortfall = _learn_superwords(words, candidates, options, tell)
    return tokenizer, replace(report, shortfall=shortfall)


def train_in_parts(
    counts: Counts,
    options: TrainOptions,
    count: Callable[[Tokenizer, int], Candidates],
    progress: ProgressOption = False,
) -> tuple[Tokenizer, str | None]:
    """Both phases from counts with bounds. Also returns why the vocabulary is too small, if it is.

    `count(words, cut_below)` counts the candidates in all parts of the text.
    """
    with watching(progress) as tell:
        words, shortfall = _learn_words(counts, words_options(options), tell)
    if options.method == "bpe":
        return words, shortfall
    assert counts.bounds is not None
    return superwords_from(
        words, options, counts.bounds, lambda cut_below: count(words, cut_below), progress
    )


def superwords_from(
    words: Tokenizer,
    options: TrainOptions,
    bounds: BigramBounds,
    count: Callable[[int], Candidates],
    progress: ProgressOption = False,
) -> tuple[Tokenizer, str | None]:
    """Learn superwords from candidates that `count(cut_below)` counts in all parts of a text.

    It is called again if the first guess at where to cut was too high.
    """
    cut_below = _core.guess_cut(words._model, bounds, options.for_learning())
    while True:
        candidates = count(cut_below)
        try:
            with watching(progress) as tell:
                return _learn_superwords(words, candidates, options, tell)
        except CountsError as error:
            if error.next is None:
                raise
            cut_below = error.next


def _learn_words(counts: Counts, options: TrainOptions, tell: Any) -> tuple[Tokenizer, str | None]:
    learning = {**options.for_learning(), "pretokenizer": counts.pretokenizer._engine}
    model, shortfall = _core.train_words(counts._engine, learning, tell)
    return Tokenizer._wrap(model), shortfall


def _learn_superwords(
    words: Tokenizer, candidates: Candidates, options: TrainOptions, tell: Any
) -> tuple[Tokenizer, str | None]:
    check_words(candidates, words)
    model, shortfall = _core.train_superwords(
        words._model, candidates._engine, options.for_learning(), tell
    )
    return Tokenizer._wrap(model), shortfall


def check_words(candidates: Candidates, words: Tokenizer) -> None:
    """Raise unless the candidates were counted with these words."""
    if candidates.origin.words not in (None, words_key(words)):
        raise CountsError(
            "the candidates were counted with other words than these",
            hint="count the candidates again with this model of words",
        )


def _origin(
    pretokenizer: Pretokenizer,
    options: ReadOptions,
    sources: Sources,
    report: Mapping[str, Any],
) -> Origin:
    """Where counts come from. Recorded in their file and checked when counts are added up."""
    inputs = tuple(
        {"name": as_unicode(name), "documents": documents, "bytes": size, "skipped": skipped}
        for name, (documents, size, skipped) in zip(sources.names, report["inputs"], strict=True)
    )
    reading = options.for_reading()
    recorded: dict[str, Any] = {}
    if reading["sample"] is not None:
        recorded = {"sample": reading["sample"], "seed": reading["seed"]}
    if sources.groups is not None:
        recorded["weights"] = dict(sources.groups[0])
    return Origin(pretokenizer, recorded, inputs)

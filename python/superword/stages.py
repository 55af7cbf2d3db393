"""The stages of training, one function each.

`superword.train` runs all of them. Call the stages yourself to train on a corpus that is counted in
parts, on several machines or by another program:

>>> counts = count_pretokens(["docs/*.jsonl"])
>>> words = train_words(counts, vocab_size=32_768)
>>> candidates = count_candidates(["docs/*.jsonl"], words)
>>> tok = train_superwords(words, candidates, method="boundless", vocab_size=32_768)

The result equals that of `superword.train` with the same options.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from superword import _core
from superword._reading.sources import Sources, gather, raising
from superword._support.checks import whole
from superword._support.faces import for_python
from superword._support.paths import as_unicode
from superword.counts import Candidates, Counts, Origin, words_key
from superword.errors import CountsError, ShortfallWarning, SkippedWarning
from superword.inputs import expand
from superword.options import (
    DEFAULTS,
    SUPERWORDS_ONLY,
    Alphabet,
    Boundary,
    Format,
    GreedySplit,
    Method,
    OnError,
    PickySplit,
    ReadOptions,
    TrainOptions,
    pretokenizer_of,
)
from superword.pretokenizer import DEFAULT, Pretokenizer
from superword.tokenizer import Tokenizer
from superword.training import Inputs, ProgressOption, Report, watching

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
    """Count the pretokens of a text. Inputs and options as in `superword.train`.

    >>> count_pretokens(Texts(["a b a"]))[b" b"]
    1
    """
    splitter = pretokenizer_of(pretokenizer)
    options = ReadOptions(
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
    counts, report = counted_pretokens(inputs, splitter, options, progress)
    _warn(report)
    return counts


def counted_pretokens(
    inputs: Inputs,
    pretokenizer: Pretokenizer,
    options: ReadOptions,
    progress: ProgressOption = False,
    *,
    allow_empty: bool = False,
) -> tuple[Counts, Report]:
    """The same with options and a report. With `allow_empty`, a text without a byte is no error."""
    sources = gather(expand(inputs, options.format), options, read_twice=False)
    reading = {
        **options.for_reading(),
        "groups": sources.groups,
        "pretokenizer": pretokenizer._engine,
        "allow_empty": allow_empty,
    }
    with watching(progress) as tell, raising(sources.failures):
        counts, report = _core.count_pretokens(sources.sources, reading, tell)
    origin = _origin(pretokenizer, options, sources, report)
    return Counts._wrap(counts, origin), Report.of(report)


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
    """Learn words from counts (phase 1). The result is a tokenizer with the method `bpe`."""
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
    """Count the candidates for superwords: runs of pretokens that are one token each.

    With `cut_below`, runs are cut at bigrams that occur less often **in this text**. The result is
    the same as long as no superword is rarer than that, which `train_superwords` checks. Do not
    cut candidates that will be added up.
    """
    options = ReadOptions(
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
    if cut_below is not None:
        cut_below = whole("cut_below", cut_below, at_least=1)
    candidates, report = counted_candidates(inputs, words, options, progress, cut_below=cut_below)
    _warn(report)
    return candidates


def counted_candidates(
    inputs: Inputs,
    words: Tokenizer,
    options: ReadOptions,
    progress: ProgressOption = False,
    *,
    cut_below: int | None = None,
    allow_empty: bool = False,
) -> tuple[Candidates, Report]:
    """The same with options and a report. With `allow_empty`, a text without a byte is no error."""
    sources = gather(expand(inputs, options.format), options, read_twice=False)
    reading = {
        **options.for_reading(),
        "groups": sources.groups,
        "cut_below": cut_below,
        "allow_empty": allow_empty,
    }
    with watching(progress) as tell, raising(sources.failures):
        candidates, report = _core.count_candidates(sources.sources, words._model, reading, tell)
    origin = _origin(words.pretokenizer, options, sources, report)
    return Candidates._wrap(candidates, origin._replace(words=words_key(words))), Report.of(report)


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
    boundary: Boundary = "auto",
    veto: str | None = None,
    special_tokens: Iterable[str] = (),
    progress: ProgressOption = False,
) -> Tokenizer:
    """Learn superwords from candidates (phase 2).

    The result equals that of `superword.train` if `words` were trained at `vocab_size` (boundless)
    or `vocab_size - supermerges` (superbpe), minus the number of special tokens, which are given
    only here. `words` with special tokens or custom ids keep all of their ids (superbpe only).
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
    boundary: Boundary = "auto",
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
    """Add superwords to a tokenizer of words, as SuperBPE does.

    >>> tok = extend(words, ["docs/*.jsonl"], supermerges=4000)

    The tokens, ids, merges and special tokens of `base` are kept; superwords get the ids after
    them. A base that has superwords already is an error. If the base has special tokens, the
    result cannot be truncated, because their ids are in the middle.
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
    sources = gather(expand(inputs, options.format), options, read_twice=False)
    tokenizer, report = extend_from(base, sources, options, progress)
    _warn(report)
    return tokenizer


def extend_from(
    base: Tokenizer, sources: Sources, options: TrainOptions, progress: ProgressOption = False
) -> tuple[Tokenizer, Report]:
    """The same with sources and options, and with a report."""
    reading = {**options.for_reading(), "groups": sources.groups, "cut_below": None}
    about = {"method": base.method, "n_vocab": base.n_vocab, "words": words_key(base)}
    with watching(progress) as tell, raising(sources.failures):
        candidates, told = _core.count_candidates(sources.sources, base._model, reading, tell)
        facts = json.dumps({**json.loads(candidates.facts), "base": about})
        learning = {**options.for_learning(), "facts": facts}
        model, shortfall = _core.train_superwords(base._model, candidates, learning, tell)
    return Tokenizer._wrap(model), replace(Report.of(told), shortfall=shortfall)


def train_from_counts(
    counts: Counts,
    options: TrainOptions,
    candidates: Candidates | Callable[[Tokenizer], Candidates] | None = None,
    sources: Sources | None = None,
    progress: ProgressOption = False,
) -> tuple[Tokenizer, Report]:
    """Both phases from counts, with the given candidates or candidates counted in `sources`.

    `candidates` can be a function that counts them, given the words.
    """
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
            **{name: DEFAULTS[name] for name in SUPERWORDS_ONLY},
        )
        learning = {**words_only.for_learning(), "pretokenizer": counts.pretokenizer._engine}
        model, _ = _core.train_words(counts._engine, learning, tell)
        words = Tokenizer._wrap(model)
        report = Report()
        if callable(candidates):
            candidates = candidates(words)
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


def _warn(report: Report) -> None:
    # 3: the line that called the stage.
    if report.skipped:
        warnings.warn(for_python(report.skipped_text()), SkippedWarning, stacklevel=3)
    if report.shortfall:
        warnings.warn(report.shortfall, ShortfallWarning, stacklevel=3)

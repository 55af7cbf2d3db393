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

import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from superword import _core
from superword._counting.stages import (
    candidates_from,
    check_words,
    count_from,
    extend_from,
)
from superword._reading.sources import gather
from superword._support.checks import whole
from superword._support.faces import for_python
from superword.counts import BigramBounds, Candidates, Counts
from superword.errors import OptionError, ShortfallWarning, SkippedWarning
from superword.inputs import expand
from superword.options import (
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
    "guess_cut",
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
    bounds: bool = False,
    progress: ProgressOption = False,
) -> Counts:
    """Count the pretokens of a text. Inputs and options as in `superword.train`.

    >>> count_pretokens(Texts(["a b a"]))[b" b"]
    1

    With `bounds`, bigrams are counted as well. If this text is part of a larger one, the sum of the
    bounds of all parts tells where candidates can be cut in each of them: see `count_candidates`.
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
    sources = gather(expand(inputs, options.format), options, read_twice=False)
    counts, report = count_from(sources, splitter, options, bounds, progress)
    _warn(report)
    return counts


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
    bounds: BigramBounds | None = None,
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

    With `cut_below`, runs are cut at bigrams that occur less often, so that there are far fewer of
    them. The same superwords are learned as long as none is rarer than that, which
    `train_superwords` checks. If this text is part of a larger one, give the `bounds` of all of it,
    and the same `cut_below` for all parts; `guess_cut` suggests one.
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
    if bounds is not None and cut_below is None:
        raise OptionError(
            "`bounds` was given without `cut_below`",
            hint="give the number that guess_cut(words, bounds) returns",
            option="bounds",
        )
    sources = gather(expand(inputs, options.format), options, read_twice=False)
    candidates, report = candidates_from(sources, words, options, cut_below, bounds, progress)
    _warn(report)
    return candidates


def guess_cut(
    words: Tokenizer,
    bounds: BigramBounds,
    *,
    supermerges: int | None = None,
    min_count: int = 1,
    greedy_split: GreedySplit = False,
) -> int:
    """Guess how rare bigrams may be for `count_candidates` to cut at them.

    Give `supermerges` for superbpe. The guess is nearly always low enough. If it is not,
    `train_superwords` raises a `CountsError` whose attribute `next` is the number to try instead.
    """
    options = TrainOptions(
        vocab_size=words.n_vocab + (supermerges or 0),
        method="boundless" if supermerges is None else "superbpe",
        supermerges=supermerges,
        alphabet=words.alphabet,  # type: ignore[arg-type]
        min_count=min_count,
        greedy_split=greedy_split,
    )
    return _core.guess_cut(words._model, bounds, options.for_learning())


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
    check_words(candidates, words)
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


def _warn(report: Report) -> None:
    # 3: the line that called the stage.
    if report.skipped:
        warnings.warn(for_python(report.skipped_text()), SkippedWarning, stacklevel=3)
    if report.shortfall:
        warnings.warn(report.shortfall, ShortfallWarning, stacklevel=3)

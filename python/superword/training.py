"""Training: `train` from files, `train_from_iterator` from texts in memory."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from superword import _core
from superword import progress as display
from superword._files import work
from superword._files.timeline import recorded
from superword._reading.sources import Sources, gather
from superword._support.faces import for_python
from superword._support.forecast import Run
from superword._support.text import plural
from superword.errors import ChangedWorkWarning, ShortfallWarning, SkippedWarning
from superword.inputs import Texts, expand, is_data
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
from superword.progress import Progress
from superword.tokenizer import Tokenizer

__all__ = ["CandidateReport", "Progress", "Report", "train", "train_from_iterator"]

# Files, directories, globs, `Texts`, Arrow tables and datasets; one, several, or groups by name.
Inputs = str | os.PathLike[str] | Texts | Iterable[Any] | Mapping[str, Any] | Any

ProgressOption = bool | Callable[[Progress], object]


@dataclass(frozen=True)
class CandidateReport:
    """The candidates that superwords were learned from."""

    unique: int
    """Distinct candidates, after cutting."""
    tokens: int
    """Tokens in the distinct candidates."""
    cut_below: int
    """They were cut at bigrams that occur less often; 1 if they were not cut."""
    attempts: int
    """How often they were counted. More than once if the first `cut_below` was too high."""


@dataclass(frozen=True)
class Report:
    """What a training run did. None of it is saved in the model."""

    documents: int = 0
    bytes: int = 0
    skipped: int = 0
    skipped_examples: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    """How long each phase took."""
    shortfall: str | None = None
    peak_memory: dict[str, int] = field(default_factory=dict)
    """The most memory that the process used in each phase, in bytes. Empty if it is not known."""
    pretokens: int | None = None
    unique_pretokens: int | None = None
    candidates: CandidateReport | None = None
    """None if none were counted: there are no superwords, or an earlier run learned them."""

    @classmethod
    def of(cls, report: dict[str, Any]) -> Report:
        """The report of the engine. A missing key means that there is nothing to report."""
        return cls(
            documents=report.get("documents", 0),
            bytes=report.get("bytes", 0),
            skipped=report.get("skipped", 0),
            skipped_examples=tuple(report.get("skipped_examples", ())),
            seconds=dict(report.get("seconds", {})),
            shortfall=report.get("shortfall"),
            peak_memory=dict(report.get("peak_memory", {})),
            pretokens=report.get("pretokens"),
            unique_pretokens=report.get("unique_pretokens"),
            candidates=CandidateReport(
                unique=report["unique_candidates"],
                tokens=report["candidate_tokens"],
                cut_below=report["cut_below"],
                attempts=report["attempts"],
            )
            if report.get("attempts")
            else None,
        )

    def skipped_text(self) -> str:
        """How many documents were skipped, and why the first few of them were."""
        lines = [f"skipped {plural(self.skipped, 'document')} that could not be read"]
        return "\n  ".join([*lines, *self.skipped_examples])


def train(
    inputs: Inputs,
    *,
    vocab_size: int,
    method: Method = "boundless",
    supermerges: int | None = None,
    pretokenizer: str | Pretokenizer = DEFAULT,
    alphabet: Alphabet = "bytes",
    min_count: int = 1,
    picky: float | None = None,
    picky_split: PickySplit = "parts",
    greedy_split: GreedySplit = False,
    max_words: int | None = None,
    same_script: bool = False,
    boundary: Boundary = "auto",
    veto: str | None = None,
    special_tokens: Iterable[str] = (),
    threads: int | None = None,
    text_field: str = "text",
    max_bytes: int | str | None = None,
    sample: int | str | None = None,
    seed: int = 0,
    weights: Mapping[str, float] | Iterable[str] = (),
    work_dir: str | os.PathLike[str] | None = None,
    max_memory: int | str | None = None,
    on_error: OnError = "stop",
    format: Format | None = None,
    progress: ProgressOption = False,
) -> Tokenizer:
    """Train a tokenizer on files, directories and globs (`-` is standard input).

    >>> tok = superword.train(["docs/*.jsonl"], vocab_size=32_768, method="boundless")

    Arrow tables, Hugging Face datasets and `superword.inputs.Texts` are accepted as well. A mapping
    of names to inputs defines groups, which `weights` refers to.

    `superword.options.TrainOptions` documents the options. `progress=True` shows a progress bar,
    or plain lines if stderr is not a terminal. A callable is called with a `Progress` a few times
    a second; an exception that it raises stops the training. The result does not depend on the
    number of threads, the order of the files or the machine.

    Warns with `ShortfallWarning` if the vocabulary cannot reach its size.
    """
    options = TrainOptions(
        vocab_size=vocab_size,
        method=method,
        supermerges=supermerges,
        pretokenizer=pretokenizer,
        alphabet=alphabet,
        min_count=min_count,
        picky=picky,
        picky_split=picky_split,
        greedy_split=greedy_split,
        max_words=max_words,
        same_script=same_script,
        boundary=boundary,
        veto=veto,
        special_tokens=special_tokens,
        threads=threads,
        text_field=text_field,
        max_bytes=max_bytes,
        sample=sample,
        seed=seed,
        weights=weights,
        work_dir=work_dir,
        max_memory=max_memory,
        on_error=on_error,
        format=format,
    )
    found = expand(inputs, options.format, work_dir=options.work_dir)

    def note(change: str) -> None:
        # 4: the line that called train.
        warnings.warn(for_python(change), ChangedWorkWarning, stacklevel=4)

    return _warned(run(gather(found, options), options, progress, note))


def train_from_iterator(
    texts: Iterable[str],
    *,
    vocab_size: int,
    method: Method = "boundless",
    supermerges: int | None = None,
    pretokenizer: str | Pretokenizer = DEFAULT,
    alphabet: Alphabet = "bytes",
    min_count: int = 1,
    picky: float | None = None,
    picky_split: PickySplit = "parts",
    greedy_split: GreedySplit = False,
    max_words: int | None = None,
    same_script: bool = False,
    boundary: Boundary = "auto",
    veto: str | None = None,
    special_tokens: Iterable[str] = (),
    threads: int | None = None,
    max_bytes: int | str | None = None,
    sample: int | str | None = None,
    seed: int = 0,
    max_memory: int | str | None = None,
    progress: ProgressOption = False,
) -> Tokenizer:
    """Train a tokenizer on texts, each of which is a document. Options as in `train`.

    >>> tok = superword.train_from_iterator((row["text"] for row in rows), vocab_size=32_768)

    The iterator is consumed once. The texts are kept in a temporary file, not in memory.
    """
    options = TrainOptions(
        vocab_size=vocab_size,
        method=method,
        supermerges=supermerges,
        pretokenizer=pretokenizer,
        alphabet=alphabet,
        min_count=min_count,
        picky=picky,
        picky_split=picky_split,
        greedy_split=greedy_split,
        max_words=max_words,
        same_script=same_script,
        boundary=boundary,
        veto=veto,
        special_tokens=special_tokens,
        threads=threads,
        max_bytes=max_bytes,
        sample=sample,
        seed=seed,
        max_memory=max_memory,
    )
    inputs = texts if is_data(texts) else Texts(texts)
    return _warned(run(gather(expand(inputs), options), options, progress))


def run(
    sources: Sources,
    options: TrainOptions,
    progress: ProgressOption = False,
    note: Callable[[str], object] | None = None,
) -> tuple[Tokenizer, Report]:
    """Train, and return a report. `train` and the command line both use this.

    `note` is called for each option or input that has changed since the last run in `work_dir`.
    """
    about = {"method": options.method, "vocab_size": options.vocab_size}
    with (
        work.held(options, sources.names) as (folder, changes),
        recorded(options.work_dir, about, sources.names, sources.groups) as timeline,
        watching(progress, run_of(sources, options)) as tell,
    ):
        for change in changes:
            if note is not None:
                note(change)
        engine_options = {**options.for_engine(), "groups": sources.groups, "work_dir": folder}
        watcher = tell if timeline is None else timeline.watching(tell)
        model, report = _core.train(sources.sources, engine_options, watcher)
        if timeline is not None:
            timeline.finish(report)
    return Tokenizer._wrap(model), Report.of(report)


# Tells phase, unit, done, total, step, share of the step and expectations; see `_core.train`.
Tell = Callable[..., None]

# How much text there is in a compressed byte, about.
_EXPANSION = {".gz": 3.5, ".zst": 4.0, ".parquet": 2.5}


def run_of(sources: Sources, options: TrainOptions) -> Run:
    """What the time left is estimated from."""
    size: int | None
    try:
        paths = [Path(name) for name in sources.names]
        size = round(sum(path.stat().st_size * _EXPANSION.get(path.suffix, 1) for path in paths))
    except (OSError, ValueError):  # Not files.
        size = None
    return Run(
        method=options.method,
        vocab_size=options.vocab_size,
        threads=options.threads or _cores(),
        text_bytes=size,
        sample=options.sample is not None or options.max_bytes is not None,
        supermerges=options.supermerges,
    )


def _cores() -> int:
    """The number of threads by default."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # Not on macOS and Windows.
        return os.cpu_count() or 1


@contextmanager
def watching(progress: ProgressOption, run: Run | None = None) -> Iterator[Tell | None]:
    """The callback that the engine gets for `progress=`. A bar is shown until the block ends.

    With `run`, the time left is that of the whole run, and else that of the current step.
    """
    with ExitStack() as stack:
        callback: Callable[[Progress], object] | None = None
        if callable(progress):
            callback = progress
        elif progress:
            callback = stack.enter_context(display.show())
        if callback is None:
            yield None
            return
        tell = display.estimated(callback, run)
        yield lambda *told: tell(Progress(*told[:6]), *told[6:])


def _warned(result: tuple[Tokenizer, Report]) -> Tokenizer:
    tokenizer, report = result
    # 3: the line that called train or train_from_iterator.
    if report.skipped:
        warnings.warn(for_python(report.skipped_text()), SkippedWarning, stacklevel=3)
    if report.shortfall:
        warnings.warn(report.shortfall, ShortfallWarning, stacklevel=3)
    return tokenizer

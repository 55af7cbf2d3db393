"""Training: `train` from files, `train_from_iterator` from texts at hand."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from superword import _core, work
from superword import progress as display
from superword._support.text import lone_surrogate, plural, surrogate_in
from superword.errors import (
    ChangedWorkWarning,
    DocumentError,
    ShortfallWarning,
    SkippedWarning,
    TextError,
)
from superword.inputs import STDIN, Input, Texts, expand, groups_of, is_data
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

__all__ = ["Progress", "Report", "train", "train_from_iterator"]

# Texts cross to the engine in batches of about this many characters.
BATCH_CHARACTERS = 4_000_000

# Files, directories, globs, `Texts`, Arrow tables and datasets; one, several, or groups by name.
Inputs = str | os.PathLike[str] | Texts | Iterable[Any] | Mapping[str, Any] | Any

ProgressOption = bool | Callable[[Progress], object]


@dataclass(frozen=True)
class Report:
    """What a training run did, for people; none of it is in the model."""

    documents: int = 0
    bytes: int = 0
    skipped: int = 0
    skipped_examples: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    shortfall: str | None = None

    @classmethod
    def of(cls, report: dict[str, Any]) -> Report:
        """The report of the engine; a key that is absent counts as nothing to say."""
        return cls(
            documents=report.get("documents", 0),
            bytes=report.get("bytes", 0),
            skipped=report.get("skipped", 0),
            skipped_examples=tuple(report.get("skipped_examples", ())),
            seconds=dict(report.get("seconds", {})),
            shortfall=report.get("shortfall"),
        )

    def skipped_text(self) -> str:
        """The skipped documents in words, with the first few of them."""
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
    boundary: Boundary = "any",
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
    """Learn a tokenizer from files, directories and globs (`-`: standard input).

    >>> tok = superword.train(["docs/*.jsonl"], vocab_size=32_768, method="boundless")

    Arrow tables, Hugging Face datasets and `superword.inputs.Texts` are taken too. A mapping of
    names to inputs makes groups, which `weights` is about.

    The options are those of `superword.options.TrainOptions`, which says what each means.
    `progress=True` shows a bar (plain lines where stderr is no terminal); a callable is called
    with a `Progress` a few times a second, and what it raises stops the training. The result is
    the same for any number of threads, order of files, or machine.

    A vocabulary that cannot reach its size gives a `ShortfallWarning` with the reason.
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
    sources = gather(expand(inputs, options.format, work_dir=options.work_dir), options)

    def note(change: str) -> None:
        # 4: the line that called train.
        warnings.warn(change, ChangedWorkWarning, stacklevel=4)

    return _warned(run(sources, options, progress, note))


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
    boundary: Boundary = "any",
    veto: str | None = None,
    special_tokens: Iterable[str] = (),
    threads: int | None = None,
    max_bytes: int | str | None = None,
    sample: int | str | None = None,
    seed: int = 0,
    max_memory: int | str | None = None,
    progress: ProgressOption = False,
) -> Tokenizer:
    """Learn a tokenizer from texts, each a document. Options as in `train`.

    >>> tok = superword.train_from_iterator((row["text"] for row in rows), vocab_size=32_768)

    The texts are read once and kept in a temporary file, not in memory.
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


class Sources(NamedTuple):
    """What is read: names for people, sources for the engine, groups with weights if any."""

    names: list[str]
    sources: list[_core.Source]
    groups: tuple[list[tuple[str, float]], list[int]] | None


def gather(inputs: Sequence[Input], options: TrainOptions) -> Sources:
    """What training reads, as the engine takes it."""
    assert isinstance(options.weights, Mapping)
    groups = groups_of(inputs, options.weights)
    # What cannot be done is said before anything is read, which may take hours by itself.
    _core.check_memory({**options.for_reading(), "groups": groups})
    if options.work_dir is not None:
        work.check_inputs(inputs)
    sources = open_sources(inputs, options.text_field)
    return Sources([item.path for item in inputs], sources, groups)


def open_sources(inputs: Sequence[Input], text_field: str) -> list[_core.Source]:
    """The sources as the engine takes them. Standard input and texts are read to their end here."""
    sources: list[_core.Source] = []
    for item in inputs:
        if isinstance(item.data, Texts):
            sources.append((spool(item.data.texts), None))
        elif item.is_columnar:
            from superword._reading import columns

            sources.append((columns.batches(item, text_field), None))
        elif item.path == STDIN:
            from_stdin = _core.Spool()
            from_stdin.read_stdin()
            sources.append((from_stdin, item.format))
        else:
            sources.append((item.path, item.format))
    return sources


def spool(texts: Iterable[str]) -> _core.Spool:
    """Hand texts to the engine, in batches; an item that is no text is an error with its index."""
    if isinstance(texts, str | bytes):
        raise TypeError("texts must be many texts, such as a list; for files use superword.train")
    kept = _core.Spool()
    batch: list[str] = []
    size = first = 0
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise DocumentError(
                f"text {index} is {type(text).__name__}, not str",
                hint='pick the text out first, such as (row["text"] for row in rows)',
                index=index,
            )
        batch.append(text)
        size += len(text)
        # Empty texts count too, so that a batch of them ends.
        if size + len(batch) >= BATCH_CHARACTERS:
            _add(kept, batch, first)
            batch, size, first = [], 0, index + 1
    if batch:
        _add(kept, batch, first)
    return kept


def _add(kept: _core.Spool, batch: list[str], first: int) -> None:
    try:
        kept.add(batch)
    except (UnicodeEncodeError, TextError):
        # Found again here, since the engine does not know where the batch begins.
        for index, text in enumerate(batch, start=first):
            error = surrogate_in(text)
            if error is not None:
                raise lone_surrogate(error, f"text {index}") from None
        raise


def run(
    sources: Sources,
    options: TrainOptions,
    progress: ProgressOption = False,
    note: Callable[[str], object] | None = None,
) -> tuple[Tokenizer, Report]:
    """Train, and say what was done. `train` and the command line both stand on this.

    `note` is told what has changed since the work in `work_dir` was begun.
    """
    with work.held(options, sources.names) as (folder, changes), watching(progress) as tell:
        for change in changes:
            if note is not None:
                note(change)
        engine_options = {**options.for_engine(), "groups": sources.groups, "work_dir": folder}
        model, report = _core.train(sources.sources, engine_options, tell)
    return Tokenizer._wrap(model), Report.of(report)


@contextmanager
def watching(
    progress: ProgressOption,
) -> Iterator[Callable[[str, str, int, int | None], None] | None]:
    """What the engine is given for `progress=`; a bar is there until the block ends."""
    with ExitStack() as stack:
        callback: Callable[[Progress], object] | None = None
        if callable(progress):
            callback = progress
        elif progress:
            callback = stack.enter_context(display.show())
        yield _adapter(callback)


def _adapter(
    callback: Callable[[Progress], object] | None,
) -> Callable[[str, str, int, int | None], None] | None:
    if callback is None:
        return None
    tell = callback

    def adapted(phase: str, unit: str, done: int, total: int | None) -> None:
        tell(Progress(phase, unit, done, total))

    return adapted


def _warned(result: tuple[Tokenizer, Report]) -> Tokenizer:
    tokenizer, report = result
    # 3: the line that called train or train_from_iterator.
    if report.skipped:
        warnings.warn(report.skipped_text(), SkippedWarning, stacklevel=3)
    if report.shortfall:
        warnings.warn(report.shortfall, ShortfallWarning, stacklevel=3)
    return tokenizer

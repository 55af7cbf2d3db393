"""Turn inputs into the sources that the engine reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from superword import _core
from superword._files import work
from superword._support.text import lone_surrogate, surrogate_in
from superword.errors import DocumentError, TextError
from superword.inputs import STDIN, Input, Texts, groups_of
from superword.options import ReadOptions, TrainOptions

__all__ = ["Sources", "gather", "open_sources", "raising", "spool"]

# Texts are passed to the engine in batches of about this many characters.
BATCH_CHARACTERS = 4_000_000


class Sources(NamedTuple):
    """What is read: names for messages, sources for the engine, and groups with weights if any."""

    names: list[str]
    sources: list[_core.Source]
    groups: tuple[list[tuple[str, float]], list[int]] | None
    # Exceptions of the iterators that the sources stream.
    failures: list[BaseException]


def gather(inputs: Sequence[Input], options: ReadOptions, *, read_twice: bool = True) -> Sources:
    """Open the inputs for the engine, with their groups.

    If the text is read only once, and there is no sample to draw first, batches are streamed.
    """
    groups = groups_of(inputs, options.group_weights)
    # Fail before anything is read: reading standard input or an iterator may take hours.
    _core.check_memory({**options.for_reading(), "groups": groups})
    if isinstance(options, TrainOptions) and options.work_dir is not None:
        work.check_inputs(inputs)
    failures: list[BaseException] = []
    once = not read_twice and options.sample is None and options.max_bytes is None
    sources = open_sources(
        inputs, options.text_field, read_twice=not once, failures=failures if once else None
    )
    return Sources([item.path for item in inputs], sources, groups, failures)


@contextmanager
def raising(failures: list[BaseException]) -> Iterator[None]:
    """Raise the exception of an iterator as it is, whatever the engine made of it.

    It ends the work even with `on_error="skip"`: the iterator failed, not a document.
    """
    try:
        yield
    except Exception:
        if not failures:
            raise
    if failures:
        # Not kept in the list: its traceback refers to the list, and the cycle would keep batches.
        raise failures.pop(0)


def open_sources(
    inputs: Sequence[Input],
    text_field: str,
    *,
    read_twice: bool = True,
    failures: list[BaseException] | None = None,
) -> list[_core.Source]:
    """Convert the inputs to sources. `Texts` are written to a temporary file.

    So is standard input, unless it will be read only once. With `failures`, which the caller
    passes to `raising`, record batches of an iterator are streamed; else they are collected.
    """
    sources: list[_core.Source] = []
    for item in inputs:
        if isinstance(item.data, Texts):
            sources.append((spool(item.data.texts), None))
        elif item.is_columnar:
            from superword._reading import columns

            sources.append((columns.batches(item, text_field, failures), None))
        elif item.path == STDIN and read_twice:
            kept = _core.Spool()
            kept.read_stdin()
            sources.append((kept, item.format))
        else:
            sources.append((item.path, item.format))
    return sources


def spool(texts: Iterable[str]) -> _core.Spool:
    """Pass texts to the engine in batches. An item that is not a text raises an error."""
    if isinstance(texts, str | bytes):
        raise TypeError("texts must be an iterable of texts; for files use superword.train")
    kept = _core.Spool()
    batch: list[str] = []
    size = first = 0
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise DocumentError(
                f"text {index} is {type(text).__name__}, not str",
                hint='select the text first, such as (row["text"] for row in rows)',
                index=index,
            )
        batch.append(text)
        size += len(text)
        # The number of texts counts too, so that a batch of empty texts ends.
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
        # Look for it again, because the engine does not know the number of the first text.
        for index, text in enumerate(batch, start=first):
            error = surrogate_in(text)
            if error is not None:
                raise lone_surrogate(error, f"text {index}") from None
        raise

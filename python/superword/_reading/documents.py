"""The documents of inputs, one by one: `superword.inputs.documents`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

from superword import _core
from superword._reading.sources import open_sources
from superword._support.faces import for_python
from superword.errors import SkippedWarning
from superword.inputs import Input
from superword.options import ReadOptions
from superword.training import Report

__all__ = ["read", "read_batches"]


def read(inputs: Sequence[Input], options: ReadOptions) -> Iterator[str]:
    """The documents. Bad options and missing files raise here, not at the first `next`."""
    return _each(read_batches(inputs, options))


def _each(batches: Iterator[list[str]]) -> Iterator[str]:
    for batch in batches:
        yield from batch


def read_batches(inputs: Sequence[Input], options: ReadOptions) -> Iterator[list[str]]:
    """The documents in lists of about a megabyte."""
    once = options.sample is None and options.max_bytes is None
    sources = open_sources(inputs, options.text_field, read_twice=not once)
    return _batches(_core.DocumentReader(sources, options.for_reading()))


def _batches(reader: _core.DocumentReader) -> Iterator[list[str]]:
    try:
        while (batch := reader.next()) is not None:
            yield batch
    finally:
        reader.close()
    report = Report.of(reader.report())
    if report.skipped:
        # The caller of `next` is some frames away; the message names the documents.
        warnings.warn(for_python(report.skipped_text()), SkippedWarning, stacklevel=3)

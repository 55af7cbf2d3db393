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

__all__ = ["read"]


def read(inputs: Sequence[Input], options: ReadOptions) -> Iterator[str]:
    """The documents. Bad options and missing files raise here, not at the first `next`."""
    once = options.sample is None and options.max_bytes is None
    sources = open_sources(inputs, options.text_field, read_twice=not once)
    return _documents(_core.DocumentReader(sources, options.for_reading()))


def _documents(reader: _core.DocumentReader) -> Iterator[str]:
    try:
        while (batch := reader.next()) is not None:
            yield from batch
    finally:
        reader.close()
    report = Report.of(reader.report())
    if report.skipped:
        # 2: the line that asked for the next document.
        warnings.warn(for_python(report.skipped_text()), SkippedWarning, stacklevel=2)

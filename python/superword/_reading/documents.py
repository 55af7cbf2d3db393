"""The documents of inputs, one by one: `superword.inputs.documents`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

from superword import _core
from superword._reading.sources import open_sources, raising
from superword._support.faces import for_python
from superword.errors import SkippedWarning
from superword.inputs import Input
from superword.options import ReadOptions
from superword.training import Report

__all__ = ["read"]


def read(inputs: Sequence[Input], options: ReadOptions) -> Iterator[str]:
    """The documents. Bad options and missing files raise here, not at the first `next`."""
    once = options.sample is None and options.max_bytes is None
    failures: list[BaseException] = []
    sources = open_sources(
        inputs, options.text_field, read_twice=not once, failures=failures if once else None
    )
    return _documents(_core.DocumentReader(sources, options.for_reading()), failures)


def _documents(reader: _core.DocumentReader, failures: list[BaseException]) -> Iterator[str]:
    try:
        while True:
            with raising(failures):
                batch = reader.next()
            if batch is None:
                break
            yield from batch
    finally:
        reader.close()
    report = Report.of(reader.report())
    if report.skipped:
        # 2: the line that asked for the next document.
        warnings.warn(for_python(report.skipped_text()), SkippedWarning, stacklevel=2)

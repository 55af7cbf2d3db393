"""Reports on evaluations: a self-contained HTML page, Markdown tables, or one long CSV table.

>>> from superword import evaluation, reports
>>> result = evaluation.Evaluation.load("result.json")
>>> reports.write(result, "report.html")

A report may have more sections than those on an evaluation: see `Section` in
`superword.reports.content`, and the charts in `superword.reports.plots`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from superword._files.outputs import check_replaceable
from superword._files.replace import replace
from superword._support.checks import check_choice
from superword.errors import OptionError
from superword.evaluation.results import Evaluation
from superword.reports.content import Section

__all__ = ["FORMATS", "Format", "Section", "format_of", "render", "write"]

Format = Literal["html", "md", "csv"]
FORMATS: tuple[Format, ...] = ("html", "md", "csv")
_SUFFIXES: dict[str, Format] = {
    ".html": "html",
    ".htm": "html",
    ".md": "md",
    ".markdown": "md",
    ".csv": "csv",
}


def format_of(path: str | os.PathLike[str]) -> Format:
    """The format that the suffix of a file stands for."""
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise OptionError(
            f"the suffix of {os.fspath(path)} does not tell the format of the report",
            hint="use .html, .md or .csv, or give `format`",
            option="format",
        )
    return _SUFFIXES[suffix]


def render(
    evaluation: Evaluation | None, format: Format = "html", *, sections: Sequence[Section] = ()
) -> str:
    """Return a report as text. `sections` come after those on the evaluation."""
    # Imported here, so that the command line starts quickly.
    from superword.reports.compose import report_on
    from superword.reports.markdown import to_markdown
    from superword.reports.page import to_html
    from superword.reports.tidy import to_csv

    check_choice("format", format, FORMATS)
    if format == "csv":
        if evaluation is None:
            raise OptionError(
                "a report in CSV needs the result of an evaluation",
                hint="give one, or set `format='html'`",
                option="format",
            )
        return to_csv(evaluation)
    report = report_on(evaluation, sections)
    return to_html(report) if format == "html" else to_markdown(report)


def write(
    evaluation: Evaluation | None,
    path: str | os.PathLike[str],
    *,
    format: Format | None = None,
    sections: Sequence[Section] = (),
    overwrite: bool = False,
) -> None:
    """Write a report to a file. Without `format`, the suffix of the file decides.

    An earlier report is replaced. Any other file is replaced only with `overwrite=True`.
    """
    text = render(evaluation, format or format_of(path), sections=sections)
    check_replaceable(path, "report", overwrite)
    replace(path, text.encode())

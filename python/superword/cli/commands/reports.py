"""`superword report`: tables and figures from the result of an evaluation."""

from __future__ import annotations

import click

from superword import reports
from superword._files.outputs import check_not_read, check_output
from superword.cli.group import examples, on_stop, tell
from superword.cli.options import force_option, quiet_option
from superword.evaluation.results import Evaluation

__all__ = ["report"]


@click.command(
    short_help="Make a report from the result of an evaluation.",
    epilog=examples(
        "superword report result.json -o report.html",
        "superword report result.json -o report.md",
        "superword report result.json --format csv -o numbers.txt",
    ),
)
@click.argument("result", type=click.Path(), metavar="RESULT")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(),
    metavar="FILE",
    help="The file to write, such as report.html, report.md or report.csv.",
)
@click.option(
    "--format",
    type=click.Choice(reports.FORMATS),
    help="The format of the report. By default, the suffix of the file decides.",
)
@force_option
@quiet_option
def report(
    result: str, output: str, format: reports.Format | None, overwrite: bool, quiet: bool
) -> None:
    """Make a report from RESULT, a file that superword evaluate wrote.

    HTML is one file with tables and figures, which needs no network. Markdown has the tables. CSV
    is one long table of all numbers: model, group, number, value.
    """
    on_stop("stopped; nothing was saved")
    format = format or reports.format_of(output)
    check_not_read([output], lambda: [result])
    check_output(output, "report", overwrite)
    reports.write(Evaluation.load(result), output, format=format, overwrite=overwrite)
    if not quiet:
        tell(f"saved the report as {output}")

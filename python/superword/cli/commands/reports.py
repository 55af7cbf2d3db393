"""`superword report`: tables and figures from an evaluation or a training run."""

from __future__ import annotations

import click

from superword import reports
from superword._files.outputs import check_not_read, check_output
from superword.cli.group import examples, on_stop, tell
from superword.cli.options import force_option, quiet_option
from superword.errors import OptionError
from superword.evaluation.results import Evaluation
from superword.reports import training as about_training

__all__ = ["report"]


@click.command(
    short_help="Make a report from an evaluation or a training run.",
    epilog=examples(
        "superword report result.json -o report.html",
        "superword report result.json -o report.md",
        "superword report result.json --format csv -o numbers.txt",
        "superword report --training work/ -o training.html",
    ),
)
@click.argument("result", type=click.Path(), metavar="[RESULT]", required=False)
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
@click.option(
    "--training",
    type=click.Path(),
    metavar="DIR",
    help="Also report on the last training run in this work directory. Its inputs are read again.",
)
@click.option(
    "--max-bytes",
    default=about_training.MOST_BYTES,
    show_default=True,
    metavar="SIZE",
    help="How much text of the training run to read again, in all groups together.",
)
@force_option
@quiet_option
def report(
    result: str | None,
    output: str,
    format: reports.Format | None,
    training: str | None,
    max_bytes: str,
    overwrite: bool,
    quiet: bool,
) -> None:
    """Make a report from RESULT, a file that superword evaluate wrote, or about a training run.

    HTML is one file with tables and figures, which needs no network. Markdown has the tables. CSV
    is one long table of all numbers: model, group, number, value.
    """
    on_stop("stopped; nothing was saved")
    format = format or reports.format_of(output)
    if result is None and training is None:
        raise OptionError(
            "there is nothing to report on: give RESULT or `training`",
            hint="superword evaluate writes a RESULT",
            option="training",
        )
    if training is not None and format == "csv":
        raise OptionError(
            "a report on training has figures, which CSV cannot hold",
            hint="set `format='html'`, or leave `training` out",
            option="format",
        )
    files = [] if result is None else [result]
    files += [] if training is None else about_training.inputs_of(training)
    check_not_read([output], lambda: files)
    check_output(output, "report", overwrite)
    evaluation = None if result is None else Evaluation.load(result)
    sections: tuple[reports.Section, ...] = ()
    if training is not None:
        if not quiet:
            tell(f"reading the inputs of the run in {training} again")
        sections = about_training.sections(about_training.measure(training, max_bytes=max_bytes))
    reports.write(evaluation, output, format=format, sections=sections, overwrite=overwrite)
    if not quiet:
        tell(f"saved the report as {output}")

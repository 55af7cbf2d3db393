"""Commands about counts: count, merge-counts, candidates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

import click

from superword._support.text import plural
from superword.cli.console import about_to_read
from superword.cli.group import examples, on_stop, tell
from superword.cli.pretokenizers import pretokenizer_of, pretokenizer_options
from superword.cli.train import check_output, click_option
from superword.counts import Candidates, Counts, check_suffix
from superword.errors import CountsError
from superword.inputs import expand, parse_groups
from superword.options import READING, TrainOptions
from superword.stages import count_candidates, count_pretokens
from superword.tokenizer import Tokenizer

__all__ = ["candidates", "count", "merge_counts"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _reading_options(command: _Command) -> _Command:
    for option in reversed(fields(TrainOptions)):
        if option.name in (*READING, "format"):
            command = click_option(option)(command)
    return command


def _output(command: _Command) -> _Command:
    return click.option(
        "-o",
        "--output",
        required=True,
        type=click.Path(),
        metavar="FILE",
        help="Where to save them: .parquet, .arrow, .feather or .tsv.",
    )(command)


def _check(output: str) -> None:
    check_output(output)
    if check_suffix(output) != ".tsv":
        from superword._counting import arrow

        arrow.pyarrow()  # Better said now than after hours of counting.


def _quiet(command: _Command) -> _Command:
    return click.option("-q", "--quiet", is_flag=True, help="No progress and no summary.")(command)


@click.command(
    short_help="Text to counts of pretokens.",
    epilog=examples(
        "superword count shard-07/ -o counts-07.parquet",
        "superword count big.jsonl.zst --pretokenizer gpt4o -o counts.tsv",
    ),
)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@_output
@pretokenizer_options
@_reading_options
@_quiet
def count(inputs: tuple[str, ...], output: str, quiet: bool, **values: Any) -> None:
    """Count the pretokens of a text, for superword train --counts.

    The file says which pretokenizer, options and inputs the counts are from. A corpus may be
    counted in pieces, on many machines, and added up by merge-counts.
    """
    on_stop("stopped; nothing was saved")
    _check(output)
    pretokenizer = pretokenizer_of(values)
    if not quiet:
        tell(about_to_read(expand(parse_groups(inputs), values["format"])))
    counts = count_pretokens(
        parse_groups(inputs), pretokenizer=pretokenizer, progress=not quiet, **values
    )
    counts.save(output)
    if not quiet:
        tell(f"saved {plural(len(counts), 'pretoken')} as {output}")


@click.command(
    "candidates",
    short_help="Text to counts of candidates for superwords.",
    epilog=examples(
        "superword candidates shard-07/ --model words.superword -o cand-07.parquet",
    ),
)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option(
    "--model",
    required=True,
    type=click.Path(),
    metavar="WORDS",
    help="The words: a model of the kind bpe.",
)
@_output
@click.option(
    "--cut-below",
    type=click.IntRange(min=1),
    metavar="N",
    help="Cut at bigrams that occur less often in this text. Not for parts of a text.",
)
@_reading_options
@_quiet
def candidates(
    inputs: tuple[str, ...], model: str, output: str, quiet: bool, **values: Any
) -> None:
    """Count runs of words that may become superwords, for superword train --candidates."""
    on_stop("stopped; nothing was saved")
    _check(output)
    words = Tokenizer.load(model)
    if not quiet:
        tell(about_to_read(expand(parse_groups(inputs), values["format"])))
    found = count_candidates(parse_groups(inputs), words, progress=not quiet, **values)
    found.save(output)
    if not quiet:
        tell(f"saved {plural(len(found), 'candidate')} as {output}")


@click.command(
    "merge-counts",
    short_help="Add up counts of parts of a text.",
    epilog=examples(
        "superword merge-counts counts-*.parquet -o counts.parquet",
        "superword merge-counts counts.parquet -o counts.tsv    # for people to read",
    ),
)
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="COUNTS...")
@_output
@click.option(
    "--allow-repeats", is_flag=True, help="An input that was counted twice is no mistake."
)
def merge_counts(files: tuple[str, ...], output: str, allow_repeats: bool) -> None:
    """Add up counts, or candidates, of parts of a text.

    Counts of another pretokenizer, of other options or of other words are refused, and so is an
    input that was counted twice.
    """
    on_stop("stopped; nothing was saved")
    _check(output)
    kind: type[Counts] | type[Candidates] = Counts
    try:
        first: Counts | Candidates = Counts.load(files[0])
    except CountsError as error:
        if "holds candidates" not in error.message:
            raise
        kind = Candidates
        first = Candidates.load(files[0])
    parts: list[Any] = [first, *(kind.load(file) for file in files[1:])]
    merged = kind.merge(parts, allow_repeats=allow_repeats)
    merged.save(output)
    what = "pretoken" if kind is Counts else "candidate"
    tell(f"saved {plural(len(merged), what)} of {plural(len(files), 'file')} as {output}")

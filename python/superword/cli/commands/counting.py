"""Commands about counts: count, candidates, merge-counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from superword._counting.stored import check_suffix
from superword._files.outputs import check_not_read, check_output
from superword._support.extras import pyarrow
from superword._support.text import plural
from superword.cli.console import about_to_read
from superword.cli.group import SectionedCommand, examples, on_stop, tell
from superword.cli.options import force_option, quiet_option, read_options
from superword.cli.pretokenizers import pretokenizer_of, pretokenizer_options
from superword.counts import Counts, kind_of
from superword.inputs import expand, parse_groups
from superword.stages import count_candidates, count_pretokens
from superword.tokenizer import Tokenizer

__all__ = ["candidates", "count", "merge_counts"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _output(command: _Command) -> _Command:
    return click.option(
        "-o",
        "--output",
        required=True,
        type=click.Path(),
        metavar="FILE",
        help="The file to write: .parquet, .arrow, .feather or .tsv.",
    )(command)


def _check(output: str, overwrite: bool, inputs: Callable[[], Sequence[Any]]) -> None:
    check_not_read([output], inputs)
    check_output(output, "counts", overwrite)
    if check_suffix(output) != ".tsv":
        pyarrow()  # Fail now, not after hours of counting.


@click.command(
    cls=SectionedCommand,
    short_help="Count the pretokens of a text.",
    epilog=examples(
        "superword count shard-07/ -o counts-07.parquet",
        "superword count big.jsonl.zst --pretokenizer gpt4o -o counts.tsv",
    ),
)
@click.argument("inputs", nargs=-1, required=True, type=click.Path(), metavar="INPUT...")
@_output
@pretokenizer_options
@read_options()
@force_option
@quiet_option
def count(
    inputs: tuple[str, ...], output: str, overwrite: bool, quiet: bool, **values: Any
) -> None:
    """Count the pretokens of a text, for superword train --counts.

    The file records the pretokenizer, options and inputs. A corpus can be counted in parts, on
    several machines, and added up with merge-counts.
    """
    on_stop("stopped; nothing was saved")
    _check(output, overwrite, lambda: expand(parse_groups(inputs), values["format"]))
    pretokenizer = pretokenizer_of(values)
    if not quiet:
        tell(about_to_read(expand(parse_groups(inputs), values["format"])))
    counts = count_pretokens(
        parse_groups(inputs), pretokenizer=pretokenizer, progress=not quiet, **values
    )
    counts.save(output, overwrite=overwrite)
    if not quiet:
        tell(f"saved {plural(len(counts), 'pretoken')} as {output}")


@click.command(
    "candidates",
    cls=SectionedCommand,
    short_help="Count the candidates for superwords in a text.",
    epilog=examples(
        "superword candidates shard-07/ --model words.superword -o cand-07.parquet",
    ),
)
@click.argument("inputs", nargs=-1, required=True, type=click.Path(), metavar="INPUT...")
@click.option(
    "--model",
    required=True,
    type=click.Path(),
    metavar="WORDS",
    help="The words: a model of the method bpe.",
)
@_output
@click.option(
    "--cut-below",
    type=click.IntRange(min=1),
    metavar="N",
    help="Cut at bigrams that occur less often in this text. Not for parts of a text.",
)
@read_options()
@force_option
@quiet_option
def candidates(
    inputs: tuple[str, ...],
    model: str,
    output: str,
    overwrite: bool,
    quiet: bool,
    **values: Any,
) -> None:
    """Count the runs of words that may become superwords, for superword train --candidates."""
    on_stop("stopped; nothing was saved")
    _check(output, overwrite, lambda: [model, *expand(parse_groups(inputs), values["format"])])
    words = Tokenizer.load(model)
    if not quiet:
        tell(about_to_read(expand(parse_groups(inputs), values["format"])))
    found = count_candidates(parse_groups(inputs), words, progress=not quiet, **values)
    found.save(output, overwrite=overwrite)
    if not quiet:
        tell(f"saved {plural(len(found), 'candidate')} as {output}")


@click.command(
    "merge-counts",
    short_help="Add up the counts of parts of a text.",
    epilog=examples(
        "superword merge-counts counts-*.parquet -o counts.parquet",
        "superword merge-counts counts.parquet -o counts.tsv    # to read it",
    ),
)
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="COUNTS...")
@_output
@click.option(
    "--allow-repeats", is_flag=True, help="Accept an input that was counted more than once."
)
@force_option
def merge_counts(files: tuple[str, ...], output: str, allow_repeats: bool, overwrite: bool) -> None:
    """Add up counts, or candidates, of parts of a text.

    All parts must have the same pretokenizer, options and words, and no input may be counted
    twice. Groups may have different weights, but each group only one.
    """
    on_stop("stopped; nothing was saved")
    _check(output, overwrite, lambda: list(files))
    kind: Any = kind_of(files[0])
    merged = kind.merge([kind.load(file) for file in files], allow_repeats=allow_repeats)
    merged.save(output, overwrite=overwrite)
    what = "pretoken" if kind is Counts else "candidate"
    tell(f"saved {plural(len(merged), what)} of {plural(len(files), 'file')} as {output}")

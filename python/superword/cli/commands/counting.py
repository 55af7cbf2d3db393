"""Commands about counts: count, candidates, merge-counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from superword._counting.receipts import read_receipt, receipts_in
from superword._counting.stored import check_directory, check_suffix
from superword._files.outputs import check_not_read, check_output
from superword._support.extras import pyarrow
from superword._support.text import format_bytes, plural
from superword.cli.commands.plans import follow_options, following
from superword.cli.console import about_to_read
from superword.cli.faces import as_shown
from superword.cli.group import SectionedCommand, examples, on_stop, tell
from superword.cli.options import force_option, quiet_option, read_options
from superword.cli.pretokenizers import pretokenizer_of, pretokenizer_options
from superword.counts import BigramBounds, Candidates, Counts, kind_of, merge_partition
from superword.errors import CountsError, OptionError
from superword.inputs import expand, parse_groups
from superword.plans import Receipt, candidates_task, count_task
from superword.stages import count_candidates, count_pretokens, guess_cut
from superword.tokenizer import Tokenizer
from superword.training import Report

__all__ = ["candidates", "count", "merge_counts"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

# Texts with fewer bytes than this have few candidates.
SMALL = 100_000_000

_IN_PARTS = "stopped; the task is not finished: run it again"


def _output(command: _Command) -> _Command:
    return click.option(
        "-o",
        "--output",
        required=True,
        type=click.Path(),
        metavar="PATH",
        help="The file to write: .parquet, .arrow, .feather or .tsv. Counts with partitions are a "
        "directory.",
    )(command)


def _check(
    output: str, partitions: int | None, overwrite: bool, inputs: Callable[[], Sequence[Any]]
) -> None:
    if partitions is not None:
        check_directory(output, overwrite)
        pyarrow()
        return
    check_not_read([output], inputs)
    check_output(output, "counts", overwrite)
    if check_suffix(output) != ".tsv":
        pyarrow()  # Fail now, not after hours of counting.


def _tell_receipt(receipt: Receipt, output: str, quiet: bool) -> None:
    assert receipt.task is not None
    if receipt.skipped:
        report = Report(skipped=receipt.skipped, skipped_examples=receipt.skipped_examples)
        tell(f"warning: {as_shown(report.skipped_text())}", color="yellow")
    if not quiet:
        tell(
            f"finished {receipt.task.name} in {output}: {plural(receipt.documents, 'document')}, "
            f"{format_bytes(receipt.bytes)}, checksum {receipt.checksum:016x}"
        )


@click.command(
    cls=SectionedCommand,
    short_help="Count the pretokens of a text.",
    epilog=examples(
        "superword count shard-07/ -o counts-07.parquet",
        "superword count big.jsonl.zst --pretokenizer gpt4o -o counts.tsv",
        "superword count --plan plan.json --task 7 -o counts/",
    ),
)
@click.argument("inputs", nargs=-1, type=click.Path(), metavar="INPUT...")
@_output
@follow_options
@pretokenizer_options
@read_options()
@force_option
@quiet_option
def count(
    inputs: tuple[str, ...],
    output: str,
    plan: str | None,
    task: str | None,
    partitions: int | None,
    overwrite: bool,
    quiet: bool,
    **values: Any,
) -> None:
    """Count the pretokens of a text, for superword train --counts.

    The file records the pretokenizer, options and inputs. A corpus can be counted in parts, on
    several machines, and added up with merge-counts. With --plan, the counts of a task go to
    PATH/task-00007 and so on.
    """
    planned = following(inputs, plan, task, partitions)
    if planned is not None:
        on_stop(_IN_PARTS)
        pyarrow()
        resources = {name: values[name] for name in ("threads", "max_memory")}
        receipt = count_task(*planned, output, progress=not quiet, **resources)
        _tell_receipt(receipt, output, quiet)
        return
    on_stop("stopped; nothing was saved")
    _check(output, partitions, overwrite, lambda: expand(parse_groups(inputs), values["format"]))
    pretokenizer = pretokenizer_of(values)
    if not quiet:
        tell(about_to_read(expand(parse_groups(inputs), values["format"])))
    counts = count_pretokens(
        parse_groups(inputs),
        pretokenizer=pretokenizer,
        bounds=partitions is not None,
        progress=not quiet,
        **values,
    )
    _save(counts, output, partitions, overwrite, quiet)


def _save(
    counts: Counts | Candidates, output: str, partitions: int | None, overwrite: bool, quiet: bool
) -> None:
    if partitions is None:
        counts.save(output, overwrite=overwrite)
    else:
        counts.save_partitions(output, partitions, overwrite=overwrite)
    if not quiet:
        tell(f"saved {plural(len(counts), _noun(type(counts)))} as {output}")


def _noun(kind: type[Counts] | type[Candidates]) -> str:
    return "pretoken" if kind is Counts else "candidate"


@click.command(
    "candidates",
    cls=SectionedCommand,
    short_help="Count the candidates for superwords in a text.",
    epilog=examples(
        "superword candidates shard-07/ --model words.superword -o cand-07.parquet",
        "superword candidates --plan plan.json --task 7 --model words.superword \\",
        "    --counts all-counts/ -o candidates/",
    ),
)
@click.argument("inputs", nargs=-1, type=click.Path(), metavar="INPUT...")
@click.option(
    "--model",
    required=True,
    type=click.Path(),
    metavar="WORDS",
    help="The words: a model of the method bpe.",
)
@_output
@click.option(
    "--counts",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help="The counts of the whole text, with partitions. Candidates are cut at bigrams that are "
    "too rare in it, which does not change the model.",
)
@click.option(
    "--supermerges",
    type=click.IntRange(min=1),
    metavar="S",
    help="With --counts: cut for superbpe with that many supermerges, not for boundless.",
)
@click.option(
    "--cut-below",
    type=click.IntRange(min=1),
    metavar="N",
    help="Cut at bigrams that occur less often: in the text of --counts, or else in this text.",
)
@follow_options
@read_options()
@force_option
@quiet_option
def candidates(
    inputs: tuple[str, ...],
    model: str,
    output: str,
    counts: str | None,
    supermerges: int | None,
    cut_below: int | None,
    plan: str | None,
    task: str | None,
    partitions: int | None,
    overwrite: bool,
    quiet: bool,
    **values: Any,
) -> None:
    """Count the runs of words that may become superwords, for superword train --candidates.

    Without --counts or --cut-below, their number grows with the text: about 15 million for each GB.
    """
    if supermerges is not None and counts is None:
        raise OptionError(
            "`supermerges` was given without `counts`",
            hint="give the counts of the whole text",
            option="supermerges",
        )
    planned = following(inputs, plan, task, partitions)
    on_stop("stopped; nothing was saved" if planned is None else _IN_PARTS)
    if planned is None:
        _check(
            output,
            partitions,
            overwrite,
            lambda: [model, *expand(parse_groups(inputs), values["format"])],
        )
    words = Tokenizer.load(model)
    cut_below, bounds = _cut(words, counts, supermerges, cut_below)
    if planned is not None:
        pyarrow()
        receipt = candidates_task(
            *planned,
            words,
            output,
            cut_below=cut_below,
            bounds=bounds,
            threads=values["threads"],
            max_memory=values["max_memory"],
            progress=not quiet,
        )
        _tell_receipt(receipt, output, quiet)
        return
    if not quiet:
        tell(about_to_read(expand(parse_groups(inputs), values["format"])))
    found = count_candidates(
        parse_groups(inputs),
        words,
        cut_below=cut_below,
        bounds=bounds,
        progress=not quiet,
        **values,
    )
    _save(found, output, partitions, overwrite, quiet)


def _cut(
    words: Tokenizer, counts: str | None, supermerges: int | None, cut_below: int | None
) -> tuple[int | None, BigramBounds | None]:
    """Where candidates are cut, and the bounds of the whole text."""
    if counts is None:
        return cut_below, None
    bounds = Counts.load_bounds(counts)
    if cut_below is None:
        # A guess that is too high costs a second pass, and a small text need not be cut.
        is_small = read_receipt(counts).bytes < SMALL
        cut_below = 1 if is_small else guess_cut(words, bounds, supermerges=supermerges)
    return cut_below, bounds


@click.command(
    "merge-counts",
    cls=SectionedCommand,
    short_help="Add up the counts of parts of a text.",
    epilog=examples(
        "superword merge-counts counts-*.parquet -o counts.parquet",
        "superword merge-counts counts.parquet -o counts.tsv    # to read it",
        "superword merge-counts counts/ --partition 3 -o all-counts/",
    ),
)
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="COUNTS...")
@_output
@click.option(
    "--partition",
    type=click.IntRange(min=0),
    metavar="K",
    help="Add up one partition of directories of counts. All partitions can be added up at once.",
)
@click.option(
    "--min-count",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Drop what occurs less often in the sum. A model trained on the rest is not exact, and "
    "records that.",
)
@click.option(
    "--allow-repeats", is_flag=True, help="Accept an input that was counted more than once."
)
@force_option
@quiet_option
def merge_counts(
    files: tuple[str, ...],
    output: str,
    partition: int | None,
    min_count: int,
    allow_repeats: bool,
    overwrite: bool,
    quiet: bool,
) -> None:
    """Add up counts, or candidates, of parts of a text.

    All parts must have the same pretokenizer, options and words, and no input may be counted
    twice. Groups may have different weights, but each group only one. COUNTS is a file, a directory
    of partitions, or the directory with all tasks of a plan; a missing task is an error.
    """
    on_stop("stopped; nothing was saved")
    folders = [file for file in files if Path(file).is_dir()]
    if folders and len(folders) < len(files):
        raise CountsError(
            "directories and files of counts cannot be added up together",
            hint="add up the directories first",
        )
    if folders and not Path(output).suffix:
        _merge_partitions(files, output, partition, min_count, allow_repeats, quiet)
        return
    if partition is not None:
        raise OptionError(
            "`partition` needs directories of counts, and a directory as the output",
            hint="leave `partition` out, or count with --partitions or --plan",
            option="partition",
        )
    _check(output, None, overwrite, lambda: [] if folders else list(files))
    kind: Any = kind_of(files[0])
    if folders:
        files = tuple(str(folder) for folder in receipts_in(files))
    merged = kind.merge([kind.load(file) for file in files], allow_repeats=allow_repeats)
    if min_count > 1:
        merged = merged.prune(min_count)
    merged.save(output, overwrite=overwrite)
    if not quiet:
        what = "directory" if folders else "file"
        tell(f"saved {plural(len(merged), _noun(kind))} of {plural(len(files), what)} as {output}")


def _merge_partitions(
    files: tuple[str, ...],
    output: str,
    partition: int | None,
    min_count: int,
    allow_repeats: bool,
    quiet: bool,
) -> None:
    """Add up one partition of directories, or one after the other."""
    pyarrow()
    kind = kind_of(files[0])
    partitions = next(iter(receipts_in(files).values())).partitions
    numbers = range(partitions) if partition is None else [partition]
    for number in numbers:
        rows = merge_partition(
            files, number, output, min_count=min_count, allow_repeats=allow_repeats
        )
        if not quiet:
            tell(
                f"saved {plural(rows, _noun(kind))} of partition {number} of {partitions} in "
                f"{output}"
            )

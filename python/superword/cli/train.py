"""`superword train`: the options of `superword.options` as flags."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, TypeVar

import click

from superword import progress
from superword._text import format_bytes, format_seconds, plural
from superword.cli.group import examples, flag_of, on_stop, tell
from superword.cli.pretokenizers import PATTERN_OPTIONS, pretokenizer_of, pretokenizer_options
from superword.errors import OptionError, SaveError
from superword.inputs import STDIN, Input, expand, parse_groups
from superword.options import GREEDY_SPLIT, TrainOptions
from superword.tokenizer import Tokenizer
from superword.training import Report, gather, run

__all__ = ["about_to_read", "check_output", "click_option", "train"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def click_option(option: Field[Any]) -> Callable[[_Command], _Command]:
    """The flag of an option: its name, type, default and meaning, as `TrainOptions` has them."""
    facts = option.metadata
    settings: dict[str, Any] = {"help": facts["meaning"], "metavar": facts["metavar"]}
    if option.default is MISSING:
        settings["required"] = True
    elif option.name == "greedy_split":
        settings["default"] = next(w for w, value in GREEDY_SPLIT.items() if value is False)
    else:
        settings["default"] = option.default
    settings["show_default"] = settings.get("default") not in (None, (), False)
    kind = str(option.type)
    if facts["choices"]:
        settings["type"] = click.Choice(facts["choices"])
    elif kind == "bool":
        settings["is_flag"] = True
    elif kind in ("int", "int | None"):
        settings["type"] = int
    elif kind == "float | None":
        settings["type"] = float
    elif option.name in ("special_tokens", "weights"):
        settings["multiple"] = True
        settings["help"] += " May be repeated."
    return click.option(flag_of(option.name), option.name, **settings)


def _training_options(command: _Command) -> _Command:
    for option in reversed(fields(TrainOptions)):
        # The command line can say a pretokenizer in more ways than by its name.
        add = pretokenizer_options if option.name == "pretokenizer" else click_option(option)
        command = add(command)
    return command


@click.command(
    short_help="Text to a model.",
    epilog=examples(
        "superword train corpus/ --vocab-size 32768 -o wiki.superword",
        "superword train 'shards/**/*.jsonl.zst' --text-field body --vocab-size 131072 -o m",
        "superword train a.txt b.txt --method superbpe --supermerges 4000 --vocab-size 32768 -o m",
        "zcat big.jsonl.gz | superword train - --format jsonl --vocab-size 50000 -o m",
    ),
)
@click.argument("inputs", nargs=-1, metavar="INPUT...")
@click.option(
    "-o", "--output", required=True, type=click.Path(), metavar="MODEL", help="Where to save it."
)
@_training_options
@click.option(
    "--counts",
    type=click.Path(),
    metavar="FILE",
    help="Learn words from these counts (superword count); INPUT is for superwords only.",
)
@click.option(
    "--candidates",
    type=click.Path(),
    metavar="FILE",
    help="With --counts: learn superwords from these candidates (superword candidates).",
)
@click.option("-q", "--quiet", is_flag=True, help="No progress and no summary.")
def train(
    inputs: tuple[str, ...],
    output: str,
    counts: str | None,
    candidates: str | None,
    quiet: bool,
    **values: Any,
) -> None:
    """Learn a tokenizer from text and save it as MODEL.

    INPUT is a file, a directory, a glob or - for standard input. Files named .jsonl, .ndjson or
    .json hold a JSON object per line, .parquet, .arrow and .feather a table, others are plain
    text, one document each (standard input: one per line); .gz and .zst are read as they are.
    --format says otherwise. NAME=INPUT puts it into a group, for --weight NAME=W.
    """
    started = time.monotonic()
    on_stop("stopped; nothing was saved")
    check_output(output)
    values["greedy_split"] = GREEDY_SPLIT[values["greedy_split"]]
    if counts is not None:
        tokenizer, report = _from_counts(inputs, counts, candidates, values, quiet)
    elif candidates is not None:
        raise OptionError(
            "--candidates was given without --counts",
            hint="give the counts of the words too",
            option="candidates",
        )
    else:
        if not inputs:
            raise click.UsageError("Missing argument 'INPUT...'.")
        pretokenizer = pretokenizer_of(values)
        options = TrainOptions(**values, pretokenizer=pretokenizer)
        found = expand(parse_groups(inputs), options.format)
        if not quiet:
            tell(about_to_read(found))
        tokenizer, report = run(gather(found, options), options, not quiet)
    tokenizer.save(output)
    on_stop(f"stopped after saving {output}")
    if report.skipped:
        tell(f"warning: {report.skipped_text()}")
    if report.shortfall:
        tell(f"warning: {report.shortfall}")
    if not quiet:
        _summary(tokenizer, report, output, time.monotonic() - started)


def _from_counts(
    inputs: tuple[str, ...],
    counts: str,
    candidates: str | None,
    values: dict[str, Any],
    quiet: bool,
) -> tuple[Tokenizer, Report]:
    from superword.counts import Candidates, Counts
    from superword.stages import train_from_counts

    given = any(values[name] is not None for name in ("pretokenizer", *PATTERN_OPTIONS))
    pretokenizer = pretokenizer_of(values)
    loaded = Counts.load(counts, pretokenizer=pretokenizer if given else None)
    options = TrainOptions(**values, pretokenizer=loaded.pretokenizer)
    needs_candidates = options.method != "bpe"
    if candidates is not None and (inputs or not needs_candidates):
        raise OptionError(
            "--candidates was given, and so was INPUT"
            if inputs
            else "--candidates was given with method bpe, which learns no superwords",
            hint="leave one of them out",
            option="candidates",
        )
    if not inputs and candidates is None and needs_candidates:
        raise OptionError(
            f"method {options.method} needs text or candidates besides the counts of words",
            hint="name the INPUT files, or --candidates; or use --method bpe for words alone",
            option="candidates",
        )
    if inputs and not needs_candidates:
        raise OptionError(
            "INPUT was given with --counts and method bpe, which needs no text besides",
            hint="leave the INPUT out",
            option="counts",
        )
    if not quiet:
        tell(f"learning from {plural(len(loaded), 'pretoken')} of {counts}")
    sources = None
    if inputs:
        found = expand(parse_groups(inputs), options.format)
        if not quiet:
            tell(about_to_read(found))
        sources = gather(found, options)
    runs = None if candidates is None else Candidates.load(candidates)
    return train_from_counts(loaded, options, runs, sources, not quiet)


def check_output(path: str) -> None:
    """Find out before hours of work whether the model can be saved where it should go."""
    target = Path(path)
    folder = target.parent
    reason = hint = None
    if target.is_dir():
        reason, hint = "it is a directory", f"name a file in it, such as {target / 'm.superword'}"
    elif not folder.is_dir():
        reason, hint = f"there is no directory {folder}", f"make it first: mkdir -p {folder}"
    elif not os.access(folder, os.W_OK | os.X_OK):
        reason, hint = f"the directory {folder} cannot be written", "choose another place"
    if reason:
        raise SaveError(f"cannot save to {path}: {reason}", hint=hint, path=path)


def about_to_read(found: list[Input]) -> str:
    """What is said before the work starts: files and bytes."""
    files = [item for item in found if item.path != STDIN]
    parts = []
    if files:
        size = format_bytes(sum(item.size or 0 for item in files))
        parts.append(f"{plural(len(files), 'file')}, {size}")
    if len(files) < len(found):
        parts.append("standard input")
    return f"reading {' and '.join(parts)}"


def _summary(tokenizer: Tokenizer, report: Report, output: str, seconds: float) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    superwords = sum(map(tokenizer.is_superword, range(tokenizer.n_vocab)))
    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(overflow="fold")
    rate = f", {format_bytes(report.bytes / seconds)}/s in all" if seconds > 0 else ""
    rows = {
        "method": tokenizer.method,
        "vocabulary": f"{tokenizer.n_vocab:,} tokens",
        "merges": f"{len(tokenizer.merges):,}",
        "superwords": f"{superwords:,} ({superwords / tokenizer.n_vocab:.1%})",
        "read": f"{plural(report.documents, 'document')}, {format_bytes(report.bytes)}{rate}",
        "skipped": plural(report.skipped, "document"),
    }
    for phase, spent in report.seconds.items():
        rows[progress.PHASES.get(phase, phase)] = format_seconds(spent)
    rows["all together"] = format_seconds(seconds)
    rows["saved as"] = output
    for name, value in rows.items():
        # Text that comes from outside is not markup.
        table.add_row(name, value.replace("[", r"\["))
    Console(stderr=True).print(table)

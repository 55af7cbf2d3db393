"""`superword train`: the options of `superword.options` as flags."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, TypeVar

import click

from superword._support.text import plural
from superword.cli.console import Console
from superword.cli.group import examples, flag_of, on_stop
from superword.cli.pretokenizers import PATTERN_OPTIONS, pretokenizer_of, pretokenizer_options
from superword.errors import OptionError, SaveError
from superword.inputs import expand, parse_groups
from superword.options import ALPHABETS, GREEDY_SPLIT, TrainOptions
from superword.progress import Progress
from superword.tokenizer import Tokenizer
from superword.training import Report, gather, run

__all__ = ["check_output", "click_option", "train"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def click_option(option: Field[Any]) -> Callable[[_Command], _Command]:
    """The flag of an option: its name, type, default and meaning, as `TrainOptions` has them."""
    facts = option.metadata
    settings: dict[str, Any] = {"help": facts["meaning"], "metavar": facts["metavar"]}
    if option.default is MISSING:
        settings["help"] += " Needed unless there is a --base."
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
@click.option(
    "--base",
    type=click.Path(),
    metavar="MODEL",
    help="Add --supermerges superwords to this model of words, which keeps its tokens and ids.",
)
@click.option(
    "--also",
    type=int,
    multiple=True,
    metavar="N",
    help="Save a smaller vocabulary too, as MODEL-N. May be repeated.",
)
@click.option("--log-json", "as_json", is_flag=True, help="A JSON object a line on stderr.")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no summary.")
def train(
    inputs: tuple[str, ...],
    output: str,
    counts: str | None,
    candidates: str | None,
    base: str | None,
    also: tuple[int, ...],
    as_json: bool,
    quiet: bool,
    **values: Any,
) -> None:
    """Learn a tokenizer from text and save it as MODEL.

    INPUT is a file, a directory, a glob or - for standard input. Files named .jsonl, .ndjson or
    .json hold a JSON object per line, .parquet, .arrow and .feather a table, others are plain
    text, one document each (standard input: one per line); .gz and .zst are read as they are.
    --format says otherwise. NAME=INPUT puts it into a group, for --weight NAME=W.
    """
    console = Console(quiet, as_json)
    kept = values["work_dir"]
    on_stop(f"stopped; the work so far is in {kept}" if kept else "stopped; nothing was saved")
    check_output(output)
    values["greedy_split"] = GREEDY_SPLIT[values["greedy_split"]]
    if candidates is not None and counts is None:
        raise OptionError(
            "--candidates was given without --counts",
            hint="give the counts of the words too",
            option="candidates",
        )
    if values["work_dir"] is not None and (base is not None or counts is not None):
        raise OptionError(
            "--work-dir is for training from text alone",
            hint="leave it out, or --base or --counts",
            option="work_dir",
        )
    if values["max_memory"] is not None and counts is not None and not inputs:
        raise OptionError(
            "--max-memory bounds the reading of text, and there is none to read",
            hint="leave it out",
            option="max_memory",
        )
    if base is not None:
        options, work = _from_base(inputs, base, counts, values, console)
    elif counts is not None:
        options, work = _from_counts(inputs, counts, candidates, values, console)
    else:
        options, work = _from_text(inputs, values, console)
    smaller = _smaller(options, also, output, base)
    with console.progress() as progress:
        tokenizer, report = work(progress)
    tokenizer.save(output)
    on_stop(f"stopped after saving {output}")
    saved = [output]
    for size, path in smaller.items():
        if size < tokenizer.n_vocab:
            tokenizer.truncate(size).save(path)
            saved.append(path)
        else:
            console.warn(f"{path} is not saved: the vocabulary has only {tokenizer.n_vocab} tokens")
    if report.skipped:
        console.warn(report.skipped_text())
    if report.shortfall:
        console.warn(report.shortfall)
    console.end(tokenizer, report, saved)


Work = Callable[[Callable[[Progress], None] | bool], tuple[Tokenizer, Report]]


def _need_size(values: dict[str, Any]) -> None:
    if values["vocab_size"] is None:
        raise click.UsageError("Missing option '--vocab-size'.")


def _from_text(
    inputs: tuple[str, ...], values: dict[str, Any], console: Console
) -> tuple[TrainOptions, Work]:
    if not inputs:
        raise click.UsageError("Missing argument 'INPUT...'.")
    _need_size(values)
    pretokenizer = pretokenizer_of(values)
    options = TrainOptions(**values, pretokenizer=pretokenizer)
    found = expand(parse_groups(inputs), options.format, work_dir=options.work_dir)
    console.start(found)
    return options, lambda progress: run(gather(found, options), options, progress, console.say)


def _from_base(
    inputs: tuple[str, ...],
    base: str,
    counts: str | None,
    values: dict[str, Any],
    console: Console,
) -> tuple[TrainOptions, Work]:
    from superword.stages import extend_from

    kept = [n for n in ("picky", "pretokenizer", *PATTERN_OPTIONS) if values[n] is not None]
    if values["special_tokens"]:
        kept.append("special_tokens")
    if counts is not None or kept:
        name = "counts" if counts is not None else kept[0]
        raise OptionError(
            f"{flag_of(name)} was given with --base, whose words are kept as they are",
            hint="leave one of them out",
            option=name,
        )
    if values["method"] != "superbpe":
        raise OptionError(
            "--base adds superwords, which method superbpe does",
            hint="give --method superbpe and --supermerges",
            option="method",
        )
    if not inputs:
        raise click.UsageError("Missing argument 'INPUT...'.")
    tokenizer = Tokenizer.load(base)
    size = tokenizer.n_vocab + (values["supermerges"] or 0)
    if values["vocab_size"] not in (None, size):
        raise OptionError(
            f"--vocab-size {values['vocab_size']} is not the size of the base and --supermerges",
            hint=f"leave it out, or give {size}",
            option="vocab_size",
        )
    pretokenizer_of(values)
    values = {**values, "vocab_size": size, "alphabet": tokenizer.alphabet}
    options = TrainOptions(**values, pretokenizer=tokenizer.pretokenizer)
    found = expand(parse_groups(inputs), options.format)
    console.start(found)
    return options, lambda progress: extend_from(
        tokenizer, gather(found, options), options, progress
    )


def _smaller(
    options: TrainOptions, sizes: tuple[int, ...], output: str, base: str | None
) -> dict[int, str]:
    """Where the smaller vocabularies go; sizes that cannot be had are refused before the work."""
    reason = None
    if not sizes:
        return {}
    if options.picky is not None or options.greedy_split:
        name = "picky" if options.picky is not None else "greedy_split"
        reason = f"with {flag_of(name)} a model cut to a smaller size is not the one trained at it"
    elif base is not None:
        reason = "a model with a base keeps all of its tokens"
    if reason:
        raise OptionError(f"--also cannot be used: {reason}", hint="train each size", option="also")
    specials = len(tuple(options.special_tokens))
    smallest = ALPHABETS[options.alphabet] + specials
    if options.method == "superbpe":
        # All words stay: fewer supermerges make it smaller.
        smallest = options.vocab_size - (options.supermerges or 0) + 1
    for size in sizes:
        if not smallest <= size < options.vocab_size:
            raise OptionError(
                f"--also {size} is not between {smallest} and {options.vocab_size - 1}",
                hint="superbpe keeps all words and gets smaller by fewer supermerges"
                if options.method == "superbpe"
                else "give sizes that are smaller than --vocab-size",
                option="also",
            )
    target = Path(output)
    paths = {size: str(target.with_name(f"{target.stem}-{size}{target.suffix}")) for size in sizes}
    for path in paths.values():
        check_output(path)
    return paths


def _from_counts(
    inputs: tuple[str, ...],
    counts: str,
    candidates: str | None,
    values: dict[str, Any],
    console: Console,
) -> tuple[TrainOptions, Work]:
    from superword.counts import Candidates, Counts
    from superword.stages import train_from_counts

    _need_size(values)
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
    console.say(f"learning from {plural(len(loaded), 'pretoken')} of {counts}")
    found = expand(parse_groups(inputs), options.format) if inputs else []
    if found:
        console.start(found)
    runs = None if candidates is None else Candidates.load(candidates)

    def work(progress: Callable[[Progress], None] | bool) -> tuple[Tokenizer, Report]:
        sources = gather(found, options) if found else None
        return train_from_counts(loaded, options, runs, sources, progress)

    return options, work


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

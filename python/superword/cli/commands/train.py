"""`superword train`: the options of `superword.options` as flags."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import click

from superword._files.outputs import check_not_read, check_output
from superword._reading.sources import gather
from superword._support.faces import option
from superword._support.text import plural
from superword.cli.console import Console
from superword.cli.engines import check_engine, engine_options, refuse_with_ray
from superword.cli.group import SectionedCommand, examples, on_stop
from superword.cli.options import click_option, force_option, in_sections, quiet_option, sectioned
from superword.cli.pretokenizers import PATTERN_OPTIONS, pretokenizer_of, pretokenizer_options
from superword.errors import OptionError
from superword.inputs import Input, expand, parse_groups
from superword.options import ALPHABETS, GREEDY_SPLIT, TrainOptions
from superword.progress import Progress
from superword.tokenizer import Tokenizer
from superword.training import Report, run

__all__ = ["train"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _training_options(command: _Command) -> _Command:
    for given in reversed(in_sections(fields(TrainOptions))):
        # On the command line, a pretokenizer can also be given by its patterns.
        add = pretokenizer_options if given.name == "pretokenizer" else click_option(given)
        command = add(command)
    return command


@click.command(
    cls=SectionedCommand,
    short_help="Train a tokenizer on text.",
    epilog=examples(
        "superword train corpus/ --vocab-size 32768 -o wiki.superword",
        "superword train 'shards/**/*.jsonl.zst' --text-field body --vocab-size 131072 -o m",
        "superword train a.txt b.txt --method superbpe --supermerges 4000 --vocab-size 32768 -o m",
        "zcat big.jsonl.gz | superword train - --format jsonl --vocab-size 50000 -o m",
        "superword train /nfs/text --engine ray --work-dir /nfs/w --vocab-size 131072 -o m",
    ),
)
@click.argument("inputs", nargs=-1, type=click.Path(), metavar="INPUT...")
@sectioned(
    "Output",
    "-o",
    "--output",
    required=True,
    type=click.Path(),
    metavar="MODEL",
    help="The file to write.",
)
@sectioned(
    "Output",
    "--also",
    type=int,
    multiple=True,
    metavar="N",
    help="Also save a smaller vocabulary, as MODEL-N. May be repeated.",
)
@_training_options
@sectioned(
    "Instead of text",
    "--counts",
    type=click.Path(),
    metavar="FILE",
    help="Learn words from counts (see superword count). INPUT is used for superwords only.",
)
@sectioned(
    "Instead of text",
    "--candidates",
    type=click.Path(),
    metavar="FILE",
    help="With --counts: learn superwords from candidates (see superword candidates).",
)
@sectioned(
    "Instead of text",
    "--base",
    type=click.Path(),
    metavar="MODEL",
    help="Add superwords to this model of words, which keeps its tokens and ids.",
)
@engine_options
@click.option("--log-json", "as_json", is_flag=True, help="Write JSON lines to stderr.")
@force_option
@quiet_option
def train(
    inputs: tuple[str, ...],
    output: str,
    counts: str | None,
    candidates: str | None,
    base: str | None,
    also: tuple[int, ...],
    engine: str,
    address: str | None,
    as_json: bool,
    overwrite: bool,
    quiet: bool,
    **values: Any,
) -> None:
    """Train a tokenizer on text and save it as MODEL.

    INPUT is a file, a directory, a glob, or - for standard input. Files that end in .jsonl, .ndjson
    or .json hold one JSON object per line; .parquet, .arrow and .feather files hold a table. Other
    files are plain text, one document each. Standard input holds one document per line. .gz and
    .zst files are decompressed. Use --format for anything else. NAME=INPUT puts an input into a
    group, which can have a weight.
    """
    console = Console(quiet, as_json)
    kept = values["work_dir"]
    on_stop(
        f"stopped; finished work is kept in {kept}: run the same command again to resume"
        if kept
        else "stopped; nothing was saved"
    )

    def read() -> list[Input | str | None]:
        return [base, counts, candidates, *_expanded(inputs, values)]

    check_not_read([output], read)
    check_output(output, "model", overwrite)
    smaller = _smaller_paths(output, also)
    check_not_read(smaller.values(), read)
    for path in smaller.values():
        check_output(path, "model", overwrite)
    values["greedy_split"] = GREEDY_SPLIT[values["greedy_split"]]
    if candidates is not None and counts is None:
        raise OptionError(
            "`candidates` was given without `counts`",
            hint="give `counts` as well, to learn the words from",
            option="candidates",
        )
    if values["work_dir"] is not None and (base is not None or counts is not None):
        raise OptionError(
            "`work_dir` can only be used to train on text, without `base` and `counts`",
            hint="leave `work_dir` out",
            option="work_dir",
        )
    if values["max_memory"] is not None and counts is not None and not inputs:
        raise OptionError(
            "`max_memory` limits the memory for reading text, but there is no text to read",
            hint="leave `max_memory` out",
            option="max_memory",
        )
    if check_engine(engine, address):
        refuse_with_ray({"counts": counts, "candidates": candidates, "base": base})
        options, work = _on_ray(inputs, address, values, console)
    elif base is not None:
        options, work = _from_base(inputs, base, counts, values, console)
    elif counts is not None:
        options, work = _from_counts(inputs, counts, candidates, values, console)
    else:
        options, work = _from_text(inputs, values, console)
    _check_sizes(options, also, base)
    with console.progress() as progress:
        tokenizer, report = work(progress)
    tokenizer.save(output, overwrite=overwrite)
    on_stop(f"stopped after saving {output}")
    saved = [output]
    for size, path in smaller.items():
        if size < tokenizer.n_vocab:
            tokenizer.truncate(size).save(path, overwrite=overwrite)
            saved.append(path)
        else:
            console.warn(f"{path} is not saved: the vocabulary has only {tokenizer.n_vocab} tokens")
    if report.skipped:
        console.warn(report.skipped_text())
    if report.shortfall:
        console.warn(report.shortfall)
    console.end(tokenizer, report, saved)


Work = Callable[[Callable[[Progress], object] | bool], tuple[Tokenizer, Report]]


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


def _on_ray(
    inputs: tuple[str, ...], address: str | None, values: dict[str, Any], console: Console
) -> tuple[TrainOptions, Work]:
    # A sample is drawn from the whole text, which no node sees.
    refuse_with_ray({name: values[name] for name in ("sample", "max_bytes", "seed")})
    from superword.integrations.ray import training

    if not inputs:
        raise click.UsageError("Missing argument 'INPUT...'.")
    _need_size(values)
    pretokenizer = pretokenizer_of(values)
    options = TrainOptions(**values, pretokenizer=pretokenizer)
    parsed = parse_groups(inputs)
    console.start(expand(parsed, options.format, work_dir=options.work_dir))
    return options, lambda progress: training.run(
        parsed, options, address=address, progress=progress, note=console.say
    )


def _from_base(
    inputs: tuple[str, ...],
    base: str,
    counts: str | None,
    values: dict[str, Any],
    console: Console,
) -> tuple[TrainOptions, Work]:
    from superword._counting.stages import extend_from

    kept = [n for n in ("picky", "pretokenizer", *PATTERN_OPTIONS) if values[n] is not None]
    if values["special_tokens"]:
        kept.append("special_tokens")
    if counts is not None or kept:
        name = "counts" if counts is not None else kept[0]
        raise OptionError(
            f"`{name}` was given with `base`, which keeps its words unchanged",
            hint="leave one of them out",
            option=name,
        )
    if values["method"] != "superbpe":
        raise OptionError(
            "`base` adds superwords to a model, which needs the method superbpe",
            hint="give `method='superbpe'` and `supermerges`",
            option="method",
        )
    if not inputs:
        raise click.UsageError("Missing argument 'INPUT...'.")
    tokenizer = Tokenizer.load(base)
    size = tokenizer.n_vocab + (values["supermerges"] or 0)
    if values["vocab_size"] not in (None, size):
        raise OptionError(
            f"`vocab_size` {values['vocab_size']} is not the size of the base plus `supermerges`",
            hint=f"leave `vocab_size` out, or give {size}",
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


def _expanded(inputs: tuple[str, ...], values: dict[str, Any]) -> list[Input]:
    """The files that are read, if there are any."""
    if not inputs:
        return []
    return expand(parse_groups(inputs), values["format"], work_dir=values["work_dir"])


def _smaller_paths(output: str, sizes: tuple[int, ...]) -> dict[int, str]:
    """Where the smaller vocabularies go: `m-1000.superword` for `m.superword`."""
    target = Path(output)
    return {size: str(target.with_name(f"{target.stem}-{size}{target.suffix}")) for size in sizes}


def _check_sizes(options: TrainOptions, sizes: tuple[int, ...], base: str | None) -> None:
    """Check the sizes of smaller vocabularies before the work starts."""
    reason = None
    if not sizes:
        return
    if options.picky is not None or options.greedy_split:
        name = "picky" if options.picky is not None else "greedy_split"
        reason = f"with `{name}`, a truncated model differs from one trained at that size"
    elif base is not None:
        reason = "a model with a base keeps all of its tokens"
    if reason:
        raise OptionError(
            f"`also` cannot be used: {reason}", hint="train each size separately", option="also"
        )
    specials = len(tuple(options.special_tokens))
    smallest = ALPHABETS[options.alphabet] + specials
    if options.method == "superbpe":
        # All words stay; only supermerges are removed.
        smallest = options.vocab_size - (options.supermerges or 0) + 1
    for size in sizes:
        if not smallest <= size < options.vocab_size:
            raise OptionError(
                f"`also` {size} is not between {smallest} and {options.vocab_size - 1}",
                hint="superbpe keeps all words; only supermerges can be removed"
                if options.method == "superbpe"
                else "give sizes that are smaller than `vocab_size`",
                option="also",
            )


def _from_counts(
    inputs: tuple[str, ...],
    counts: str,
    candidates: str | None,
    values: dict[str, Any],
    console: Console,
) -> tuple[TrainOptions, Work]:
    from superword._counting.stages import train_from_counts
    from superword.counts import Candidates, Counts

    _need_size(values)
    given = any(values[name] is not None for name in ("pretokenizer", *PATTERN_OPTIONS))
    pretokenizer = pretokenizer_of(values)
    loaded = Counts.load(counts, pretokenizer=pretokenizer if given else None)
    options = TrainOptions(**values, pretokenizer=loaded.pretokenizer)
    needs_candidates = options.method != "bpe"
    if candidates is not None and (inputs or not needs_candidates):
        raise OptionError(
            "`candidates` and `inputs` were both given"
            if inputs
            else "`candidates` was given with `method='bpe'`, which learns no superwords",
            hint="leave one of them out",
            option="candidates",
        )
    if not inputs and candidates is None and needs_candidates:
        raise OptionError(
            f"{option('method', options.method)} needs text or candidates in addition to `counts`",
            hint="give `inputs` or `candidates`, or use `method='bpe'` to learn words only",
            option="candidates",
        )
    if inputs and not needs_candidates:
        raise OptionError(
            "`inputs` was given with `counts` and `method='bpe'`, which needs no text",
            hint="leave `inputs` out",
            option="counts",
        )
    console.say(f"training on {plural(len(loaded), 'pretoken')} of {counts}")
    found = expand(parse_groups(inputs), options.format) if inputs else []
    if found:
        console.start(found)
    runs = None if candidates is None else Candidates.load(candidates)

    def work(progress: Callable[[Progress], object] | bool) -> tuple[Tokenizer, Report]:
        sources = gather(found, options) if found else None
        return train_from_counts(loaded, options, runs, sources, progress)

    return options, work

"""`superword evaluate`: measures tokenizers on text."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import click

from superword._files.outputs import check_not_read, check_output
from superword._support.text import plural, printable, suggestion
from superword.cli.console import Console
from superword.cli.group import SectionedCommand, examples, on_stop, tell
from superword.cli.json_text import as_json_text
from superword.cli.options import force_option, quiet_option, read_options, sectioned
from superword.errors import OptionError
from superword.inputs import Input, expand, parse_groups

__all__ = ["evaluate"]

# Options that take several values after one flag: --on de=corpus/de en=corpus/en
_SEVERAL = ("--on", "--parallel")

INPUT, LISTS, RESULT = "Input", "Lists", "Result"


class _SeveralValues(SectionedCommand):
    """A command with options that take all values up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the flag before each value, which is how click takes several."""
        spread: list[str] = []
        rest = iter(args)
        flag, taken = None, False
        for arg in rest:
            if arg == "--":
                spread += [arg, *rest]
            elif arg.startswith("-") and arg != "-":
                flag, taken = (arg if arg in _SEVERAL else None), False
                spread.append(arg)
            else:
                spread += [flag, arg] if flag and taken else [arg]
                taken = True
        return super().parse_args(ctx, spread)


@click.command(
    cls=_SeveralValues,
    short_help="Measure and compare tokenizers on text.",
    epilog=examples(
        "superword evaluate wiki.superword --on corpus/",
        "superword evaluate wiki.superword gpt2/ --on de=corpus/de en=corpus/en -o result.json",
        "superword evaluate new=a.superword old=b.superword --on held-out.jsonl --reference old",
        "superword evaluate wiki.superword --on corpus/ -q --check 'bytes_per_token>=4.4'",
    ),
)
@click.argument("models", nargs=-1, required=True, metavar="MODEL...")
@sectioned(
    INPUT,
    "--on",
    multiple=True,
    required=True,
    metavar="[NAME=]INPUT...",
    help="The text: one or more inputs as in superword train. NAME= puts an input into a group, "
    "such as a language. Give it after the models.",
)
@read_options("max_bytes", "sample", "seed", "weights", "max_memory")
@sectioned(
    LISTS,
    "--parallel",
    multiple=True,
    metavar="NAME=FILE...",
    help="The same sentences in several languages, one per line. The first is the reference.",
)
@sectioned(
    LISTS, "--pairs", type=click.Path(), help="A file of lines with a prompt, a tab, and its rest."
)
@sectioned(
    LISTS,
    "--words",
    type=click.Path(),
    help="A file with one word per line, for the single-token retention.  [default: the most "
    "frequent words of the text]",
)
@sectioned(
    LISTS,
    "--morphemes",
    type=click.Path(),
    help="A file of lines with a word, a tab, and its pieces with spaces.",
)
@sectioned(
    LISTS,
    "--top-words",
    type=int,
    default=1000,
    show_default=True,
    metavar="N",
    help="How many of the most frequent words the single-token retention is about.",
)
@sectioned(
    RESULT,
    "-o",
    "--output",
    type=click.Path(),
    help="Save the whole result as JSON, for superword report.",
)
@sectioned(RESULT, "--json", "as_json", is_flag=True, help="Print the whole result as JSON.")
@sectioned(
    RESULT,
    "--reference",
    metavar="NAME",
    help="The model that lengths are relative to.",
)
@sectioned(
    RESULT,
    "--check",
    multiple=True,
    metavar="CONDITION",
    help="Exit with 1 unless this holds, such as 'bytes_per_token>=4.4', 'de:fertility<1.8' for a "
    "group, '*:fertility<2' for each group, 'wiki@superwords.saved>0.1' for a model. May be "
    "repeated.",
)
@sectioned(
    RESULT,
    "--shape",
    metavar="NAME=N,...",
    help="The language model that costs are computed for: layers, hidden, heads, kv_heads, "
    "feed_forward, context, bytes_per_value.  [default: that of Llama 3 8B]",
)
@sectioned(
    RESULT,
    "--rare-below",
    type=int,
    default=5,
    show_default=True,
    metavar="N",
    help="A token that occurs fewer times is rare.",
)
@force_option
@quiet_option
def evaluate(
    models: tuple[str, ...],
    on: tuple[str, ...],
    parallel: tuple[str, ...],
    output: str | None,
    as_json: bool,
    check: tuple[str, ...],
    shape: str | None,
    overwrite: bool,
    quiet: bool,
    **values: Any,
) -> None:
    """Measure tokenizers on text, and print the main numbers side by side.

    MODEL is any tokenizer that superword can open: a .superword file, a tokenizer.json or its
    directory, a .tiktoken file. NAME=MODEL gives it a name. The how-to page on evaluation defines
    every number.
    """
    # Imported here, because numpy takes a moment and the other commands do not need it.
    from superword.cli.evaluations import print_tables
    from superword.evaluation import checks
    from superword.evaluation.run import run

    on_stop("stopped; nothing was saved")
    conditions = [checks.Check.parse(text) for text in check]
    inputs = parse_groups(on)
    if output is not None:
        check_not_read([output], lambda: _read(models, inputs, parallel, values))
        check_output(output, "evaluation", overwrite)
    console = Console(quiet or as_json, as_json=False)
    with console.progress() as callback:
        evaluation, report = run(
            parse_groups(models),  # type: ignore[arg-type]
            inputs,
            parallel=_named_files(parallel) if parallel else None,
            shape=_shape(shape),
            progress=callback,
            **values,
        )
    if report.skipped:
        console.warn(report.skipped_text())
    for model in evaluation.models:
        for group in model.trained_on:
            text = "this text" if group == "all" or len(evaluation.groups) == 1 else group
            console.warn(
                f"{model.name} was probably trained on {text}: it has as many documents and bytes "
                "as the training text, so its numbers are too good"
            )
    if output is not None:
        evaluation.save(output, overwrite=overwrite)
    if as_json:
        click.echo(as_json_text(evaluation.to_json(), indent=1))
    elif not quiet:
        print_tables(evaluation)
    if output is not None and not quiet:
        tell(f"saved as {printable(output)}")
    failures = checks.check(evaluation, conditions)
    for failure in failures:
        tell(f"failed: {printable(str(failure))}", color="red")
    if failures:
        raise click.exceptions.Exit(1)
    if conditions and not quiet:
        tell(f"{plural(len(conditions), 'check')} passed")


def _read(
    models: Iterable[str], inputs: Any, parallel: Iterable[str], values: dict[str, Any]
) -> list[Input | str | None]:
    """Everything that is read, to make sure that the output is none of it."""
    named = [item if isinstance(item, str) else item[1] for item in parse_groups(models)]
    files = [text.partition("=")[2] for text in parallel]
    lists = [values[name] for name in ("pairs", "words", "morphemes")]
    return [*named, *files, *lists, *expand(inputs, values["format"])]


def _named_files(given: Iterable[str]) -> dict[str, str | os.PathLike[str]]:
    """`en=f.en` and `de=f.de` as a mapping."""
    files: dict[str, str | os.PathLike[str]] = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or not name or not path:
            raise OptionError(
                f"`parallel` {text!r} has no name",
                hint="write NAME=FILE for each language, such as en=news.en de=news.de",
                option="parallel",
                value=text,
            )
        if name in files:
            raise OptionError(
                f"`parallel` has two files for {name}", hint="give one for each", option="parallel"
            )
        files[name] = path
    return files


def _shape(given: str | None) -> Any:
    """`layers=32,hidden=4096` as a `ModelShape`. What is not given has its default."""
    from superword.evaluation.results import ModelShape

    known = [field.name for field in fields(ModelShape)]
    values: dict[str, int] = {}
    for part in (given or "").split(","):
        if not part.strip() and given is None:
            continue
        name, _, number = (text.strip() for text in part.partition("="))
        try:
            values[name] = int(number)
        except ValueError:
            raise OptionError(
                f"`shape` {part!r} is not a name and a whole number",
                hint="write NAME=NUMBER with commas between them, such as layers=32,hidden=4096",
                option="shape",
                value=part,
            ) from None
        if name not in known:
            raise OptionError(
                f"`shape` has no {name!r}",
                hint=suggestion(name, known),
                option="shape",
                value=part,
            )
    return ModelShape(**values)

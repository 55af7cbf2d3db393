"""The command that imports a tokenizer of another program."""

from __future__ import annotations

from typing import Any

import click

from superword._files.outputs import check_not_read, check_output
from superword._support.text import printable
from superword.cli.commands.models import describe, rows_of_parts, setting_text
from superword.cli.group import examples, tell
from superword.cli.options import force_option
from superword.tokenizer import Tokenizer

__all__ = ["import_"]


@click.command(
    name="import",
    short_help="Import a tokenizer of another program.",
    epilog=examples(
        "superword import Qwen3-8B/ -o qwen3.superword",
        "superword import tokenizer.json -o llama3.superword",
        "superword import tekken.json -o nemo.superword",
        "superword import o200k.tiktoken --pattern gpt4o -o m.superword",
    ),
)
@click.argument("path", type=click.Path())
@click.option("-o", "--output", required=True, type=click.Path(), help="The file to write.")
@click.option(
    "--pattern",
    metavar="REGEX",
    help="A .tiktoken file without a .json file beside it: the pattern that splits text, or the "
    "name of a preset.",
)
@click.option(
    "--special-token",
    "special_tokens",
    multiple=True,
    metavar="TEXT=ID",
    help="A .tiktoken file without a .json file beside it: a special token. May be repeated.",
)
@click.option(
    "--ignore-normalizer",
    is_flag=True,
    help="Do not normalize texts, although the original does.",
)
@force_option
def import_(
    path: str,
    output: str,
    pattern: str | None,
    special_tokens: tuple[str, ...],
    ignore_normalizer: bool,
    overwrite: bool,
) -> None:
    """Import the tokenizer in PATH. The model has the same ids on all texts.

    PATH is a tokenizer.json or the directory that holds it, vocab.json with merges.txt beside it, a
    .tiktoken file, a tekken.json, or a model of the paper's program. tokenizer_config.json and a
    chat template in the same directory are imported too.
    """
    named = _special_tokens(special_tokens)
    check_not_read([output], lambda: [path])
    check_output(output, "model", overwrite)
    tokenizer = Tokenizer.from_file(
        path, pattern=pattern, special_tokens=named, ignore_normalizer=ignore_normalizer
    )
    tokenizer.save(output, overwrite=overwrite)
    told = describe(tokenizer, 0)
    tell(f"imported {path}")
    for name, value in _summary(told):
        tell(f"  {name:<16} {printable(value)}")
    tell(f"saved {tokenizer.n_vocab:,} tokens as {output}")


def _special_tokens(given: tuple[str, ...]) -> dict[str, int] | None:
    found: dict[str, int] = {}
    for item in given:
        text, _, id = item.rpartition("=")
        if not text or not id.isdecimal():
            raise click.BadParameter(
                f"{item!r} is not a text, an equals sign and an id, such as '<|endoftext|>=100257'",
                param_hint="--special-token",
            )
        found[text] = int(id)
    return found or None


def _summary(told: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [
        ("merges", f"{told['merges']:,}"),
        ("special tokens", f"{len(told['special_tokens']):,}"),
        *rows_of_parts(told),
    ]
    settings = [f"{name} {setting_text(value)}" for name, value in told["settings"].items()]
    if settings:
        rows.append(("settings", "; ".join(settings)))
    imported = told["facts"].get("imported", {})
    if "normalizer_left_out" in imported:
        rows.append(("left out", f"the normalizer {imported['normalizer_left_out']}"))
    if "added_tokens_renumbered" in imported:
        rows.append(
            (
                "note",
                f"{imported['added_tokens_renumbered']:,} added tokens have other ids than the "
                "file states; these are the ids that Hugging Face gives them",
            )
        )
    return rows

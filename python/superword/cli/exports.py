"""Commands about other programs: `export` to them, and `verify` what was exported."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click

from superword import _core
from superword._support.text import plural
from superword.cli.group import examples, tell
from superword.errors import InputError, MissingExtraError
from superword.export import (
    MODES,
    Comparison,
    Difference,
    Mode,
    open_export,
)
from superword.export import (
    verify as compare,
)
from superword.export.sample import sample_documents
from superword.inputs import expand
from superword.options import FORMATS
from superword.tokenizer import Tokenizer
from superword.training import open_sources

__all__ = ["export", "verify"]

TARGETS = ("huggingface", "tiktoken")


@click.command(
    short_help="A model for other programs.",
    epilog=examples(
        "superword export m.superword --to huggingface -o exported/",
        "superword export m.superword --to tiktoken -o m.tiktoken --mode exact",
        "superword export chat.superword --to huggingface -o out/ --chat-template chat.jinja",
    ),
)
@click.argument("model", type=click.Path())
@click.option("--to", "target", required=True, type=click.Choice(TARGETS), help="The format.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(),
    help="The folder (huggingface) or the file (tiktoken) to write.",
)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    default="auto",
    show_default=True,
    help="exact: the same ids on all texts, or an error. approximate: the paper's form for "
    "superwords. auto: exact where possible.",
)
@click.option("--chat-template", type=click.Path(), help="huggingface: a file with the template.")
@click.option("--bos-token", metavar="TOKEN", help="huggingface: what begins a text.")
@click.option(
    "--eos-token", metavar="TOKEN", help="huggingface: what ends it.  [default: <|endoftext|>]"
)
@click.option("--pad-token", metavar="TOKEN", help="huggingface: what fills it up.")
@click.option(
    "--renumber",
    is_flag=True,
    help="tiktoken: give tokens other ids, words first; needed for BoundlessBPE.",
)
def export(
    model: str,
    target: str,
    output: str,
    mode: Mode,
    chat_template: str | None,
    renumber: bool,
    **roles: str | None,
) -> None:
    """Write MODEL in the format of another program and compare the two on a small text."""
    only_for = {"huggingface": {"--chat-template": chat_template} | _flags(roles)}
    only_for["tiktoken"] = {"--renumber": renumber or None}
    for other, options in only_for.items():
        for flag, value in options.items():
            if other != target and value is not None:
                raise click.UsageError(f"{flag} is for --to {other}, not for --to {target}")
    tokenizer = Tokenizer.load(model)
    if target == "huggingface":
        plan = tokenizer.export_huggingface(
            output, mode, chat_template=_read(chat_template), **roles
        )
    else:
        plan = tokenizer.export_tiktoken(output, mode, renumber=renumber)
    tell(f"exported {plural(tokenizer.n_vocab, 'token')} to {output}, {plan.mode}")
    if plan.why_not_exact is not None:
        tell(f"note: not exact: {plan.why_not_exact.message}")
    if renumber:
        tell("note: ids differ from the model's; the sidecar has the way back")
    try:
        found = compare(tokenizer, open_export(output, tokenizer), sample_documents())
    except MissingExtraError as error:
        tell(f"not compared with the model: {error.message}")
        tell(f"hint: {error.hint}")
        return
    tell(f"compared on a small text: {_verdict(found)}")


def _flags(roles: dict[str, str | None]) -> dict[str, Any]:
    return {"--" + role.replace("_", "-"): value for role, value in roles.items()}


def _read(path: str | None) -> str | None:
    if path is None:
        return None
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the chat template {path}: {error}", path=path) from None


@click.command(
    short_help="How faithful an export is.",
    epilog=examples(
        "superword verify m.superword exported/ --on corpus/",
        "superword verify m.superword m.tiktoken --on a.jsonl --on b.txt --json",
    ),
)
@click.argument("model", type=click.Path())
@click.argument("exported", metavar="EXPORT", type=click.Path())
@click.option(
    "--on",
    "inputs",
    multiple=True,
    metavar="INPUT",
    help="Text to compare on: a file, directory, glob or -. May be repeated.  "
    "[default: a small text]",
)
@click.argument("more", nargs=-1, metavar="[INPUT...]")
@click.option("--text-field", default="text", show_default=True, help="The field of JSON lines.")
@click.option(
    "--format", "layout", type=click.Choice(FORMATS), help="How the inputs hold documents."
)
@click.option(
    "--max-documents", type=click.IntRange(min=1), metavar="N", help="Stop after so many."
)
@click.option(
    "--show", type=click.IntRange(min=0), default=10, show_default=True, help="Differences to show."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
@click.pass_context
def verify(
    ctx: click.Context,
    model: str,
    exported: str,
    inputs: tuple[str, ...],
    more: tuple[str, ...],
    text_field: str,
    layout: str | None,
    max_documents: int | None,
    show: int,
    as_json: bool,
) -> None:
    """Encode text with MODEL and with EXPORT and show what differs.

    EXPORT is the folder or the .tiktoken file that `superword export` wrote. Leaves with exit code
    1 if anything differs. Special tokens in the text count as such.
    """
    tokenizer = Tokenizer.load(model)
    export = open_export(exported, tokenizer)
    found = Comparison()

    class _EnoughError(Exception):
        pass

    def take(texts: Iterable[str]) -> None:
        listed = list(texts)
        if max_documents is not None:
            listed = listed[: max_documents - found.documents]
        add(found, compare(tokenizer, export, listed, show=show), show)
        if found.documents == max_documents:
            raise _EnoughError

    try:
        if inputs or more:
            sources = open_sources(expand([*inputs, *more], layout), text_field)
            _core.each_document(sources, text_field, take)
        else:
            take(sample_documents())
    except _EnoughError:
        pass
    if as_json:
        click.echo(json.dumps(as_data(found), ensure_ascii=False, indent=2))
    else:
        _report(found)
    ctx.exit(0 if found.identical else 1)


def add(total: Comparison, part: Comparison, show: int) -> None:
    """Add what was found in some more documents."""
    for difference in part.differences[: show - len(total.differences)]:
        total.differences.append(
            Difference(
                total.documents + difference.document,
                difference.position,
                difference.ours,
                difference.theirs,
            )
        )
    for name in (
        "documents",
        "tokens",
        "bytes",
        "documents_differ",
        "tokens_differ",
        "bytes_differ",
        "tokens_theirs",
    ):
        setattr(total, name, getattr(total, name) + getattr(part, name))


def as_data(found: Comparison) -> dict[str, Any]:
    """A comparison as plain data."""
    return {
        "documents": found.documents,
        "documents_differ": found.documents_differ,
        "tokens": found.tokens,
        "tokens_export": found.tokens_theirs,
        "tokens_differ": found.tokens_differ,
        "bytes": found.bytes,
        "bytes_differ": found.bytes_differ,
        "differences": [
            {
                "document": difference.document,
                "position": difference.position,
                "model": [_text(token) for token in difference.ours],
                "export": [_text(token) for token in difference.theirs],
            }
            for difference in found.differences
        ],
    }


def _verdict(found: Comparison) -> str:
    if found.identical:
        return f"the same ids in {plural(found.documents, 'document')}"
    return (
        f"{found.documents_differ:,} of {plural(found.documents, 'document')} differ, "
        f"{_share(found.tokens_differ, found.tokens)} of the tokens"
    )


def _report(found: Comparison) -> None:
    for name, differ, of in (
        ("documents", found.documents_differ, found.documents),
        ("tokens", found.tokens_differ, found.tokens),
        ("bytes", found.bytes_differ, found.bytes),
    ):
        click.echo(f"{name:<10} {differ:>12,} of {of:>14,} differ  {_share(differ, of):>9}")
    for difference in found.differences:
        click.echo(f"\ndocument {difference.document + 1}, byte {difference.position}")
        ours = [json.dumps(_text(token), ensure_ascii=False) for token in difference.ours]
        theirs = [json.dumps(_text(token), ensure_ascii=False) for token in difference.theirs]
        width = max(map(len, ["model", *ours]))
        click.echo(f"  {'model':<{width}}  export")
        for left, right in zip_longest(ours, theirs, fillvalue=""):
            click.echo(f"  {left:<{width}}  {right}".rstrip())


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.4%}" if whole else "-"


def _text(token: bytes) -> str:
    return token.decode(errors="backslashreplace")

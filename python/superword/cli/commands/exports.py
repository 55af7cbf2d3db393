"""Commands about other programs: export a model, and verify an export."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import click

from superword._files.outputs import check_not_read
from superword._reading.documents import read
from superword._support.text import plural
from superword._support.visible import token_text
from superword.cli.faces import as_shown
from superword.cli.group import SectionedCommand, examples, tell
from superword.cli.json_text import as_json_text
from superword.cli.options import force_option, read_options
from superword.errors import InputError, MissingExtraError
from superword.export import (
    MODES,
    UNICODE,
    Comparison,
    Mode,
    Unicode,
    open_export,
)
from superword.export import (
    verify as compare,
)
from superword.export.sample import sample_documents
from superword.export.tiktoken import sidecar_of
from superword.inputs import expand
from superword.options import ReadOptions
from superword.tokenizer import Tokenizer

__all__ = ["export", "verify"]

TARGETS = ("huggingface", "tiktoken")


@click.command(
    short_help="Export a model for another program.",
    epilog=examples(
        "superword export m.superword --to huggingface -o exported/",
        "superword export m.superword --to tiktoken -o m.tiktoken --mode exact",
        "superword export chat.superword --to huggingface -o out/ --chat-template chat.jinja",
    ),
)
@click.argument("model", type=click.Path())
@click.option(
    "--to", "target", required=True, type=click.Choice(TARGETS), help="The target format."
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(),
    help="The directory (huggingface) or file (tiktoken) to write.",
)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    default="auto",
    show_default=True,
    help="exact: the same ids on all texts, or an error. approximate: the approximation of the "
    "paper. auto: exact where possible.",
)
@click.option(
    "--unicode",
    type=click.Choice(UNICODE),
    help="engine: write published patterns as they are. 17: list the letters that are new in "
    "Unicode 17.  [default: engine; 17 for superwords]",
)
@click.option(
    "--chat-template", type=click.Path(), help="huggingface: a file with the chat template."
)
@click.option("--bos-token", metavar="TOKEN", help="huggingface: the token that begins a text.")
@click.option(
    "--eos-token",
    metavar="TOKEN",
    help="huggingface: the token that ends a text.  [default: <|endoftext|>]",
)
@click.option("--pad-token", metavar="TOKEN", help="huggingface: the padding token.")
@click.option(
    "--renumber",
    is_flag=True,
    help="tiktoken: give the tokens new ids, words first. Required for BoundlessBPE.",
)
@force_option
def export(
    model: str,
    target: str,
    output: str,
    mode: Mode,
    unicode: Unicode | None,
    chat_template: str | None,
    renumber: bool,
    overwrite: bool,
    **roles: str | None,
) -> None:
    """Export MODEL to the format of another program, and compare the two on a small text."""
    only_for = {"huggingface": {"--chat-template": chat_template} | _flags(roles)}
    only_for["tiktoken"] = {"--renumber": renumber or None}
    for other, options in only_for.items():
        for flag, value in options.items():
            if other != target and value is not None:
                raise click.UsageError(f"{flag} can only be used with --to {other}")
    written = (
        [Path(output, "tokenizer.json"), Path(output, "tokenizer_config.json")]
        if target == "huggingface"
        else [Path(output), sidecar_of(Path(output))]
    )
    check_not_read(written, lambda: [model, chat_template])
    tokenizer = Tokenizer.load(model)
    if target == "huggingface":
        plan = tokenizer.export_huggingface(
            output,
            mode,
            unicode=unicode,
            chat_template=_read(chat_template),
            overwrite=overwrite,
            **roles,
        )
    else:
        plan = tokenizer.export_tiktoken(
            output, mode, unicode=unicode, renumber=renumber, overwrite=overwrite
        )
    tell(f"exported {plural(tokenizer.n_vocab, 'token')} to {output}, {plan.mode}")
    if plan.why_not_exact is not None:
        tell(f"note: not exact: {as_shown(plan.why_not_exact._texts[0])}")
    if target == "tiktoken" and tokenizer.normalizer is not None:
        form = tokenizer.normalizer.upper()
        tell(
            f"note: tiktoken does not normalize: load it with load_tiktoken, or apply {form} first"
        )
    if renumber:
        tell("note: the ids differ from those of the model; the .json file maps them back")
    try:
        found = compare(tokenizer, open_export(output, tokenizer), sample_documents())
    except MissingExtraError as error:
        tell(f"not compared with the model: {error.message}")
        tell(f"hint: {error.hint}", color="cyan")
        return
    tell(f"compared on a small text: {_verdict(found)}")


def _flags(roles: dict[str, str | None]) -> dict[str, Any]:
    return {"--" + role.replace("_", "-"): value for role, value in roles.items()}


def _read(path: str | None) -> str | None:
    if path is None:
        return None
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        reason = "it is not UTF-8"
    except OSError as error:
        reason = error.strerror or str(error)
    raise InputError(
        f"cannot read the chat template {path}: {reason}",
        hint="give a file that holds a Jinja template",
        path=path,
    )


@click.command(
    cls=SectionedCommand,
    short_help="Compare an export with its model.",
    epilog=examples(
        "superword verify m.superword exported/ --on corpus/",
        "superword verify m.superword m.tiktoken --on a.jsonl --on b.txt --json",
    ),
)
@click.argument("model", type=click.Path())
@click.argument("exported", metavar="EXPORT", type=click.Path())
@click.option(
    "--on",
    multiple=True,
    type=click.Path(),
    metavar="INPUT",
    help="Text to compare on: a file, directory, glob or -. May be repeated.  "
    "[default: a small built-in text]",
)
@click.argument("more", nargs=-1, type=click.Path(), metavar="[INPUT...]")
@read_options("threads", "max_bytes", "sample", "seed", "weights", "max_memory", "on_error")
@click.option(
    "--max-documents", type=click.IntRange(min=1), metavar="N", help="Stop after N documents."
)
@click.option(
    "--show",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="How many differences to show.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_context
def verify(
    ctx: click.Context,
    /,
    model: str,
    exported: str,
    on: tuple[str, ...],
    more: tuple[str, ...],
    max_documents: int | None,
    show: int,
    as_json: bool,
    **values: Any,
) -> None:
    """Encode text with MODEL and with EXPORT, and show the differences.

    EXPORT is a directory or .tiktoken file that superword export wrote. The exit code is 1 if
    anything differs. Special tokens in the text are encoded as such.
    """
    tokenizer = Tokenizer.load(model)
    export = open_export(exported, tokenizer)
    documents = _documents([*on, *more], ReadOptions(**values))
    found = compare(tokenizer, export, islice(documents, max_documents), show=show)
    if as_json:
        click.echo(as_json_text(_as_data(found), indent=2))
    else:
        _report(found)
    ctx.exit(0 if found.identical else 1)


def _documents(inputs: list[str], options: ReadOptions) -> Iterable[str]:
    return read(expand(inputs, options.format), options) if inputs else sample_documents()


def _as_data(found: Comparison) -> dict[str, Any]:
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
                "model": [token_text(token) for token in difference.ours],
                "export": [token_text(token) for token in difference.theirs],
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
        ours = [as_json_text(token_text(token)) for token in difference.ours]
        theirs = [as_json_text(token_text(token)) for token in difference.theirs]
        width = max(map(len, ["model", *ours]))
        click.echo(f"  {'model':<{width}}  export")
        for left, right in zip_longest(ours, theirs, fillvalue=""):
            click.echo(f"  {left:<{width}}  {right}".rstrip())


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.4%}" if whole else "-"

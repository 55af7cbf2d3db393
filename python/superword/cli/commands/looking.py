"""Commands to look at tokens: show and explain."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from typing import Any, Literal

import click

from superword import views
from superword._support.text import printable
from superword._support.visible import parse_token, quoted
from superword.cli.group import examples, tell
from superword.cli.json_text import as_json_text
from superword.cli.opening import CHECK_PATH, check_not_mistyped, exists, is_model, open_model
from superword.cli.streams import Documents, open_input, texts_of
from superword.errors import MissingModelError, OptionError, SaveError
from superword.tokenizer import Tokenizer
from superword.views.terminal import style_for

__all__ = ["explain", "show"]

_BUFFER = 1 << 16
_LONGEST_NAME = 80


@click.command(
    short_help="Show a text with its tokens.",
    epilog=examples(
        'superword show wiki.superword "as well as the name of the file"',
        "superword show bpe.superword boundless.superword text.txt",
        "superword show Qwen3-8B/ wiki.superword --ids < text.txt",
    ),
)
@click.argument("given", nargs=-1, required=True, metavar="MODEL... [TEXT or FILE]")
@click.option("--text", help="The text to show. All arguments are models.")
@click.option("--file", type=click.Path(), help="The file to show. All arguments are models.")
@click.option("--ids", is_flag=True, help="Show the id of each token behind it.")
@click.option("--special", is_flag=True, help="Treat special tokens in the text as such.")
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="When to use colors. By default on a terminal, unless NO_COLOR is set.",
)
def show(
    given: tuple[str, ...],
    text: str | None,
    file: str | None,
    ids: bool,
    special: bool,
    color: Literal["auto", "always", "never"],
) -> None:
    """Show a text with its tokens in colors, as one or several models encode it.

    MODEL is anything that superword can open: a .superword file, a tokenizer.json or its directory,
    a .tiktoken file. The last argument is the text, or a file with it, unless it is a model.
    Without a text, standard input is read.

    Superwords are underlined. Without colors, │ stands between tokens. ⏎ is a line break, ⇥ a tab,
    and \\xe2 a byte that is only part of a character.
    """
    if text is not None and file is not None:
        raise OptionError(
            "`text` and `file` cannot be combined", hint="leave one of them out", option="file"
        )
    names = list(given)
    if text is None and file is None:
        file, text = _last(names)
    models = [_open(name, alone=len(given) == 1) for name in names]
    if text is not None and len(names) < len(given) and _is_one_word(text):
        tell(f"note: there is no file {printable(text)}, so it is shown as text")
    if text is None:
        text = _read(file or "-")
    allowed: Any = "all" if special else frozenset()
    shown = views.show(models, text, names=names, allowed_special=allowed)
    if sys.stdout is None:
        raise SaveError("standard output is closed", hint="redirect it to a file or a pipe")
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    _write(shown.parts(style_for(sys.stdout, color), ids=ids, width=width))


def _last(names: list[str]) -> tuple[str | None, str | None]:
    """Take the file or the text from the end of the arguments, if there is one."""
    last = names[-1]
    if len(names) == 1:
        return None, None
    if last == "-":
        return names.pop(), None
    if exists(last):
        return (None, None) if is_model(last) else (names.pop(), None)
    check_not_mistyped(last)
    return None, names.pop()


def _is_one_word(text: str) -> bool:
    """Whether a text could also be the name of a file or a directory."""
    return 0 < len(text) <= _LONGEST_NAME and not any(char.isspace() for char in text)


def _open(name: str, alone: bool) -> Tokenizer:
    try:
        return open_model(name)
    except MissingModelError as error:
        message, hint = error._texts
        if hint == CHECK_PATH:
            more = (
                "the model comes first, then the text"
                if alone
                else "put a text of several words in quotes"
            )
            hint = f"{hint}; {more}"
        raise MissingModelError(message, hint=hint, **error.facts) from None


def _read(file: str) -> str:
    with open_input(file) as stream:
        if file == "-" and stream.isatty():
            tell("reading the text from the terminal; end it with Ctrl-D")
        return texts_of(Documents(1, [stream.read()]), file)[0]


def _write(parts: Iterable[str]) -> None:
    """Write the parts as they come, but not each one on its own."""
    ready: list[str] = []
    size = 0
    for part in parts:
        ready.append(part)
        size += len(part)
        if size > _BUFFER:
            sys.stdout.write("".join(ready))
            ready, size = [], 0
    sys.stdout.write("".join(ready))


@click.command(
    short_help="Show how a token came about.",
    epilog=examples(
        'superword explain wiki.superword " of the"',
        r"superword explain wiki.superword '\n\n'",
        "superword explain wiki.superword --id 1234 --json",
    ),
)
@click.argument("model", type=click.Path())
@click.argument("token", required=False)
@click.option("--id", "id", type=click.IntRange(min=0), help="Explain the token with this id.")
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="How many of the longer tokens to list.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def explain(model: str, token: str | None, id: int | None, top: int, as_json: bool) -> None:
    """Show how TOKEN came about: its merges with ids and counts, and the tokens it is part of.

    Spaces count: " the" and "the" are different tokens. \\n, \\t, \\xe2 (a byte) and \\u00e9 (a
    character) can be used in TOKEN; write \\\\ for a backslash. Exits with 1 if the vocabulary has
    no such token, and shows how the text is encoded instead.
    """
    if (token is None) == (id is None):
        raise OptionError(
            "give either TOKEN or `id`",
            hint='TOKEN is a text, such as " the"; `id` is a number',
            option="id",
        )
    tokenizer = open_model(model)
    told = views.explain(tokenizer, id if id is not None else _meant(tokenizer, token), top=top)
    click.echo(as_json_text(told.to_dict(), indent=2) if as_json else str(told))
    if told.id is None:
        tell(f"error: {quoted(told.token)} is not a token of {printable(model)}", color="red")
        click.get_current_context().exit(1)


def _meant(tokenizer: Tokenizer, token: str | None) -> str | bytes:
    """The added token that is written like this, or the bytes after escapes are resolved."""
    text = token or ""
    added = {entry.content for entry in tokenizer.added_tokens}
    return text if text in added else parse_token(text)

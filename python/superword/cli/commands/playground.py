"""The command that writes the page of the playground."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from superword._files.outputs import check_not_read
from superword.cli.faces import as_shown
from superword.cli.group import examples, tell
from superword.cli.options import force_option
from superword.cli.streams import open_input, read_documents, texts_of
from superword.errors import OptionError

__all__ = ["playground"]


@click.command(
    short_help="Try models in a browser.",
    epilog=examples(
        "superword playground wiki.superword --open",
        "superword playground wiki.superword Qwen3-8B/ --text 'as well as the rest' -o page.html",
        "superword playground",
    ),
)
@click.argument("models", type=click.Path(), nargs=-1, metavar="[MODEL]...")
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    default="playground.html",
    show_default=True,
    help="The page to write.",
)
@click.option("--text", metavar="TEXT", help="The text that the page shows first.")
@click.option("--file", type=click.Path(), help="A file with that text, or - for standard input.")
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
@force_option
def playground(
    models: tuple[str, ...],
    output: str,
    text: str | None,
    file: str | None,
    open_page: bool,
    overwrite: bool,
) -> None:
    """Write one HTML file in which the MODELs can be tried, compared and searched.

    The file contains the engine and the models. It opens from disk, needs no network, and sends
    nothing anywhere. Models can be dropped onto the page as well, and it can train one on a text.

    A MODEL is a .superword file, or a tokenizer of another program: a directory or tokenizer.json
    of Hugging Face, a .tiktoken file, or a tekken.json.
    """
    # Only this command needs the page, and others should start quickly.
    from superword.playground import LARGE, write

    if text is not None and file is not None:
        raise OptionError(
            "`text` and `file` cannot be combined", hint="leave one of them out", option="file"
        )
    if file is not None:
        check_not_read([output], lambda: [file])
        with open_input(file) as stream:
            (text,) = (
                text for batch in read_documents(stream, None) for text in texts_of(batch, file)
            )
    path = write(output, models, text or "", overwrite=overwrite)
    size = path.stat().st_size
    if size > LARGE:
        tell(
            f"warning: the page has {size / 1e6:.0f} MB, which is slow to open; "
            "give fewer or smaller models",
            color="yellow",
        )
    tell(as_shown(f"wrote {path} ({size / 1e6:.1f} MB); open it in a browser"))
    if open_page and not webbrowser.open(Path(path).resolve().as_uri()):
        tell("warning: no browser could be started", color="yellow")

"""`superword completion`: the script that completes commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from superword.cli.group import examples
from superword.errors import OptionError

__all__ = ["COMPLETE", "completion"]

# The variable through which a shell asks for completions.
COMPLETE = "_SUPERWORD_COMPLETE"


@click.command(
    short_help="Print a shell completion script.",
    epilog=examples(
        'eval "$(superword completion bash)"    # in ~/.bashrc',
        'eval "$(superword completion zsh)"     # in ~/.zshrc',
        "superword completion fish > ~/.config/fish/completions/superword.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands, options, files and presets in SHELL."""
    kind = get_completion_class(shell)
    if kind is None:  # Cannot happen with the choices above, but click may drop a shell.
        raise OptionError(f"completion for {shell} is not available", option="shell")
    script = kind(ctx.find_root().command, {}, "superword", COMPLETE)
    try:
        click.echo(script.source())
    except RuntimeError as error:  # bash is missing or too old.
        raise OptionError(f"completion for {shell} is not available: {error}") from None

"""Messages in the words of the command line: options become flags."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

import click

from superword._support.faces import NO_VALUE, for_python, option, render
from superword._support.text import printable

__all__ = ["as_shown", "for_command_line"]


def for_command_line(text: str, context: click.Context | None = None) -> str:
    """Replace the marked options of a message by the flags of the command.

    >>> for_command_line("set `on_error='skip'` or `threads`")
    'set --on-error skip or --threads'

    An option that no command has is shown as in Python.
    """
    parameters = _parameters(context or click.get_current_context(silent=True))

    def spell(name: str, value: Any) -> str:
        if value is False and f"no_{name}" in parameters:
            return parameters[f"no_{name}"].opts[-1]
        if name not in parameters:
            return for_python(option(name, value))
        return _spelled(parameters[name], value)

    return render(text, spell)


def as_shown(text: str, context: click.Context | None = None) -> str:
    """A message for the terminal: with flags, and without control characters from files."""
    return "\n".join(map(printable, for_command_line(text, context).split("\n")))


def _parameters(context: click.Context | None) -> dict[str, click.Parameter]:
    """The parameters of all commands by name. Those of the current command come first."""
    if context is None:
        return {}
    root = context.find_root()
    commands: dict[str, click.Command] = getattr(root.command, "commands", {})
    current = commands.get(root.invoked_subcommand or "", context.command)
    found: dict[str, click.Parameter] = {}
    for command in (current, *commands.values()):
        for parameter in command.params:
            if parameter.name is not None:
                found.setdefault(parameter.name, parameter)
    return found


def _spelled(parameter: click.Parameter, value: Any) -> str:
    if isinstance(parameter, click.Argument):
        if value is NO_VALUE:
            return parameter.make_metavar(click.Context(click.Command(None)))
        return " ".join(_words(value))
    flag = max(parameter.opts, key=len)
    if value is NO_VALUE or (value is True and getattr(parameter, "is_flag", False)):
        return flag
    values = _words(value)
    if getattr(parameter, "multiple", False):
        return " ".join(f"{flag} {word}" for word in values)
    return f"{flag} {','.join(values)}"


def _words(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [shlex.quote(f"{name}={item}") for name, item in value.items()]
    if isinstance(value, list | tuple | set | frozenset):
        return [shlex.quote(str(item)) for item in value]
    return [shlex.quote(str(value))]

"""What all commands share: help in sections, and how errors, signals and closed pipes end them."""

from __future__ import annotations

import errno
import os
import sys
from typing import Any

import click

from superword._support.paths import as_unicode
from superword._support.systems import WINDOWS
from superword._support.text import printable
from superword.cli.faces import as_shown, for_command_line
from superword.cli.signals import TERMINATED, Terminated, stop_on_sigterm
from superword.errors import OptionError, OutOfMemoryError, SuperwordError
from superword.progress import JsonLog

__all__ = [
    "BROKEN_PIPE",
    "INTERRUPTED",
    "SectionedCommand",
    "SuperwordGroup",
    "examples",
    "log_json",
    "on_stop",
    "tell",
    "tell_error",
    "tell_os_error",
]

INTERRUPTED = 130  # 128 + SIGINT, the convention of shells.
BROKEN_PIPE = 141  # 128 + SIGPIPE, the exit code of a program that does not handle SIGPIPE.

_STOPPED = "superword.stopped"
_LOG = "superword.log"


class SectionedCommand(click.Command):
    """A command whose help lists options in sections.

    An option belongs to the section in its attribute `section`, or to "Options".
    """

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one definition list per section, in order of first appearance."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Argument):
                continue  # The help text describes it.
            record = parameter.get_help_record(ctx)
            if record is not None:
                section = getattr(parameter, "section", None) or "Options"
                sections.setdefault(section, []).append(record)
        # The general options, which every command has, come last.
        general = sections.pop("Options", [])
        for section, records in sections.items():
            with formatter.section(section):
                formatter.write_dl(records)
        if general:
            with formatter.section("Other options" if sections else "Options"):
                formatter.write_dl(general)


class SuperwordGroup(click.Group):
    """A group of commands that end in the same way, without a traceback."""

    command_class = SectionedCommand

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sections: dict[str, list[str]] = {}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one list of commands per section."""
        for section, names in self.sections.items():
            records = [(name, self.commands[name].get_short_help_str(80)) for name in names]
            with formatter.section(section):
                formatter.write_dl(records)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. An error becomes a message and an exit code."""
        try:
            with stop_on_sigterm():
                result = super().invoke(ctx)
            if sys.stdout is not None:
                sys.stdout.flush()  # Here, so that a closed pipe is noticed where it is handled.
        except (SuperwordError, MemoryError) as failure:
            error = failure if isinstance(failure, SuperwordError) else _out_of_memory()
            log = ctx.meta.get(_LOG)
            if log is None:
                tell_error(error)
            else:
                message, hint = _texts(error)
                facts = {"class": type(error).__name__, "hint": hint, "facts": error.facts}
                log.tell("error", message=message, **facts)
            ctx.exit(2 if isinstance(error, OptionError) else 1)
        except KeyboardInterrupt as error:
            stopped = ctx.meta.get(_STOPPED, "stopped")
            if _LOG in ctx.meta:
                ctx.meta[_LOG].tell("stopped", message=stopped)
            else:
                # On a new line, because the terminal has just shown ^C.
                tell(("\n" if _is_terminal(sys.stderr) else "") + stopped)
            ctx.exit(TERMINATED if isinstance(error, Terminated) else INTERRUPTED)
        except OSError as error:
            if _is_broken_pipe(error):
                _discard_stdout()
                ctx.exit(BROKEN_PIPE)
            tell_os_error(error)
            ctx.exit(1)
        return result


def _out_of_memory() -> SuperwordError:
    """The error for Python's own `MemoryError`, which says nothing."""
    return OutOfMemoryError(
        "out of memory", hint="free some memory, or process less text at a time"
    )


def _is_terminal(stream: Any) -> bool:
    return stream is not None and stream.isatty()


def on_stop(message: str) -> None:
    """Set the message for Ctrl-C or SIGTERM from now on."""
    click.get_current_context().meta[_STOPPED] = message


def log_json(log: JsonLog) -> None:
    """Write errors to this log from now on."""
    click.get_current_context().meta[_LOG] = log


def tell(message: str, color: str | None = None) -> None:
    """Write a message to stderr. The first word is colored on a terminal, if `color` is given."""
    if sys.stderr is None:  # The caller closed it.
        return
    message = as_unicode(message)
    head, colon, rest = message.partition(": ")
    if color is not None and colon and _colors():
        message = click.style(head + ":", fg=color, bold=True) + " " + rest
    click.echo(message, err=True)


def _colors() -> bool:
    """Whether to use colors on stderr: only on a terminal, and never with NO_COLOR."""
    return _is_terminal(sys.stderr) and not os.environ.get("NO_COLOR")


def tell_error(error: SuperwordError) -> None:
    """Say what is wrong and what to do next, in the words of the command line."""
    message, hint = error._texts
    tell(f"error: {as_shown(message)}", color="red")
    if hint is not None:
        tell(f"hint: {as_shown(hint)}", color="cyan")


def tell_os_error(error: OSError) -> None:
    """Say which operation of the system failed, such as writing to a full disk."""
    where = f"{error.filename}: " if error.filename else ""
    tell(f"error: {printable(f'{where}{error.strerror or error}')}", color="red")
    _discard_what_cannot_be_written()


def _texts(error: SuperwordError) -> tuple[str, str | None]:
    message, hint = error._texts
    return for_command_line(message), None if hint is None else for_command_line(hint)


def examples(*lines: str) -> str:
    """The part of a help text that shows how to use a command."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def _is_broken_pipe(error: OSError) -> bool:
    """Whether the reader of the output closed it."""
    # Windows reports a pipe that is being closed as an invalid argument.
    closing = WINDOWS and error.errno == errno.EINVAL and error.filename is None
    return isinstance(error, BrokenPipeError) or closing


def _discard_what_cannot_be_written() -> None:
    """Discard output that a full disk refuses. Python 3.13 keeps it and would try again on exit."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError):
        _discard_stdout()


def _discard_stdout() -> None:
    """Discard unwritten output, because Python would report an error for it on exit."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError, AttributeError):
        pass  # There is no stdout, or it is not a file, as in tests.

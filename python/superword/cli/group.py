"""What all commands share: how errors, Ctrl-C and broken pipes end them."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import fields
from typing import Any

import click

from superword.errors import OptionError, SuperwordError
from superword.options import TrainOptions
from superword.progress import JsonLog

__all__ = [
    "BROKEN_PIPE",
    "INTERRUPTED",
    "SuperwordGroup",
    "examples",
    "flag_of",
    "log_json",
    "on_stop",
    "tell",
    "tell_error",
]

INTERRUPTED = 130  # 128 + SIGINT, as shells have it.
BROKEN_PIPE = 141  # 128 + SIGPIPE: what a program that does not handle it would leave with.

_STOPPED = "superword.stopped"
_LOG = "superword.log"


class SuperwordGroup(click.Group):
    """A group of commands that ends each of them the same way, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error becomes a message and an exit code."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()  # Here, so that a broken pipe is met where it is handled.
        except SuperwordError as error:
            log = ctx.meta.get(_LOG)
            if log is None:
                tell_error(error)
            else:
                facts = {"class": type(error).__name__, "hint": error.hint, "facts": error.facts}
                log.tell("error", message=error.message, **facts)
            ctx.exit(2 if isinstance(error, OptionError) else 1)
        except KeyboardInterrupt:
            stopped = ctx.meta.get(_STOPPED, "stopped")
            if _LOG in ctx.meta:
                ctx.meta[_LOG].tell("stopped", message=stopped)
            else:
                # On a line of its own: a terminal has just shown ^C.
                tell(("\n" if sys.stderr.isatty() else "") + stopped)
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            _forget_stdout()
            ctx.exit(BROKEN_PIPE)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            tell(f"error: {where}{error.strerror or error}")
            ctx.exit(1)
        return result


def on_stop(message: str) -> None:
    """What to say if Ctrl-C ends the command from now on."""
    click.get_current_context().meta[_STOPPED] = message


def log_json(log: JsonLog) -> None:
    """From now on errors go to this log, too."""
    click.get_current_context().meta[_LOG] = log


def tell(message: str) -> None:
    """Say something on stderr."""
    click.echo(message, err=True)


def tell_error(error: SuperwordError) -> None:
    """Say what is wrong and what to do, in the words of the command line."""
    tell(f"error: {_with_flags(error.message)}")
    if error.hint is not None:
        tell(f"hint: {_with_flags(error.hint)}")


def flag_of(name: str) -> str:
    """The flag of an option: `flag_of("vocab_size")` is `"--vocab-size"`."""
    own = {option.name: option.metadata["flag"] for option in fields(TrainOptions)}.get(name)
    return own or "--" + name.replace("_", "-")


def examples(*lines: str) -> str:
    """The part of a help text that shows how a command is used."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


# Names with an underscore are surely options; `format` or `method` may be plain words.
_NAMES = [option.name for option in fields(TrainOptions) if "_" in option.name]
_NAME = re.compile(
    rf"(?<![\w/.'\"-])({'|'.join([*_NAMES, 'script_pattern'])})(?![\w/-]|['\"]|\.\w)"
)


def _with_flags(message: str) -> str:
    return _NAME.sub(lambda match: flag_of(match[1]), message)


def _forget_stdout() -> None:
    """Let what is still to be written to stdout vanish, or Python would complain at its end."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass  # A stdout that is no file, as in tests, needs no such care.

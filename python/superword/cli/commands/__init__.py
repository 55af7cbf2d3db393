"""All commands in one group, and how a process runs it."""

from __future__ import annotations

import sys

import click

from superword import __version__
from superword._support.systems import prepare_stream
from superword.cli.commands.completion import COMPLETE, completion
from superword.cli.commands.counting import candidates, count, merge_counts
from superword.cli.commands.encode_files import encode_files
from superword.cli.commands.evaluation import evaluate
from superword.cli.commands.exports import export, verify
from superword.cli.commands.imports import import_
from superword.cli.commands.looking import explain, show
from superword.cli.commands.models import inspect, truncate
from superword.cli.commands.plans import plan
from superword.cli.commands.playground import playground
from superword.cli.commands.reports import report
from superword.cli.commands.texts import decode, encode, pretokenize
from superword.cli.commands.train import train
from superword.cli.group import (
    INTERRUPTED,
    SuperwordGroup,
    examples,
    tell_os_error,
)

__all__ = ["cli", "run"]


@click.group(
    cls=SuperwordGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=examples(
        "superword train corpus/ --vocab-size 32768 -o wiki.superword",
        "superword inspect wiki.superword",
        "superword encode wiki.superword < text.txt > ids.txt",
        "superword decode wiki.superword < ids.txt",
    ),
)
@click.version_option(__version__, prog_name="superword")
def cli() -> None:
    """Train and run superword tokenizers: BPE, BoundlessBPE and SuperBPE."""


_COMMANDS = {
    "Train": (train,),
    "Train in parts": (plan, count, candidates, merge_counts),
    "Encode and decode": (encode, encode_files, decode, pretokenize),
    "Look and compare": (show, explain, evaluate, report, playground),
    "Models": (inspect, truncate, import_, export, verify),
    "Shell": (completion,),
}
for _section, _commands in _COMMANDS.items():
    for _command in _commands:
        cli.add_command(_command)
        cli.sections.setdefault(_section, []).append(_command.name or "")


def run() -> None:
    """Run the command line of this process, and exit with a code."""
    for stream in (sys.stdout, sys.stderr):
        prepare_stream(stream)
    try:
        cli(prog_name="superword", complete_var=COMPLETE)
    except KeyboardInterrupt:  # Outside of a command, such as while the help is printed.
        raise SystemExit(INTERRUPTED) from None
    except OSError as error:  # Outside of a command as well, such as a full disk.
        tell_os_error(error)
        raise SystemExit(1) from None

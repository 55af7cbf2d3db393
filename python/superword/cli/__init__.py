"""The command line: `superword train`, `encode`, `encode-files`, `decode` and others.

Data goes to stdout, everything else to stderr. Exit codes: 0 done, 1 an error, 2 wrong usage,
130 stopped by Ctrl-C, 141 nobody reads the output any more.
"""

from __future__ import annotations

import io
import sys

import click

from superword import __version__
from superword.cli.counting import candidates, count, merge_counts
from superword.cli.encode_files import encode_files
from superword.cli.exports import export, verify
from superword.cli.group import SuperwordGroup, examples
from superword.cli.models import inspect, truncate
from superword.cli.texts import decode, encode, pretokenize
from superword.cli.train import train

__all__ = ["cli", "main"]


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


_COMMANDS = (
    *(train, encode, encode_files, decode, pretokenize, inspect, truncate),
    *(count, candidates, merge_counts),
    *(export, verify),
)
for _command in _COMMANDS:
    cli.add_command(_command)


def main() -> None:
    """Run the command line of this process, and leave it with an exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character must not stop the work.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    cli(prog_name="superword")

"""The command line: `superword train`, `encode`, `decode` and others.

Data goes to stdout, everything else to stderr. Exit codes: 0 for success, 1 for an error, 2 for
wrong usage, 130 after Ctrl-C, 141 if the reader of the output closed it, 143 after SIGTERM.
"""

from __future__ import annotations

__all__ = ["cli", "main"]

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from superword.cli.commands import cli


def main() -> None:
    """Run the command line of this process, and exit with a code."""
    try:
        from superword.cli.commands import run
    except KeyboardInterrupt:
        # Ctrl-C while Python is still importing. Nothing has been done yet.
        raise SystemExit(130) from None
    run()


def __getattr__(name: str) -> Any:
    if name == "cli":
        from superword.cli.commands import cli

        return cli
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

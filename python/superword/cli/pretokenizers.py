"""The options by which commands take a pretokenizer: a name, or patterns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from superword.pretokenizer import DEFAULT, Pretokenizer, preset_names

__all__ = ["PATTERN_OPTIONS", "pretokenizer_of", "pretokenizer_options"]

PATTERN_OPTIONS = ("pattern", "script_pattern", "scripts", "eligible")

_Command = TypeVar("_Command", bound=Callable[..., Any])


def pretokenizer_options(command: _Command) -> _Command:
    """Add --pretokenizer, and --pattern and its companions."""
    options = (
        click.option(
            "--pretokenizer",
            metavar="NAME",
            help=f"How text is cut into pretokens: {', '.join(preset_names())}.  "
            f"[default: {DEFAULT}]",
        ),
        click.option("--pattern", metavar="PATTERN", help="A pattern of your own, instead."),
        click.option(
            "--script-pattern",
            metavar="PATTERN",
            help="With --pattern: the pattern for the scripts of --scripts.",
        ),
        click.option(
            "--scripts", metavar="NAMES", help="Scripts of --script-pattern, like Han,Thai."
        ),
        click.option(
            "--eligible",
            metavar="PATTERN",
            help=r"What a pretoken must match to be part of a superword.  [default: \p{L}]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def pretokenizer_of(values: dict[str, Any]) -> Pretokenizer:
    """Take the options out of `values` and make the pretokenizer that they describe."""
    scripts = values.pop("scripts")
    return Pretokenizer(
        values.pop("pretokenizer"),
        pattern=values.pop("pattern"),
        script_pattern=values.pop("script_pattern"),
        scripts=None if scripts is None else [name.strip() for name in scripts.split(",")],
        eligible=values.pop("eligible"),
    )

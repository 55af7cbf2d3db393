"""The options with which commands select a pretokenizer: a preset, or custom patterns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from superword.cli.options import sectioned
from superword.pretokenizer import DEFAULT, Pretokenizer, preset_names

__all__ = ["PATTERN_OPTIONS", "pretokenizer_of", "pretokenizer_options"]

PATTERN_OPTIONS = ("pattern", "script_pattern", "scripts", "eligible")

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _complete(
    ctx: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    return [CompletionItem(name) for name in preset_names() if name.startswith(incomplete)]


def pretokenizer_options(command: _Command) -> _Command:
    """Add --pretokenizer, and --pattern with its companions."""
    section = "Pretokenizer"
    options = (
        sectioned(
            section,
            "--pretokenizer",
            metavar="NAME",
            help=f"How text is split into pretokens: {', '.join(preset_names())}.  "
            f"[default: {DEFAULT}]",
            shell_complete=_complete,
        ),
        sectioned(
            section, "--pattern", metavar="PATTERN", help="A custom pattern instead of a preset."
        ),
        sectioned(
            section,
            "--script-pattern",
            metavar="PATTERN",
            help="With --pattern: the pattern for text in the scripts of --scripts.",
        ),
        sectioned(
            section,
            "--scripts",
            metavar="NAMES",
            help="The scripts that use --script-pattern, such as Han,Thai.",
        ),
        sectioned(
            section,
            "--eligible",
            metavar="PATTERN",
            help=r"What a pretoken must match to become part of a superword.  [default: \p{L}]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def pretokenizer_of(values: dict[str, Any]) -> Pretokenizer:
    """Remove the options from `values` and make the pretokenizer that they describe."""
    scripts = values.pop("scripts")
    return Pretokenizer(
        values.pop("pretokenizer"),
        pattern=values.pop("pattern"),
        script_pattern=values.pop("script_pattern"),
        scripts=None if scripts is None else [name.strip() for name in scripts.split(",")],
        eligible=values.pop("eligible"),
    )

"""Flags: the options of `superword.options`, and those that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar

import click

from superword.options import GREEDY_SPLIT, SECTIONS, ReadOptions

__all__ = [
    "Option",
    "click_option",
    "flag_of",
    "force_option",
    "in_sections",
    "quiet_option",
    "read_options",
    "sectioned",
]

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Option(click.Option):
    """An option that belongs to a section of the help."""

    def __init__(self, *args: Any, section: str | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section


def sectioned(section: str, *names: str, **settings: Any) -> Callable[[_Command], _Command]:
    """`click.option` for an option that belongs to a section of the help."""
    return click.option(*names, cls=Option, section=section, **settings)


def flag_of(option: Field[Any]) -> str:
    """The flag of an option: `--vocab-size` for `vocab_size`."""
    own: str | None = option.metadata["flag"]
    return own or "--" + option.name.replace("_", "-")


def click_option(option: Field[Any]) -> Callable[[_Command], _Command]:
    """The flag of an option, with the type, default and meaning that its definition has."""
    facts = option.metadata
    settings: dict[str, Any] = {"help": facts["meaning"], "metavar": facts["metavar"]}
    if option.default is MISSING:
        settings["help"] += " Required unless --base is given."
    elif option.name == "greedy_split":
        settings["default"] = next(w for w, value in GREEDY_SPLIT.items() if value is False)
    else:
        settings["default"] = option.default
    settings["show_default"] = settings.get("default") not in (None, (), False)
    kind = str(option.type)
    if facts["choices"]:
        settings["type"] = click.Choice(facts["choices"])
    elif kind == "bool":
        settings["is_flag"] = True
    elif kind in ("int", "int | None"):
        settings["type"] = int
    elif kind == "float | None":
        settings["type"] = float
    elif option.name in ("special_tokens", "weights"):
        settings["multiple"] = True
        settings["help"] += " May be repeated."
    elif option.name == "work_dir":
        settings["type"] = click.Path(file_okay=False)
    return sectioned(facts["section"], flag_of(option), option.name, **settings)


def in_sections(options: tuple[Field[Any], ...]) -> list[Field[Any]]:
    """The options in the order of the help: by section, then in the order of definition."""
    return sorted(options, key=lambda option: SECTIONS.index(option.metadata["section"]))


def read_options(*left_out: str) -> Callable[[_Command], _Command]:
    """Add the reading options, except those that are left out."""

    def add(command: _Command) -> _Command:
        for option in reversed(in_sections(fields(ReadOptions))):
            if option.name not in left_out:
                command = click_option(option)(command)
        return command

    return add


def force_option(command: _Command) -> _Command:
    """Add --force. Its name in Python is `overwrite`."""
    return click.option(
        "--force",
        "overwrite",
        is_flag=True,
        help="Replace an existing output file even if it is of another kind.",
    )(command)


def quiet_option(command: _Command) -> _Command:
    """Add --quiet."""
    return click.option("-q", "--quiet", is_flag=True, help="Show no progress and no summary.")(
        command
    )

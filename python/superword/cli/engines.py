"""`--engine` and `--address`: run a command on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from superword.cli.options import sectioned
from superword.errors import OptionError

__all__ = ["check_engine", "engine_options", "refuse_with_ray"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

SECTION = "Cluster"
ENGINES = ("local", "ray")


def engine_options(command: _Command) -> _Command:
    """Add --engine and --address."""
    address = sectioned(
        SECTION,
        "--address",
        metavar="HOST:PORT",
        help="The Ray cluster. By default that of this machine; if it has none, Ray is started.",
    )
    engine = sectioned(
        SECTION,
        "--engine",
        type=click.Choice(ENGINES),
        default="local",
        show_default=True,
        help="Where to run. ray: on a Ray cluster, whose nodes must share all files. "
        "Does not change the result.",
    )
    return engine(address(command))


def check_engine(engine: str, address: str | None) -> bool:
    """Whether to run on Ray. `OptionError` for an address without a cluster."""
    if address is not None and engine != "ray":
        raise OptionError(
            "`address` was given without `engine='ray'`",
            hint="give `engine='ray'` to run on that cluster, or leave `address` out",
            option="address",
        )
    return engine == "ray"


def refuse_with_ray(given: Mapping[str, Any]) -> None:
    """Raise for the first of these options that was given."""
    for name, value in given.items():
        if value:
            raise OptionError(
                f"`{name}` cannot be used with `engine='ray'`",
                hint=f"leave `{name}` out, or run on one machine",
                option=name,
            )

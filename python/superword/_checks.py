"""Values of options, checked: each function gives the one form of a value, or says what is wrong.

>>> whole("threads", 4, at_least=1)
4
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from superword import _core
from superword._text import suggestion, surrogate_in
from superword.errors import OptionError


def wrong_type(name: str, value: object, wanted: str) -> OptionError:
    """The error that says what was wanted instead."""
    return OptionError(
        f"{name} must be {wanted}, not {value!r} ({type(value).__name__})", option=name, value=value
    )


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """One of some words."""
    if not isinstance(value, str):
        raise wrong_type(name, value, "one of " + ", ".join(choices))
    if value not in choices:
        raise OptionError(
            f"{name} cannot be {value!r}", hint=suggestion(value, choices), option=name, value=value
        )


def whole(name: str, value: object, *, at_least: int) -> int:
    """A whole number of any kind, numpy's too, but not True."""
    wanted = f"a whole number, {at_least} or more"
    # True is an int to Python; nobody means 1 by it. operator.index takes numpy's integers too.
    if isinstance(value, bool):
        raise wrong_type(name, value, wanted)
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise wrong_type(name, value, wanted) from None
    if number < at_least or number >= 2**63:
        raise OptionError(f"{name} must be {wanted}, not {number}", option=name, value=number)
    return number


def threads(value: object) -> int:
    """Check a number of threads; 0 means one per core."""
    number = whole("threads", value, at_least=0)
    most = _core.max_threads()
    if number > most:
        raise OptionError(
            f"threads must be at most {most:,}, not {number:,}",
            hint="use 0, or leave it out, for one thread per core",
            option="threads",
            value=number,
        )
    return number


def share(name: str, value: object) -> float:
    """A number above 0 and at most 1."""
    wanted = "a number above 0 and at most 1"
    if isinstance(value, bool):
        raise wrong_type(name, value, wanted)
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise wrong_type(name, value, wanted) from None
    if not 0 < number <= 1:  # Also true of NaN.
        raise OptionError(
            f"{name} must be {wanted}, not {number}",
            hint="0.9 deletes a token when a merge takes 90 % of its occurrences",
            option=name,
            value=number,
        )
    return number


def greedy_split(value: object) -> bool | Literal["encode"]:
    """Whether candidates are split, and texts to encode too."""
    if value is True or value is False:
        return value
    if value == "encode":
        return "encode"
    raise wrong_type("greedy_split", value, 'False, True or "encode"')


def weights(given: Mapping[str, float] | Iterable[str]) -> dict[str, float]:
    """Weights by group, from a mapping or from words like `de=2.0`."""
    pairs: list[tuple[Any, Any]]
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif isinstance(given, str):
        raise wrong_type("weights", given, "a mapping of groups to weights")
    else:
        pairs = [tuple(item.split("=", 1)) if "=" in item else (item, None) for item in given]  # type: ignore[misc]
    weights: dict[str, float] = {}
    for name, weight in pairs:
        try:
            number = float("nan") if weight is None or weight is True else float(weight)
        except (TypeError, ValueError):
            number = float("nan")
        if not 0 <= number <= 1e6 or not isinstance(name, str):
            raise OptionError(
                f"the weight of the group {name!r} is {weight!r}, not a number from 0 to 1,000,000",
                hint="write it like de=2.0, or weights={'de': 2.0} in Python",
                option="weights",
            )
        weights[name] = number
    return weights


def special_tokens(given: Iterable[str]) -> tuple[str, ...]:
    """Strings that are not empty, each once."""
    if isinstance(given, str | bytes):
        raise OptionError(
            f"special_tokens must be a list of strings, not {given!r}",
            hint=f"write special_tokens=[{given!r}]",
            option="special_tokens",
        )
    tokens = tuple(given)
    seen: set[str] = set()
    for index, token in enumerate(tokens):
        problem = None
        if not isinstance(token, str):
            problem = f"is {token!r}, not a string"
        elif not token:
            problem = "is empty"
        elif token in seen:
            problem = f"is {token!r} a second time"
        elif surrogate_in(token):
            problem = f"is {token!r}, which has a lone surrogate and is no Unicode text"
        if problem:
            raise OptionError(
                f"special token {index} {problem}",
                hint="give each special token once, as a string that is not empty",
                option="special_tokens",
                index=index,
            )
        seen.add(token)
    return tokens

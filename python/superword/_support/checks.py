"""Checks for the values of options: each returns the normalized value or raises an `OptionError`.

>>> whole("threads", 4, at_least=1)
4
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from superword import _core
from superword._support.faces import option
from superword._support.text import parse_size, suggestion, surrogate_in
from superword.errors import OptionError


def wrong_type(name: str, value: object, wanted: str, hint: str | None = None) -> OptionError:
    """The error for a value of the wrong type."""
    return OptionError(
        f"`{name}` must be {wanted}, not {value!r} ({type(value).__name__})",
        hint=hint,
        option=name,
        value=value,
    )


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Accept one of the words in `choices`."""
    if not isinstance(value, str):
        raise wrong_type(name, value, "one of " + ", ".join(choices))
    if value not in choices:
        raise OptionError(
            f"`{name}` cannot be {value!r}",
            hint=suggestion(value, choices),
            option=name,
            value=value,
        )


def whole(name: str, value: object, *, at_least: int, hint: str | None = None) -> int:
    """Accept an integer of any type, including numpy's, but not a bool."""
    wanted = f"a whole number, {at_least} or more"
    # True is an int in Python, but nobody means 1 by it.
    if isinstance(value, bool):
        raise wrong_type(name, value, wanted, hint)
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise wrong_type(name, value, wanted, hint) from None
    if number < at_least or number >= 2**63:
        raise OptionError(
            f"`{name}` must be {wanted}, not {number}", hint=hint, option=name, value=number
        )
    return number


def check_unicode(name: str, text: str) -> None:
    """Accept text without lone surrogates, which stand for bytes that are not UTF-8."""
    if surrogate_in(text) is not None:
        raise OptionError(
            f"`{name}` is {text!r}, which is not valid Unicode",
            hint="write it in UTF-8, without lone surrogates",
            option=name,
            value=text,
        )


def threads(value: object) -> int:
    """Check a number of threads; 0 means one per core."""
    number = whole("threads", value, at_least=0)
    most = _core.max_threads()
    if number > most:
        raise OptionError(
            f"`threads` must be at most {most:,}, not {number:,}",
            hint="use 0, or leave it out, for one thread per core",
            option="threads",
            value=number,
        )
    return number


_SIZE_HINT = "write it like 500MB, 10GB or 4GiB"


def size(name: str, value: object, *, at_least: int = 1, clamp_to: int | None = None) -> int:
    """Accept a number of bytes, as an integer or as text like `"10GB"`.

    With `clamp_to`, larger numbers become that number.
    """
    if isinstance(value, str):
        try:
            value = parse_size(value)
        except ValueError:
            raise OptionError(
                f"`{name}` must be a number of bytes, not {value!r}",
                hint=_SIZE_HINT,
                option=name,
                value=value,
            ) from None
    if clamp_to is not None and type(value) is int:
        value = min(value, clamp_to)
    return whole(name, value, at_least=at_least, hint=_SIZE_HINT)


def directory(name: str, value: object) -> str:
    """Accept the path of a directory, which need not exist."""
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise wrong_type(name, value, "a directory")
    path = os.fspath(value)
    if not isinstance(path, str):
        raise wrong_type(name, value, "a directory")
    return path


def share(name: str, value: object) -> float:
    """Accept a number above 0 and at most 1."""
    wanted = "a number above 0 and at most 1"
    if isinstance(value, bool):
        raise wrong_type(name, value, wanted)
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise wrong_type(name, value, wanted) from None
    if not 0 < number <= 1:  # Also true of NaN.
        raise OptionError(
            f"`{name}` must be {wanted}, not {number}",
            hint="0.9 deletes a token when a merge uses 90 % of its occurrences",
            option=name,
            value=number,
        )
    return number


def greedy_split(value: object) -> bool | Literal["encode"]:
    """Accept False, True or `"encode"`."""
    if value is True or value is False:
        return value
    if value == "encode":
        return "encode"
    raise wrong_type("greedy_split", value, 'False, True or "encode"')


def weights(given: Mapping[str, float] | Iterable[str]) -> dict[str, float]:
    """Accept weights by group, as a mapping or as strings like `de=2.0`."""
    pairs: list[tuple[Any, Any]]
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif isinstance(given, str) or not isinstance(given, Iterable):
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
                hint="write it like `weights={'de': 2.0}`",
                option="weights",
            )
        weights[name] = number
    return weights


def special_tokens(given: Iterable[str]) -> tuple[str, ...]:
    """Accept distinct strings that are not empty."""
    if isinstance(given, str | bytes):
        raise OptionError(
            f"`special_tokens` must be a list of strings, not {given!r}",
            hint=f"write {option('special_tokens', [given])}",
            option="special_tokens",
        )
    if not isinstance(given, Iterable):
        raise wrong_type("special_tokens", given, "a list of strings")
    tokens = tuple(given)
    seen: set[str] = set()
    for index, token in enumerate(tokens):
        problem = None
        if not isinstance(token, str):
            problem = f"is {token!r}, not a string"
        elif not token:
            problem = "is empty"
        elif token in seen:
            problem = f"repeats {token!r}"
        elif surrogate_in(token):
            problem = f"is {token!r}, which has a lone surrogate and is not valid Unicode"
        if problem:
            raise OptionError(
                f"special token {index} {problem}",
                hint="give each special token once, as a string that is not empty",
                option="special_tokens",
                index=index,
            )
        seen.add(token)
    return tokens

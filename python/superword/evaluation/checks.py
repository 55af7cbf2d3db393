"""Conditions on results, such as `bytes_per_token>=4.4`, for continuous integration."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from superword._support.text import suggestion
from superword.errors import OptionError
from superword.evaluation.results import (
    OVERALL,
    Evaluation,
    ModelResult,
    Numbers,
    Share,
)

__all__ = ["Check", "Failure", "check", "values"]

_COMPARE = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}
_CONDITION = re.compile(r"\s*(.+?)\s*(>=|<=|==|>|<)\s*([^\s<>=]+)\s*")
_FORM = "write [MODEL@][GROUP:]NAME>=NUMBER, such as bytes_per_token>=4.4 or de:fertility<1.8"
# Of a model, these do not depend on the text.
_OF_MODEL = ("vocabulary", "morphemes", "pairs", "parallel")


@dataclass(frozen=True)
class Check:
    """A condition: `Check.parse("de:bytes_per_token>=4.4")`.

    Without a group it is about all groups together; `*` stands for each group. Without a model it
    is about each model.
    """

    text: str
    model: str | None
    group: str
    name: str
    comparison: str
    bound: float

    @classmethod
    def parse(cls, text: str) -> Check:
        """The condition that a text describes. `OptionError` if it is none."""
        match = _CONDITION.fullmatch(text)
        try:
            bound = float(match[3]) if match else None
        except ValueError:
            bound = None
        if match is None or bound is None or bound != bound:
            raise OptionError(
                f"`check` {text!r} is not a condition", hint=_FORM, option="check", value=text
            )
        model, at, rest = match[1].rpartition("@")
        group, colon, name = rest.rpartition(":")
        _check_name(text, name)
        return cls(
            text=text,
            model=model if at else None,
            group=group if colon else OVERALL,
            name=name,
            comparison=match[2],
            bound=bound,
        )


@dataclass(frozen=True)
class Failure:
    """A condition that does not hold for a model and a group. `value` is None if there is none."""

    check: Check
    model: str
    group: str
    name: str
    value: float | None

    def __str__(self) -> str:
        where = self.model
        if self.name.partition(".")[0] not in _OF_MODEL:
            where += " on all text" if self.group == OVERALL else f" on {self.group}"
        found = "cannot be computed" if self.value is None else f"is {self.value:.6g}"
        return f"{where}: {self.name} {found}, not {self.check.comparison} {self.check.bound:g}"


def check(evaluation: Evaluation, conditions: Iterable[str | Check]) -> list[Failure]:
    """The conditions that do not hold.

    >>> check(result, ["bytes_per_token>=4.4", "de:words.fertility<1.8"])
    []

    `OptionError` if a condition names something that the result does not have.
    """
    failures = []
    for condition in conditions:
        one = Check.parse(condition) if isinstance(condition, str) else condition
        for model in _models(evaluation, one):
            for group in _groups(evaluation, one):
                known = values(model, group)
                name = _full_name(one, known)
                # No token of some length or script: these have no key.
                value = known.get(name, 0)
                if value is None or not _COMPARE[one.comparison](value, one.bound):
                    failures.append(Failure(one, model.name, group, name, value))
                if name.partition(".")[0] in _OF_MODEL:
                    break  # It is the same for all groups.
    return failures


def _models(evaluation: Evaluation, check: Check) -> list[ModelResult]:
    found = [model for model in evaluation.models if check.model in (None, model.name)]
    if not found:
        raise OptionError(
            f"`check` {check.text!r} is about the model {check.model!r}, which was not evaluated",
            hint=suggestion(str(check.model), [model.name for model in evaluation.models]),
            option="check",
            value=check.text,
        )
    return found


def _groups(evaluation: Evaluation, check: Check) -> list[str]:
    names = [group.name for group in evaluation.groups]
    if check.group == "*":
        return names
    if check.group not in (*names, OVERALL):
        raise OptionError(
            f"`check` {check.text!r} is about the group {check.group!r}, which was not evaluated",
            hint=suggestion(check.group, [*names, OVERALL, "*"]),
            option="check",
            value=check.text,
        )
    return [check.group]


def _full_name(check: Check, known: Mapping[str, object]) -> str:
    if check.name in known:
        return check.name
    endings = [name for name in known if name.endswith(f".{check.name}")]
    if len(endings) == 1:
        return endings[0]
    if endings:
        several = f"several numbers are named {check.name}"
        raise _bad_name(check.text, several, "write " + " or ".join(endings))
    if ".by_" in f".{check.name}":
        return check.name
    near = [name for name in known if check.name.rpartition(".")[0] in name]
    missing = f"the result has no number named {check.name}"
    raise _bad_name(check.text, missing, suggestion(check.name, near or known))


def _bad_name(text: str, problem: str, hint: str) -> OptionError:
    return OptionError(f"`check` {text!r}: {problem}", hint=hint, option="check", value=text)


def _check_name(text: str, name: str) -> None:
    """Raise `OptionError` if no result can have a number of this name."""
    for known in _names():
        endings = [known]
        while "." in endings[-1]:
            endings.append(endings[-1].partition(".")[2])
        for ending in endings:
            # `entropy.*` stands for every key.
            if ending == name or (ending.endswith(".*") and name.startswith(ending[:-1])):
                return
    whole = [known.removesuffix(".*") for known in _names()]
    near = suggestion(name, [*whole, *(known.partition(".")[2] for known in whole)])
    # A list of all of them would not help.
    hint = near if near.startswith("did you mean") else "docs/how-to/evaluate.md lists them all"
    raise _bad_name(text, f"there is no number named {name}", hint)


@cache
def _names() -> tuple[str, ...]:
    """The names of all numbers. `.*` stands for the keys of a dict."""
    of_model = get_type_hints(ModelResult)
    parts = [name for part in _OF_MODEL for name in _names_in(part, of_model[part])]
    return (*parts, *(name.removeprefix("n.") for name in _names_in("n", Numbers)))


def _names_in(name: str, hint: Any) -> Iterator[str]:
    kinds = [kind for kind in get_args(hint) or (hint,) if kind is not NoneType]
    if get_origin(hint) is dict:
        yield f"{name}.*"
    elif hint is Share or kinds[0] in (int, float):
        yield name
    if is_dataclass(kinds[0]) and get_origin(hint) is not dict:
        for inner, kind in get_type_hints(kinds[0]).items():
            yield from _names_in(f"{name}.{inner}", kind)


def values(model: ModelResult, group: str) -> dict[str, float | None]:
    """All numbers of a model on a group, by name: `size.tokens`, `words.continued`, ...

    A share has its value under its own name, and its parts under `.part` and `.total`.
    """
    found: dict[str, float | None] = {}
    for name in _OF_MODEL:
        found.update(_flat(name, getattr(model, name)))
    found.update(
        (name.removeprefix("numbers."), value)
        for name, value in _flat("numbers", model.numbers[group])
    )
    return found


def _flat(name: str, value: Any) -> Iterator[tuple[str, float | None]]:
    if isinstance(value, Share):
        yield name, value.share
    if is_dataclass(value):
        for field in fields(value):
            inner = getattr(value, field.name)
            yield from _flat(f"{name}.{field.name}", inner)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}", inner)
    elif isinstance(value, int | float) or (value is None and "." in name):
        yield name, value

"""The numbers of a result as one long table: model, group, number, value."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from superword._support.paths import as_unicode
from superword.evaluation.results import Evaluation, Share

__all__ = ["rows", "to_csv"]

HEAD = ("model", "group", "number", "value")
# A spreadsheet takes a cell that begins like this for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def to_csv(evaluation: Evaluation) -> str:
    """All numbers at full precision, with a heading. A number that is None has no value."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(HEAD)
    table.writerows((_name(m), _name(g), number, value) for m, g, number, value in rows(evaluation))
    return out.getvalue()


def _name(text: str) -> str:
    text = as_unicode(text).replace("\x00", "\ufffd")
    return f"'{text}" if text.startswith(_FORMULA) else text


def rows(evaluation: Evaluation) -> Iterator[tuple[str, str, str, str]]:
    """Each number of the result. Those that do not depend on a model or group have an empty one."""
    for name, value in _leaves(evaluation.shape, "shape"):
        yield "", "", name, value
    yield "", "", "rare_below", str(evaluation.rare_below)
    for group in evaluation.groups:
        for name, value in _leaves(group, ""):
            yield "", group.name, name, value
    for model in evaluation.models:
        yield model.name, "", "n_vocab", str(model.n_vocab)
        for part in ("vocabulary", "morphemes", "pairs", "parallel"):
            for name, value in _leaves(getattr(model, part), part):
                yield model.name, "", name, value
        for group_name, numbers in model.numbers.items():
            for name, value in _leaves(numbers, ""):
                yield model.name, group_name, name, value
        for curve in ("vocabulary_sizes", "supermerges"):
            for group_name, points in (getattr(model.curves, curve) or {}).items():
                for name, value in _leaves(points, f"curves.{curve}"):
                    yield model.name, group_name, name, value
        for curve in ("merge_counts", "supermerge_counts"):
            for name, value in _leaves(getattr(model.curves, curve), f"curves.{curve}"):
                yield model.name, "", name, value


def _leaves(value: Any, name: str) -> Iterator[tuple[str, str]]:
    """The numbers inside a value, each with its name: `size.tokens`, `entropy[2.5]`.

    The name of a point of a curve has its place: `vocabulary_sizes[4096]`.
    """
    if isinstance(value, Share):
        yield f"{name}.part", str(value.part)
        yield f"{name}.total", str(value.total)
        yield f"{name}.share", "" if value.share is None else repr(value.share)
    elif is_dataclass(value):
        for field in fields(value):
            inner = f"{name}.{field.name}" if name else field.name
            found = getattr(value, field.name)
            if found is None:
                yield inner, ""
            else:
                yield from _leaves(found, inner)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item, f"{name}[{_name(key)}]")
    elif isinstance(value, tuple):
        for item in value:
            # Points of a curve. Other tuples hold texts, not numbers.
            if isinstance(item, tuple) and len(item) == 2:
                yield f"{name}[{item[0]}]", str(item[1])
    elif isinstance(value, int | float):
        yield name, repr(value)

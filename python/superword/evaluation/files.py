"""Results of evaluations as files: JSON with the names and nesting of `results.py`.

`{"format": 1, "superword": "0.9.0", "groups": [...], "models": [...], ...}`: dataclasses are
objects, tuples are arrays, and `superword` is the version that wrote the file.
"""

from __future__ import annotations

import json
import os
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from superword._files.outputs import check_replaceable
from superword._files.replace import replace
from superword._support.json_values import parse_json
from superword._support.paths import as_unicode
from superword.errors import MissingInputError, ResultFileError
from superword.evaluation.results import FORMAT, Evaluation

__all__ = ["from_json", "load", "save", "to_json"]

_MOST = 2**63
_FAR = 1e300
_AGAIN = "evaluate again with superword evaluate"
_WANTED = {
    str: "a string",
    int: "a whole number from 0 to 2**63 - 1",
    float: "a number",
    tuple: "an array",
    dict: "an object",
}


def save(evaluation: Evaluation, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Write a result to a file. An earlier result is replaced; any other file only on demand."""
    check_replaceable(path, "evaluation", overwrite)
    text = json.dumps(to_json(evaluation), ensure_ascii=False, allow_nan=False, indent=1)
    replace(path, f"{text}\n".encode())


def load(path: str | os.PathLike[str]) -> Evaluation:
    """Read a result from a file. `ResultFileError` says which field is wrong."""
    name = os.fspath(path)
    try:
        content = Path(path).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise MissingInputError(
            f"there is no file {name}", hint="write it with superword evaluate", path=name
        ) from None
    except OSError as error:
        raise ResultFileError(
            f"{name} cannot be read: {error.strerror or error}",
            hint="give the file that superword evaluate wrote",
            path=name,
        ) from None
    except ValueError:  # A null character.
        raise ResultFileError(
            f"{name!r} is not the name of a file",
            hint="give the file that superword evaluate wrote",
            path=name,
        ) from None
    try:
        return from_json(parse_json(content))
    except ResultFileError as error:
        raise error._at(name, path=name) from None
    except ValueError:  # Also UnicodeDecodeError.
        raise ResultFileError(
            f"{name} is not the result of an evaluation: it is not JSON",
            hint="give the file that superword evaluate wrote",
            path=name,
        ) from None


def to_json(evaluation: Evaluation) -> dict[str, Any]:
    """The result as plain dicts, lists, strings and numbers."""
    plain = _plain(evaluation)
    return {"format": FORMAT, "superword": plain.pop("version"), **plain}


def from_json(content: object) -> Evaluation:
    """The result from the values that `to_json` returns.

    >>> from_json({"format": 1, "superword": "0.9.0", "groups": 5, "models": []})
    Traceback (most recent call last):
    superword.errors.ResultFileError: groups must be an array, not 5
    hint: evaluate again with superword evaluate
    """
    if not isinstance(content, dict) or not {"format", "superword"} <= content.keys():
        raise ResultFileError(
            "this is not the result of an evaluation",
            hint="give the file that superword evaluate wrote",
        )
    if content["format"] != FORMAT:
        newer = isinstance(content["format"], int) and content["format"] > FORMAT
        raise ResultFileError(
            f"the result has format {content['format']!r}, and this version of superword reads "
            f"format {FORMAT}",
            hint=f"update superword, or {_AGAIN}" if newer else _AGAIN,
            field="format",
        )
    rest = {name: value for name, value in content.items() if name != "format"}
    rest["version"] = rest.pop("superword")
    evaluation: Evaluation = _record(Evaluation, rest, "")
    names = [model.name for model in evaluation.models]
    for name in names:
        if names.count(name) > 1:
            raise _wrong("models", f"must have different names; {name!r} is there twice")
    if evaluation.reference is not None and evaluation.reference not in names:
        raise _wrong("reference", f"must name a model, not {evaluation.reference!r}")
    return evaluation


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return as_unicode(value)  # A path may hold bytes that are not UTF-8.
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


def _wrong(place: str, problem: str) -> ResultFileError:
    return ResultFileError(f"{place} {problem}", hint=_AGAIN, field=place)


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    shown = json.dumps(value, ensure_ascii=False)
    return shown if len(shown) <= 40 else shown[:37] + "..."


def _inside(place: str, name: str | int) -> str:
    if isinstance(name, int):
        return f"{place}[{name}]"
    if not name.isidentifier():
        return f"{place}[{json.dumps(name, ensure_ascii=False)}]"
    return f"{place}.{name}" if place else name


@cache
def _types(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _record(kind: Any, value: Any, place: str) -> Any:
    """The dataclass `kind` from an object. Fields that it does not have are ignored."""
    if not isinstance(value, dict):
        raise _wrong(place, f"must be an object, not {_shown(value)}")
    types = _types(kind)
    made = {}
    for field in fields(kind):
        inner = _inside(place, field.name)
        if field.name in value:
            made[field.name] = _value(types[field.name], value[field.name], inner)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise _wrong(inner, "is missing")
    return kind(**made)


def _value(kind: Any, value: Any, place: str) -> Any:
    """Check a JSON value against a type of `results`, and convert it to that type."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in inner:
            return None
        # Every union of the result is "something or None".
        return _value(next(choice for choice in inner if choice is not type(None)), value, place)
    if is_dataclass(kind):
        return _record(kind, value, place)
    if origin is dict and isinstance(value, dict):
        return {
            as_unicode(name): _value(inner[1], item, _inside(place, name))
            for name, item in value.items()
        }
    if origin is tuple and isinstance(value, list):
        if inner[-1] is Ellipsis:
            return tuple(_value(inner[0], v, _inside(place, i)) for i, v in enumerate(value))
        if len(value) != len(inner):
            raise _wrong(place, f"must have {len(inner)} values, not {len(value)}")
        return tuple(
            _value(one, v, _inside(place, i))
            for i, (one, v) in enumerate(zip(inner, value, strict=True))
        )
    if kind is str and isinstance(value, str):
        return as_unicode(value)
    if kind is int and type(value) is int and 0 <= value < _MOST:
        return value
    # Some programs write 2.0 as 2.
    if kind is float and type(value) in (int, float) and -_FAR < value < _FAR:
        return float(value)
    raise _wrong(place, f"must be {_WANTED[origin or kind]}, not {_shown(value)}")

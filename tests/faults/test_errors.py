"""The errors themselves: one root, facts, hints, pickling."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from superword import errors

CLASSES = [
    kind
    for name in errors.__all__
    if issubclass(kind := getattr(errors, name), errors.SuperwordError)
]


@pytest.mark.parametrize("kind", CLASSES)
def test_errors_keep_message_hint_and_facts_when_pickled(
    kind: type[errors.SuperwordError],
) -> None:
    error: Any = kind("a.txt:3: wrong", hint="make it right", path="a.txt", line=3)
    for same in (error, pickle.loads(pickle.dumps(error))):
        assert type(same).__name__ == kind.__name__
        assert str(same) == "a.txt:3: wrong\nhint: make it right"
        assert (same.message, same.hint) == ("a.txt:3: wrong", "make it right")
        assert (same.path, same.line) == ("a.txt", 3)
        assert same.facts == {"path": "a.txt", "line": 3}
    assert str(kind("wrong")) == "wrong"
    assert kind("wrong").hint is None


def test_errors_are_also_what_python_would_raise() -> None:
    assert issubclass(errors.MissingInputError, FileNotFoundError)
    assert issubclass(errors.SaveError, OSError)
    for name in ("OptionError", "DocumentError", "TextError", "TokenError", "SpecialTokenError"):
        assert issubclass(getattr(errors, name), ValueError)
    assert issubclass(errors.UnknownScriptError, errors.PatternError)


def test_facts_that_are_unknown_are_none() -> None:
    assert errors.PatternError("wrong").position is None
    assert errors.DocumentError("wrong").line is None
    assert errors.TokenError("wrong").id is None

"""Reads JSON that anyone may have written."""

from __future__ import annotations

import json
import os
from typing import Any

__all__ = ["is_path", "is_text", "parse_json"]


def parse_json(content: bytes | str) -> Any:
    """The value of a JSON text. `ValueError` if it is not JSON, or nested too deeply to be read.

    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
    ValueError: the JSON is nested too deeply
    """
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def is_text(value: Any) -> bool:
    """Whether this is a string without lone surrogates, which only paths may have."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False


def is_path(value: Any) -> bool:
    """Whether the system takes this as a path. Bytes that are not UTF-8 are surrogates in it."""
    try:
        return isinstance(value, str) and os.fsencode(value) is not None
    except UnicodeEncodeError:
        return False

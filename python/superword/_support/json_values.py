"""Reads JSON that anyone may have written."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["parse_json"]


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

"""Reads JSON from files that may be damaged or hostile."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["parse_json"]


def parse_json(content: str | bytes) -> Any:
    """`json.loads`, with `ValueError` for everything that is wrong with the content.

    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
    ValueError: it is nested too deeply
    """
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None

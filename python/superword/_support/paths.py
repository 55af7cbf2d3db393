"""File names may hold bytes that are not UTF-8, but text may not."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

__all__ = ["as_unicode", "openable"]


def as_unicode(path: str) -> str:
    """Return `path` as valid Unicode text, for messages and records.

    Python represents each byte of a file name that is not UTF-8 by a lone surrogate. No encoder
    accepts those, so each becomes U+FFFD:

    >>> as_unicode("caf\\udce9.txt") == "caf\\ufffd.txt"
    True
    """
    return path.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def openable(path: str) -> str | BinaryIO:
    """Return what pyarrow can open: the path, or an open file if the name is not UTF-8."""
    return path if as_unicode(path) == path else Path(path).open("rb")

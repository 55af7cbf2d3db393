"""Paths for people: file names may hold bytes that are not UTF-8, text may not."""

from __future__ import annotations

__all__ = ["as_unicode"]


def as_unicode(path: str) -> str:
    """Return `path` as valid Unicode text, for messages and records.

    Python represents each byte of a file name that is not UTF-8 by a lone surrogate. No encoder
    accepts those, so each becomes U+FFFD:

    >>> as_unicode("caf\\udce9.txt") == "caf\\ufffd.txt"
    True
    """
    return path.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

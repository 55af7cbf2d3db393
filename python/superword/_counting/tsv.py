r"""Counts as readable text: a line with tokens and a count, separated by tabs.

The first line records where the counts come from. Tokens are text. Backslashes, tabs, line endings,
other control characters and bytes that are not UTF-8 are escaped: `\\`, `\t`, `\n`, `\r`, `\xHH`.

>>> escape(b" the"), escape(b"a\tb\xff")
(' the', 'a\\tb\\xff')
>>> unescape('a\\tb\\xff')
b'a\tb\xff'
"""

from __future__ import annotations

import itertools
import json
import re
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from superword._files.replace import replace
from superword._support.json_values import parse_json
from superword.errors import CountsError

__all__ = ["describe", "escape", "read", "rows", "run_rows", "unescape", "write"]

HEADER = "#superword\t"

_NAMED = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_BYTES = {"\\\\": b"\\", "\\t": b"\t", "\\n": b"\n", "\\r": b"\r"}
# Control characters, and characters that some programs treat as line endings.
_UNREADABLE = re.compile("[\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\udc80-\udcff]")
_ESCAPE = re.compile(r"\\(?:x[0-9a-f]{2}|.)?")


def escape(token: bytes) -> str:
    """A token as readable text, without tabs and line endings."""
    text = token.decode("utf-8", "surrogateescape")

    def shown(match: re.Match[str]) -> str:
        found = match[0]
        if found in _NAMED:
            return _NAMED[found]
        return "".join(f"\\x{byte:02x}" for byte in found.encode("utf-8", "surrogateescape"))

    return _UNREADABLE.sub(shown, text)


def unescape(text: str) -> bytes:
    """The inverse of `escape`. `ValueError` for text that `escape` never writes."""
    parts = []
    end = 0
    for match in _ESCAPE.finditer(text):
        parts.append(text[end : match.start()].encode())
        found = match[0]
        if found in _BYTES:
            parts.append(_BYTES[found])
        elif len(found) == 4:
            parts.append(bytes([int(found[2:], 16)]))
        else:
            raise ValueError(f"unknown escape {found}")
        end = match.end()
    parts.append(text[end:].encode())
    return b"".join(parts)


def _strings(offsets: bytes, data: bytes) -> Iterator[bytes]:
    ends = array("i", offsets)
    for start, end in itertools.pairwise(ends):
        yield data[start:end]


def rows(columns: Iterable[tuple[bytes, bytes, bytes]]) -> Iterator[tuple[tuple[bytes], int]]:
    """The tokens and counts in the columns of the engine."""
    for offsets, data, counts in columns:
        for token, count in zip(_strings(offsets, data), array("Q", counts), strict=True):
            yield (token,), count


def run_rows(
    columns: Iterable[tuple[bytes, bytes, bytes, bytes]],
) -> Iterator[tuple[tuple[bytes, ...], int]]:
    """The candidates and counts in the columns of the engine."""
    for runs, offsets, data, counts in columns:
        tokens = _strings(offsets, data)
        for (start, end), count in zip(
            itertools.pairwise(array("i", runs)), array("Q", counts), strict=True
        ):
            yield tuple(itertools.islice(tokens, end - start)), count


def write(
    path: str, described: dict[str, Any], rows: Iterable[tuple[tuple[bytes, ...], int]]
) -> None:
    """Write a file atomically."""

    def lines() -> Iterator[bytes]:
        yield f"{HEADER}{json.dumps(described, ensure_ascii=True)}\n".encode()
        for tokens, count in rows:
            yield ("\t".join([*map(escape, tokens), str(count)]) + "\n").encode()

    replace(path, lambda file: file.writelines(lines()))


def read(
    path: str,
) -> tuple[dict[str, Any] | None, Iterator[tuple[int, tuple[bytes, ...], int]]]:
    """What a file records about itself (None: nothing), and its rows with line numbers."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise CountsError(
            f"{path}: cannot be read: {error.strerror}", hint="check the path", path=path
        ) from None
    lines = data.split(b"\n")
    if lines and lines[-1] == b"":
        lines.pop()
    described = _header(lines[0]) if lines else None
    return described, _rows(lines, 0 if described is None else 1)


def describe(path: str) -> dict[str, Any] | None:
    """What a file records about itself, without reading its rows. None if it records nothing."""
    try:
        with Path(path).open("rb") as file:
            return _header(file.readline())
    except OSError as error:
        raise CountsError(
            f"{path}: cannot be read: {error.strerror}", hint="check the path", path=path
        ) from None


def _header(line: bytes) -> dict[str, Any] | None:
    if not line.startswith(HEADER.encode()):
        return None
    try:
        described = parse_json(line[len(HEADER) :])
    except ValueError as error:
        raise CountsError(f"line 1 is damaged: {error}") from None
    if not isinstance(described, dict):
        raise CountsError("line 1 is damaged: it is not a JSON object")
    return described


def _rows(lines: list[bytes], first: int) -> Iterator[tuple[int, tuple[bytes, ...], int]]:
    for number, line in enumerate(lines[first:], start=first + 1):
        if not line:
            continue
        try:
            *tokens, count = line.decode().removesuffix("\r").split("\t")
            if not tokens or not count.isascii() or not count.isdigit() or int(count) >= 2**64:
                raise ValueError("expected a token, a tab and a count that fits in 64 bits")
            read = tuple(map(unescape, tokens))
            if not all(read):
                raise ValueError("a token is empty")
            yield number, read, int(count)
        except ValueError as error:
            raise CountsError(
                f"line {number}: {error}",
                hint="write token<TAB>count, with the escapes \\t, \\n, \\r, \\\\ and \\xHH",
                line=number,
            ) from None

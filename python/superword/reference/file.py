"""Read a model file, step by step as described in ``docs/file-format.md``.

A file consists of a few fixed bytes, a JSON header, and sections of numbers::

    magic (8) | version (4) | header length (8) | header | sections | checksum (8)

``read_model`` returns plain data. ``tokens`` replays the events to find the bytes of each symbol,
and ``vocabulary`` returns the bytes of each id::

    model = read_model("wiki.superword")
    model.events[0]                  # Merge(left=32, right=116, count=81342)
    vocabulary(model)[256]           # b" t"

The checksum is not verified, because XXH3 is not in Python's standard library. Other checks of the
engine are missing too. Use this module to learn and to compare, not for untrusted files.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MAGIC = b"\x89SWM\r\n\x1a\n"
VERSION = 2
NOT_IN_UTF8 = {0xC0, 0xC1, *range(0xF5, 0x100)}


@dataclass(frozen=True)
class Merge:
    """Joins two neighbours inside a pretoken to one token."""

    left: int
    right: int
    count: int


@dataclass(frozen=True)
class Supermerge:
    """Joins two neighbouring single-token pretokens or superwords to one token."""

    left: int
    right: int
    count: int


@dataclass(frozen=True)
class Delete:
    """Deletes a token from the vocabulary."""

    token: int


Event = Merge | Supermerge | Delete


@dataclass
class ModelFile:
    """The content of a file: the parsed header and the sections."""

    header: dict[str, Any]
    events: list[Event]
    ids: list[int] | None
    ngrams: list[list[int]]
    order: list[int] | None = None
    unmade: list[bytes] = field(default_factory=list)


def read_model(source: str | Path | bytes) -> ModelFile:
    """Read a file, given by its path or its bytes."""
    data = source if isinstance(source, bytes) else Path(source).read_bytes()
    if data[:8] != MAGIC:
        raise ValueError("not a superword model")
    version, header_length = struct.unpack_from("<IQ", data, 8)
    if version > VERSION:
        raise ValueError(f"written by a newer version: {version}")
    header: dict[str, Any] = json.loads(data[20 : 20 + header_length])

    model = ModelFile(header, events=[], ids=None, ngrams=[])
    start = 20 + header_length
    for section in header["sections"]:
        body = data[start : start + section["bytes"]]
        start += section["bytes"]
        if section["name"] == "events":
            numbers = iter(body)
            model.events = [read_event(numbers) for _ in range(section["items"])]
        elif section["name"] == "ids":
            model.ids = list(struct.unpack(f"<{section['items']}I", body))
        elif section["name"] == "ngrams":
            numbers = iter(body)
            for _ in range(section["items"]):
                length = read_number(numbers)
                model.ngrams.append([read_number(numbers) for _ in range(length)])
        elif section["name"] == "order":
            numbers = iter(body)
            model.order = [read_number(numbers) for _ in range(section["items"])]
        elif section["name"] == "unmade":
            numbers = iter(body)
            for _ in range(section["items"]):
                length = read_number(numbers)
                model.unmade.append(bytes(next(numbers) for _ in range(length)))
    if start + 8 != len(data):
        raise ValueError(f"{len(data)} bytes where the header describes {start + 8}")
    return model


def read_number(source: Iterator[int]) -> int:
    """Read a number in LEB128 (seven bits per byte, low bits first): ``AC 02`` is 300.

    >>> read_number(iter(bytes([0xAC, 0x02])))  # 0x2C + (2 << 7)
    300
    """
    number = shift = 0
    for byte in source:
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number
        shift += 7
    raise ValueError("a section ends inside a number")


def read_event(source: Iterator[int]) -> Event:
    """Read an event (its kind, then its numbers): ``00 20 61 AC 02`` merges 32 and 97."""
    kind = next(source, None)
    if kind == 0:
        return Merge(read_number(source), read_number(source), read_number(source))
    if kind == 1:
        return Supermerge(read_number(source), read_number(source), read_number(source))
    if kind == 2:
        return Delete(read_number(source))
    raise ValueError(f"unknown kind of event: {kind}")


def tokens(model: ModelFile) -> tuple[list[bytes], list[int]]:
    """Replay the events. Returns the bytes of all symbols, and the existing symbols in order."""
    alphabet = set(range(256)) - (NOT_IN_UTF8 if model.header["alphabet"] == "utf8" else set())
    symbols = [bytes([byte]) for byte in sorted(alphabet)] + model.unmade
    unmade = range(len(alphabet), len(symbols))
    number_of: dict[bytes, int] = {}
    for symbol, token in enumerate(symbols):
        number_of.setdefault(token, symbol)
    alive = dict.fromkeys(range(len(symbols)))  # an ordered set
    superwords: set[int] = set()  # they stay when a word with the same bytes is deleted
    for event in model.events:
        if isinstance(event, Delete):
            if event.token not in superwords:
                del alive[event.token]
            continue
        joined = symbols[event.left] + symbols[event.right]
        # A merge never makes an unmade token, but it may make another one with the same bytes.
        if joined not in number_of or (isinstance(event, Merge) and number_of[joined] in unmade):
            number_of[joined] = len(symbols)
            symbols.append(joined)
        alive.setdefault(number_of[joined])
        if isinstance(event, Supermerge):
            superwords.add(number_of[joined])
    return symbols, list(alive)


def vocabulary(model: ModelFile) -> dict[int, bytes]:
    """Return the bytes of each id, including added tokens. If two share an id, it is the first."""
    symbols, alive = tokens(model)
    ids = enumerate(alive) if model.ids is None else ((model.ids[s], s) for s in alive)
    table = {token_id: symbols[symbol] for token_id, symbol in ids}
    header = model.header
    for added in header["added_tokens" if "added_tokens" in header else "special_tokens"]:
        table.setdefault(added["id"], added["text"].encode())
    return table

"""The documented file format, checked with a second reader that shares no code with the engine."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from superword.reference.file import (
    Delete,
    Merge,
    Supermerge,
    read_model,
    vocabulary,
)

ROOT = Path(__file__).parents[2]


def documented_example() -> bytes:
    page = (ROOT / "docs" / "file-format.md").read_text(encoding="utf-8")
    dump = re.search(r"```hex\n(.*?)```", page, re.DOTALL)
    assert dump is not None
    return bytes.fromhex("".join(line.split("|")[1] for line in dump[1].splitlines()))


def test_documented_example_reads_as_the_page_says() -> None:
    model = read_model(documented_example())
    assert model.header["method"] == "boundless"
    assert model.events == [Merge(32, 97, 300), Merge(32, 98, 200), Supermerge(256, 257, 150)]
    assert model.ids is None
    assert model.ngrams == []
    tokens = vocabulary(model)
    assert tokens[65] == b"A"
    assert [tokens[i] for i in range(256, 260)] == [b" a", b" b", b" a b", b"<|end|>"]
    assert len(tokens) == 260


def test_file_with_deletions_ids_and_ngrams_written_by_the_engine() -> None:
    model = read_model(ROOT / "tests" / "data" / "rich-v1.superword")
    assert model.header["pretokenizer"]["script"]["scripts"] == ["Han", "Thai"]
    assert model.header["facts"]["z"][-1] == 0.6
    assert model.events[2] == Delete(243)
    assert model.events[5] == Merge(97, 98, 2**64 - 1)
    assert model.events[6] == Supermerge(243, 244, 1)
    assert model.ngrams == [[243, 244], [97] * 200]
    # Symbols 243 to 246 are ab, abc, bc, ababc; ids were given in reverse, from 10.
    assert model.ids == list(range(256, 9, -1))
    tokens = vocabulary(model)
    assert [tokens[i] for i in (13, 12, 11, 10)] == [b"ab", b"abc", b"bc", b"ababc"]
    assert tokens[256] == b"\x00"
    assert tokens[0] == "<|fin é|>".encode()
    assert tokens[1000] == b" "


def test_token_made_again_enters_at_the_later_time() -> None:
    model = read_model(documented_example())
    model.events = [Merge(97, 98, 9), Merge(256, 99, 8), Delete(256), Merge(97, 98, 7)]
    tokens = vocabulary(model)
    assert (tokens[256], tokens[257]) == (b"abc", b"ab")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: b"{}", "not a superword model"),
        (lambda data: data[:8] + b"\x03" + data[9:], "newer version: 3"),
        (lambda data: data[:-1], "bytes where the header describes"),
        (lambda data: data[:325] + b"\x07" + data[326:], "unknown kind of event: 7"),
    ],
)
def test_damage_is_said(damage: Callable[[bytes], bytes], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_model(damage(documented_example()))

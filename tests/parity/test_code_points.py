"""Every single code point: each preset cuts around it as its pattern does in Python's `regex`.

The engine knows Unicode 17.0; the installed `regex` may know another version. Which code points
the two see differently is worked out from the data of 17.0 that two packages carry, and only
around those may the cuts differ.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import groupby

import pytest
import regex
import superword
import unicodedata2
from fontTools import unicodedata as font_unicodedata
from superword import reference
from superword.reference import scripts

EVERY = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
CATEGORIES = [
    *("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No"),
    *("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So"),
    *("Zs", "Zl", "Zp", "Cc", "Cf", "Co", "Cn"),
]
# Two of the same on each side; a line end parts one case from the next.
BETWEEN = {"letters": "xx{}xx\n", "spaces": "  {}  \n", "digits": "11{}11\n"}
BLOCK = 2048


def by_property(names: dict[str, str]) -> dict[str, str]:
    """Each code point → the name of the one of these `regex` properties that it has."""
    text = "".join(EVERY)
    return {
        char: name
        for name, prop in names.items()
        for run in regex.findall(rf"\p{{{prop}}}+", text)
        for char in run
    }


@functools.cache
def categories() -> dict[str, str]:
    """General categories as `regex` knows them."""
    return by_property({name: name for name in CATEGORIES})


@functools.cache
def script_names() -> dict[str, str]:
    """Scripts as `regex` knows them, unassigned code points as Common, like the reference."""
    real = by_property({name: f"Script={name}" for name in scripts.SCRIPTS})
    inherited = by_property({scripts.INHERITED: "Script=Inherited"})
    return dict.fromkeys(EVERY, scripts.COMMON) | inherited | real


@functools.cache
def script_of_17(char: str) -> str:
    name: str = font_unicodedata.script_name(font_unicodedata.script(char))
    return scripts.COMMON if name == "Unknown" else name.replace("'", "").replace(" ", "_")


@functools.cache
def changed() -> frozenset[str]:
    """The code points whose category or script the installed `regex` knows otherwise than 17.0."""
    assert unicodedata2.unidata_version == "17.0.0"
    return frozenset(
        char
        for char in EVERY
        if categories()[char] != unicodedata2.category(char)
        or script_names()[char] != script_of_17(char)
    )


def test_other_versions_of_unicode_only_add_code_points() -> None:
    # What 17.0 assigned may get another script or category later, but that is rare; so if this
    # ever fails, look at the list and decide.
    assert {c for c in changed() if unicodedata2.category(c) != "Cn"} == set()
    # The difference stays small: everything else is compared below.
    assert len(changed()) < 50_000


def pieces_of_runs(names: Iterable[str]) -> dict[str, list[str]]:
    """For each name the text of every code point, cut before and after each run of that name."""
    text = "".join(EVERY)
    pieces: defaultdict[str, list[str]] = defaultdict(list)
    done: defaultdict[str, int] = defaultdict(int)
    start = 0
    for name, run in groupby(names):
        end = start + sum(1 for _ in run)
        pieces[name] += filter(None, [text[done[name] : start], text[start:end]])
        done[name] = start = end
    for name, at in done.items():
        pieces[name] += filter(None, [text[at:]])
    return pieces


def test_every_category_and_script_of_the_engine_is_that_of_unicode_17() -> None:
    text = "".join(EVERY)
    for prefix, wanted in [
        ("", pieces_of_runs(unicodedata2.category(char) for char in EVERY)),
        ("Script=", pieces_of_runs(script_of_17(char) for char in EVERY)),
    ]:
        # Common is compared elsewhere: here the unassigned are among it.
        wanted.pop(scripts.COMMON, None)
        for name, pieces in wanted.items():
            ours = superword.Pretokenizer(pattern=rf"\p{{{prefix}{name}}}+")
            assert ours.split(text) == pieces, name


@pytest.fixture
def fast_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference asks 172 patterns for the script of a code point; here a table knows it."""
    table = script_names()
    monkeypatch.setattr(scripts, "script_of", table.__getitem__)


@pytest.mark.usefixtures("fast_scripts")
@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("preset", reference.PRESETS)
def test_every_code_point_is_cut_as_by_regex(preset: str, between: str) -> None:
    ours = superword.Pretokenizer(preset)
    theirs = reference.Pretokenizer(preset)
    if theirs.script_pattern is None:
        expected: Callable[[str], list[str]] = regex.compile(theirs.pattern).findall
    else:
        expected = theirs.split
    differ = []
    for start in range(0, len(EVERY), BLOCK):
        cases = [BETWEEN[between].format(char) for char in EVERY[start : start + BLOCK]]
        text = "".join(cases)
        if ours.split(text) != expected(text):
            differ += [
                char
                for char, case in zip(EVERY[start : start + BLOCK], cases, strict=True)
                if ours.split(case) != expected(case)
            ]
            # What differs must show around a single code point, or the block hides something.
            assert differ
    assert set(differ) <= changed()

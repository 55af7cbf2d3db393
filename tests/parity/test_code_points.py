"""Around every code point, each preset splits as its pattern does in Python's `regex`.

Most code points stand in long runs of one category and one script: unassigned and private ones,
Chinese characters, Korean syllables. `make test` takes one in 16 of them, both ends of every run
and what a pattern names; `make soak` takes all.

The engine uses Unicode 17.0; the installed `regex` may use another version. The code points on
which they differ are computed from the 17.0 data of two packages. Splits may differ only there.
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
# The same context on both sides; a line end separates the cases.
BETWEEN = {"letters": "xx{}xx\n", "spaces": "  {}  \n", "digits": "11{}11\n"}
BLOCK = 2048
LONG_RUN = 64


def by_property(names: dict[str, str]) -> dict[str, str]:
    """Map each code point to the one of these `regex` properties that it has."""
    text = "".join(EVERY)
    return {
        char: name
        for name, prop in names.items()
        for run in regex.findall(rf"\p{{{prop}}}+", text)
        for char in run
    }


@functools.cache
def categories() -> dict[str, str]:
    """Return the general categories according to `regex`."""
    return by_property({name: name for name in CATEGORIES})


@functools.cache
def script_names() -> dict[str, str]:
    """Return the scripts according to `regex`. Unassigned counts as Common, as in the reference."""
    real = by_property({name: f"Script={name}" for name in scripts.SCRIPTS})
    inherited = by_property({scripts.INHERITED: "Script=Inherited"})
    return dict.fromkeys(EVERY, scripts.COMMON) | inherited | real


@functools.cache
def script_of_17(char: str) -> str:
    name: str = font_unicodedata.script_name(font_unicodedata.script(char))
    return scripts.COMMON if name == "Unknown" else name.replace("'", "").replace(" ", "_")


@functools.cache
def changed() -> frozenset[str]:
    """Return the code points whose category or script in `regex` is not that of Unicode 17.0."""
    assert unicodedata2.unidata_version == "17.0.0"
    return frozenset(
        char
        for char in EVERY
        if categories()[char] != unicodedata2.category(char)
        or script_names()[char] != script_of_17(char)
    )


def test_other_versions_of_unicode_only_add_code_points() -> None:
    # A later version rarely changes what 17.0 assigned, so if this
    # ever fails, look at the list and decide.
    assert {c for c in changed() if unicodedata2.category(c) != "Cn"} == set()
    # The difference must stay small, because it is excluded from the comparison below.
    assert len(changed()) < 50_000


def pieces_of_runs(names: Iterable[str]) -> dict[str, list[str]]:
    """For each name, split the text of all code points around the runs with that name."""
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
        # Common is compared elsewhere, because here it includes unassigned code points.
        wanted.pop(scripts.COMMON, None)
        for name, pieces in wanted.items():
            ours = superword.Pretokenizer(pattern=rf"\p{{{prefix}{name}}}+")
            assert ours.split(text) == pieces, name


@pytest.fixture
def fast_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look scripts up in a table. The reference tries 172 patterns per code point."""
    table = script_names()
    monkeypatch.setattr(scripts, "script_of", table.__getitem__)


@functools.cache
def representatives() -> list[str]:
    """Return all code points but most of those in long runs of one category and script."""
    presets = [reference.Pretokenizer(preset) for preset in reference.PRESETS]
    named = {char for preset in presets for char in f"{preset.pattern}{preset.script_pattern}"}
    # The neighbors too, because a range may end there.
    chosen = [chr(ord(char) + step) for char in sorted(named) for step in (-1, 0, 1)]
    for _, run in groupby(EVERY, lambda char: (unicodedata2.category(char), script_of_17(char))):
        chars = list(run)
        chosen += chars if len(chars) <= LONG_RUN else [chars[0], *chars[8:-1:16], chars[-1]]
    return chosen


def differences(preset: str, between: str, chars: list[str]) -> set[str]:
    """Return the code points around which the preset splits differently from `regex`."""
    ours = superword.Pretokenizer(preset)
    theirs = reference.Pretokenizer(preset)
    if theirs.script_pattern is None:
        expected: Callable[[str], list[str]] = theirs._main.findall
    else:
        expected = theirs.split
    differ: set[str] = set()
    for start in range(0, len(chars), BLOCK):
        block = chars[start : start + BLOCK]
        cases = [BETWEEN[between].format(char) for char in block]
        text = "".join(cases)
        if ours.split(text) != expected(text):
            found = {
                char
                for char, case in zip(block, cases, strict=True)
                if ours.split(case) != expected(case)
            }
            # A difference in a block must be due to at least one single code point.
            assert found
            differ |= found
    return differ


@pytest.mark.usefixtures("fast_scripts")
@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("preset", reference.PRESETS)
def test_code_points_are_cut_as_by_regex(preset: str, between: str) -> None:
    chars = representatives()
    assert len(chars) > 90_000
    assert differences(preset, between, chars) <= changed()


@pytest.mark.soak
@pytest.mark.usefixtures("fast_scripts")
@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("preset", reference.PRESETS)
def test_every_code_point_is_cut_as_by_regex(preset: str, between: str) -> None:
    assert differences(preset, between, EVERY) <= changed()

"""The patterns of an export: for words (fine) and for runs of words (coarse)."""

from __future__ import annotations

from superword.export.unicode import pinned
from superword.pretokenizer import Pretokenizer, preset_names

__all__ = ["EXPORTABLE", "coarse_of", "fine_of", "preset_of"]

# The preset whose models can be exported exactly (the paper's Listing 3).
EXPORTABLE = "gpt4o-export"

# How many branches of each preset match words, and how many come before those.
_WORD_BRANCHES = {"gpt4o": (0, 2), "gpt4o-export": (0, 2), "gpt4": (1, 1), "gpt2": (1, 1)}


def preset_of(pattern: str) -> str | None:
    """The preset with this pattern, or with this pattern once exported, or None."""
    for name in preset_names():
        preset = Pretokenizer(name)
        known = preset.pattern
        if preset.script_pattern is None and pattern in (known, pinned(known)):
            return name
    return None


def fine_of(pretokenizer: Pretokenizer) -> str:
    """The pattern that splits like `pretokenizer`, which has no script pattern."""
    pattern = pretokenizer.pattern
    return pattern if preset_of(pattern) is None else pinned(pattern)


def coarse_of(pretokenizer: Pretokenizer) -> str | None:
    """The pattern that matches a run of words, or None if its branches for words are unknown.

    With the word branches `a|b` it has `(?:a|b)+` (the paper's Appendix C).
    """
    name = preset_of(pretokenizer.pattern)
    if name not in _WORD_BRANCHES:
        return None
    before, words = _WORD_BRANCHES[name]
    parts = branches(pretokenizer.pattern)
    run = "(?:" + "|".join(parts[before : before + words]) + ")+"
    return pinned("|".join([*parts[:before], run, *parts[before + words :]]))


def branches(pattern: str) -> list[str]:
    """The alternatives at the top of a pattern: `branches("a|(?:b|c)")` is `['a', '(?:b|c)']`."""
    found = [""]
    depth, inside, escaped = 0, False, False
    for char in pattern:
        if not escaped and not inside:
            if char == "|" and depth == 0:
                found.append("")
                continue
            depth += (char == "(") - (char == ")")
        if not escaped:
            inside = char == "[" or (inside and char != "]")
        escaped = char == "\\" and not escaped
        found[-1] += char
    return found

"""The patterns of an export: for words (fine) and for runs of words (coarse)."""

from __future__ import annotations

from collections.abc import Collection

from superword import _core
from superword.export.unicode import pinned
from superword.pretokenizer import Pretokenizer, preset_names

__all__ = [
    "DEEPSEEK_SPLITS",
    "branches",
    "char_class",
    "coarse_of",
    "escaped",
    "fine_of",
    "preset_of",
]

# How many branches of each preset match words, and how many come before those.
_WORD_BRANCHES = {
    "gpt4o": (0, 2),
    "gpt4o-export": (0, 2),
    "gpt4o-portable": (0, 3),
    "tekken": (0, 2),
    "gpt4": (1, 1),
    "qwen2": (1, 1),
    "gpt2": (1, 1),
}

# The splits of DeepSeek V3, one after the other, as they are published. The preset `deepseek-v3` is
# one pattern for all of them.
DEEPSEEK_SPLITS = tuple(_core.deepseek_splits())

# Not `<` and `>`: with a backslash they are the beginning and end of a word in Rust.
_SPECIAL = frozenset("\\.+*?()|[]{}^$-&~")


def preset_of(pattern: str) -> str | None:
    """The preset with this pattern, or with this pattern once exported for Unicode 17, or None."""
    for name in preset_names():
        preset = Pretokenizer(name)
        if preset.script_pattern is None and pattern in (preset.pattern, pinned(preset.pattern)):
            return name
    return None


def fine_of(pretokenizer: Pretokenizer) -> str:
    """The pattern that splits like `pretokenizer`, which has no script pattern.

    A pattern that means the same as a preset is written as the preset writes it. Others read it
    as it is meant, and recognise it: Oniguruma reads the `{1,3}+` of tiktoken as a repetition.
    """
    preset = pretokenizer.meaning
    return pretokenizer.pattern if preset is None else Pretokenizer(preset).pattern


def coarse_of(pretokenizer: Pretokenizer) -> str | None:
    """The pattern that matches a run of words, or None if its branches for words are unknown.

    With the word branches `a|b` it has `(?:a|b)+` (the paper's Appendix C).
    """
    preset = pretokenizer.meaning
    if preset not in _WORD_BRANCHES:
        return None
    before, words = _WORD_BRANCHES[preset]
    parts = branches(fine_of(pretokenizer))
    run = "(?:" + "|".join(parts[before : before + words]) + ")+"
    return "|".join([*parts[:before], run, *parts[before + words :]])


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


def char_class(chars: Collection[str]) -> str:
    """A pattern for one of these characters."""
    if len(chars) == 1:
        return escaped(next(iter(chars)))
    return f"[{''.join(map(escaped, sorted(chars)))}]"


def escaped(char: str) -> str:
    """A character as all regex engines read it, inside and outside of a class."""
    if char in _SPECIAL:
        return "\\" + char
    if ord(char) < 0x20 or ord(char) == 0x7F:
        return f"\\x{ord(char):02x}"
    return char

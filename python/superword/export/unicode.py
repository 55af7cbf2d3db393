"""Patterns that mean the same in regex engines with different versions of Unicode.

Models split text by the categories of Unicode 17.0. Other engines may still use Unicode 16.0, in
which the letters that are new in 17.0 are not letters. So an exported pattern lists the new
characters: `\\p{Lt}` stays, while `\\p{Lu}` becomes a class of `\\p{Lu}` and the four ranges that
17.0 added. In an engine with Unicode 17.0 this changes nothing.
"""

from __future__ import annotations

import re

from superword.errors import ExportError

__all__ = ["pinned"]

# The characters that are in a category or script in Unicode 17.0 but not in 16.0: new ones, and
# U+0295, which moved from Ll to Lo. A test compares every code point with the installed engines.
_NEW: dict[str, str] = {
    "Lu": "A7CE A7D2 A7D4 16EA0-16EB8",
    "Ll": "A7CF 16EBB-16ED3",
    "Lm": "A7F1 10EC5 11DD9 16FF2-16FF3 1E6FF",
    "Lo": "295 88F C5C CDC 10940-10959 10EC6-10EC7 11DB0-11DD8 11DDA-11DDB 187F8-187FF "
    "18D09-18D1E 18D80-18DF2 1E6C0-1E6DE 1E6E0-1E6E2 1E6E4-1E6E5 1E6E7-1E6ED 1E6F0-1E6F4 1E6FE "
    "2B73A-2B73F 2CEA2-2CEAD 323B0-33479",
    "M": "1ACF-1ADD 1AE0-1AEB 10EFA-10EFB 11B60-11B67 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5",
    "N": "11DE0-11DE9 16FF4-16FF6",
    "Lt": "",
    "P": "10ED0",
    "S": "20C1 2B96 FBC3-FBD2 FD90-FD91 FDC8-FDCE 10ED1-10ED8 1CCFA-1CCFC 1CEBA-1CED0 1CEE0-1CEF0 "
    "1F6D8 1F777-1F77A 1F8D0-1F8D8 1FA54-1FA57 1FA8A 1FA8E 1FAC8 1FACD 1FAEA 1FAEF 1FBFA",
    "Han": "16FF2-16FF6 2B73A-2B73F 2CEA2-2CEAD 323B0-33479",
    **dict.fromkeys(["Hiragana", "Katakana", "Thai", "Myanmar", "Khmer", "Lao"], ""),
}
_NEW["L"] = " ".join(_NEW[category] for category in ("Lu", "Ll", "Lm", "Lo"))

_PART = re.compile(r"\\p\{(\w+)\}|\\.|\[\^?|\]|[^\\\[\]]+", re.DOTALL)


def pinned(pattern: str) -> str:
    """Add the new letters, marks and numbers of Unicode 17.0 to the classes of a pattern.

    >>> pinned(r"\\p{Lt}x[\\p{Lt}]")
    '[\\\\p{Lt}]x[\\\\p{Lt}]'

    For patterns that consist of literals, groups and classes with `\\p{...}`, like the presets.
    """
    out: list[str] = []
    depth = 0  # How many classes are open; `[a&&[b]]` has one inside another.
    for part in _PART.finditer(pattern):
        text, category = part[0], part[1]
        if category is not None:
            if category not in _NEW:
                raise ExportError(
                    f"the property {category} in a pattern cannot be written for Unicode 17",
                    hint="export with `unicode='engine'`",
                    reason="category",
                )
            named = text + _ranges(category)
            text = named if depth else f"[{named}]"
        elif text.startswith("["):
            depth += 1
        elif text == "]":
            depth -= 1
        out.append(text)
    return "".join(out)


def _ranges(category: str) -> str:
    # The characters themselves, because no escape for them works in all engines.
    found = []
    for span in _NEW[category].split():
        first, _, last = span.partition("-")
        found.append(chr(int(first, 16)) + (f"-{chr(int(last, 16))}" if last else ""))
    return "".join(found)

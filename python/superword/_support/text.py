"""Helpers for messages: similar names, sizes, lone surrogates, control characters."""

from __future__ import annotations

import re
from collections.abc import Iterable

from superword.errors import TextError

_UNITS = {"": 1, "b": 1}
for _power, _letter in enumerate("kmgt", start=1):
    _UNITS[_letter] = _UNITS[_letter + "b"] = 1000**_power
    _UNITS[_letter + "ib"] = 1024**_power


def suggestion(wrong: str, names: Iterable[str]) -> str:
    """What to write instead of a wrong name: similar names, or all names if none is similar.

    >>> suggestion("boundles", ["bpe", "boundless"])
    "did you mean 'boundless'?"
    """
    import difflib  # Imported here to keep `import superword` fast.

    known = list(names)
    folded = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(wrong.casefold(), folded, n=3, cutoff=0.6)
    if near:
        return "did you mean " + " or ".join(repr(folded[name]) for name in near) + "?"
    return "choose one of " + ", ".join(known)


def parse_size(text: str) -> int:
    """A size in bytes: `"10GB"` is 10**10, `"4MiB"` is 4 * 2**20. `ValueError` if it is not one."""
    match = re.fullmatch(r"\s*([0-9][0-9_]*(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", text)
    unit = _UNITS.get(match[2].lower()) if match else None
    if match is None or unit is None:
        raise ValueError(f"{text!r} is not a number of bytes")
    return (
        round(float(match[1].replace("_", "")) * unit) if "." in match[1] else int(match[1]) * unit
    )


def format_bytes(count: float) -> str:
    """A size for people, in powers of 1000: `format_bytes(1_500_000)` is `'1.5 MB'`."""
    if count < 1000:
        return f"{count:.0f} B"
    for unit in ("kB", "MB", "GB"):
        count /= 1000
        if count < 999.5:
            return f"{count:.1f} {unit}" if count < 99.5 else f"{count:.0f} {unit}"
    return f"{count / 1000:.1f} TB"


def format_seconds(seconds: float) -> str:
    """A duration for people: `'0.42 s'`, `'12.3 s'`, `'4 min 05 s'`, `'2 h 03 min'`."""
    if seconds < 10:
        return f"{seconds:.2f} s"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def plural(count: int, noun: str) -> str:
    """`plural(1, "file")` is `'1 file'`, `plural(2000, "file")` is `'2,000 files'`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def lone_surrogate(error: UnicodeEncodeError, where: str = "the text") -> TextError:
    """The error for a str with a lone surrogate, made from Python's own error."""
    position = error.start
    found = f" U+{ord(error.object[position]):04X}" if position < len(error.object) else ""
    return TextError(
        f"{where} has a lone surrogate{found} at character {position}, so it is not valid Unicode",
        hint='clean it first: text.encode("utf-8", "replace").decode()',
        position=position,
    )


def surrogate_in(text: str) -> UnicodeEncodeError | None:
    """Python's own error if the str has a lone surrogate, else None."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error
    return None


# Characters that must not reach a terminal as they are, besides U+0000 to U+001F: other control
# characters, those that reorder text or end a line, and lone surrogates. Part of a regex set.
UNSAFE = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"

_CONTROL = re.compile(f"[\x00-\x1f{UNSAFE}]")


def printable(text: str) -> str:
    r"""Text from a file or a model, safe to show on a terminal.

    Control characters are escaped, so that the text cannot move the cursor, change colors or
    reorder what is shown: `printable("a\x1b[31m")` is `'a\\x1b[31m'`.
    """
    return _CONTROL.sub(lambda found: _escaped(found[0]), text)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"

"""SVG elements as text, and how wide text will be."""

from __future__ import annotations

import html
import re
import unicodedata

from superword._support.paths import as_unicode
from superword._support.text import printable

__all__ = ["element", "escaped", "placed", "shorten", "text", "width_of", "wrap"]

# XML has no way to write these characters.
_NEVER = re.compile("[\ufffe\uffff]")

_WIDTHS = {
    **dict.fromkeys("ijl.,:;'|!I ", 0.28),
    **dict.fromkeys('ftr()[]{}-/\\"`', 0.36),
    **dict.fromkeys("mwMW%@", 0.89),
}
# Fonts differ. DejaVu Sans, the widest common one, is about this much wider than Helvetica.
_SAFETY = 1.12


def escaped(text: str) -> str:
    """Text from a model or a file, safe in HTML and XML, in elements and in attributes."""
    return html.escape(_NEVER.sub("\ufffd", printable(as_unicode(text))))


def element(name: str, *children: str, **attributes: str | float | None) -> str:
    """An element. Children are markup already; attributes are escaped here.

    >>> element("line", x1=0.123, class_="axis", stroke_width=2)
    '<line x1="0.12" class="axis" stroke-width="2"/>'
    """
    shown = ""
    for key, value in attributes.items():
        if value is not None:
            key = key if key == "viewBox" else key.rstrip("_").replace("_", "-")
            shown += (
                f' {key}="{placed(value) if isinstance(value, float | int) else escaped(value)}"'
            )
    if not children:
        return f"<{name}{shown}/>"
    return f"<{name}{shown}>{''.join(children)}</{name}>"


def placed(value: float) -> str:
    """A coordinate, with as few digits as a screen needs."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def text(
    x: float,
    y: float,
    content: str,
    *,
    class_: str | None = None,
    anchor: str | None = None,
    full: str | None = None,
    transform: str | None = None,
) -> str:
    """A line of text. `full` is what a shortened text means, and is shown as a tooltip."""
    children = [escaped(content)]
    if full is not None and full != content:
        children.append(element("title", escaped(full)))
    return element(
        "text", *children, x=x, y=y, class_=class_, text_anchor=anchor, transform=transform
    )


def width_of(content: str, size: float) -> float:
    """About how wide a text is in the given font size, rather more than less."""
    width = 0.0
    for char in content:
        if char in _WIDTHS:
            width += _WIDTHS[char]
        elif unicodedata.east_asian_width(char) in "WF":
            width += 1.0
        elif unicodedata.combining(char):
            continue
        else:
            width += 0.69 if char.isupper() else 0.57
    return width * size * _SAFETY


def shorten(content: str, size: float, most: float) -> str:
    """The text, or its start and end with an ellipsis between them if it is too wide.

    Names of models often differ at the end, so that is kept.
    """
    content = printable(as_unicode(content))
    if width_of(content, size) <= most:
        return content
    # No chart has room for more, and names may be very long.
    start, end = content[: len(content) // 2][:120], content[len(content) // 2 :][-120:]
    while start and width_of(f"{start}…{end}", size) > most:
        start, end = (start[:-1], end) if len(start) >= len(end) else (start, end[1:])
    return f"{start}…{end}"


def wrap(content: str, size: float, most: float) -> list[str]:
    """Lines of words, none wider than `most` unless a word is."""
    lines: list[str] = []
    for word in content.split(" "):
        if lines and width_of(f"{lines[-1]} {word}", size) <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines

"""Tokens of a text for a terminal or a text file: in colors, or with bars between them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Literal

from superword._support.visible import visible
from superword.views.encoded import Encoded, Piece
from superword.views.totals import HEAD, rows

__all__ = ["BAR", "Style", "style_for", "table", "tokens"]

Style = Literal["color", "underline", "plain"]
"""Colors and underlining; bars and underlining; bars only."""

BAR = "│"
_UNDERLINE = "\x1b[4m"
_RESET = "\x1b[0m"
# Black on light backgrounds, so that they can be read on dark and light terminals.
_COLORS = [f"\x1b[38;5;16;48;5;{color}m" for color in (153, 229, 157, 217, 183)]
_SPECIAL = "\x1b[1;38;5;231;48;5;60m"
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def style_for(stream: IO[str], color: Literal["auto", "always", "never"] = "auto") -> Style:
    """The style for a stream: colors only on a terminal, and never with NO_COLOR."""
    if color == "always":
        return "color"
    if not stream.isatty():
        return "plain"
    # NO_COLOR forbids colors, but underlining is none.
    return "underline" if color == "never" or os.environ.get("NO_COLOR") else "color"


def tokens(
    pieces: Iterable[Piece], style: Style, *, ids: bool = False, width: int | None = None
) -> Iterator[str]:
    """Yield the text with its tokens, part by part. Join the parts.

    With `width`, lines with colors are broken after that many columns. Otherwise a terminal would
    break them, and some terminals color the rest of the line.
    """
    known: dict[Piece, str] = {}
    line = _Line(width if style == "color" else None)
    for place, piece in enumerate(pieces):
        text = known.get(piece)
        if text is None:
            text = visible(piece.content)
            if style != "color":
                text = text.replace(BAR, "\\u2502")
            if ids:
                # Before a line break, so that the id is beside its token.
                body = text.rstrip("\n")
                text = body + str(piece.id).translate(_SUBSCRIPTS) + text[len(body) :]
            known[piece] = text
        if style == "color":
            color = _COLORS[place % len(_COLORS)]
            if piece.kind in ("special", "added"):
                color = _SPECIAL
            elif piece.kind == "superword":
                color += _UNDERLINE
            yield line.styled(text, color)
        else:
            bar = BAR if place else ""
            underlined = style == "underline" and piece.kind == "superword"
            yield bar + (line.styled(text, _UNDERLINE) if underlined else text)


class _Line:
    """Where on a line of the terminal the text has arrived."""

    def __init__(self, width: int | None) -> None:
        self.width = width
        self.column = 0

    def styled(self, text: str, style: str) -> str:
        """The text in a style that never reaches over the end of a line."""
        if self.width is None:
            return "\n".join(f"{style}{part}{_RESET}" if part else "" for part in text.split("\n"))
        lines = []
        for number, part in enumerate(text.split("\n")):
            if number:
                self.column = 0
            lines.append(
                "\n".join(f"{style}{row}{_RESET}" if row else "" for row in self._rows(part))
            )
        return "\n".join(lines)

    def _rows(self, text: str) -> list[str]:
        """Break text without line breaks into rows that fit."""
        from rich.cells import cell_len

        assert self.width is not None
        size = cell_len(text)
        if self.column + size <= self.width:
            self.column += size
            return [text]
        rows = [""]
        for char in text:
            size = cell_len(char)
            if self.column and self.column + size > self.width:
                rows.append("")
                self.column = 0
            rows[-1] += char
            self.column += size
        return rows


def table(models: Sequence[Encoded]) -> str:
    """The number of tokens of each model, and how much shorter than the first it is."""
    from rich.cells import cell_len

    cells = [HEAD, *rows(models)]
    widths = [max(cell_len(row[column]) for row in cells) for column in range(4)]
    return "\n".join(
        row[0]
        + " " * (widths[0] - cell_len(row[0]))
        + "".join(f"  {row[column]:>{widths[column]}}" for column in range(1, 4))
        + (f"  {row[4]}" if row[4] else "")
        for row in cells
    )

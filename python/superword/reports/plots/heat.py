"""Heat maps: a table of numbers whose cells are colored."""

from __future__ import annotations

import math
from dataclasses import dataclass

from superword.reports.formats import NONE
from superword.reports.plots.alone import Alone
from superword.reports.plots.frame import SMALL, canvas, heading
from superword.reports.plots.svg import element, escaped, placed, shorten, text, width_of, wrap

__all__ = ["HeatMap"]

_NARROW = 480
_TALL = 30.0
_SLANT = 35.0


@dataclass(frozen=True)
class HeatMap(Alone):
    """Numbers by row and column. With `center`, smaller and larger values have different colors.

    On a narrow page rows and columns change places if there are more columns than rows.
    """

    title: str
    about: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    center: float | None = None
    scale: str = ""
    """What the colors mean, below the map."""

    def draw(self, width: int, id: str) -> str:
        """The chart as an `<svg>` element of this width."""
        rows, columns, values = self.rows, self.columns, self.values
        if width <= _NARROW and len(columns) > len(rows):
            rows, columns = columns, rows
            values = tuple(zip(*self.values, strict=True))
        parts, top = heading(self.title, width)
        left = min(width * 0.32, max(width_of(name, SMALL) for name in rows) + 12)
        wide = min(90.0, (width - left - 4) / len(columns))
        drawn, taken = _column_names(columns, left, top + 4, wide)
        parts += drawn
        top += taken
        size = min(SMALL, SMALL * (wide - 4) / width_of("00.00", SMALL))
        for i, name in enumerate(rows):
            y = top + i * _TALL
            shown = shorten(name, SMALL, left - 10)
            parts.append(
                text(left - 8, y + _TALL / 2 + 4, shown, class_="name", anchor="end", full=name)
            )
            for j, value in enumerate(values[i]):
                tip = f"{name}, {columns[j]}"
                parts += self._cell(value, left + j * wide, y, wide, tip, size)
        bottom = top + _TALL * len(rows)
        if self.scale:
            for line in wrap(self.scale, SMALL, width - left):
                parts.append(text(left, bottom + 20, line, class_="unit"))
                bottom += 17
            bottom += 7
        return canvas(width, bottom + 6, id, self.title, self.about, parts)

    def _cell(
        self, value: float | None, x: float, y: float, wide: float, tip: str, size: float
    ) -> list[str]:
        shown = NONE if value is None else f"{value:.2f}"
        share, kind = self._shade(value)
        return [
            element(
                "rect",
                element("title", escaped(f"{tip}: {shown}")),
                x=x + 1,
                y=y + 1,
                width=wide - 2,
                height=_TALL - 2,
                rx=2,
                class_=f"cell {kind}",
                fill_opacity=share,
            ),
            element(
                "text",
                shown,
                x=x + wide / 2,
                y=y + _TALL / 2 + 4,
                text_anchor="middle",
                class_=f"value{_ink(share)}",
                style=None if size >= SMALL else f"font-size:{placed(size)}px",
            ),
        ]

    def _shade(self, value: float | None) -> tuple[float, str]:
        """How strong the color of a cell is, from 0 to 1, and which color."""
        known = [v for row in self.values for v in row if v is not None]
        if value is None:
            return 0.0, "more"
        if self.center is None:
            low, high = min(known), max(known)
            return 0.06 + 0.89 * ((value - low) / (high - low) if high > low else 0.5), "more"
        far = max(abs(v - self.center) for v in known) or 1.0
        share = 0.95 * abs(value - self.center) / far
        return share, "more" if value < self.center else "less"


def _ink(share: float) -> str:
    """The class of text on a cell: dark colors need light text, and the reverse."""
    return " strong" if share > 0.8 else " middle" if share > 0.68 else ""


def _column_names(
    names: tuple[str, ...], left: float, top: float, wide: float
) -> tuple[list[str], float]:
    """The names above the columns, slanted if they are too wide, and the height they take."""
    if all(width_of(name, SMALL) <= wide - 6 for name in names):
        return [
            text(left + (i + 0.5) * wide, top + 12, name, class_="name", anchor="middle")
            for i, name in enumerate(names)
        ], 24.0
    radians = math.radians(_SLANT)
    parts, high = [], 0.0
    for i, name in enumerate(names):
        # They run down to their column from the left, where there is room above the names of rows.
        x = left + (i + 0.6) * wide
        shown = shorten(name, SMALL, min(150.0, x / math.cos(radians) - 6))
        high = max(high, width_of(shown, SMALL) * math.sin(radians))
        parts.append((x, shown, name))
    base = top + high + 8
    drawn = [
        text(
            0,
            0,
            shown,
            class_="name",
            anchor="end",
            full=name,
            transform=f"translate({placed(x)},{placed(base)}) rotate({placed(_SLANT)})",
        )
        for x, shown, name in parts
    ]
    return drawn, high + 18

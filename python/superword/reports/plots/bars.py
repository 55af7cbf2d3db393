"""Horizontal bars: a row for each category, with one bar for each series."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from superword.reports.formats import number, ticks
from superword.reports.plots.alone import Alone
from superword.reports.plots.frame import SMALL, canvas, heading, legend, x_scale
from superword.reports.plots.scales import Axis, scale_for
from superword.reports.plots.svg import element, escaped, placed, shorten, text, width_of

__all__ = ["BarChart", "Bars"]


@dataclass(frozen=True)
class Bars:
    """The bars of one color: a value for each category, or None."""

    name: str
    index: int
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class BarChart(Alone):
    """Bars in groups. `line` marks a value that bars are compared with."""

    title: str
    about: str
    axis: Axis
    categories: tuple[str, ...]
    series: tuple[Bars, ...]
    shown: Callable[[float | None], str] = number
    line: float | None = None

    def draw(self, width: int, id: str) -> str:
        """The chart as an `<svg>` element of this width."""
        parts, top = heading(self.title, width)
        entries = [(bars.name, bars.index) for bars in self.series]
        drawn, taken = legend(entries, top, width, _swatch)
        parts += drawn
        top += taken
        # Thin bars for many, with labels only where they fit.
        total = len(self.categories) * len(self.series)
        thick = 17.0 if total <= 12 else 14.0 if total <= 40 else 9.0
        gap = 12.0 if len(self.series) > 1 else 7.0
        row = thick * len(self.series) + gap
        names = [shorten(name, SMALL, width * 0.3) for name in self.categories]
        left = max(width_of(name, SMALL) for name in names) + 10
        values = [v for bars in self.series for v in bars.values if v is not None]
        labelled = thick >= 13
        room = (
            max((width_of(self.shown(v), SMALL - 1) for v in values), default=0) if labelled else 0
        )
        values += [self.line] if self.line is not None else []
        right = width - max(16, 8 + room)
        bottom = top + row * len(self.categories) + 4
        x = x_scale(self.axis, [*values, 0.0], left, right)
        x = scale_for(self.axis, [*values, 0.0], left, right, max(2, len(x.ticks)), nice=True)
        for value, shown in zip(x.ticks, ticks(x.ticks, self.axis.percents), strict=True):
            at = placed(x(value))
            parts.append(element("path", d=f"M{at},{placed(top)}V{placed(bottom)}", class_="grid"))
            parts.append(text(x(value), bottom + 15, shown, class_="tick", anchor="middle"))
        for place, (name, full) in enumerate(zip(names, self.categories, strict=True)):
            y = top + place * row + gap / 2
            middle = y + thick * len(self.series) / 2 + 4
            parts.append(text(left - 8, middle, name, class_="name", anchor="end", full=full))
            for nth, bars in enumerate(self.series):
                parts += self._bar(bars, place, x(0.0), x, y + nth * thick, thick, labelled)
        if self.line is not None:
            at = placed(x(self.line))
            d = f"M{at},{placed(top)}V{placed(bottom)}"
            parts.append(element("path", d=d, class_="reference"))
        parts.append(
            text((left + right) / 2, bottom + 36, self.axis.title, class_="unit", anchor="middle")
        )
        return canvas(width, bottom + 44, id, self.title, self.about, parts)

    def _bar(
        self,
        bars: Bars,
        place: int,
        zero: float,
        x: Callable[[float], float],
        y: float,
        thick: float,
        labelled: bool,
    ) -> list[str]:
        value = bars.values[place]
        if value is None:
            return []
        label = self.shown(value)
        tip = element("title", escaped(f"{bars.name}, {self.categories[place]}: {label}"))
        end = x(value)
        parts = [
            element(
                "rect",
                tip,
                x=min(zero, end),
                y=y + 0.75,
                width=max(0.5, abs(end - zero)),
                height=thick - 1.5,
                rx=1.5,
                class_=f"bar s{bars.index % 8}",
            )
        ]
        if labelled:
            at = max(zero, end) + 4
            parts.append(text(at, y + thick / 2 + 4, label, class_="value"))
        return parts


def _swatch(x: float, y: float, index: int) -> list[str]:
    return [element("rect", x=x, y=y - 6, width=26, height=12, rx=1.5, class_=f"bar s{index % 8}")]

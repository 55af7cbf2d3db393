"""Line charts, with one panel or several small ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from superword.reports.plots.alone import Alone
from superword.reports.plots.frame import (
    SMALL,
    Box,
    canvas,
    heading,
    legend,
    marker,
    panel_frame,
    stroke,
    tick_width,
    x_scale,
)
from superword.reports.plots.scales import Axis, Scale, scale_for
from superword.reports.plots.svg import element, placed, shorten, text

__all__ = ["LineChart", "Panel", "Series"]

_GAP = 22.0
# Room at the right, for half of the label of the last tick.
_EDGE = 18.0
_NARROW = 480


@dataclass(frozen=True)
class Series:
    """A line. `index` chooses its color, dashes and marker."""

    name: str
    index: int
    points: tuple[tuple[float, float], ...]
    marks: tuple[tuple[float, float], ...] | None = None
    """Where the markers are. None: here and there, only to tell lines apart."""


@dataclass(frozen=True)
class Panel:
    """One frame of a chart with its lines. Without its own axes it has those of the chart."""

    title: str | None
    series: tuple[Series, ...]
    x: Axis | None = None
    y: Axis | None = None


@dataclass(frozen=True)
class LineChart(Alone):
    """Lines in one or several panels. Panels without their own axes share their scales."""

    title: str
    about: str
    x: Axis
    y: Axis
    panels: tuple[Panel, ...]

    @property
    def shared(self) -> bool:
        """Whether all panels have the same scales."""
        return all(panel.x is None and panel.y is None for panel in self.panels)

    def draw(self, width: int, id: str) -> str:
        """The chart as an `<svg>` element of this width."""
        parts, top = heading(self.title, width)
        named: dict[str, int] = {}
        for panel in self.panels:
            for series in panel.series:
                named.setdefault(series.name, series.index)
        drawn, taken = legend(sorted(named.items(), key=lambda entry: entry[1]), top, width)
        parts += drawn
        top += taken
        drawn, height = self._panels(width, top) if self.shared else self._separate(width, top)
        return canvas(width, height, id, self.title, self.about, parts + drawn)

    def _panels(self, width: int, top: float) -> tuple[list[str], float]:
        """Panels in a grid with shared scales. Only the outer ones have labels."""
        most = 4 if width > _NARROW else 2
        rows = math.ceil(len(self.panels) / most)
        columns = math.ceil(len(self.panels) / rows)
        tall = _height(columns, width)
        everything = [point for panel in self.panels for s in panel.series for point in s.points]
        ys = [y for _, y in everything]
        titled = 18.0 if self.panels[0].title is not None else 0.0
        parts = [text(0, top + 10, self.y.title, class_="unit")]
        top += 22
        y = scale_for(self.y, ys, tall, 0, _most(tall), nice=True)
        left = tick_width(self.y, y) + 8
        inner = (width - left - _EDGE - _GAP * (columns - 1)) / columns
        bottom = top
        for place, panel in enumerate(self.panels):
            row, column = divmod(place, columns)
            x0 = left + column * (inner + _GAP)
            y0 = top + titled + row * (tall + titled + _GAP / 2)
            box = Box(x0, y0, x0 + inner, y0 + tall)
            below = place + columns >= len(self.panels)
            y = scale_for(self.y, ys, box.bottom, box.top, _most(tall), nice=True)
            x = x_scale(self.x, [x for x, _ in everything], box.left, box.right)
            parts += panel_frame(box, x, y, self.x, self.y, x_labels=below, y_labels=column == 0)
            parts += _titled(panel, box)
            parts += _lines(panel.series, x, y)
            bottom = max(bottom, box.bottom)
        middle = left + (width - _EDGE - left) / 2
        parts.append(text(middle, bottom + 38, self.x.title, class_="unit", anchor="middle"))
        return parts, bottom + 46

    def _separate(self, width: int, top: float) -> tuple[list[str], float]:
        """Panels beside each other, or below each other on a narrow page, each with its axes."""
        columns = len(self.panels) if width > _NARROW else 1
        tall = _height(columns, width)
        share = (width - _GAP * (columns - 1)) / columns
        parts: list[str] = []
        bottom = top
        for place, panel in enumerate(self.panels):
            row, column = divmod(place, columns)
            x_axis, y_axis = panel.x or self.x, panel.y or self.y
            points = [point for series in panel.series for point in series.points]
            start = column * (share + _GAP)
            y0 = top + row * (tall + 108) + 40
            y = scale_for(y_axis, [y for _, y in points], y0 + tall, y0, _most(tall), nice=True)
            left = start + tick_width(y_axis, y) + 8
            box = Box(left, y0, start + share - _EDGE, y0 + tall)
            x = x_scale(x_axis, [x for x, _ in points], box.left, box.right)
            if panel.title is not None:
                parts.append(text(start, y0 - 28, panel.title, class_="panel"))
            parts.append(text(start, y0 - 11, y_axis.title, class_="unit"))
            parts += panel_frame(box, x, y, x_axis, y_axis, x_labels=True, y_labels=True)
            parts += _lines(panel.series, x, y)
            middle = (box.left + box.right) / 2
            below = box.bottom + 38
            parts.append(text(middle, below, x_axis.title, class_="unit", anchor="middle"))
            bottom = max(bottom, box.bottom)
        return parts, bottom + 46


def _height(columns: int, width: int) -> float:
    if columns == 1:
        return 300.0 if width > _NARROW else 220.0
    return {2: 230.0, 3: 170.0}.get(columns, 130.0) if width > _NARROW else 120.0


def _most(tall: float) -> int:
    return max(3, int(tall / 32))


def _titled(panel: Panel, box: Box) -> list[str]:
    if panel.title is None:
        return []
    shown = shorten(panel.title, SMALL, box.right - box.left)
    return [text(box.left, box.top - 6, shown, class_="panel", full=panel.title)]


def _lines(series: Sequence[Series], x: Scale, y: Scale) -> list[str]:
    parts = []
    for place, one in enumerate(series):
        points = _thinned([(x(a), y(b)) for a, b in one.points if not y.log or b > 0])
        if len(points) > 1:
            d = "M" + "L".join(f"{placed(a)},{placed(b)}" for a, b in points)
            parts.append(element("path", d=d, fill="none", **stroke(one.index)))
        if one.marks is not None:
            marks = [(x(a), y(b)) for a, b in one.marks if x.low <= a <= x.high]
        else:
            marks = _spread(points, place, len(series), abs(x.end - x.start))
        parts += [marker(a, b, one.index) for a, b in marks]
    return parts


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most one point for each pixel and a half, and always the last one."""
    kept: list[tuple[float, float]] = []
    for point in points:
        if not kept or abs(point[0] - kept[-1][0]) >= 1.5:
            kept.append(point)
    if points and kept[-1] != points[-1]:
        kept.append(points[-1])
    return kept


def _spread(
    points: list[tuple[float, float]], place: int, lines: int, width: float
) -> list[tuple[float, float]]:
    """A few points of a line, at other places than those of the other lines."""
    if len(points) <= 1:
        return points
    step = max(56.0, width / 5)
    at = points[0][0] + step * (place + 0.5) / lines
    marks: list[tuple[float, float]] = []
    while at <= points[-1][0]:
        after = next(i for i, point in enumerate(points) if point[0] >= at)
        (x0, y0), (x1, y1) = points[max(0, after - 1)], points[after]
        share = (at - x0) / (x1 - x0) if x1 > x0 else 0.0
        marks.append((at, y0 + share * (y1 - y0)))
        at += step
    return marks or [points[-1]]

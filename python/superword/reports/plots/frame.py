"""What all charts share: the `<svg>` element, the title, the legend, the frame of a panel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from superword.reports.formats import ticks
from superword.reports.plots.scales import Axis, Scale, scale_for
from superword.reports.plots.svg import element, escaped, placed, shorten, text, width_of, wrap

__all__ = [
    "SMALL",
    "Box",
    "canvas",
    "heading",
    "legend",
    "marker",
    "panel_frame",
    "stroke",
    "tick_width",
    "x_scale",
]

BOLD = 14.0
SMALL = 12.0
_STYLES = 8
# Lines can be told apart without colors: each style has its own dashes and its own marker.
_DASHES = (None, "7 3", "2 3", "9 3 2 3", "14 4", "5 2 1 2 1 2", "3 5", "11 3 4 3")
_MARKERS = (
    "M-3.6,0a3.6,3.6 0 1,0 7.2,0a3.6,3.6 0 1,0 -7.2,0z",
    "M-3.2,-3.2h6.4v6.4h-6.4z",
    "M0,-4.2L4,3.2H-4z",
    "M0,-4.6L4.6,0L0,4.6L-4.6,0z",
    "M0,4.2L4,-3.2H-4z",
    "M-4.2,-1.4H-1.4V-4.2H1.4V-1.4H4.2V1.4H1.4V4.2H-1.4V1.4H-4.2z",
    "M-2,-4H2L4,0L2,4H-2L-4,0z",
    "M-4,-4L0,-1.6L4,-4L1.6,0L4,4L0,1.6L-4,4L-1.6,0z",
)


@dataclass(frozen=True)
class Box:
    """A rectangle, by its edges."""

    left: float
    top: float
    right: float
    bottom: float


def canvas(width: float, height: float, id: str, title: str, about: str, parts: list[str]) -> str:
    """The `<svg>` element. Screen readers read the title and the description."""
    return element(
        "svg",
        element("title", escaped(title), id=f"{id}-title"),
        element("desc", escaped(about), id=f"{id}-about"),
        *parts,
        viewBox=f"0 0 {placed(width)} {placed(height)}",
        width=width,
        height=height,
        role="img",
        aria_labelledby=f"{id}-title {id}-about",
        class_="chart",
    )


def heading(title: str, width: float) -> tuple[list[str], float]:
    """The title of a chart, and the height it takes."""
    lines = wrap(title, BOLD * 1.1, width)
    parts = [text(0, 14 + 18 * i, line, class_="title") for i, line in enumerate(lines)]
    return parts, 18.0 * len(lines) + 6


def stroke(index: int) -> dict[str, str | None]:
    """The class and the dashes of the line with this number."""
    return {"class_": f"line s{index % _STYLES}", "stroke_dasharray": _DASHES[index % _STYLES]}


def marker(x: float, y: float, index: int) -> str:
    """The marker of the line with this number."""
    return element(
        "path",
        d=_MARKERS[index % _STYLES],
        transform=f"translate({placed(x)},{placed(y)})",
        class_=f"mark s{index % _STYLES}",
    )


def _line_swatch(x: float, y: float, index: int) -> list[str]:
    line = element("path", d=f"M{placed(x)},{placed(y)}h26", **stroke(index))
    return [line, marker(x + 13, y, index)]


def legend(
    entries: Sequence[tuple[str, int]],
    top: float,
    width: float,
    swatch: Callable[[float, float, int], list[str]] = _line_swatch,
) -> tuple[list[str], float]:
    """Names beside their swatches, in as many rows as needed, and the height that takes."""
    parts: list[str] = []
    x, row = 0.0, 0
    for name, index in entries:
        shown = shorten(name, SMALL, width - 32)
        taken = 32 + width_of(shown, SMALL)
        if x and x + taken > width:
            x, row = 0.0, row + 1
        y = top + 20 * row + 9
        parts += [*swatch(x, y, index), text(x + 32, y + 4, shown, class_="name", full=name)]
        x += taken + 16
    return parts, 20.0 * (row + 1) + 8


def x_scale(axis: Axis, values: Sequence[float], left: float, right: float) -> Scale:
    """A horizontal scale with as many ticks as there is room for their labels."""
    most = max(2, int((right - left) / 44))
    while True:
        scale = scale_for(axis, values, left, right, most, nice=False)
        widths = (width_of(label, SMALL) for label in ticks(scale.ticks, axis.percents))
        labels = list(zip(map(scale, scale.ticks), widths, strict=True))
        clear = all(
            there - here >= (one + other) / 2 + 8
            for (here, one), (there, other) in pairwise(labels)
        )
        if clear or most <= 2:
            return scale
        most -= 1


def tick_width(axis: Axis, scale: Scale) -> float:
    """How wide the widest label of a tick is."""
    return max((width_of(label, SMALL) for label in ticks(scale.ticks, axis.percents)), default=0)


def panel_frame(
    box: Box, x: Scale, y: Scale, x_axis: Axis, y_axis: Axis, *, x_labels: bool, y_labels: bool
) -> list[str]:
    """Grid lines, the lower edge, and the labels of the ticks."""
    parts = []
    for value, label in zip(y.ticks, ticks(y.ticks, y_axis.percents), strict=True):
        at = y(value)
        d = f"M{placed(box.left)},{placed(at)}H{placed(box.right)}"
        parts.append(element("path", d=d, class_="grid"))
        if y_labels:
            parts.append(text(box.left - 7, at + 4, label, class_="tick", anchor="end"))
    base = f"M{placed(box.left)},{placed(box.bottom)}H{placed(box.right)}"
    parts.append(element("path", d=base, class_="axis"))
    for value, label in zip(x.ticks, ticks(x.ticks, x_axis.percents), strict=True):
        at = x(value)
        d = f"M{placed(at)},{placed(box.bottom)}v4"
        parts.append(element("path", d=d, class_="axis"))
        if x_labels:
            parts.append(text(at, box.bottom + 17, label, class_="tick", anchor="middle"))
    return parts

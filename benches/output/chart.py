"""A bar chart of seconds as an SVG file that is readable in light and dark pages.

Written by hand instead of drawn by matplotlib, because only a style sheet in the file lets the
colours follow the reader's setting. Text stays text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH = 820
ROW = 30
BAR = 18
LEFT = 220  # The room for names.
RIGHT = 24
TOP = 66
BOTTOM = 18
LETTER = 6.7  # The width of a letter at 13 pixels, about.
STYLE = """
.card { fill: #ffffff; stroke: #d1d9e0; }
.title { fill: #1f2328; font-weight: 600; font-size: 15px; }
.note { fill: #59636e; font-size: 12px; }
.name, .value { fill: #1f2328; font-size: 13px; }
.ours { font-weight: 600; }
.bar { fill: #afb8c1; }
.bar.ours { fill: #0969da; }
@media (prefers-color-scheme: dark) {
  .card { fill: #0d1117; stroke: #3d444d; }
  .title, .name, .value { fill: #f0f6fc; }
  .note { fill: #9198a1; }
  .bar { fill: #656c76; }
  .bar.ours { fill: #4493f8; }
}
"""


@dataclass(frozen=True)
class Row:
    """A bar: its name, its seconds, whether it is ours, and a remark behind the value."""

    name: str
    seconds: float
    ours: bool
    remark: str = ""


def shown(seconds: float) -> str:
    """The value as it is printed beside the bar."""
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"


def chart(title: str, note: str, rows: Sequence[Row]) -> str:
    """The chart as SVG: the fastest first, bars in proportion to their seconds."""
    rows = sorted(rows, key=lambda row: row.seconds)
    height = TOP + ROW * len(rows) + BOTTOM
    # The longest text behind a bar must fit, wherever the bar ends.
    most = max((row.seconds for row in rows), default=1.0)
    room = WIDTH - LEFT - RIGHT
    per_second = min(
        (room - LETTER * (len(shown(row.seconds)) + len(row.remark) + 3)) / row.seconds
        for row in rows
    )
    per_second = max(per_second, 0.3 * room / most)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" aria-label="{escape(title)}" '
        'font-family="-apple-system, Segoe UI, Helvetica, Arial, sans-serif">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>',
        f'<text class="title" x="20" y="28">{escape(title)}</text>',
        f'<text class="note" x="20" y="48">{escape(note)}</text>',
    ]
    for number, row in enumerate(rows):
        top = TOP + ROW * number
        middle = top + ROW / 2 + 4.5
        ours = " ours" if row.ours else ""
        end = LEFT + max(2.0, row.seconds * per_second)
        lines += [
            f'<text class="name{ours}" x="{LEFT - 10}" y="{middle:g}" text-anchor="end">'
            f"{escape(row.name)}</text>",
            f'<rect class="bar{ours}" x="{LEFT}" y="{top + (ROW - BAR) / 2:g}" '
            f'width="{end - LEFT:.1f}" height="{BAR}" rx="2"/>',
            f'<text class="value{ours}" x="{end + 8:.1f}" y="{middle:g}">{shown(row.seconds)}'
            + (f'<tspan class="note" dx="8">{escape(row.remark)}</tspan>' if row.remark else "")
            + "</text>",
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"

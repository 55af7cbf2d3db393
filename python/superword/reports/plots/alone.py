"""A chart as a complete SVG file: with its style sheet and a background."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Protocol

from superword.reports.plots.svg import placed

__all__ = ["Alone", "standalone"]

_WIDTH = 760
_MARGIN = 14
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"


class _Drawn(Protocol):
    def draw(self, width: int, id: str) -> str: ...


class Alone:
    """A chart that draws itself in a notebook."""

    def _repr_svg_(self: _Drawn) -> str:
        return standalone(self)


def standalone(chart: _Drawn, *, width: int = _WIDTH, id: str = "chart") -> str:
    """The chart as the text of an SVG file.

    It follows the light or dark scheme of the reader, and it has its own background, so it can be
    read on any page.
    """
    drawn = chart.draw(width - 2 * _MARGIN, id)
    opening = re.match(r"<svg([^>]*)>", drawn)
    view = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawn)
    if opening is None or view is None:
        raise ValueError("not a chart: it has no <svg> element with a viewBox")
    wide, high = (float(side) + 2 * _MARGIN for side in view.groups())
    labels = re.sub(r' (viewBox|width|height)="[^"]*"', "", opening[1])
    box = f"{-_MARGIN} {-_MARGIN} {placed(wide)} {placed(high)}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{placed(wide)}" '
        f'height="{placed(high)}"{labels}>\n<style>\n{_style()}</style>\n'
        f'<rect class="page" x="{-_MARGIN}" y="{-_MARGIN}" width="100%" height="100%" rx="6"/>\n'
        f"{drawn[opening.end() :]}\n"
    )


def _style() -> str:
    """The colors of the style sheet, and its rules for charts, limited to this chart."""
    sheet = (files("superword.reports") / "style.css").read_text(encoding="utf-8")
    light, dark = re.findall(r"^ *:root \{\n(.*?)^ *\}", sheet, re.DOTALL | re.MULTILINE)[:2]
    rules = re.findall(r"^(?:\.chart [^{]*|\.line\.s\d|\.mark\.s\d).*\}$", sheet, re.MULTILINE)

    def colors(block: str) -> str:
        return " ".join(re.findall(r"--[\w-]+: [^;]+;", block))

    return "\n".join(
        (
            f".chart {{ {colors(light)} font-family: {_FONT}; }}",
            f"@media (prefers-color-scheme: dark) {{ .chart {{ {colors(dark)} }} }}",
            ".chart .page { fill: var(--page); }",
            *rules,
            "",
        )
    )

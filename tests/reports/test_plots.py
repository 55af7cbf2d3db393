"""Scales, ticks and charts: hand-computed cases, and charts that stay inside their frame."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from superword.reports.content import Chart
from superword.reports.plots import (
    Axis,
    BarChart,
    Bars,
    HeatMap,
    LineChart,
    Panel,
    Series,
    standalone,
)
from superword.reports.plots.alone import Alone
from superword.reports.plots.scales import Scale, linear_ticks, log_ticks, scale_for
from superword.reports.plots.svg import element, escaped, shorten, width_of, wrap

WIDTHS = (920, 340)


@pytest.mark.parametrize(
    ("low", "high", "most", "ticks"),
    [
        (0, 10, 6, [0, 2, 4, 6, 8, 10]),
        (0, 1, 6, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.1, 0.35, 6, [0.1, 0.15, 0.2, 0.25, 0.3, 0.35]),
        (3, 17, 4, [5, 10, 15]),
        (-5, 5, 3, [-5, 0, 5]),
        (0, 4_100_000, 5, [0, 1e6, 2e6, 3e6, 4e6]),
        (7, 7, 5, [7]),
    ],
)
def test_linear_ticks(low: float, high: float, most: int, ticks: list[float]) -> None:
    assert linear_ticks(low, high, most) == ticks


@pytest.mark.parametrize(
    ("low", "high", "most", "ticks"),
    [
        (1, 1000, 4, [1, 10, 100, 1000]),
        (1, 100, 9, [1, 2, 5, 10, 20, 50, 100]),
        (256, 16_384, 6, [500, 1000, 2000, 5000, 10_000]),
        (256, 16_384, 4, [300, 1000, 3000, 10_000]),
        (1, 1e9, 4, [1, 1e3, 1e6, 1e9]),
        (4100, 4900, 5, [4200, 4400, 4600, 4800]),
    ],
)
def test_log_ticks(low: float, high: float, most: int, ticks: list[float]) -> None:
    assert log_ticks(low, high, most) == pytest.approx(ticks)


def test_scales_map_ends_to_ends_and_decades_to_equal_steps() -> None:
    linear = Scale(0, 10, 100, 200, False, ())
    assert [linear(value) for value in (0, 5, 10)] == [100, 150, 200]
    log = Scale(1, 1000, 0, 30, True, ())
    assert [log(value) for value in (1, 10, 100, 1000)] == pytest.approx([0, 10, 20, 30])
    assert log(0) == 0  # Below the scale.


def test_a_scale_ends_at_a_tick_if_one_is_near() -> None:
    near = scale_for(Axis("x", zero=True), [9.5], 0, 100, 6, nice=True)
    assert (near.low, near.high) == (0, 10)
    far = scale_for(Axis("x"), [1.0, 5.2], 0, 100, 3, nice=True)
    assert 0.8 < far.low < 1.0
    assert 5.2 < far.high <= 6
    log = scale_for(Axis("x", log=True), [30, 40_000], 0, 100, 6, nice=True)
    assert (log.low, log.high) == (10, 100_000)


@pytest.mark.parametrize("values", [[], [0.0], [5.0], [-1.0, -1.0]])
@pytest.mark.parametrize("log", [False, True])
def test_scales_of_few_values_have_a_width_and_ticks(values: list[float], log: bool) -> None:
    scale = scale_for(Axis("x", log=log), values, 0, 100, 5, nice=True)
    assert scale.high > scale.low
    assert scale.ticks
    assert 0 <= scale(scale.ticks[0]) <= 100


def test_text_is_escaped_shortened_and_wrapped() -> None:
    assert (
        escaped('<a href="x">&\x00\x1b\ufffe')
        == "&lt;a href=&quot;x&quot;&gt;&amp;\\x00\\x1b\ufffd"
    )
    assert element("g", "x", class_='"') == '<g class="&quot;">x</g>'
    assert shorten("short", 12, 100) == "short"
    short = shorten("a-very-long-model-name-v2.superword", 12, 100)
    assert width_of(short, 12) <= 100
    assert short.startswith("a-ve")
    assert short.endswith("word")
    assert "…" in short
    assert width_of("漢字", 10) > width_of("il", 10) * 2
    assert wrap("one two three", 10, width_of("one two", 10)) == ["one two", "three"]


def lines(count: int) -> tuple[Series, ...]:
    return tuple(
        Series(f"model {i}", i, tuple((float(x), x * (i + 1.0)) for x in range(1, 400)))
        for i in range(count)
    )


CHARTS: dict[str, Chart] = {
    "one line": LineChart("T", "about", Axis("x"), Axis("y"), (Panel(None, lines(1)),)),
    "log": LineChart(
        "T", "about", Axis("x", log=True), Axis("y", log=True), (Panel(None, lines(6)),)
    ),
    "panels": LineChart(
        "T",
        "about",
        Axis("x"),
        Axis("y", percents=True),
        tuple(Panel(f"group {i}", lines(3)) for i in range(12)),
    ),
    "separate": LineChart(
        "T",
        "about",
        Axis("x"),
        Axis("y"),
        (Panel("A", lines(2), x=Axis("a")), Panel("B", lines(3), y=Axis("b", log=True))),
    ),
    "one point": LineChart(
        "T", "a", Axis("x"), Axis("y"), (Panel(None, (Series("m", 0, ((1.0, 2.0),)),)),)
    ),
    "bars": BarChart(
        "T",
        "about",
        Axis("y", zero=True),
        tuple(f"group {i}" for i in range(12)),
        tuple(Bars(f"m{i}", i, (None, *(j + i / 7 for j in range(11)))) for i in range(6)),
        line=1.0,
    ),
    "long names": BarChart("T" * 80, "a", Axis("y"), ("x" * 90,), (Bars("y" * 90, 0, (3.0,)),)),
    "map": HeatMap(
        "T",
        "about",
        tuple(f"model {i}" for i in range(6)),
        tuple(f"group {i}" for i in range(12)),
        tuple(tuple(None if i == j else i + j / 3 for j in range(12)) for i in range(6)),
        scale="what colors mean",
    ),
    "centered": HeatMap("T", "a", ("m",), ("g", "h"), ((0.5, 1.0),), center=1.0),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", CHARTS)
def test_charts_are_well_formed_accessible_and_inside_their_frame(name: str, width: int) -> None:
    chart = CHARTS[name]
    svg = ET.fromstring(chart.draw(width, "c"))
    assert svg.get("role") == "img"
    found = {child.get("id"): child.text for child in svg}
    title, about = (svg.get("aria-labelledby") or "").split()
    assert found[title] == chart.title
    assert found[about] == chart.about
    _, _, right, bottom = map(float, (svg.get("viewBox") or "").split())
    assert right == width
    for part in svg.iter():
        if part.get("transform") is None and part.get("x") is not None:
            assert -1 <= float(part.get("x", 0)) <= right, ET.tostring(part)
            assert -1 <= float(part.get("y", 0)) <= bottom, ET.tostring(part)
        for x, y in re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", part.get("d") or ""):
            if part.get("transform") is None:
                assert -1 <= float(x) <= right + 1, ET.tostring(part)
                assert -1 <= float(y) <= bottom + 1, ET.tostring(part)


def test_labels_of_ticks_do_not_overlap() -> None:
    axis = Axis("x")
    many = tuple((float(x), 1.0) for x in range(0, 5_000_000, 9999))
    chart = LineChart("T", "a", axis, Axis("y"), (Panel(None, (Series("m", 0, many),)),))
    for width in WIDTHS:
        svg = ET.fromstring(chart.draw(width, "c"))
        labels = [
            (float(text.get("x", 0)), width_of(text.text or "", 12))
            for text in svg.iter("text")
            if text.get("class") == "tick" and text.get("text-anchor") == "middle"
        ]
        assert len(labels) >= 3
        for (x, one), (y, other) in pairwise(labels):
            assert x + one / 2 < y - other / 2


def test_lines_differ_without_color() -> None:
    svg = ET.fromstring(CHARTS["log"].draw(920, "c"))
    paths = [path for path in svg.iter("path") if (path.get("class") or "").startswith("line")]
    assert len({path.get("stroke-dasharray") for path in paths}) == 6
    marks = {path.get("d") for path in svg.iter("path") if "mark" in (path.get("class") or "")}
    assert len(marks) == 6


def test_a_long_line_has_no_more_points_than_pixels() -> None:
    points = tuple((float(x), float(x % 7)) for x in range(100_000))
    chart = LineChart("T", "a", Axis("x"), Axis("y"), (Panel(None, (Series("m", 0, points),)),))
    assert len(chart.draw(340, "c")) < 12_000


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_alone_has_its_colors_and_a_background(name: str) -> None:
    drawn = standalone(CHARTS[name], width=700)
    svg = ET.fromstring(drawn)
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    assert svg.get("width") == "700"
    used = set(re.findall(r"var\((--[\w-]+)\)", drawn))
    assert used
    for scheme in re.findall(r"\.chart \{ (--.*?)\}", drawn):
        assert used <= set(re.findall(r"(--[\w-]+): #", scheme))
    assert drawn.count(".chart { --") == 2  # The light and the dark scheme.
    # A notebook may put the chart into its own page, whose other elements must not change.
    style = drawn[drawn.index("<style>") : drawn.index("</style>")]
    assert ":root" not in style
    for kind, number in re.findall(r'class="(line|mark|bar) (s\d)"', drawn):
        assert f".{kind}.{number}" in style


def test_a_chart_draws_itself_in_a_notebook() -> None:
    for chart in CHARTS.values():
        assert isinstance(chart, Alone)
        assert chart._repr_svg_() == standalone(chart)

"""Pictures of recorded runs show all trainers, and no curve has too few points."""

from __future__ import annotations

import importlib
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
RECORDED = sorted((ROOT / "benches" / "results").glob("*.json"))


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    return lambda name: importlib.import_module(f"benches.{name}")


def bars_of(svg: str) -> list[tuple[str, float, str]]:
    """The class and width of each bar, and the value that is printed beside it."""
    root = ET.fromstring(svg)
    space = "{http://www.w3.org/2000/svg}"
    bars = [r for r in root.iter(f"{space}rect") if r.attrib["class"].startswith("bar")]
    values = [t.text or "" for t in root.iter(f"{space}text") if "value" in t.attrib["class"]]
    return [
        (bar.attrib["class"], float(bar.attrib["width"]), value)
        for bar, value in zip(bars, values, strict=True)
    ]


def test_bars_are_sorted_and_in_proportion_to_their_seconds(module: Any) -> None:
    chart = module("output.chart")
    rows = [chart.Row("b <2>", 20.0, False, "a remark"), chart.Row("superword, BPE", 2.0, True)]
    svg = chart.chart("A & B", "note", rows)
    (ours, short, first), (theirs, long, second) = bars_of(svg)
    assert (ours, theirs) == ("bar ours", "bar")
    assert (first, second) == ("2.00 s", "20.0 s")
    assert long == pytest.approx(10 * short, rel=0.01)
    assert "b &lt;2&gt;" in svg
    assert "prefers-color-scheme: dark" in svg


def test_text_behind_the_longest_bar_stays_inside(module: Any) -> None:
    chart = module("output.chart")
    remark = "characters, its own splitting"
    svg = chart.chart("t", "n", [chart.Row("a", 9.0, False), chart.Row("b", 100.0, False, remark)])
    _, width, value = bars_of(svg)[-1]
    end = chart.LEFT + width + chart.LETTER * (len(value) + len(remark) + 3)
    assert end <= chart.WIDTH


@pytest.mark.skipif(not RECORDED, reason="no results are recorded yet")
def test_recorded_charts_are_drawn_from_their_json(module: Any) -> None:
    render = module("render")
    for path in RECORDED:
        drawn = render.draw_headline(render.load(path))
        if drawn is not None:
            assert render.headline_chart(path).read_text() == drawn, path.name


def test_a_trainer_with_fewer_than_four_sizes_has_no_curve(module: Any) -> None:
    pytest.importorskip("matplotlib")
    plots = module("output.plots")

    def record(trainer: str, size: int) -> dict[str, Any]:
        fixed = {"method": "bpe", "vocab_size": 10, "failed": None, "peak_memory": 1}
        return {"trainer": trainer, "bytes": size, "seconds": size / 1e6, **fixed}

    few = [record("rustbpe", size * 10**6) for size in (1, 2, 4)]
    many = [record("superword", size * 10**6) for size in (1, 2, 4, 8)]
    section = {"results": few + many}
    figure = plots.trainers_over(section, "bytes", {"vocab_size": 10}, "seconds")
    assert [line.get_label() for line in figure.axes[0].lines] == ["superword, BPE"]
    plots.plt.close(figure)
    assert plots.trainers_over({"results": few}, "bytes", {"vocab_size": 10}, "seconds") is None


def test_the_usual_sizes_are_enough_for_curves(module: Any, monkeypatch: Any) -> None:
    for name in ("SIZES", "VOCABS", "BENCH_SECONDS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BENCH", "full")
    plan = module("plan").plan()
    assert len(plan.sizes) >= 4
    assert len(plan.vocabs) >= 4
    assert len(plan.figure_sizes) >= 4


def test_the_readme_has_no_picture_that_is_not_there() -> None:
    readme = (ROOT / "README.md").read_text()
    shown = re.findall(r"!\[[^\]]*\]\((benches/[^)]+)\)", readme)
    assert shown
    for path in shown:
        assert (ROOT / path).is_file(), path

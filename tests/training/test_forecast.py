"""Estimates of the time left, on recorded runs and on simple ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from superword._support.forecast import STEPS, Forecast, Run

# Made by `python -m benches.estimates --cpu --threads 1 --save`.
RECORDED = sorted((Path(__file__).parents[1] / "data" / "forecasts").glob("*.json"))
# How far off an estimate may be: at a fifth of the run, up to three fifths, and up to four fifths.
# Less time is left then, so that a larger factor is fewer seconds.
FACTORS = {0.22: 1.5, 0.6: 1.9, 0.8: 2.2}


def recorded(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
@pytest.mark.parametrize("faster", [1, 4])
def test_estimates_are_close_from_a_fifth_of_the_run_on(path: Path, faster: float) -> None:
    """`faster`: the same run on a faster machine. Estimates rest on what the run measured."""
    run = recorded(path)
    whole = run["seconds"] / faster
    forecast = Forecast(Run(**run["run"]))
    checked = set()
    for seconds, phase, *told in run["events"]:
        now = seconds / faster
        outlook = forecast.tell(now, phase, *told)
        over = now / whole
        if 0.2 <= over <= 0.8:
            factor = next(factor for until, factor in FACTORS.items() if over <= until)
            assert outlook.seconds_left is not None
            ratio = outlook.seconds_left / (whole - now)
            assert 1 / factor <= ratio <= factor, f"{over:.2f}: {ratio:.2f} in {phase}"
            checked.add(int(10 * over))
    assert checked >= {2, 3, 4, 5, 6, 7}


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_no_phase_is_at_100_percent_before_it_is_over(path: Path) -> None:
    run = recorded(path)
    forecast = Forecast(Run(**run["run"]))
    phase, last = None, 0.0
    for seconds, *told in run["events"]:
        outlook = forecast.tell(seconds, *told)
        if told[0] != phase:
            phase, last = told[0], 0.0
        assert outlook.share is not None
        assert last <= outlook.share < 1
        last = outlook.share


def test_there_are_recordings_of_every_step() -> None:
    assert len(RECORDED) >= 4
    steps = {(event[1], event[2]) for path in RECORDED for event in recorded(path)["events"]}
    wanted = {(phase, step) for phase in STEPS for step in STEPS[phase]}
    assert wanted - steps <= {("sample", "read")}


def test_steady_work_without_a_plan_is_estimated_exactly() -> None:
    forecast = Forecast()
    for second in range(1, 100):
        outlook = forecast.tell(second, "encode", "read", second / 100)
        if second > 1:
            assert outlook.seconds_left == pytest.approx(100 - second)
            assert outlook.share == pytest.approx(second / 100)


def test_nothing_is_said_if_nothing_is_known() -> None:
    forecast = Forecast(Run("boundless", 1000, 2, None))
    assert forecast.tell(1.0, "count", "read", None) == (None, None)
    assert forecast.tell(2.0, "count", "read", None, 5000) == (None, None)
    assert Forecast().tell(0.0, "encode", "read", 0.5) == (0.5, None)


def test_work_that_was_found_says_nothing_about_the_speed() -> None:
    """The counts of half of the text are in the work directory."""
    forecast = Forecast(Run("bpe", 1000, 1, 10**9))
    forecast.tell(0.0, "count", "read", 0.0)
    for tenth in range(1, 300):
        share = 0.5 + tenth / 1000
        outlook = forecast.tell(tenth / 10, "count", "read", share)
    # 100 s for a whole pass, of which 20.1 s are left, and learning.
    assert outlook.seconds_left is not None
    assert 20 < outlook.seconds_left < 90


def test_counts_that_were_found_leave_a_guess_for_the_rest() -> None:
    run = Run("boundless", 1000, 1, 10**9)
    forecast = Forecast(run)
    forecast.tell(0.0, "count", "read", 0.0)
    forecast.tell(0.1, "count", "read", 1.0)
    outlook = forecast.tell(0.2, "candidates", "read", 0.0)
    assert outlook.seconds_left is not None
    assert outlook.seconds_left > 5


def test_a_step_that_is_overdue_never_has_nothing_left() -> None:
    forecast = Forecast(Run("bpe", 1000, 1, 10**6))
    forecast.tell(0.0, "count", "read", 0.0)
    forecast.tell(1.0, "count", "read", 1.0)
    for second in range(1, 60):
        outlook = forecast.tell(1.0 + second, "count", "add up", 0.0)
        assert outlook.seconds_left is not None
        assert outlook.seconds_left > 0.1
        assert outlook.share is not None
        assert outlook.share < 1


def test_a_second_attempt_is_estimated_from_the_first() -> None:
    forecast = Forecast(Run("boundless", 1000, 1, 10**8))
    now = 0.0
    for phase in ("count", "merge", "candidates", "supermerge"):
        for step in STEPS[phase]:
            for tenth in range(11):
                outlook = forecast.tell(now + tenth, phase, step, tenth / 10)
            now += 10
    outlook = forecast.tell(now, "candidates", "read", 0.0)
    # Five steps of 10 seconds each.
    assert outlook.seconds_left == pytest.approx(50, rel=0.1)
    assert outlook.share == 0

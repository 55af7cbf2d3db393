"""Compare the estimates of the time left with what a training run really takes.

    python -m benches.estimates corpus.jsonl --method boundless --vocab-size 131072 --threads 2

prints, for each tenth of the run, how long it still took and what the estimate was. `--save` writes
the reports of the engine to a file, for `tests/training/test_forecast.py`. `--cpu` uses the CPU
time of the process as the clock, for machines that do other work as well; use it with one thread.

The numbers to adjust are in `python/superword/_support/forecast.py` and, for the work of merges, in
`crates/superword/src/train/effort.rs`.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from superword import _core
from superword._reading.sources import gather
from superword._support.forecast import Forecast, Run
from superword.inputs import expand
from superword.options import TrainOptions
from superword.training import run_of

MOST_EVENTS = 150


def record(inputs: list[str], options: TrainOptions, clock: Any) -> dict[str, Any]:
    """Train, and return the reports of the engine with their times."""
    sources = gather(expand(inputs), options)
    events: list[list[Any]] = []
    started = clock()

    def tell(phase: str, unit: str, _: int, total: int | None, step: str, *more: Any) -> None:
        share, expected = more
        seconds = round(clock() - started, 3)
        share = None if share is None else round(share, 4)
        total = total if unit == "bytes" else None
        events.append([seconds, phase, step, share, total, expected])

    engine_options = {**options.for_engine(), "groups": sources.groups, "work_dir": None}
    _core.train(sources.sources, engine_options, tell)
    seconds = round(clock() - started, 3)
    return {"run": asdict(run_of(sources, options)), "seconds": seconds, "events": events}


def thinned(recorded: dict[str, Any]) -> dict[str, Any]:
    """The same with fewer events, but with the first one of each step."""
    events = recorded["events"]
    apart = recorded["seconds"] / MOST_EVENTS
    kept: list[list[Any]] = []
    for event in events:
        if not kept or event[1:3] != kept[-1][1:3] or event[0] - kept[-1][0] >= apart:
            kept.append(event)
    return {**recorded, "events": kept}


def estimates(recorded: dict[str, Any]) -> list[tuple[float, float | None, float]]:
    """For each event: the share of the time that was over, the estimate, and the real time left."""
    forecast = Forecast(Run(**recorded["run"]))
    whole = recorded["seconds"]
    found = []
    for seconds, *told in recorded["events"]:
        outlook = forecast.tell(seconds, *told)
        found.append((seconds / whole, outlook.seconds_left, whole - seconds))
    return found


def show(recorded: dict[str, Any]) -> None:
    """Print the estimates at each tenth of the run."""
    found = estimates(recorded)
    print(f"{recorded['seconds']:.1f} s in all")
    for tenth in range(1, 10):
        share, said, left = next((entry for entry in found if entry[0] >= tenth / 10), found[-1])
        text = "nothing" if said is None else f"{said:7.1f} s, {said / max(left, 1e-3):.2f} x"
        print(f"after {share:4.0%}: {left:7.1f} s left, estimate {text}")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("--method", default="boundless")
    parser.add_argument("--vocab-size", type=int, default=131_072)
    parser.add_argument("--supermerges", type=int)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--save", type=Path)
    given = parser.parse_args()
    options = TrainOptions(
        vocab_size=given.vocab_size,
        method=given.method,
        supermerges=given.supermerges,
        threads=given.threads,
    )
    recorded = record(given.inputs, options, time.process_time if given.cpu else time.monotonic)
    show(recorded)
    if given.save is not None:
        given.save.write_text(json.dumps(thinned(recorded)) + "\n")


if __name__ == "__main__":
    main()

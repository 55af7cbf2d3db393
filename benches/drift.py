"""`python -m benches.drift NEW [BEFORE]`: has superword become slower than it was?

Times on two machines cannot be compared. Each run also measures the peers, so this compares how
many times as fast as a peer superword is, in both runs. Work is compared if both runs measured it
with the same text size, and peers if both runs had the same version of them. The median over the
peers counts, so that one odd measurement of a peer is not a finding.

BEFORE is the newest recorded run by default. Prints a Markdown table. Exit code 1: some work is
slower than the tolerance allows (not with --warn). Exit code 2: there is nothing to compare.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from benches.render import load, newest
from benches.training import PATTERN

Record = dict[str, Any]
OURS = "superword"
# A first choice, not measured yet: lower it once some nights show how much the ratios vary.
TOLERANCE = 0.25


@dataclass(frozen=True)
class Work:
    """One measured piece of work, of superword against one peer."""

    name: str
    peer: str


@dataclass(frozen=True)
class Drift:
    """How a piece of work changed: 0.5 is half as fast as before, by the median over the peers."""

    name: str
    change: float
    peers: int


def training_ratios(section: Record) -> Iterator[tuple[Work, float]]:
    """How many times as fast as each peer's plain BPE superword trains."""
    done = [r for r in section.get("results", []) if not r["failed"] and r.get("cutting", True)]
    for ours in done:
        if ours["trainer"] != OURS or ours.get("pattern", PATTERN) != PATTERN:
            continue
        size = round(ours["bytes"] / 1e6)
        for peer in done:
            same = all(ours[key] == peer[key] for key in ("bytes", "vocab_size", "threads"))
            if peer["trainer"] == OURS or not same:
                continue
            name = f"train {ours['method']}, {size} MB, {ours['vocab_size']:,} tokens"
            yield Work(name, peer["trainer"]), peer["seconds"] / ours["seconds"]


def encoding_ratios(section: Record) -> Iterator[tuple[Work, float]]:
    """How many times as fast as each peer superword encodes, in the first pass."""
    models = set(section.get("models", {}))
    done = [r for r in section.get("results", []) if not r["failed"] and r.get("first")]
    for ours in done:
        if ours["encoder"] not in models:
            continue
        for peer in done:
            same = all(ours[key] == peer[key] for key in ("text", "threads"))
            if peer["encoder"] in models or not same:
                continue
            name = f"encode {ours['text']} with {ours['encoder']}"
            name += f", {ours['threads']} threads" if ours["threads"] > 1 else ""
            speeds = [r["bytes"] / r["first"] for r in (ours, peer)]
            yield Work(name, peer["encoder"]), speeds[0] / speeds[1]


def ratios(result: Record) -> dict[Work, float]:
    """Everything that a run says about superword relative to its peers."""
    return {
        **dict(training_ratios(result.get("training") or {})),
        **dict(encoding_ratios(result.get("encoding") or {})),
    }


def drifts(new: Record, before: Record) -> list[Drift]:
    """How each piece of work that both runs measured has changed, the slowest first."""
    was, now = ratios(before), ratios(new)
    versions = [{n: p.get("version") for n, p in run["peers"].items()} for run in (new, before)]
    changes: dict[str, list[float]] = {}
    for work in was.keys() & now.keys():
        if versions[0].get(work.peer) == versions[1].get(work.peer):
            changes.setdefault(work.name, []).append(now[work] / was[work])
    found = [Drift(name, statistics.median(of), len(of)) for name, of in changes.items()]
    return sorted(found, key=lambda drift: (drift.change, drift.name))


def table(found: list[Drift], tolerance: float, before: str) -> str:
    """The changes as Markdown."""
    rows = [
        f"| {drift.name} | {drift.change:.2f} × | {drift.peers} | "
        f"{'slower' if drift.change < 1 - tolerance else ''} |"
        for drift in found
    ]
    head = [f"Speed relative to the peers, compared with {before}:", ""]
    head += ["| work | speed | peers | |", "|---|---|---|---|"]
    return "\n".join([*head, *rows])


def main() -> None:
    """Compare two recorded runs."""
    parser = argparse.ArgumentParser(prog="python -m benches.drift")
    parser.add_argument("new", type=Path, help="the result file of a run")
    parser.add_argument("before", type=Path, nargs="?", help="an earlier one")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, help="0.25 is a quarter")
    parser.add_argument("--warn", action="store_true", help="print, and exit with code 0")
    arguments = parser.parse_args()
    before = arguments.before or newest()
    if before is None:
        nothing("there is no recorded run")
    found = drifts(load(arguments.new), load(before))
    if not found:
        nothing(f"{arguments.new} and {before} have no work in common")
    print(table(found, arguments.tolerance, before.name))
    slower = [drift for drift in found if drift.change < 1 - arguments.tolerance]
    for drift in slower:
        # GitHub shows this line with the run.
        print(f"::warning::{drift.name} is {drift.change:.2f} times as fast as before")
    if slower and not arguments.warn:
        sys.exit(1)


def nothing(why: str) -> NoReturn:
    """End, because there is nothing to compare."""
    print(f"error: {why}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()

"""How the runs in a work directory went: which phase had come how far after how many seconds.

Reports draw it. Nothing else reads it, so no model depends on it, and a run does not fail if it
cannot be written.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from superword._files.replace import replace_own
from superword._support.json_values import parse_json
from superword.errors import SaveError

__all__ = ["KINDS", "TIMELINE", "Timeline", "recorded", "runs_in"]

TIMELINE = "timeline.json"
FORMAT = 1
# How the files of finished work in the directory start, by the phase that makes them.
KINDS = {"count": "count", "merge": "words", "candidates": "candidates", "supermerge": "model"}

# What the engine reports about sizes.
COUNTS = (
    "pretokens",
    "unique_pretokens",
    "unique_candidates",
    "candidate_tokens",
    "cut_below",
    "attempts",
)

_MOST_RUNS = 20
_MOST_POINTS = 400
_SUFFIXES = {".json", ".superword"}

_Tell = Callable[..., None]


@dataclass
class _Points:
    """The progress of a phase. Every second point is dropped whenever there are too many."""

    unit: str
    total: int | None = None
    points: list[tuple[float, int]] = field(default_factory=list)
    last: tuple[float, int] | None = None
    apart: float = 0.0

    def add(self, seconds: float, done: int, total: int | None) -> None:
        self.total = total
        self.last = (seconds, done)
        if self.points and seconds - self.points[-1][0] < self.apart:
            return
        self.points.append(self.last)
        if len(self.points) > _MOST_POINTS:
            self.points = self.points[::2]
            spent = self.points[-1][0] - self.points[0][0]
            self.apart = spent / len(self.points)

    def described(self) -> dict[str, Any]:
        points = list(self.points)
        if self.last is not None and points[-1] != self.last:
            points.append(self.last)
        shown = [[round(seconds, 3), done] for seconds, done in points]
        return {"unit": self.unit, "total": self.total, "points": shown}


class Timeline:
    """The record of one run."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.phases: dict[str, _Points] = {}
        self.report: Mapping[str, Any] | None = None

    def watching(self, tell: _Tell | None) -> _Tell:
        """A progress callback that records, and then calls the given one."""

        def record(phase: str, unit: str, done: int, total: int | None, *step: Any) -> None:
            points = self.phases.setdefault(phase, _Points(unit))
            points.add(time.monotonic() - self.started, done, total)
            if tell is not None:
                tell(phase, unit, done, total, *step)

        return record

    def finish(self, report: Mapping[str, Any]) -> None:
        """The run is complete. `report` is that of the engine."""
        self.report = report

    def described(self) -> dict[str, Any]:
        """The record as JSON values."""
        report = self.report or {}
        return {
            "complete": self.report is not None,
            "seconds": round(time.monotonic() - self.started, 3),
            "documents": report.get("documents"),
            "bytes": report.get("bytes"),
            "seconds_by_phase": {k: round(v, 3) for k, v in report.get("seconds", {}).items()},
            "peak_memory_by_phase": dict(report.get("peak_memory", {})),
            "counts": {name: report[name] for name in COUNTS if name in report},
            "phases": {name: points.described() for name, points in self.phases.items()},
        }


@contextmanager
def recorded(
    folder: str | os.PathLike[str] | None,
    facts: Mapping[str, Any],
    names: Sequence[str],
    groups: tuple[list[tuple[str, float]], list[int]] | None,
) -> Iterator[Timeline | None]:
    """Record a run in its work directory, which is locked. Without one, nothing is recorded.

    A run that fails or is stopped is recorded too, as incomplete.
    """
    if folder is None:
        yield None
        return
    timeline = Timeline()
    before = _finished(Path(folder))
    try:
        yield timeline
    finally:
        of = [None] * len(names) if groups is None else [groups[0][n][0] for n in groups[1]]
        run = {
            **facts,
            "directory": str(Path.cwd()),
            "groups": {name: group or None for name, group in zip(names, of, strict=True)},
            **timeline.described(),
            "found": {phase: len(files) for phase, files in before.items()},
            "added": {
                phase: len(files - before[phase])
                for phase, files in _finished(Path(folder)).items()
            },
        }
        # The model is more important than the record of how it was made.
        with suppress(OSError, ValueError, SaveError):
            runs = [*runs_in(folder), run][-_MOST_RUNS:]
            content = json.dumps({"format": FORMAT, "runs": runs}) + "\n"
            replace_own(Path(folder) / TIMELINE, content.encode())


def _finished(folder: Path) -> dict[str, set[str]]:
    """The files of finished work, by the phase that made them."""
    try:
        names = [path.name for path in folder.iterdir() if path.suffix in _SUFFIXES]
    except OSError:
        names = []
    return {
        phase: {name for name in names if name.startswith(f"{kind}-")}
        for phase, kind in KINDS.items()
    }


def runs_in(folder: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The recorded runs, the last one at the end. None if there is no record or it is damaged."""
    try:
        found = parse_json((Path(folder) / TIMELINE).read_text(encoding="utf-8"))
        runs = found["runs"] if found["format"] == FORMAT else []
        return [run for run in runs if isinstance(run, dict)]
    except (OSError, ValueError, KeyError, TypeError):
        return []

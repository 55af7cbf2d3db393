"""Progress on stderr: a bar on a terminal, plain lines elsewhere, JSON lines on request."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from superword._support.text import format_bytes, format_seconds

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["JsonLog", "Progress", "peak_memory", "show"]

# How each phase of the engine is shown.
PHASES = {
    "sample": "drawing the sample",
    "count": "counting words",
    "merge": "learning words",
    "candidates": "counting runs of words",
    "supermerge": "learning superwords",
    "encode": "encoding",
}

SECONDS_BETWEEN_LINES = 3.0


class Progress(NamedTuple):
    """Progress of a phase: `done` of `total` units (None if unknown), in bytes or tokens."""

    phase: str
    unit: str
    done: int
    total: int | None


Callback = Callable[[Progress], None]


@contextmanager
def show(console: Console | None = None) -> Iterator[Callback]:
    """Show progress on stderr until the block ends. Yields the callback for each `Progress`."""
    if sys.stderr is None and console is None:  # The caller closed it, so nothing can be shown.
        yield lambda progress: None
        return
    if console is None:
        from rich.console import Console

        console = Console(stderr=True)
    if console.is_terminal and not console.is_dumb_terminal:
        with _bar(console) as callback:
            yield callback
    else:
        yield _Lines().tell


class JsonLog:
    """JSON lines on stderr, with the events start, phase, progress, warning, end and error.

    Every line has `event` and `seconds` since the start. Progress has `phase`, `unit`, `done`,
    `total` (or null), `rate` per second and `seconds_left` (or null).
    """

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.phase: str | None = None
        self.phase_started = self.last = self.started

    def tell(self, event: str, **facts: Any) -> None:
        """Write a line."""
        if sys.stderr is None:  # The caller closed it.
            return
        seconds = round(time.monotonic() - self.started, 3)
        line = json.dumps({"event": event, "seconds": seconds, **facts}, default=str)
        # In one call with the newline, because Ctrl-C may come between two calls.
        sys.stderr.write(line + "\n")
        sys.stderr.flush()

    def progress(self, progress: Progress) -> None:
        """Write progress about once a second, and the start and end of each phase."""
        now = time.monotonic()
        if progress.phase != self.phase:
            self.end_phase()
            self.phase, self.phase_started = progress.phase, now
            self.tell("phase", phase=progress.phase, state="start", unit=progress.unit)
        elif now - self.last < 1.0 and progress.done != progress.total:
            return
        self.last = now
        spent = now - self.phase_started
        rate = progress.done / spent if spent > 0.2 else None
        left = None
        if rate and progress.total is not None:
            left = round((progress.total - progress.done) / rate, 3)
        self.tell(
            "progress",
            **progress._asdict(),
            rate=None if rate is None else round(rate, 3),
            seconds_left=left,
        )

    def end_phase(self) -> None:
        """Write the end of the current phase, if there is one."""
        if self.phase is not None:
            spent = round(time.monotonic() - self.phase_started, 3)
            self.tell("phase", phase=self.phase, state="end", phase_seconds=spent)
            self.phase = None


def peak_memory() -> int | None:
    """The peak memory of this process so far, in bytes. None if it is unknown."""
    try:
        import resource
    except ImportError:  # Windows.
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


@contextmanager
def _bar(console: Console) -> Iterator[Callback]:
    from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Bar(*columns, console=console, expand=False) as bar:
        tasks: dict[str, tuple[TaskID, float]] = {}
        current: str | None = None

        def tell(progress: Progress) -> None:
            nonlocal current
            if progress.phase not in tasks:
                if current is not None:
                    _finish(bar, tasks[current][0])
                current = progress.phase
                name = PHASES.get(current, current)
                task = bar.add_task(name, total=progress.total, rate="", left="")
                tasks[current] = (task, time.monotonic())
            task, start = tasks[progress.phase]
            rate, left = _rate(progress, time.monotonic() - start)
            bar.update(task, completed=progress.done, total=progress.total, rate=rate, left=left)

        yield tell
        if current is not None:
            _finish(bar, tasks[current][0])


def _finish(bar: object, task: object) -> None:
    from rich.progress import Progress as Bar

    assert isinstance(bar, Bar)
    row = next(row for row in bar.tasks if row.id == task)
    bar.update(row.id, total=row.completed or 1, completed=row.completed or 1, left="")


class _Lines:
    """Writes a line when a phase begins, and then every few seconds."""

    def __init__(self) -> None:
        self.phase: str | None = None
        self.start = self.last = 0.0

    def tell(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.phase != self.phase:
            self.phase, self.start = progress.phase, now
        elif now - self.last < SECONDS_BETWEEN_LINES:
            return
        self.last = now
        parts = [_amount(progress.done, progress.unit)]
        if progress.total:
            share = 100 * progress.done / progress.total
            parts = [f"{share:.0f} %", f"{parts[0]} of {_amount(progress.total, progress.unit)}"]
        parts += [part for part in _rate(progress, now - self.start) if part]
        print(  # noqa: T201
            f"{PHASES.get(progress.phase, progress.phase)}: {', '.join(parts)}",
            file=sys.stderr,
            flush=True,
        )


def _amount(count: float, unit: str) -> str:
    return format_bytes(count) if unit == "bytes" else f"{count:,.0f} {unit}"


def _rate(progress: Progress, seconds: float) -> tuple[str, str]:
    """The rate and the remaining time. Empty while too little is known."""
    if seconds < 0.2 or not progress.done:
        return "", ""
    rate = progress.done / seconds
    left = ""
    if progress.total and progress.total > progress.done:
        left = f"{format_seconds((progress.total - progress.done) / rate)} left"
    return f"{_amount(rate, progress.unit)}/s", left

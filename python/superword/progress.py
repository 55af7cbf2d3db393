"""Progress on stderr: a bar on a terminal, plain lines elsewhere, JSON lines on request."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from superword._support.forecast import Expected, Forecast, Run
from superword._support.text import format_bytes, format_seconds

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["JsonLog", "Progress", "estimated", "peak_memory", "show"]

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


# How steps are shown that are not what a phase mostly does.
STEPS = {
    "add up": "adding up",
    "cut": "cutting",
    "prepare": "preparing",
}


class Progress(NamedTuple):
    """Progress of a phase: `done` of `total` units (None if unknown), in bytes or tokens.

    `step` is what the phase does at the moment. `share` is how much of the phase is done, from 0 to
    1, by the time that it takes, and `seconds_left` how long the whole run still takes. Both are
    estimates, and None as long as too little is known.
    """

    phase: str
    unit: str
    done: int
    total: int | None
    step: str = "read"
    share: float | None = None
    seconds_left: float | None = None


Callback = Callable[[Progress], object]


def estimated(callback: Callback, run: Run | None = None) -> Callable[..., None]:
    """A callback that estimates `share` and `seconds_left`, and passes them on to the given one.

    The `share` that it gets is that of the step. Without it, `done` of `total` is the share. What
    the engine expects of later phases may be a second argument.
    """
    forecast = Forecast(run)
    started = time.monotonic()

    def tell(progress: Progress, expected: Expected | None = None) -> None:
        share, total = progress.share, progress.total
        if share is None and total:
            share = progress.done / total
        seconds = time.monotonic() - started
        outlook = forecast.tell(seconds, progress.phase, progress.step, share, total, expected)
        callback(progress._replace(share=outlook.share, seconds_left=outlook.seconds_left))

    return tell


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
    `total`, `step`, `share` of the phase, `rate` per second and `seconds_left` of the whole run.
    What is not known is null.
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
        self.tell(
            "progress",
            **{
                **progress._asdict(),
                "share": _rounded(progress.share),
                "seconds_left": _rounded(progress.seconds_left),
            },
            rate=_rounded(rate),
        )

    def end_phase(self) -> None:
        """Write the end of the current phase, if there is one."""
        if self.phase is not None:
            spent = round(time.monotonic() - self.phase_started, 3)
            self.tell("phase", phase=self.phase, state="end", phase_seconds=spent)
            self.phase = None


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 3)


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
            if progress.phase != current:
                if current is not None:
                    _finish(bar, tasks[current][0])
                current = progress.phase
                if current not in tasks:
                    task = bar.add_task("", total=None, rate="", left="")
                    tasks[current] = (task, time.monotonic())
            task, start = tasks[current]
            bar.update(
                task,
                description=_name(progress),
                completed=_percent(progress.share or 0),
                total=None if progress.share is None else 100,
                rate=_rate(progress, time.monotonic() - start),
                left=_left(progress),
            )

        yield tell
        if current is not None:
            _finish(bar, tasks[current][0])


def _finish(bar: object, task: object) -> None:
    from rich.progress import Progress as Bar

    assert isinstance(bar, Bar)
    row = next(row for row in bar.tasks if row.id == task)
    bar.update(row.id, description=row.description.split(",")[0], total=100, completed=100, left="")


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
            parts = [f"{parts[0]} of {_amount(progress.total, progress.unit)}"]
        if progress.share is not None:
            parts.insert(0, f"{_percent(progress.share)} %")
        parts += [_rate(progress, now - self.start), _left(progress)]
        print(  # noqa: T201
            f"{_name(progress)}: {', '.join(part for part in parts if part)}",
            file=sys.stderr,
            flush=True,
        )


def _name(progress: Progress) -> str:
    """What is done at the moment."""
    phase = PHASES.get(progress.phase, progress.phase)
    return f"{phase}, {STEPS[progress.step]}" if progress.step in STEPS else phase


def _percent(share: float) -> int:
    """Rounded down, because 100 % is the end."""
    return int(100 * share)


def _amount(count: float, unit: str) -> str:
    return format_bytes(count) if unit == "bytes" else f"{count:,.0f} {unit}"


def _rate(progress: Progress, seconds: float) -> str:
    """The rate at which bytes are read. Empty while too little is known.

    Tokens have no rate: the first ones take much longer than the last ones.
    """
    if seconds < 0.2 or not progress.done or progress.step != "read":
        return ""
    return f"{_amount(progress.done / seconds, progress.unit)}/s"


def _left(progress: Progress) -> str:
    """How long the whole run still takes."""
    if progress.seconds_left is None:
        return ""
    seconds = progress.seconds_left
    return (
        f"{max(1, round(seconds))} s left" if seconds < 59.5 else f"{format_seconds(seconds)} left"
    )

"""Running a Spark job: its progress, stopping it, and its errors."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from pyspark.accumulators import AccumulatorParam
from pyspark.util import inheritable_thread_target

from superword.errors import MemoryLimitError
from superword.integrations.spark.rows import error_of
from superword.progress import Progress

__all__ = ["Tell", "alarm_for", "explaining_limits", "run"]

T = TypeVar("T")
Tell = Callable[[Progress], object]

# How often the driver looks at the state of the job, in seconds.
TICK = 0.2
# How long a cancelled job may take to end, in seconds.
GRACE = 10.0


class _Collected(AccumulatorParam):  # type: ignore[misc]
    """An accumulator of lists."""

    def zero(self, value: list[bytes]) -> list[bytes]:
        return []

    def addInPlace(self, value1: list[bytes], value2: list[bytes]) -> list[bytes]:  # noqa: N802
        return value1 + value2


def alarm_for(session: Any) -> Any:
    """An accumulator for errors of tasks, or None if the session has none (Spark Connect).

    It tells the driver about an error as soon as one task ends. The rows of the result carry the
    error too, but only when all tasks have ended.
    """
    context = _context(session)
    return None if context is None else context.accumulator([], _Collected())


def run(session: Any, job: Callable[[], T], phase: str, tell: Tell | None, alarm: Any) -> T:
    """Run a job on another thread, report its progress, and raise an error of a task at once.

    Ctrl-C, and an exception of `tell`, cancel the job.
    """
    context = _context(session)
    if context is None:
        return job()
    group = f"superword-{uuid.uuid4().hex}"
    done: list[T] = []
    failed: list[BaseException] = []
    # Not `Thread.join`, which takes a running thread for a finished one after a Ctrl-C
    # (before Python 3.13).
    finished = threading.Event()

    # Inherits the scheduler pool, the tags and other properties of the calling thread.
    @inheritable_thread_target(session)  # type: ignore[untyped-decorator]
    def in_group() -> T:
        context.setJobGroup(group, f"superword: {phase}")
        return job()

    def work() -> None:
        try:
            done.append(in_group())
        except BaseException as error:
            failed.append(error)
        finally:
            finished.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while not finished.wait(TICK):
            _raise_alarm(alarm)
            if tell is not None:
                _report(context, group, phase, tell)
    except BaseException:
        context.cancelJobGroup(group)
        finished.wait(GRACE)
        raise
    thread.join()
    _raise_alarm(alarm)
    if failed:
        # Not kept in the list: its traceback refers to the list, which would be a cycle.
        raise failed.pop()
    if tell is not None:
        _report(context, group, phase, tell)
    return done[0]


def _raise_alarm(alarm: Any) -> None:
    if alarm is not None and alarm.value:
        raise error_of(alarm.value[0])


def _context(session: Any) -> Any:
    return getattr(session, "_sc", None)


def _report(context: Any, group: str, phase: str, tell: Tell) -> None:
    tracker = context.statusTracker()
    done = total = 0
    for job in tracker.getJobIdsForGroup(group):
        found = tracker.getJobInfo(job)
        for stage in found.stageIds if found is not None else ():
            state = tracker.getStageInfo(stage)
            # Not those that wait, because Spark skips stages whose shuffle files exist.
            if state is not None and (state.numActiveTasks or state.numCompletedTasks):
                done += state.numCompletedTasks
                total += state.numTasks
    if total:
        tell(Progress(phase, "tasks", done, total))


@contextmanager
def explaining_limits(session: Any, hint: str) -> Iterator[None]:
    """Turn Spark's error about results that are too large for the driver into a typed one."""
    try:
        yield
    except Exception as error:
        if "spark.driver.maxResultSize" not in str(error):
            raise
        context = _context(session)
        limit = context.getConf().get("spark.driver.maxResultSize", "1g") if context else "?"
        raise MemoryLimitError(
            f"the counts are larger than spark.driver.maxResultSize ({limit})", hint=hint
        ) from None

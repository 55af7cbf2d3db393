"""Run functions as Ray tasks, with retries, progress and our errors.

Ray repeats a task whose worker or node is lost. An error of our own is returned as a value: Ray
would wrap it if it were raised.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from superword.errors import ClusterError, SuperwordError
from superword.integrations.ray.cluster import ray

__all__ = ["Job", "call", "run"]

# Nodes that can be taken away at any time may take a task with them again and again. A limit is
# needed nevertheless, for a task that crashes its worker every time.
RETRIES = 20

_SECONDS_BETWEEN_CALLS = 0.2
_SECONDS_TO_STOP = 5.0


class Job(NamedTuple):
    """A call of a function in a task. `size` is what it adds to the progress when it is done."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    size: int = 0


def run(
    jobs: Sequence[Job], *, cpus: int, on_done: Callable[[int], object] = lambda size: None
) -> list[Any]:
    """Run the jobs with `cpus` CPUs each, and return their results in order.

    `on_done` is called a few times a second with the size of all finished jobs. The first error
    ends the run, as does an exception in `on_done` or Ctrl-C: all other tasks are cancelled.
    Object references among the arguments are resolved by Ray.
    """
    remote = ray.remote(num_cpus=cpus, max_retries=RETRIES)(_guarded)
    places: dict[Any, int] = {}
    results: list[Any] = [None] * len(jobs)
    size = 0
    try:
        for place, job in enumerate(jobs):
            places[remote.remote(job.function, *job.arguments)] = place
        while places:
            on_done(size)
            done, _ = ray.wait(list(places), num_returns=1, timeout=_SECONDS_BETWEEN_CALLS)
            for reference in done:
                place = places.pop(reference)
                result, error = _get(reference)
                if error is not None:
                    raise error
                results[place] = result
                size += jobs[place].size
        on_done(size)
    except BaseException:
        _cancel(list(places))
        raise
    return results


def call(
    function: Callable[..., Any],
    *arguments: Any,
    cpus: int,
    on_wait: Callable[[], object] = lambda: None,
) -> Any:
    """Run one function as a task and return its result. `on_wait` is called while it runs."""
    (result,) = run([Job(function, arguments)], cpus=cpus, on_done=lambda size: on_wait())
    return result


def _guarded(function: Callable[..., Any], *arguments: Any) -> tuple[Any, Exception | None]:
    """Call a function in a worker, and return its result or its error."""
    with warnings.catch_warnings():
        # The driver warns: nobody sees the warnings of a worker.
        warnings.simplefilter("ignore")
        try:
            return function(*arguments), None
        except (SuperwordError, MemoryError, OSError) as error:
            return None, error


def _get(reference: Any) -> tuple[Any, Exception | None]:
    try:
        result: tuple[Any, Exception | None] = ray.get(reference)
    except (ray.exceptions.RayTaskError, ray.exceptions.TaskCancelledError):
        raise  # A bug in the function, or somebody else cancelled it.
    except ray.exceptions.RayError as error:
        return None, lost(error)
    return result


def lost(error: Exception) -> ClusterError:
    """The error for a task that Ray has given up on."""
    reason = str(error).strip().partition("\n")[0]
    return ClusterError(
        f"Ray could not finish a task: {reason}",
        hint="check the nodes of the cluster and their memory, then run the same again: "
        "finished tasks are kept if there is a work directory",
    )


def _cancel(references: Sequence[Any]) -> None:
    """Cancel tasks: ask them to stop, and end the worker of those that do not."""
    # Ray aborts this process if a task is cancelled at the moment at which it ends. The pause keeps
    # away from the tasks that end together with the one that failed.
    references = _unfinished(references, 0.1)
    for force in (False, True):
        for reference in references:
            ray.cancel(reference, force=force)
        until = time.monotonic() + _SECONDS_TO_STOP
        while references and time.monotonic() < until:
            references = _unfinished(references, 0.2)
        if not references:
            return


def _unfinished(references: Sequence[Any], timeout: float) -> Sequence[Any]:
    """The tasks that are not finished after `timeout` seconds."""
    if not references:
        return references
    unfinished: list[Any] = ray.wait(
        list(references), num_returns=len(references), timeout=timeout
    )[1]
    return unfinished

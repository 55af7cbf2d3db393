"""A mailbox for what tasks have to say before they end: progress, and the error that stopped them.

Ray hands over the result of a task only at its end, and Ray Data wraps the errors of functions so
that they cannot be recovered. A small actor keeps both for the driver.
"""

from __future__ import annotations

from typing import Any

from superword.errors import SuperwordError
from superword.integrations.ray.cluster import ray
from superword.progress import Progress

__all__ = ["Mailbox"]


class _Kept:
    """The actor: the latest progress and the first error."""

    def __init__(self) -> None:
        self.progress: Progress | None = None
        self.error: SuperwordError | None = None

    def tell(self, progress: Progress) -> None:
        self.progress = progress

    def fail(self, error: SuperwordError) -> None:
        if self.error is None:
            self.error = error

    def read(self) -> tuple[Progress | None, SuperwordError | None]:
        return self.progress, self.error


class Mailbox:
    """Created in the driver and sent to tasks. Progress is lost if the node of the actor is."""

    def __init__(self) -> None:
        self._actor: Any = ray.remote(num_cpus=0)(_Kept).remote()

    def tell(self, progress: Progress) -> None:
        """Leave the progress of a task, without waiting."""
        self._actor.tell.remote(progress)

    def fail(self, error: SuperwordError) -> None:
        """Leave the error that stops a task, and wait until it is there."""
        ray.get(self._actor.fail.remote(error))

    def progress(self) -> Progress | None:
        """The latest progress."""
        return self._read()[0]

    def error(self) -> SuperwordError | None:
        """The first error."""
        return self._read()[1]

    def close(self) -> None:
        """End the actor."""
        ray.kill(self._actor)

    def _read(self) -> tuple[Progress | None, SuperwordError | None]:
        try:
            kept: tuple[Progress | None, SuperwordError | None] = ray.get(
                self._actor.read.remote(), timeout=10
            )
        except ray.exceptions.RayError:
            return None, None
        return kept

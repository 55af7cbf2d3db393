"""SIGTERM ends a command as Ctrl-C does: work stops, and temporary files are removed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["TERMINATED", "Terminated", "stop_on_sigterm"]

TERMINATED = 143  # 128 + SIGTERM, the convention of shells.


class Terminated(KeyboardInterrupt):
    """The process received SIGTERM."""


@contextmanager
def stop_on_sigterm() -> Iterator[None]:
    """Raise `Terminated` on SIGTERM, unless the signal is ignored or handled already."""
    # Only the main thread may set handlers.
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _raise(number: int, frame: FrameType | None) -> None:
    # A second signal must not interrupt the cleaning up.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Terminated

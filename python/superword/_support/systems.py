"""What differs between systems."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

__all__ = ["WINDOWS", "prepare_stream"]

WINDOWS = sys.platform == "win32"


def prepare_stream(stream: Any) -> None:
    """Make stdout or stderr accept every character, and write the same bytes on every system."""
    if not isinstance(stream, io.TextIOWrapper):
        return
    # A terminal that cannot show a character must not stop the work.
    stream.reconfigure(errors="backslashreplace")
    if WINDOWS and not stream.isatty() and "PYTHONIOENCODING" not in os.environ:
        # Python would write files and pipes in the code page of the system, with other line ends.
        stream.reconfigure(encoding="utf-8", newline="\n")

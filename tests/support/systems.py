"""Marks for tests that need something that not every system has."""

from __future__ import annotations

import shutil
import sys

import pytest

__all__ = ["needs_bash", "needs_fork", "needs_links", "needs_signals"]

WINDOWS = sys.platform == "win32"

needs_signals = pytest.mark.skipif(WINDOWS, reason="Windows cannot send Ctrl-C to one process")
needs_links = pytest.mark.skipif(WINDOWS, reason="links need a privilege on Windows")
needs_fork = pytest.mark.skipif(WINDOWS, reason="Windows cannot fork")
# Windows has a bash too, but it starts another Python and other tools.
needs_bash = pytest.mark.skipif(WINDOWS or shutil.which("bash") is None, reason="needs bash")

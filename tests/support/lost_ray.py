"""Hooks of pytest for the case that Ray loses one of its processes, and the tests with it."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

LOGS = ("gcs_server.out", "python-core-driver-*.log", "raylet.err", "raylet.out")
RECENT = 600  # seconds; older logs are those of other tests


def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> None:
    # Every test after this one would fail too. Ray itself ends a process in the same way when it
    # notices. The test is run again in a new process, once.
    lost = call.excinfo is not None and "local raylet died" in str(call.excinfo.value)
    if lost and "PYTEST_XDIST_WORKER" in os.environ:
        os._exit(1)


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str, sched: Any) -> None:
    """Show the end of Ray's logs."""
    if "tests/cluster/" not in crashitem:
        return
    terminal = sched.config.pluginmanager.get_plugin("terminalreporter")
    folder = Path(tempfile.gettempdir()) / "ray" / "session_latest" / "logs"
    for path in [path for pattern in LOGS for path in sorted(folder.glob(pattern))]:
        if path.stat().st_mtime > time.time() - RECENT:
            lines = path.read_text(errors="replace").splitlines()
            last = [line for line in lines if "[state-dump]" not in line][-10:]
            terminal.write_line(f"{crashitem}: {path.name} ends with")
            terminal.write("".join(f"    {line}\n" for line in last))

"""Runs code with little memory."""

from __future__ import annotations

import os
import subprocess
import sys

__all__ = ["run_limited"]


def run_limited(code: str, *arguments: object, megabytes: int, before: str = "") -> str:
    """Run `code` in a process that may take this much more memory, and return what it prints.

    The code finds its arguments in `sys.argv`. `before` runs without a limit.
    A process that is aborted fails the test.
    """
    limit = (
        "import os, resource, sys\n"
        "import superword\n"
        "from superword.errors import OutOfMemoryError\n"
        f"{before}\n"
        "taken = int(open('/proc/self/statm').read().split()[0]) * os.sysconf('SC_PAGE_SIZE')\n"
        f"limit = taken + ({megabytes} << 20)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
    )
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", limit + code, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            # Otherwise the C library reserves 64 MB for each thread, on a machine with many cores.
            env={**os.environ, "MALLOC_ARENA_MAX": "2"},
        )
        # The C library itself aborts if a new thread finds no memory for its thread-local data.
        # That happens rarely, before any code of the engine runs in that thread.
        if "thread-local data" not in done.stderr:
            break
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr[-2000:]}"
    return done.stdout.strip()

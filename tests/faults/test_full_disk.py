"""A full disk gives a clear error, finished work is kept, and the same command can resume.

The test mounts a file system of one megabyte in a private namespace, which ends with the process.
Nothing else on the machine changes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("full_disk.py")
MOUNT = 'mount -t tmpfs -o size=1m tmpfs "$0" && exec "$@"'


def mounted(disk: Path, *command: str) -> subprocess.CompletedProcess[str]:
    disk.mkdir(exist_ok=True)
    run = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", MOUNT, str(disk)]
    # The script is not run by pytest, so it needs the path of tests/support.
    env = {**os.environ, "PYTHONPATH": str(SCRIPT.parents[1])}
    return subprocess.run([*run, *command], capture_output=True, text=True, timeout=120, env=env)


@pytest.mark.parametrize(
    "scenario", ["work_dir", "temporary", "sample", "texts", "output", "encoded"]
)
def test_a_disk_that_is_really_full(tmp_path: Path, scenario: str) -> None:
    if shutil.which("unshare") is None or mounted(tmp_path / "disk", "true").returncode:
        pytest.skip("a small file system cannot be mounted here (unshare, tmpfs)")
    if scenario in ("output", "encoded"):
        pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")
    done = mounted(tmp_path / "disk", sys.executable, str(SCRIPT), scenario, str(tmp_path / "disk"))
    assert done.returncode == 0, done.stderr

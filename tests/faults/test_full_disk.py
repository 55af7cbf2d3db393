"""A disk that is full: a clear error, what was finished is kept, and the same command ends well.

A file system of one megabyte is mounted for it, in a namespace of its own that goes away with the
process; nothing of the machine is changed.
"""

from __future__ import annotations

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
    return subprocess.run([*run, *command], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("scenario", ["work_dir", "temporary", "texts", "output"])
def test_a_disk_that_is_really_full(tmp_path: Path, scenario: str) -> None:
    if shutil.which("unshare") is None or mounted(tmp_path / "disk", "true").returncode:
        pytest.skip("a small file system cannot be mounted here (unshare, tmpfs)")
    if scenario == "output":
        pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")
    done = mounted(tmp_path / "disk", sys.executable, str(SCRIPT), scenario, str(tmp_path / "disk"))
    assert done.returncode == 0, done.stderr

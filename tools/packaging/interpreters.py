"""Finds the Python interpreters of this machine that superword supports.

`PYTHONS` names further interpreters, or directories with a `bin/python3`, separated by spaces or by
the separator of `PATH`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

OLDEST = (3, 10)
NEWEST = (3, 14)
QUESTION = (
    "import sys, sysconfig; print(*sys.version_info[:3], sys.implementation.name, "
    "int(bool(sysconfig.get_config_var('Py_GIL_DISABLED'))))"
)


@dataclass(frozen=True, order=True)
class Interpreter:
    """A Python interpreter."""

    version: tuple[int, int, int]
    free_threaded: bool
    path: Path

    def __str__(self) -> str:
        return ".".join(map(str, self.version)) + ("t" if self.free_threaded else "")

    @property
    def abi(self) -> str:
        """The tags of the wheel that this interpreter needs."""
        major, minor, _ = self.version
        return f"cp{major}{minor}-cp{major}{minor}t" if self.free_threaded else "cp310-abi3"


def find() -> list[Interpreter]:
    """One interpreter of each supported version, the newest patch release first found."""
    best: dict[tuple[tuple[int, int], bool], Interpreter] = {}
    for path in candidates():
        interpreter = ask(path)
        if interpreter is None or not OLDEST <= interpreter.version[:2] <= NEWEST:
            continue
        kind = (interpreter.version[:2], interpreter.free_threaded)
        if kind not in best or best[kind].version < interpreter.version:
            best[kind] = interpreter
    return sorted(best.values())


def candidates() -> list[Path]:
    """Every path that may be an interpreter."""
    found = [Path(sys.executable)]
    for given in filter(
        None, re.split(rf"[\s{re.escape(os.pathsep)}]", os.environ.get("PYTHONS", ""))
    ):
        found += inside(Path(given)) if Path(given).is_dir() else [Path(given)]
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    if versions.is_dir():
        found += [path for folder in sorted(versions.iterdir()) for path in inside(folder)]
    for minor in range(OLDEST[1], NEWEST[1] + 1):
        for name in (f"python3.{minor}", f"python3.{minor}t"):
            where = shutil.which(name)
            found += [Path(where)] if where else []
    return found


def inside(folder: Path) -> list[Path]:
    """The interpreter of an installation."""
    names = ("bin/python3", "python.exe")
    return [folder / name for name in names if (folder / name).exists()][:1]


def ask(path: Path) -> Interpreter | None:
    """What an interpreter says about itself. None if it does not run or is no CPython."""
    try:
        # Environment variables could make one interpreter load another one's library.
        command = [str(path), "-I", "-c", QUESTION]
        said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = said.stdout.split()
    if said.returncode or len(words) != 5 or words[3] != "cpython":
        return None
    major, minor, patch = map(int, words[:3])
    return Interpreter((major, minor, patch), words[4] == "1", path)


if __name__ == "__main__":
    for each in find():
        print(each, each.path)

"""Install the built wheels into fresh environments and test them there: `make test-wheel`.

    python tools/packaging/try_wheel.py [--full] [--dist dist]

Every Python that is found gets an environment of its own, with the wheel that pip would choose. The
tests run in a directory without the sources, so they can only see the installed package. On Linux
and macOS, the search path holds the environment and a few basic programs: no compiler, no cargo.

Without --full, and in free-threaded Pythons, a quick part of the tests runs. suite.py lists both
parts.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import interpreters
import suite
from interpreters import Interpreter
from notices import ROOT

# What commands in the documentation and in the tests call.
# fmt: off
PROGRAMS = [
    "bash", "cat", "chmod", "cmp", "cp", "cut", "date", "dirname", "echo", "env", "false", "grep",
    "gunzip", "gzip", "head", "ls", "mkdir", "mkfifo", "mount", "mv", "nproc", "printf", "ps",
    "pwd", "rm", "sed", "seq", "sh", "sleep", "sort", "stty", "tail", "tee", "touch", "tr",
    "true", "umount", "uname", "uniq", "unshare", "wc", "which",
]
# fmt: on
FORBIDDEN = ("cargo", "cc", "clang", "gcc", "make", "rustc")


def main(arguments: Sequence[str] | None = None) -> None:
    """Test the wheels in every Python."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="run all tests that need no sources")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    parser.add_argument("--only", default="", help="versions, as in 3.10,3.14t")
    given = parser.parse_args(arguments)
    only = set(filter(None, given.only.split(",")))
    failed = []
    for interpreter in interpreters.find():
        if only and short(interpreter) not in only:
            continue
        wheel = wheel_for(interpreter, given.dist.resolve())
        started = time.monotonic()
        print(f"Python {interpreter}: {wheel.name}", flush=True)
        with tempfile.TemporaryDirectory(prefix="superword-wheel-") as folder:
            # Some packages that the other tests need have no wheel for free-threaded Pythons.
            full = given.full and not interpreter.free_threaded
            passed = try_wheel(interpreter, wheel, Path(folder), full)
        seconds = time.monotonic() - started
        print(f"Python {interpreter}: {'passed' if passed else 'FAILED'} in {seconds:.0f} s")
        failed += [] if passed else [str(interpreter)]
    if failed:
        sys.exit(f"test-wheel: failed with Python {', '.join(failed)}")


def short(interpreter: Interpreter) -> str:
    """The version without the patch release."""
    return ".".join(map(str, interpreter.version[:2])) + "t" * interpreter.free_threaded


def wheel_for(interpreter: Interpreter, dist: Path) -> Path:
    """The newest wheel for this Python and this machine."""
    found = sorted(
        dist.glob(f"superword-*-{interpreter.abi}-*.whl"), key=lambda path: path.stat().st_mtime
    )
    if not found:
        sys.exit(
            f"test-wheel: {dist} has no wheel for Python {interpreter} ({interpreter.abi})\n"
            "hint: run make wheel, with the same PYTHONS"
        )
    return found[-1]


def try_wheel(interpreter: Interpreter, wheel: Path, folder: Path, full: bool) -> bool:
    """Install a wheel and run the tests. Returns whether they passed."""
    venv, tree = folder / "venv", folder / "tree"
    subprocess.run([interpreter.path, "-m", "venv", venv], check=True)
    binaries = venv / ("Scripts" if sys.platform == "win32" else "bin")
    python = binaries / "python"
    environment = bare_environment(folder, binaries)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # Only wheels: whoever installs superword has no compiler.
    only_wheels = ["--only-binary", ":all:"]
    # The README exports to Hugging Face and compares.
    wanted = [f"superword[huggingface] @ {wheel.as_uri()}"]
    subprocess.run([*install, *only_wheels, *wanted], env=environment, check=True)
    # Groups need a new pip.
    subprocess.run([*install, "--upgrade", "pip"], env=environment, check=True)
    groups = ["smoke", "interop", "dev"] if full else ["smoke"]
    chosen = [f"--group={ROOT / 'pyproject.toml'}:{group}" for group in groups]
    tools = subprocess.run([*install, *chosen], env=environment, check=False)
    if tools.returncode:
        print(f"Python {interpreter}: the tools of the tests cannot be installed")
        return False
    copy_tree(tree)
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *suite.arguments(full)]
    return subprocess.run(command, cwd=tree, env=environment, check=False).returncode == 0


def bare_environment(folder: Path, binaries: Path) -> dict[str, str]:
    """Variables without anything that could lead to a compiler or to the sources."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CARGO", "PYTHON", "RUST", "VIRTUAL_ENV", "MAKE"))
    }
    environment["SUPERWORD_INSTALLED"] = str(binaries.parent)
    if sys.platform == "win32":
        return {**environment, "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"}
    programs = folder / "programs"
    programs.mkdir()
    for name in PROGRAMS:
        where = shutil.which(name)
        if where:
            (programs / name).symlink_to(where)
    path = f"{binaries}{os.pathsep}{programs}"
    found = [name for name in FORBIDDEN if shutil.which(name, path=path)]
    if found:
        sys.exit(f"test-wheel: {found[0]} is on the path of the environment")
    return {**environment, "PATH": path}


def copy_tree(tree: Path) -> None:
    """Copy what the tests need."""
    tree.mkdir()
    ignored = shutil.ignore_patterns("__pycache__", ".hypothesis", "playground.html")
    for name in suite.COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=ignored)
        else:
            shutil.copy2(source, tree / name)


if __name__ == "__main__":
    main()

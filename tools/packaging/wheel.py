"""Build the wheels of a release and check them: `make wheel`.

    python tools/packaging/wheel.py [--out dist] [--target TRIPLE] [--compatibility TAG]

The first wheel uses Python's stable ABI, so it serves every Python from 3.10. Free-threaded Pythons
have no such ABI before 3.15, so each one that is found gets a wheel of its own. On Linux, zig links
against an old glibc, so that the wheels run on every distribution since 2014.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import contents
import interpreters
from notices import ROOT
from scrub import scrub

MANYLINUX = "manylinux2014"
ASSETS = contents.PACKAGE / "playground" / "assets"


def main(arguments: Sequence[str] | None = None) -> None:
    """Build and check all wheels."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--target", help="the Rust target, if it is not this machine")
    parser.add_argument("--compatibility", help=f"the platform's tag; on Linux {MANYLINUX}")
    parser.add_argument(
        "--check-only", action="store_true", help="check the wheels in --out, built elsewhere"
    )
    given = parser.parse_args(arguments)
    target = given.target or output("rustc", "--print", "host-tuple")
    if given.check_only:
        for wheel in sorted(given.out.glob("*.whl")):
            finish(wheel, target)
        return
    require_assets()
    subprocess.run(
        [sys.executable, ROOT / "tools" / "packaging" / "notices.py", "--check"], check=True
    )
    command = maturin(given.out, given.target, given.compatibility)
    build(command, target)
    for interpreter in interpreters.find():
        if interpreter.free_threaded:
            build([*command, "--interpreter", str(interpreter.path)], target)


def require_assets() -> None:
    """End if the playground was not built: `superword playground` would fail in such a wheel."""
    missing = [name for name in contents.ASSETS if not (ASSETS / name).exists()]
    if missing:
        sys.exit(
            f"wheel: the playground is not built: {ASSETS.relative_to(ROOT)} has no {missing[0]}\n"
            "hint: run make playground"
        )


def maturin(out: Path, target: str | None, compatibility: str | None) -> list[str]:
    """The command that builds a wheel."""
    command = [sys.executable, "-m", "maturin", "build", "--release", "--locked", "--quiet"]
    command += ["--out", str(out)]
    if target:
        command += ["--target", target]
    if sys.platform == "linux":
        command += ["--zig", "--compatibility", compatibility or MANYLINUX]
    else:
        command += ["--compatibility", compatibility or "pypi"]
    return command


def environment() -> dict[str, str]:
    """The variables of a build that leaves no path of this machine in the binary."""
    sysroot = output("rustc", "--print", "sysroot")
    cargo = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    crates = [f"{folder}=crates" for folder in sorted((cargo / "registry" / "src").glob("*"))]
    rust = [
        f"--remap-path-prefix={each}" for each in (f"{ROOT}=superword", *crates, f"{sysroot}=rust")
    ]
    c = [] if sys.platform == "win32" else [f"-ffile-prefix-map={each}" for each in crates]
    # maturin looks for zig and for Python on the path.
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    return {
        **os.environ,
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(rust),
        "CFLAGS": " ".join([os.environ.get("CFLAGS", ""), *c]).strip(),
        "PATH": path,
    }


def output(*command: str) -> str:
    """What a command prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def build(command: list[str], target: str) -> None:
    """Build one wheel and check it."""
    out = Path(command[command.index("--out") + 1])
    before = {path: path.stat().st_mtime_ns for path in out.glob("*.whl")}
    subprocess.run(command, cwd=ROOT, env=environment(), check=True)
    for wheel in sorted(out.glob("*.whl")):
        if before.get(wheel) != wheel.stat().st_mtime_ns:
            finish(wheel, target)


def finish(wheel: Path, target: str) -> None:
    """Remove what belongs to this machine, and check the rest."""
    scrub(wheel)
    contents.check(wheel, target)


if __name__ == "__main__":
    main()

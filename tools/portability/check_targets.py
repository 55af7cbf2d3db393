"""Compiles superword for the systems of the release that this machine is not: `make check-targets`.

    python tools/portability/check_targets.py [TARGET ...]

Every target is type-checked: the engine with its tests, and the binding to Python. Where the tools
are installed, the tests of the engine also run: for Windows in wine, for aarch64 Linux in qemu.

    apt install gcc-mingw-w64-x86-64 wine64            # Windows
    apt install gcc-aarch64-linux-gnu qemu-user        # aarch64 Linux

A type check links nothing, so it needs no SDK: the C compiler of this run writes empty files.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPILER = Path(__file__).with_name("no_compiler.py")
# The binding is checked as the wheel is built, but without a Python of that system.
BINDING = ["--package", "superword-python", "--features", "pyo3/abi3-py310"]


@dataclass(frozen=True)
class Target:
    """A target of Rust. `compiler` and `runner` are what running its tests needs."""

    name: str
    compiler: str | None = None
    runner: tuple[str, ...] = ()

    def variable(self, name: str) -> str:
        """The name of a variable of cargo for this target."""
        return f"CARGO_TARGET_{self.name.upper().replace('-', '_')}_{name}"


def wine() -> str:
    """Debian does not put the 64-bit program on the path."""
    return shutil.which("wine64") or shutil.which("wine64", path="/usr/lib/wine") or "wine64"


TARGETS = [
    Target("x86_64-pc-windows-gnu", "x86_64-w64-mingw32-gcc", (wine(),)),
    Target("x86_64-pc-windows-msvc"),
    Target("aarch64-pc-windows-msvc"),
    Target("x86_64-apple-darwin"),
    Target("aarch64-apple-darwin"),
    Target(
        "aarch64-unknown-linux-gnu",
        "aarch64-linux-gnu-gcc",
        ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"),
    ),
]


def main() -> None:
    """Check the given targets, or all of them."""
    wanted = sys.argv[1:]
    unknown = set(wanted) - {target.name for target in TARGETS}
    if unknown:
        known = ", ".join(target.name for target in TARGETS)
        sys.exit(f"error: unknown target {sorted(unknown)[0]}\nhint: the targets are {known}")
    failed = []
    for target in TARGETS:
        if wanted and target.name not in wanted:
            continue
        if not is_installed(target):
            failed.append(f"{target.name}: rustup target add {target.name}")
            continue
        done = check(target) and (not can_run(target) or run_tests(target))
        if not done:
            failed.append(f"{target.name}: see above")
    if failed:
        sys.exit("\n".join(["error: not all targets are fine", *failed]))


def is_installed(target: Target) -> bool:
    """Whether rustup has the standard library of the target."""
    asked = ["rustup", "target", "list", "--installed"]
    listed = subprocess.run(asked, capture_output=True, text=True, check=True, cwd=ROOT)
    return target.name in listed.stdout.split()


def cargo(arguments: list[str], more: dict[str, str]) -> bool:
    """Run cargo. The target directory is separate, so that nothing else is compiled again."""
    environment = {"CARGO_TARGET_DIR": str(ROOT / "target" / "targets"), **os.environ, **more}
    print("cargo", *arguments, flush=True)
    return subprocess.run(["cargo", *arguments], cwd=ROOT, env=environment).returncode == 0


def check(target: Target) -> bool:
    """Type-check the engine, its tests, and the binding."""
    name = target.name.replace("-", "_")
    more = {f"CC_{name}": str(COMPILER), f"AR_{name}": str(COMPILER), "PYO3_NO_PYTHON": "1"}
    # Apart from real builds, whose libraries are not empty.
    more["CARGO_TARGET_DIR"] = str(ROOT / "target" / "checked")
    command = ["check", "--quiet", "--locked", "--target", target.name]
    engine = [*command, "--package", "superword", "--all-targets"]
    return cargo(engine, more) and cargo([*command, *BINDING], more)


def can_run(target: Target) -> bool:
    """Whether the tests of the target can be compiled and run here."""
    needed = [target.compiler, *target.runner[:1]]
    if not target.compiler:
        print(f"{target.name}: checked; its tests cannot run here", flush=True)
        return False
    missing = [name for name in needed if name and shutil.which(name) is None]
    if missing:
        print(f"{target.name}: checked; without {', '.join(missing)} no tests", flush=True)
    return not missing


def run_tests(target: Target) -> bool:
    """Run the tests of the engine in the emulator."""
    with tempfile.TemporaryDirectory() as folder:
        more = {
            target.variable("LINKER"): target.compiler or "",
            target.variable("RUNNER"): " ".join(target.runner),
        }
        if "windows" in target.name:
            more |= for_wine(target.compiler or "", Path(folder))
        command = ["test", "--quiet", "--locked", "--target", target.name]
        return cargo([*command, "--package", "superword", "--lib", "--tests"], more)


def for_wine(compiler: str, folder: Path) -> dict[str, str]:
    """A configuration of wine for this run, with a library that its older versions lack."""
    libraries = folder / "libraries"
    libraries.mkdir()
    library = libraries / "bcryptprimitives.dll"
    source = COMPILER.with_name("prng.c")
    subprocess.run([compiler, "-shared", "-o", library, source, "-ladvapi32"], check=True)
    return {"WINEDEBUG": "-all", "WINEPATH": str(libraries), "WINEPREFIX": str(folder / "wine")}


if __name__ == "__main__":
    main()

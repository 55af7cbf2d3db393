"""Run the engine's tests under Miri, AddressSanitizer and ThreadSanitizer.

    python tools/sanitizers/run.py                # every step
    python tools/sanitizers/run.py miri address   # some of them

Steps:
    miri      the unsafe code of the engine, interpreted: invalid memory, alignment, aliasing
    address   all tests of the engine, compiled with AddressSanitizer
    thread    the tests of the engine that use threads, compiled with ThreadSanitizer
    binding   the Python package with an extension compiled with AddressSanitizer

Needs a nightly Rust toolchain with miri and rust-src:
    rustup toolchain install nightly --component miri --component rust-src

Each step prints its findings and one line of summary. The exit code is 1 if a step failed.
docs/security.md describes what is tested.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
TARGET = "x86_64-unknown-linux-gnu"

# The tests that reach unsafe code. Everything else of the engine is safe Rust.
MIRI_TESTS = (
    "text::scan::blocks::",
    "encode::cache::prefetch::",
    "every_way_to_merge_gives_the_same",
)

# The modules in which threads share memory.
THREAD_TESTS = (
    "encode::batch",
    "encode::shelf",
    "corpus::tests::parallel",
    "merge::",
    "threads::",
    "disk::lock",
)

# What hands memory over to numpy, Arrow and Python objects.
BINDING_TESTS = (
    "tests/encoding/test_array_memory.py",
    "tests/encoding/test_shapes.py",
    "tests/encoding/test_arrow.py",
)


class Step(NamedTuple):
    """One run of a program, with the pattern of what it reports about memory or threads."""

    command: list[str]
    environment: Mapping[str, str]
    finding: str


def main() -> None:
    """Run the steps that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("steps", nargs="*", choices=[*STEPS, []], help="all of them if not given")
    wanted = parser.parse_args().steps or list(STEPS)
    check_toolchain()
    failed = [name for name in wanted if not passes(name)]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def check_toolchain() -> None:
    """Exit with a hint if there is no nightly toolchain."""
    found = shutil.which("cargo") and subprocess.run(
        ["cargo", "+nightly", "--version"], capture_output=True, check=False
    )
    if not found or found.returncode:
        sys.exit(
            "a nightly Rust toolchain is needed\n"
            "hint: rustup toolchain install nightly --component miri --component rust-src"
        )


def passes(name: str) -> bool:
    """Run a step and print a summary. True if there are no findings."""
    start = time.monotonic()
    step = STEPS[name]()
    print(f"== {name}: {' '.join(step.command)}", flush=True)
    done = subprocess.run(
        step.command,
        cwd=ROOT,
        env={**os.environ, **step.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    tests = sum(map(int, re.findall(r"(\d+) passed", done.stdout)))
    findings = re.findall(step.finding, done.stdout)
    is_good = done.returncode == 0 and not findings and tests > 0
    if not is_good:
        print(done.stdout[-20_000:])
    print(
        f"== {name}: {'passed' if is_good else 'FAILED'}: {tests} tests, "
        f"{len(findings)} findings, {time.monotonic() - start:.0f} s",
        flush=True,
    )
    return is_good


def miri() -> Step:
    """The unsafe code of the engine in Miri."""
    command = ["cargo", "+nightly", "miri", "test", "-p", "superword", "--lib", "--", *MIRI_TESTS]
    # Caches and locks ask the system for its size and for files.
    environment = {
        "MIRIFLAGS": "-Zmiri-disable-isolation",
        "CARGO_TARGET_DIR": str(ROOT / "target" / "miri"),
    }
    return Step(command, environment, r"error: Undefined Behavior")


def compiled(sanitizer: str, *options: str, tests: tuple[str, ...] = ()) -> Step:
    """Tests of the engine, compiled with a sanitizer."""
    command = ["cargo", "+nightly", "test", "-p", "superword", "--lib", "--tests", "--quiet"]
    command += ["--target", TARGET, *options, "--", *tests]
    environment = {
        "RUSTFLAGS": f"-Zsanitizer={sanitizer}",
        "CARGO_TARGET_DIR": str(ROOT / "target" / sanitizer),
        # Leaks are looked for with the binding's test of memory; at exit, threads still hold some.
        "ASAN_OPTIONS": "detect_leaks=0",
    }
    return Step(command, environment, r"(?:ERROR|WARNING): (?:Address|Thread)Sanitizer")


def thread() -> Step:
    """The standard library is compiled too: otherwise its locks look like races."""
    return compiled("thread", "-Zbuild-std", tests=THREAD_TESTS)


def binding() -> Step:
    """Build the extension with AddressSanitizer, and test a copy of the package with it."""
    folder = Path(tempfile.mkdtemp(prefix="superword-asan-"))
    target = ROOT / "target" / "address"
    build = ["cargo", "+nightly", "rustc", "-p", "superword-python", "--crate-type", "cdylib"]
    subprocess.run(
        [*build, "--quiet", "--target", TARGET],
        cwd=ROOT,
        env={
            **os.environ,
            "RUSTFLAGS": "-Zsanitizer=address -Zexternal-clangrt",
            "CARGO_TARGET_DIR": str(target),
            "PYO3_PYTHON": sys.executable,
        },
        check=True,
    )
    ignore = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(ROOT / "python" / "superword", folder / "superword", ignore=ignore)
    built = target / TARGET / "debug" / "lib_core.so"
    shutil.copy(built, folder / "superword" / "_core.abi3.so")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *BINDING_TESTS]
    environment = {
        "LD_PRELOAD": asan_runtime(),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "PYTHONPATH": str(folder),
        "PYTHONMALLOC": "malloc",
    }
    return Step(command, environment, r"ERROR: AddressSanitizer")


def asan_runtime() -> str:
    """The runtime library of AddressSanitizer, which has to be loaded before Python."""
    for compiler in ("clang", "gcc"):
        name = f"libclang_rt.asan-{sysconfig.get_platform().split('-')[-1]}.so"
        wanted = name if compiler == "clang" else "libasan.so"
        if shutil.which(compiler):
            found = subprocess.run(
                [compiler, f"-print-file-name={wanted}"], capture_output=True, text=True, check=True
            ).stdout.strip()
            if Path(found).is_absolute():
                return found
    sys.exit("the runtime of AddressSanitizer is missing\nhint: install clang or gcc")


STEPS: dict[str, Callable[[], Step]] = {
    "miri": miri,
    "address": lambda: compiled("address"),
    "thread": thread,
    "binding": binding,
}

if __name__ == "__main__":
    main()

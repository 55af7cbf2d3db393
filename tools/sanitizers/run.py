"""Run the engine's tests under Miri, AddressSanitizer and ThreadSanitizer.

    python tools/sanitizers/run.py                # every step
    python tools/sanitizers/run.py miri address   # some of them

Steps:
    miri      the unsafe code of the engine, interpreted: invalid memory, alignment, aliasing
    miri-avx  the same on a processor with AVX2 and AVX-512
    address   all tests of the engine, compiled with AddressSanitizer
    thread    the tests of the engine that use threads, compiled with ThreadSanitizer
    binding   the Python package with an extension compiled with AddressSanitizer

Needs a nightly Rust toolchain with miri and rust-src:
    rustup toolchain install nightly --component miri --component rust-src
The step `binding` also needs the shared runtime of AddressSanitizer, which comes with clang:
    apt-get install clang libclang-rt-dev

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
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
TARGET = "x86_64-unknown-linux-gnu"

# Tests of unsafe code that Miri can run in a reasonable time. docs/security.md has a table of the
# files with unsafe code, which says what is left out. There is no test of `large.rs`: it compiles
# to a plain version under Miri, which has no huge pages.
MIRI_TESTS = (
    "corpus::parse::plain::",
    # One of its lines has escapes, so that a `String` is made without a second check of UTF-8.
    "the_scanner_is_sure_of_common_lines",
    "text::scan::blocks::",
    "prefetch::",
    # Not all tests of the cache: another one looks up half a million pretokens.
    "a_new_cache_holds_the_known_tokens",
    "every_way_to_merge_gives_the_same",
    "every_way_to_unpack_gives_the_bits_that_are_there",
    "merge::crew::",
)

# What crates/superword/src/cpu.rs looks for. Miri has only the features that it compiles for.
AVX = "+avx2,+bmi1,+bmi2,+lzcnt,+popcnt,+avx512f,+avx512bw"

# The modules in which threads share memory.
THREAD_TESTS = (
    "encode::batch::",
    "encode::shelf::",
    "corpus::stream::spool::",
    "corpus::tests::parallel::",
    "corpus::tests::sampling::threads_",
    "corpus::workers::",
    "merge::",
    "pretokenizer_is_shared_among_threads",
    "threads::",
    "disk::lock::",
)

# What hands memory over to numpy, Arrow and Python objects.
BINDING_TESTS = (
    "tests/encoding/test_array_memory.py",
    "tests/encoding/test_texts.py",
    "tests/encoding/test_shapes.py",
    "tests/encoding/test_arrow.py",
)


# Reports have names of functions and lines without the rest of the debug information.
QUICK_BUILD = {"CARGO_PROFILE_DEV_DEBUG": "line-tables-only", "CARGO_INCREMENTAL": "0"}

# Leaks are not looked for: at exit, threads still hold memory. Some tests ask for more memory than
# there is and expect an error, so such a request must not end the process.
ASAN_OPTIONS = "detect_leaks=0:allocator_may_return_null=1"

FINDING = r"ERROR: AddressSanitizer|WARNING: ThreadSanitizer"


class Step(NamedTuple):
    """One run of a program, with the pattern of what it reports about memory or threads."""

    command: list[str]
    environment: Mapping[str, str]
    finding: str
    # Parts of the names of the Rust tests to run. All of them if there are none.
    filters: tuple[str, ...] = ()


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
    print(f"== {name}: {' '.join([*step.command, *step.filters])}", flush=True)
    problem = wrong_filters(step)
    if problem:
        print(f"== {name}: FAILED: {problem}", flush=True)
        return False
    done = output_of(step, *step.filters)
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


def output_of(step: Step, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program of a step."""
    return subprocess.run(
        [*step.command, *arguments],
        cwd=ROOT,
        env={**os.environ, **step.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def wrong_filters(step: Step) -> str | None:
    """What is wrong with the filters, for example that a module was renamed."""
    if not step.filters:
        return None
    listed = output_of(step, "--list")
    if listed.returncode:
        print(listed.stdout[-20_000:])
        return "the tests cannot be listed"
    names = re.findall(r"^(\S+): test$", listed.stdout, flags=re.MULTILINE)
    unmatched = [part for part in step.filters if not any(part in name for name in names)]
    return f"no test is called {', '.join(unmatched)}" if unmatched else None


def miri(features: str = "") -> Step:
    """The unsafe code of the engine in Miri, on a processor with these features."""
    command = ["cargo", "+nightly", "miri", "test", "-p", "superword", "--lib", "--"]
    # Caches and locks ask the system for its size and for files.
    environment = {
        "MIRIFLAGS": "-Zmiri-disable-isolation",
        "RUSTFLAGS": f"-Ctarget-feature={features}" if features else "",
        "CARGO_TARGET_DIR": str(ROOT / "target" / "miri"),
    }
    return Step(command, environment, r"error: Undefined Behavior", MIRI_TESTS)


def compiled(sanitizer: str, *options: str, filters: tuple[str, ...] = ()) -> Step:
    """Tests of the engine, compiled with a sanitizer."""
    command = ["cargo", "+nightly", "test", "-p", "superword", "--lib", *options]
    command += ["--quiet", "--target", TARGET, "--"]
    environment = {
        **QUICK_BUILD,
        "RUSTFLAGS": f"-Zsanitizer={sanitizer}",
        "CARGO_TARGET_DIR": str(ROOT / "target" / sanitizer),
        "ASAN_OPTIONS": ASAN_OPTIONS,
    }
    return Step(command, environment, FINDING, filters)


def thread() -> Step:
    """The standard library is compiled too: otherwise its locks look like races."""
    return compiled("thread", "-Zbuild-std", filters=THREAD_TESTS)


def binding() -> Step:
    """Build the extension with AddressSanitizer, and test a copy of the package with it."""
    runtime = asan_runtime()
    target = ROOT / "target" / "address"
    build = ["cargo", "+nightly", "rustc", "-p", "superword-python", "--crate-type", "cdylib"]
    subprocess.run(
        [*build, "--features", "pyo3/abi3-py310", "--quiet", "--target", TARGET],
        cwd=ROOT,
        env={
            **os.environ,
            **QUICK_BUILD,
            "RUSTFLAGS": "-Zsanitizer=address -Zexternal-clangrt",
            "CARGO_TARGET_DIR": str(target),
            "PYO3_PYTHON": sys.executable,
            "PYO3_BUILD_EXTENSION_MODULE": "1",
        },
        check=True,
    )
    folder = target / "package"
    shutil.rmtree(folder, ignore_errors=True)
    ignore = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(ROOT / "python" / "superword", folder / "superword", ignore=ignore)
    built = target / TARGET / "debug" / "lib_core.so"
    shutil.copy(built, folder / "superword" / "_core.abi3.so")
    environment = {
        "LD_PRELOAD": runtime,
        "ASAN_OPTIONS": ASAN_OPTIONS,
        "PYTHONPATH": str(folder),
        # Otherwise Python hands out parts of large blocks, and the sanitizer sees only the blocks.
        "PYTHONMALLOC": "malloc",
    }
    check_instrumented(folder, environment)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *BINDING_TESTS]
    return Step(command, environment, FINDING)


def check_instrumented(folder: Path, environment: Mapping[str, str]) -> None:
    """Exit unless Python loads the extension of the copy, and this calls the sanitizer."""
    ask = "import superword._core as core; print(core.__file__)"
    loaded = subprocess.run(
        [sys.executable, "-c", ask],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    extension = Path(loaded.stdout.strip() or os.devnull)
    if not extension.is_relative_to(folder):
        sys.exit(f"Python did not load the extension in {folder}: {extension}\n{loaded.stderr}")
    if b"__asan_report_load" not in extension.read_bytes():
        sys.exit(f"{extension} is not compiled with AddressSanitizer")


def asan_runtime() -> str:
    """The runtime library of AddressSanitizer, which has to be loaded before Python."""
    name = f"libclang_rt.asan-{TARGET.partition('-')[0]}.so"
    for compiler in ("clang", *(f"clang-{version}" for version in range(30, 13, -1))):
        if shutil.which(compiler):
            found = subprocess.run(
                [compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True
            ).stdout.strip()
            if Path(found).is_absolute():
                return found
    sys.exit(
        "the runtime of AddressSanitizer is missing\nhint: apt-get install clang libclang-rt-dev"
    )


STEPS: dict[str, Callable[[], Step]] = {
    "miri": miri,
    "miri-avx": lambda: miri(AVX),
    "address": lambda: compiled("address", "--tests"),
    "thread": thread,
    "binding": binding,
}

if __name__ == "__main__":
    main()

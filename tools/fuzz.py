"""Run the fuzz targets of the engine and summarise what happened. `make fuzz` calls it.

    python tools/fuzz.py --seconds 60 --targets encode,jsonl

Needs a nightly Rust compiler and cargo-fuzz. Inputs that reach new code are added to a working copy
of the corpus in `fuzz/target/corpus/`, so the repository does not change. A crash leaves its input
in `fuzz/artifacts/TARGET/`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

FUZZ = Path(__file__).resolve().parent.parent / "fuzz"
TARGETS = sorted(path.stem for path in (FUZZ / "fuzz_targets").glob("*.rs"))
LIMITS = ("-rss_limit_mb=4096", "-timeout=25", "-max_len=4096", "-print_final_stats=1")
# Tracing comparisons makes inputs several times slower: compiling a pattern compares a lot.
BUILD = ("--no-trace-compares",)
# Rust has no use after return.
ASAN_OPTIONS = "detect_stack_use_after_return=0:malloc_context_size=8:quarantine_size_mb=64"
INSTALL = """fuzzing needs a nightly Rust compiler and cargo-fuzz:

    rustup toolchain install nightly
    cargo install cargo-fuzz --locked
"""


def check_tools() -> None:
    """Say what to install if something is missing."""
    for command in (["cargo", "+nightly", "--version"], ["cargo", "fuzz", "--version"]):
        try:
            done = subprocess.run(command, capture_output=True, check=False).returncode
        except FileNotFoundError:
            done = 127
        if done != 0:
            sys.exit(INSTALL)


def numbers(log: str) -> dict[str, int]:
    """The final statistics of libFuzzer.

    >>> numbers("#9 DONE cov: 12 ft: 30 corp: 4/9b\\nstat::number_of_executed_units: 9\\n")
    {'inputs': 9, 'coverage': 12}
    """
    inputs = re.findall(r"stat::number_of_executed_units:\s+(\d+)", log)
    # A run that crashes prints no statistics, only how far it got.
    inputs = inputs or re.findall(r"^#(\d+)\s", log, re.MULTILINE)
    coverage = re.findall(r"\bcov: (\d+)", log)
    return {
        "inputs": int(inputs[-1]) if inputs else 0,
        "coverage": int(coverage[-1]) if coverage else 0,
    }


def fuzz(target: str, seconds: int) -> dict[str, Any]:
    """Run one target."""
    work = FUZZ / "target" / "corpus" / target
    work.mkdir(parents=True, exist_ok=True)
    folders = [work, FUZZ / "corpus" / target, FUZZ / "regressions" / target]
    known = [str(folder) for folder in folders if folder.exists()]
    dictionary = FUZZ / "dictionaries" / f"{target}.dict"
    options = [*LIMITS, f"-max_total_time={seconds}"]
    if dictionary.exists():
        options.append(f"-dict={dictionary}")
    crashes = FUZZ / "artifacts" / target
    before = set(crashes.glob("*"))
    started = time.monotonic()
    run = subprocess.run(
        ["cargo", "+nightly", "fuzz", "run", *BUILD, target, *known, "--", *options],
        cwd=FUZZ.parent,
        env={"ASAN_OPTIONS": ASAN_OPTIONS, **os.environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    found = sorted(str(path) for path in set(crashes.glob("*")) - before)
    if run.returncode != 0:
        print(run.stdout[-4000:], file=sys.stderr)
    return {
        "target": target,
        **numbers(run.stdout),
        "seconds": round(time.monotonic() - started, 1),
        "failed": run.returncode != 0,
        "crashes": [os.path.relpath(path) for path in found],
    }


def main() -> None:
    """Run the targets and print a table."""
    parser = argparse.ArgumentParser(description="Run the fuzz targets.")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--targets", default="", help="names with commas; all if empty")
    parser.add_argument("--output", type=Path, default=FUZZ / "results" / "fuzzing.json")
    given = parser.parse_args()
    chosen = [name for name in re.split(r"[,\s]+", given.targets) if name] or TARGETS
    unknown = sorted(set(chosen) - set(TARGETS))
    if unknown:
        sys.exit(f"there is no target {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    check_tools()
    subprocess.run(["cargo", "+nightly", "fuzz", "build", *BUILD], cwd=FUZZ.parent, check=True)
    rows = []
    print(f"{'target':<12} {'inputs':>12} {'seconds':>8} {'coverage':>9} {'crashes':>8}")
    for target in chosen:
        row = fuzz(target, given.seconds)
        rows.append(row)
        print(
            f"{target:<12} {row['inputs']:>12,} {row['seconds']:>8} {row['coverage']:>9,} "
            f"{len(row['crashes']):>8}",
            flush=True,
        )
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text(json.dumps(rows, indent=1) + "\n")
    for row in rows:
        for crash in row["crashes"]:
            print(f"{row['target']} failed on {crash}")
    sys.exit(1 if any(row["failed"] for row in rows) else 0)


if __name__ == "__main__":
    main()

"""Compares two builds of superword: `python -m benches.compare BEFORE AFTER [NAME]`.

BEFORE and AFTER are directories that hold an importable `superword` package, such as `python/` of
two checkouts after `make setup PROFILE=release`. The two builds take turns on the same text, each
run in a fresh process. Models and ids must be equal; the best time and the smallest peak of each
build count.
The table goes to stdout and, with NAME, to `benches/results/comparisons/<date>-NAME.md`.
`SIZES` is the training text in MB (200), `ENGLISH` the text to encode (64), `ROUNDS` how often each
build runs (3); the other variables are those of `make bench`.
"""

from __future__ import annotations

import datetime
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benches import RECORDED, SCRATCH
from benches.plan import numbers
from benches.plan import plan as make_plan
from benches.running import machine, texts
from benches.running.measure import Measured, Runner
from benches.running.texts import MB
from benches.training import METHODS, job_for

BUILDS = ("before", "after")
PATTERN = "gpt4o"
VOCABULARY = 131_072


@dataclass
class Workload:
    """One job, run by both builds."""

    label: str
    job: dict[str, Any]
    key: str  # the time that is compared
    size: int


def workloads(
    made: dict[str, Any], train: dict[str, Any], cores: int, vocab: int
) -> Iterator[Workload]:
    """Training with each method, then encoding with the models that training saved."""
    size = f"{train['bytes'] / MB:.0f} MB"
    for method in METHODS:
        for threads in sorted({1, cores}):
            job = job_for("superword", train, PATTERN, vocab, threads, method=method)
            label = f"train {method}, {size}, {_threads(threads)}"
            yield Workload(label, job | {"out": str(_out(method))}, "seconds", train["bytes"])
    for method in METHODS:
        model = {"superword": str(_out(method) / "model.superword"), "pattern": PATTERN}
        forms = model | dict.fromkeys(("tokenizer_json", "tiktoken"), "unused")
        for name, threads in (("english", 1), ("english", cores), ("code", 1), ("lang zh", 1)):
            if name not in made:
                continue
            text = made[name]
            job = {"kind": "encode", "peer": "superword", "threads": threads, "warm_until": 4}
            job |= forms | {"nul": str(Path(text["stem"]).with_suffix(".nul"))}
            label = f"encode {name.removeprefix('lang ')} with {method}, {_threads(threads)}"
            yield Workload(label, job, "first", text["bytes"])


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"


def _out(method: str) -> Path:
    return SCRATCH / "compare" / method


def run(before: Path, after: Path, rounds: int, seconds: float) -> list[dict[str, Any]]:
    """Run every workload with both builds in turn; raises if a result differs."""
    plan = make_plan()
    size = int(numbers("SIZES", [200])[-1] * MB)
    english = int(numbers("ENGLISH", [64])[0] * MB)
    made = texts.prepare([size], min(size, 128 * MB), english, ["zh"])["texts"]
    runner = Runner(seconds)
    rows: list[dict[str, Any]] = []
    for work in workloads(made, made[f"train-{size}"], plan.cores, VOCABULARY):
        items = {
            build: Measured(work.job | {"import_from": str(path)}, f"{build}: {work.label}")
            for build, path in zip(BUILDS, (before, after), strict=True)
        }
        runner.group(list(items.values()), rounds, work.key, work.size)
        failed = [f"{item.label}: {item.failed}" for item in items.values() if item.failed]
        if failed:
            raise SystemExit("error: " + "; ".join(failed))
        results = {result["digest"] for item in items.values() for result in item.results}
        if len(results) > 1:
            raise SystemExit(f"error: {work.label}: the two builds give different results")
        rows.append({"label": work.label, **{b: _best(i, work) for b, i in items.items()}})
    return rows


def _best(item: Measured, work: Workload) -> dict[str, Any]:
    return {
        "seconds": item.best(work.key),
        "warm": item.best("warm"),
        "all": [round(result[work.key], 3) for result in item.results],
        "peak_memory": item.best("peak_memory"),
    }


def table(rows: list[dict[str, Any]]) -> str:
    """The comparison as a Markdown table; the ratio is after / before, so below 1 is faster."""
    lines = ["| workload | before, s | after, s | ratio | peak MB, before | after | ratio |"]
    lines.append("|---|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        before, after = row["before"], row["after"]
        for key, suffix in (("seconds", ""), ("warm", ", warm")):
            if before[key] is None:
                continue
            cells = [f"{row['label']}{suffix}", f"{before[key]:.3f}", f"{after[key]:.3f}"]
            cells.append(f"{after[key] / before[key]:.2f}")
            if key == "seconds":
                peaks = before["peak_memory"], after["peak_memory"]
                cells += [f"{peak / MB:.0f}" for peak in peaks] + [f"{peaks[1] / peaks[0]:.2f}"]
            else:
                cells += ["", "", ""]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Compare the two builds named on the command line."""
    if len(sys.argv) not in (3, 4):
        raise SystemExit("usage: python -m benches.compare BEFORE AFTER [NAME]")
    before, after = (Path(path).resolve() for path in sys.argv[1:3])
    for path in (before, after):
        if not (path / "superword" / "__init__.py").is_file():
            raise SystemExit(
                f"error: {path} holds no superword package\n"
                "hint: run make setup PROFILE=release there"
            )
    rounds = int(os.environ.get("ROUNDS") or 3)
    seconds = float(os.environ.get("BENCH_SECONDS") or 1800)
    facts = machine.facts()
    rows = run(before, after, rounds, seconds)
    shown = table(rows)
    print(shown)
    if len(sys.argv) == 4:
        day = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        folder = RECORDED / "comparisons"
        folder.mkdir(parents=True, exist_ok=True)
        stem = folder / f"{day}-{sys.argv[3]}"
        record = {"date": day, "machine": facts, "rounds": rounds, "rows": rows}
        stem.with_suffix(".json").write_text(json.dumps(record, indent=1) + "\n")
        page = [
            f"# {sys.argv[3]}: before and after",
            f"{facts['processor']}, {facts['cores']} cores, Python {facts['python']}, {day}. "
            f"Best of {rounds} interleaved runs; load before the run {facts['load_before']}. "
            "Models and ids were equal. Ratios are after / before.",
            shown,
        ]
        stem.with_suffix(".md").write_text("\n\n".join(page) + "\n")


if __name__ == "__main__":
    main()

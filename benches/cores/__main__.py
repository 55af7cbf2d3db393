"""Measure training and encoding by number of threads on this machine.

The results so far are always on disk in the output directory, so a run that is stopped loses
nothing. `--seconds` limits the whole run. What does not fit is left out, the least informative
first.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any

from benches import RECORDED
from benches.cores import report, workloads
from benches.running import machine
from benches.running.measure import Runner

PEERS = ("gigatoken", "gigabpe")
MB = 1_000_000


def versions() -> dict[str, str | None]:
    """The versions of superword, the peers and numpy; None if one is not installed."""
    found: dict[str, str | None] = {}
    for name in ("superword", *PEERS, "numpy"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    if found["superword"] is None:  # Imported from a checkout.
        import superword

        found["superword"] = superword.__version__
    return found


def arguments(given: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benches.cores", description=__doc__)
    parser.add_argument("--corpus", type=Path, help="directory or file of text, as CORPUS")
    parser.add_argument("--output", type=Path, default=RECORDED / "cores")
    parser.add_argument("--seconds", type=float, default=500, help="limit of the whole run")
    parser.add_argument("--train", type=float, default=213, help="MB of text to train on")
    parser.add_argument("--encode", type=float, default=128, help="MB of text to encode")
    parser.add_argument("--vocab-size", type=int, default=131_072)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--threads", help="numbers of threads, such as 1,4,16")
    return parser.parse_args(given)


def main(given: list[str] | None = None) -> None:
    """Measure, check, record and render."""
    started = time.monotonic()
    asked = arguments(given)
    if asked.corpus is not None:
        os.environ["CORPUS"] = str(asked.corpus)
    cores = machine.cores()
    counts = [count for count in workloads.COUNTS if count <= cores]
    if asked.threads:
        counts = sorted({int(count) for count in asked.threads.split(",")})
    import superword

    held = versions()
    plan = workloads.Plan(
        train_bytes=int(asked.train * MB),
        encode_bytes=int(asked.encode * MB),
        vocab=asked.vocab_size,
        counts=counts,
        rounds=asked.rounds,
        peers={name for name in PEERS if held[name]},
        pattern=superword.Pretokenizer("gpt4o").pattern,
    )
    result: dict[str, Any] = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": machine.facts(),
        "caches": machine.caches(),
        "threads_per_core": machine.threads_per_core(),
        "versions": held,
        "counts": counts,
        "rounds": asked.rounds,
        "vocab": plan.vocab,
    }
    path = asked.output / f"{result['date']}-{cores}-cores.json"
    asked.output.mkdir(parents=True, exist_ok=True)
    runner = Runner(asked.seconds)
    runner.end = started + asked.seconds
    runner.say("preparing the text")
    texts = workloads.prepare(plan)
    result |= {
        "source": texts.source,
        "train_bytes": texts.whole["bytes"],
        "encode_bytes": texts.held_out["bytes"],
    }

    def save() -> None:
        result["results"] = [workloads.record(job) for job in work.jobs]
        result["seconds"] = round(time.monotonic() - started, 1)
        partial = path.with_suffix(".partial")
        partial.write_text(json.dumps(result, indent=1) + "\n")
        partial.replace(path)
        path.with_suffix(".md").write_text(report.page(result))

    work = workloads.Workloads(runner, plan, texts, save)
    work.build_models()
    work.measure()
    save()
    print(report.page(result))
    print(f"recorded in {path}", file=sys.stderr)


if __name__ == "__main__":
    main()

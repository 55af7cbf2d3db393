"""`python -m benches`: measure, record, render. `make bench` sets everything up and calls it."""

from __future__ import annotations

import datetime
import json
import sys
import time
from pathlib import Path
from typing import Any

from benches import RESULTS, VENV, encoding, training
from benches.plan import plan as make_plan
from benches.running import machine, texts
from benches.running.measure import Runner

SCHEMA = 1


def main() -> None:
    """Do one run, as configured by `BENCH` and the other variables."""
    started = time.monotonic()
    plan = make_plan()
    if not (VENV / "peers.json").is_file():
        raise SystemExit("error: the peers are not installed\nhint: run make bench")
    peers: dict[str, Any] = json.loads((VENV / "peers.json").read_text())
    installed = {name for name, held in peers.items() if held["version"]}
    import superword

    plan.pattern = superword.Pretokenizer("gpt4o").pattern
    day = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    result: dict[str, Any] = {
        "schema": SCHEMA,
        "date": day,
        "mode": plan.mode,
        "machine": machine.facts(),
        "peers": peers,
        "pattern": "gpt4o",
        "rounds": plan.rounds,
        "log": [],
    }
    print("preparing the texts", file=sys.stderr, flush=True)
    sizes = sorted({*plan.sizes, *plan.figure_sizes}) if plan.training else []
    made = texts.prepare(sizes, plan.model_bytes, plan.english_bytes, plan.languages)
    result["source"] = made["source"]
    left = max(60.0, plan.seconds - (time.monotonic() - started))
    for name, section, share in (
        ("training", training, 0.5 if plan.encoding else 1.0),
        ("encoding", encoding, 1.0),
    ):
        if not getattr(plan, name):
            continue
        # Time that one section does not use goes to the next.
        runner = Runner(left * share, plan.repeat_seconds)
        begun = time.monotonic()
        result[name] = {}
        try:
            section.run(runner, plan, made["texts"], installed, result[name])
        finally:
            # Also after an interrupt, so that no measurement is lost.
            result["log"] += runner.summary()
            result["seconds"] = round(time.monotonic() - started, 1)
            path = record(result)
        left -= time.monotonic() - begun
    from benches.render import render

    print(render(path), file=sys.stderr)


def record(result: dict[str, Any]) -> Path:
    """Write `results/<date>.json`. A run of one section keeps the other section in that file."""
    quick = "-quick" if result["mode"] == "quick" else ""
    path = RESULTS / f"{result['date']}{quick}.json"
    RESULTS.mkdir(parents=True, exist_ok=True)
    result = dict(result)
    if path.is_file() and result["mode"] in ("training", "encoding"):
        before = json.loads(path.read_text())
        other = "encoding" if result["mode"] == "training" else "training"
        same = all(before[key] == result[key] for key in ("schema", "peers", "source"))
        if same and other in before:
            result[other] = before[other]
            result["log"] = before["log"] + result["log"]
            result["mode"] = "full"
    path.write_text(json.dumps(result, indent=1) + "\n")
    return path


if __name__ == "__main__":
    main()

"""Measures BPE and BoundlessBPE on a large corpus: without a limit, then with less memory."""

from __future__ import annotations

import datetime
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benches.large.follow import Followed, follow
from benches.running import machine
from benches.running.child import without_folders

Record = dict[str, Any]
METHODS = ("bpe", "boundless")
SHARES = {"half": 0.5, "quarter": 0.25}
SIZE = re.compile(r"(\d[\d.,_]*)\s*(bytes|[kMGT]i?B)?\b")
UNITS = {"kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
UNITS |= {"kiB": 2**10, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "bytes": 1}


def wanted(hint: str) -> str | None:
    """The limit that a refusal asks for, as it is given to the command line."""
    after = hint.partition("max-memory")[2] or hint
    for number, unit in SIZE.findall(after):
        size = float(number.replace(",", "").replace("_", "").rstrip("."))
        if (bytes_ := int(size * UNITS.get(unit, 1))) >= 1_000_000:
            return str(bytes_) if unit in ("", "bytes") else f"{number}{unit}"
    return None


def record(run: Followed) -> Record:
    """What is kept of a run."""
    kept: Record = {
        "seconds": round(run.seconds, 3),
        "cpu_seconds": round(run.cpu_seconds, 2),
        "peak_memory": run.peak_memory,
        "sampled_peak": max((s.resident for s in run.samples), default=0),
        "phases": run.phases(),
        "estimates": run.estimates(),
        "report": run.report,
        "sha256": run.sha256,
        "refused": None,
    }
    if run.end is None:
        said = run.error or {"message": f"exit code {run.code}", "hint": ""}
        kept["refused"] = {key: without_folders(said.get(key) or "") for key in ("message", "hint")}
    else:
        kept |= {key: run.end[key] for key in ("documents", "bytes", "n_vocab")}
        kept["told_peak"] = run.end.get("peak_memory")
        kept["told_phase_peaks"] = run.end.get("phase_peak_memory")
    return kept


def limited(
    train: Callable[..., Record], limit: str, share: str, log: Callable[..., None]
) -> Record:
    """A run with `max_memory`. If it is refused, another one with the limit that it asks for."""
    kept = train("--max-memory", limit) | {"share": share, "limit": limit}
    if kept["refused"]:
        said = kept["refused"]
        asked = wanted(said["hint"]) or wanted(said["message"])
        log(f"refused {limit} after {kept['seconds']:.1f} s: {said['message']} ({said['hint']})")
        kept["again"] = train("--max-memory", asked) | {"limit": asked} if asked else None
    return kept


def measure(folder: Path, output: Path, vocab: int, methods: list[str], shares: list[str]) -> Path:
    """Everything, recorded after every run."""
    from benches.large.report import page

    parts = sorted(folder.glob("part-*.jsonl"))
    if not parts:
        raise SystemExit(f"error: no corpus in {folder}\nhint: run python -m benches.large corpus")
    made = folder / "manifest.json"
    result: Record = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": machine.facts(),
        "caches": machine.caches(),
        "corpus": json.loads(made.read_text()) if made.is_file() else {},
        "jsonl_bytes": sum(part.stat().st_size for part in parts),
        "vocab": vocab,
        "runs": {},
    }
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"{result['date']}.json"

    def log(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def save() -> None:
        path.write_text(json.dumps(result, indent=1) + "\n")
        path.with_suffix(".md").write_text(page(result))

    for method in methods:

        def train(*more: str, method: str = method) -> Record:
            given = [*map(str, parts), "--vocab-size", str(vocab), "--method", method, *more]
            kept = record(follow(given, folder / f"{method}.superword"))
            log(
                f"{method} {' '.join(more)}: {kept['seconds']:.1f} s, {kept['cpu_seconds']:.1f} "
                f"CPU s, {kept['peak_memory'] / 1e9:.2f} GB"
            )
            return kept

        free = train()
        held: Record = {"free": free, "limited": []}
        result["runs"][method] = held
        save()
        for share in shares if not free["refused"] else []:
            limit = str(int(free["peak_memory"] * SHARES[share]))
            held["limited"].append(limited(train, limit, share, log))
            save()
    log(page(result))
    return path

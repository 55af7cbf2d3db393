"""The encoding workloads: the same tokenizer for all, and times count only if the ids are right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from benches import ROOT, SCRATCH
from benches.peers import PEERS, peer
from benches.plan import BAR_LANGUAGES, Plan
from benches.running.measure import Measured, Runner
from benches.running.models import OURS
from benches.training import job_for

MODELS = SCRATCH / "models"
# Slow peers get only the beginning of a text; this much of a language file.
LANGUAGE_SLICE = 1_000_000
IMPORT = (
    "import time; start = time.perf_counter(); import superword; print(time.perf_counter() - start)"
)


def build_models(runner: Runner, plan: Plan, text: dict[str, Any]) -> dict[str, Any] | None:
    """Train ours, and export the word model for the peers. None if that fails."""
    MODELS.mkdir(parents=True, exist_ok=True)
    for old in MODELS.iterdir():
        if old.is_file():
            old.unlink()
    for name, options in OURS.items():
        folder = MODELS / "out"
        job = job_for("superword", text, plan.pattern, plan.model_vocab, plan.cores, **options)
        item = Measured(job | {"out": str(folder)}, f"model for encoding: {name}")
        runner.group([item], 1, "seconds", text["bytes"], 1800)
        if item.failed:
            return None
        (folder / "model.superword").replace(MODELS / f"{name}.superword")
    item = Measured({"kind": "export", "threads": 1, "folder": str(MODELS)}, "export")
    runner.group([item], 1, "seconds", 1, 600)
    return None if item.failed else item.results[0]


def model_forms(plan: Plan, model: str) -> dict[str, Any]:
    """The paths of a model in each form. Peers read the exports of the word model."""
    return {
        "tokenizer_json": str(MODELS / "tokenizer.json"),
        "tiktoken": str(MODELS / "words.tiktoken"),
        "superword": str(MODELS / f"{model}.superword"),
        "pattern": plan.pattern,
    }


def group(
    runner: Runner,
    plan: Plan,
    name: str,
    text: dict[str, Any],
    ours: list[str],
    peers: list[str],
    *,
    threads: int = 1,
    rounds: int = 1,
    slow_bytes: int,
    limit: float,
    own_limit: float | None = None,
    warm: float = 0.0,
) -> list[dict[str, Any]]:
    """Measure encoders on one text.

    The ids of a peer must equal those of our word model, and a superword model must decode to the
    text. `warm`: seconds for first and warm passes together.
    """
    common = {
        "kind": "encode",
        "threads": threads,
        "nul": str(Path(text["stem"]).with_suffix(".nul")),
        "warm_until": warm,
    }
    on = f", {threads} threads" if threads > 1 else ""
    jobs = []
    for model in ours:
        job = common | model_forms(plan, model) | {"peer": "superword", "slice": slow_bytes}
        if model != "words":
            job["round_trip"] = True
        jobs.append(Measured(job, f"encode {name}, {model}{on}"))
    for other in peers:
        job = common | model_forms(plan, "words") | {"peer": other, "slow": slow_bytes}
        if getattr(peer(other), "SLOW", False):
            job["limit"] = slow_bytes
        jobs.append(Measured(job, f"encode {name}, {other}{on}"))

    def accept(item: Measured) -> str | None:
        expected = jobs[0].results[0] if jobs[0].results else None
        return wrong(item.job, item.results[0], expected)

    mine, others = jobs[: len(ours)], jobs[len(ours) :]
    if own_limit is None:
        runner.group(jobs, rounds, "first", text["bytes"], limit, accept)
    else:
        runner.group(mine, rounds, "first", text["bytes"], own_limit, accept)
        runner.group(others, rounds, "first", text["bytes"], limit, accept)
    names = [*ours, *peers]
    return [record(item, name, who) for item, who in zip(jobs, names, strict=True)]


def wrong(job: dict[str, Any], got: dict[str, Any], words: dict[str, Any] | None) -> str | None:
    """What is wrong with a result, compared with our word model on the same text."""
    if job["peer"] == "superword":
        return None if got.get("round_trip", True) else "decoding does not give back the text"
    if words is None:
        return "nothing to compare with"
    wanted = "slice_digest" if job.get("limit") == job.get("slow") else "digest"
    return None if got["digest"] == words[wanted] else "other ids than ours"


def several(
    runner: Runner,
    plan: Plan,
    texts: dict[str, Any],
    ours: list[str],
    peers: list[str],
    *,
    threads: int = 1,
) -> list[dict[str, Any]]:
    """Measure encoders on the beginnings of many texts, with one process per encoder."""
    size = sum(min(text["bytes"], plan.language_bytes) for text in texts.values())
    common = {
        "kind": "encode_several",
        "threads": threads,
        "several": {n: str(Path(t["stem"]).with_suffix(".nul")) for n, t in texts.items()},
        "warm_until": 0.5,
        "limit": plan.language_bytes,
        "slow": LANGUAGE_SLICE,
    }
    on = f", {threads} threads" if threads > 1 else ""
    jobs = []
    for model in ours:
        job = common | model_forms(plan, model) | {"peer": "superword", "slice": LANGUAGE_SLICE}
        job["round_trip"] = model != "words" and threads == 1
        jobs.append(Measured(job, f"encode {len(texts)} languages, {model}{on}"))
    for other in peers:
        job = common | model_forms(plan, "words") | {"peer": other}
        if getattr(peer(other), "SLOW", False):
            job["limit"] = LANGUAGE_SLICE
        jobs.append(Measured(job, f"encode {len(texts)} languages, {other}{on}"))
    runner.group(jobs, 1, "first", size, 3 * plan.encoding_limit)
    kept = []
    for item, encoder in zip(jobs, [*ours, *peers], strict=True):
        made = item.results[0] if item.results else {}
        done = made.get("several", {})
        for name in texts:
            got = done.get(name)
            one = Measured(item.job, f"encode {name}, {encoder}{on}", [got] if got else [])
            one.failed = item.failed or (got or {}).get("failed")
            if got is None and one.failed is None:
                one.failed = made.get("stopped", "no result")
            if got and not one.failed:
                first = jobs[0].results[0]["several"].get(name) if jobs[0].results else None
                one.failed = wrong(item.job, got, None if "failed" in (first or {}) else first)
                if one.failed:
                    runner.note(one, 1, one.failed)
            kept.append(record(one, name, encoder))
    return kept


def record(item: Measured, text: str, encoder: str) -> dict[str, Any]:
    """The record of a job: best first pass, best warm pass, tokens, memory."""
    kept: dict[str, Any] = {
        "encoder": encoder,
        "text": text,
        "threads": item.job["threads"],
        "failed": item.failed,
    }
    if item.results and not item.failed:
        one = item.results[0]
        kept |= {key: one[key] for key in ("bytes", "texts", "tokens", "base_memory")}
        kept["first"], kept["warm"] = item.best("first"), item.best("warm")
        kept["first_all"] = [result["first"] for result in item.results]
        kept["peak_memory"] = min(result["peak_memory"] for result in item.results)
    return kept


def startup(runner: Runner, plan: Plan, peers: list[str]) -> dict[str, Any]:
    """`import superword`, and loading the models, each in fresh processes."""
    imports: list[float] = []
    for _ in range(8):
        done = subprocess.run(
            [sys.executable, "-c", IMPORT], cwd=ROOT, capture_output=True, text=True
        )
        if done.returncode == 0:
            imports.append(float(done.stdout))
    jobs = [
        Measured(
            {"kind": "load", "threads": 1, "peer": name} | model_forms(plan, model),
            f"load {name} {model}",
        )
        for name, model in [
            ("superword", "words"),
            ("superword", "boundless"),
            *((name, "words") for name in peers),
        ]
    ]
    runner.group(jobs, 2 if plan.mode == "quick" else 5, "seconds", 1, 120)
    loads = {}
    for item in jobs:
        model = Path(item.job["superword"]).stem
        name = f"superword {model}" if item.job["peer"] == "superword" else item.job["peer"]
        times = {key: item.best(key) for key in ("seconds", "ready")}
        loads[name] = {"failed": item.failed, **times}
    return {"import_seconds": min(imports, default=None), "load": loads}


def run(
    runner: Runner, plan: Plan, texts: dict[str, Any], installed: set[str], section: dict[str, Any]
) -> None:
    """Fill the section, most important groups first in case the time runs out."""
    wanted = [name for name, (_, asked) in PEERS.items() if "encode" in asked and name in installed]
    named = {name.removeprefix("lang "): t for name, t in texts.items() if name.startswith("lang ")}
    if "code" in texts:
        named = {"code": texts["code"], **named}
    worst = {n.removeprefix("worst "): t for n, t in texts.items() if n.startswith("worst ")}
    section |= {"results": [], "languages": list(named), "worst": list(worst)}
    results: list[dict[str, Any]] = section["results"]
    section["model_bytes"] = texts["model"]["bytes"]
    section["models"] = models = build_models(runner, plan, texts["model"])
    if models is None:
        return
    section["startup"] = startup(runner, plan, wanted)
    # Peers that cannot load the tokenizer have failed by now.
    loads = section["startup"]["load"]
    peers = [name for name in wanted if not loads[name]["failed"]]
    fast = [name for name in ("tiktoken", "gigatoken") if name in peers]

    def measure(
        name: str, text: dict[str, Any], ours: list[str], others: list[str], **how: Any
    ) -> None:
        results.extend(group(runner, plan, name, text, ours, others, **how))

    some = ["words", "boundless", "script"]
    own = [name for name in ("boundless-words", "superbpe-words") if name in models]
    others = peers if plan.every_peer else fast
    whole: dict[str, Any] = {
        "slow_bytes": plan.slice_bytes,
        "limit": plan.encoding_limit,
        "warm": plan.warm_seconds,
    }
    few: dict[str, Any] = {"slow_bytes": LANGUAGE_SLICE, "limit": plan.encoding_limit}
    english = texts["english"]
    measure("english", english, [*some, "superbpe", *own], peers, rounds=plan.rounds, **whole)
    of_bars = [name for name in ("code", *BAR_LANGUAGES) if name in named]
    for name in of_bars:
        measure(name, named[name], some, others, **few, rounds=plan.rounds, warm=2.0)
    for name, text in worst.items():
        limits = {"limit": plan.worst_limit, "own_limit": 4 * plan.worst_limit}
        measure(name, text, some, others, slow_bytes=LANGUAGE_SLICE, **limits)
    if plan.cores > 1:
        both = [*some, "superbpe"]
        measure("english", english, both, others, threads=2, rounds=plan.rounds, **whole)
    rest = {name: text for name, text in named.items() if name not in of_bars}
    if rest:
        results.extend(several(runner, plan, rest, some, others))
    if plan.cores > 1 and named:
        results.extend(several(runner, plan, named, some, others, threads=2))

"""The encoding workloads: one tokenizer for all, ids checked before a time is taken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from benches import ROOT, SCRATCH
from benches.measure import Measured, Runner
from benches.models import OURS
from benches.peers import PEERS, peer
from benches.plan import BAR_LANGUAGES, Plan
from benches.training import job_for

MODELS = SCRATCH / "models"
# Slow peers get the beginning of a text; of a language file, this much.
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
    """Where a model is, in each form; peers read the exports of the word model."""
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
    warm: bool = False,
) -> list[dict[str, Any]]:
    """Encoders on one text. The ids of a peer must be those of our word model, to the last one;
    a superword model must give back the text.
    """
    common = {
        "kind": "encode",
        "threads": threads,
        "nul": str(Path(text["stem"]).with_suffix(".nul")),
        "warm_until": plan.warm_seconds if warm else 0.0,
    }
    on = f", {threads} threads" if threads > 1 else ""
    jobs = []
    for model in ours:
        job = common | model_forms(plan, model) | {"peer": "superword", "slice": slow_bytes}
        if model != "words":
            job["round_trip"] = True
        jobs.append(Measured(job, f"encode {name}, {model}{on}"))
    for other in peers:
        job = common | model_forms(plan, "words") | {"peer": other}
        if getattr(peer(other), "SLOW", False):
            job["limit"] = slow_bytes
        jobs.append(Measured(job, f"encode {name}, {other}{on}"))

    def accept(item: Measured) -> str | None:
        got = item.results[0]
        if item.job["peer"] == "superword":
            return None if got.get("round_trip", True) else "decoding does not give back the text"
        if not jobs[0].results:
            return "nothing to compare with"
        expected = jobs[0].results[0]
        wanted = "slice_digest" if "limit" in item.job else "digest"
        return None if got["digest"] == expected[wanted] else "other ids than ours"

    runner.group(jobs, rounds, "first", text["bytes"], limit, accept)
    names = [*ours, *peers]
    return [record(item, name, who) for item, who in zip(jobs, names, strict=True)]


def record(item: Measured, text: str, encoder: str) -> dict[str, Any]:
    """What is kept of a job: best first pass, best warm pass, tokens, memory."""
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
        loads[name] = {"failed": item.failed, "seconds": item.best("seconds")}
    return {"import_seconds": min(imports, default=None), "load": loads}


def run(
    runner: Runner, plan: Plan, texts: dict[str, Any], installed: set[str], section: dict[str, Any]
) -> None:
    """Fill the section, the most telling groups first, so that a run cut short has those."""
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
    # What cannot hold the tokenizer has said so by now.
    loads = section["startup"]["load"]
    peers = [name for name in wanted if not loads[name]["failed"]]
    fast = [name for name in ("tiktoken", "gigatoken") if name in peers]

    def measure(
        name: str, text: dict[str, Any], ours: list[str], others: list[str], **how: Any
    ) -> None:
        results.extend(group(runner, plan, name, text, ours, others, **how))

    some = ["words", "boundless", "script"]
    own = [name for name in ("boundless-words", "superbpe-words") if name in models]
    whole: dict[str, Any] = {
        "slow_bytes": plan.slice_bytes,
        "limit": plan.encoding_limit,
        "rounds": plan.rounds,
        "warm": True,
    }
    measure("english", texts["english"], [*some, "superbpe", *own], peers, **whole)
    few: dict[str, Any] = {"slow_bytes": LANGUAGE_SLICE, "limit": plan.encoding_limit}
    others = fast if plan.mode == "quick" else peers
    of_bars = [name for name in ("code", *BAR_LANGUAGES) if name in named]
    for name in of_bars:
        again = 1 if plan.mode == "quick" else 2
        measure(name, named[name], some, others, **few, rounds=again)
    for name, text in worst.items():
        measure(name, text, some, fast, slow_bytes=LANGUAGE_SLICE, limit=plan.worst_limit)
    if plan.cores > 1:
        measure("english", texts["english"], ["words", "boundless"], peers, threads=2, **whole)
    for name, text in named.items():
        if name not in of_bars:
            measure(name, text, some, others, **few)

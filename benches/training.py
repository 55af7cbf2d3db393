"""The training workloads: ours and the peers on the same text, and the figures of our engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benches import SCRATCH
from benches.peers import GPT2_PATTERN, PEERS, SAME_BUT_TIES, peer
from benches.plan import Plan
from benches.running.measure import Measured, Runner

METHODS = ("bpe", "boundless", "superbpe")
# The parts of the engine's report that are recorded; no file names.
REPORTED = (
    "seconds",
    "pretokens",
    "unique_pretokens",
    "unique_candidates",
    "candidate_tokens",
    "cut_below",
)
# Peers with the same pattern differ in ties, and in whether a document is cut into lines. Fewer
# shared tokens than this is a wrong result.
LEAST_EQUAL = 0.9
PATTERN = "gpt4o"  # of all trainers that take a pattern
OTHER_PATTERN = "gpt2"  # of those that do not


def job_for(
    name: str, text: dict[str, Any], pattern: str, vocab: int, threads: int, **options: Any
) -> dict[str, Any]:
    """A training job."""
    stem = Path(text["stem"])
    forms = {form: str(stem.with_suffix(f".{form}")) for form in ("jsonl", "nul", "txt")}
    way = "-".join([options.get("method", "bpe"), options.get("pretokenizer", PATTERN)])
    tokens = SCRATCH / f"tokens-{name}-{way}.txt"
    return {
        "kind": "train",
        "peer": name,
        "pattern": pattern,
        "vocab_size": vocab,
        "threads": threads,
        "tokens": str(tokens),
        "options": options,
        **forms,
    }


def pattern_of(job: dict[str, Any]) -> str:
    """The name of the pattern that a trainer uses, in our words."""
    if job["peer"] == "superword":
        return str(job["options"].get("pretokenizer", PATTERN))
    return str(getattr(peer(job["peer"]), "PATTERN", PATTERN))


def record(item: Measured, text: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The record of a job: the best run, all times, and whether its result was right."""
    job = item.job
    kept: dict[str, Any] = {
        "trainer": job["peer"],
        "method": job["options"].get("method", "bpe"),
        "pattern": pattern_of(job),
        "cutting": job["options"].get("cutting", True),
        "bytes": text["bytes"],
        "documents": text["documents"],
        "vocab_size": job["vocab_size"],
        "threads": job["threads"],
        "failed": item.failed,
    }
    if item.results and not item.failed:
        best = min(item.results, key=lambda result: result["seconds"])
        kept |= {key: best[key] for key in ("seconds", "read_seconds", "got_vocab", "digest")}
        kept["cpu_seconds"] = item.best("cpu_seconds")
        kept["seconds_all"] = [result["seconds"] for result in item.results]
        kept["peak_memory"] = min(result["peak_memory"] for result in item.results)
        kept["base_memory"] = best["base_memory"]
        kept["report"] = {key: best["report"][key] for key in REPORTED if key in best["report"]}
    return kept | more


def compare(ours: Path, theirs: Path) -> dict[str, Any]:
    """The share of tokens that two vocabularies have in common, and their common prefix."""
    a, b = (path.read_text().split("\n") for path in (ours, theirs))
    same = len(set(a) & set(b)) / max(len(a), len(b), 1)
    prefix = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    return {"equal_share": same, "equal_prefix": prefix}


def competition(
    runner: Runner, plan: Plan, text: dict[str, Any], vocab: int, peers: list[str]
) -> list[dict[str, Any]]:
    """Measure all trainers on one text with one vocabulary size, on all cores."""
    jobs = [
        Measured(
            job_for("superword", text, plan.pattern, vocab, plan.cores, method=method),
            f"train superword {method}, {text['bytes'] / 1e6:.0f} MB, {vocab:,}",
        )
        for method in METHODS
    ]
    if any(getattr(peer(name), "PATTERN", PATTERN) == OTHER_PATTERN for name in peers):
        job = job_for(
            "superword", text, plan.pattern, vocab, plan.cores, pretokenizer=OTHER_PATTERN
        )
        label = f"train superword, GPT-2's pattern, {text['bytes'] / 1e6:.0f} MB, {vocab:,}"
        jobs.append(Measured(job, label))
    own = {pattern_of(item.job): Path(item.job["tokens"]) for item in reversed(jobs)}
    jobs += [
        Measured(
            job_for(name, text, plan.pattern, vocab, plan.cores),
            f"train {name}, {text['bytes'] / 1e6:.0f} MB, {vocab:,}",
        )
        for name in peers
    ]
    facts: dict[int, dict[str, Any]] = {}

    def accept(item: Measured) -> str | None:
        got = item.results[0]["got_vocab"]
        if got != vocab:
            return f"wrong size: {got:,} tokens instead of {vocab:,}"
        ours = own.get(pattern_of(item.job), own[PATTERN])
        theirs = Path(item.job["tokens"])
        if item.job["peer"] == "superword" or not (ours.is_file() and theirs.is_file()):
            return None
        facts[id(item)] = compare(ours, theirs)
        share = facts[id(item)]["equal_share"]
        rules = peer(item.job["peer"]).RULES
        if rules in (SAME_BUT_TIES, GPT2_PATTERN) and share < LEAST_EQUAL:
            return f"another result: {share:.1%} of the tokens are ours"
        return None

    for item in jobs:
        Path(item.job["tokens"]).unlink(missing_ok=True)
    runner.group(jobs, plan.rounds, "seconds", text["bytes"], plan.training_limit, accept)
    return [
        record(item, text, rules=peer(item.job["peer"]).RULES, **facts.get(id(item), {}))
        for item in jobs
    ]


def threads(runner: Runner, plan: Plan, text: dict[str, Any], vocab: int) -> list[dict[str, Any]]:
    """Measure ours on one thread and on two: the time of each phase, and equal model files."""
    jobs = [
        Measured(
            job_for("superword", text, plan.pattern, vocab, count, method=method),
            f"train superword {method}, {count} thread{'s' * (count > 1)}",
        )
        for method in METHODS
        for count in (1, 2)
        if count <= plan.cores
    ]
    runner.group(jobs, plan.rounds, "seconds", text["bytes"], plan.training_limit)
    return [record(item, text) for item in jobs]


def figures(
    runner: Runner, plan: Plan, texts: list[dict[str, Any]], vocab: int
) -> list[dict[str, Any]]:
    """Measure ours by number of documents, with and without cutting, which gives equal models."""
    records: list[dict[str, Any]] = []
    ways: list[dict[str, Any]] = [
        {"method": method, "cutting": cutting}
        for method in ("boundless", "superbpe")
        for cutting in (True, False)
    ]
    for text in texts:
        jobs = [
            Measured(
                job_for("superword", text, plan.pattern, vocab, plan.cores, **way),
                f"figures: {way['method']}, {text['documents']:,} documents"
                + (", not cut" if not way["cutting"] else ""),
            )
            for way in ways
        ]
        runner.group(jobs, 1, "seconds", text["bytes"], plan.training_limit)
        records += [record(item, text) for item in jobs]
        for method in ("boundless", "superbpe"):
            same = [r for r in records if r["method"] == method and r["bytes"] == text["bytes"]]
            if len({r["digest"] for r in same if r.get("digest")}) > 1:
                runner.log.append(f"{method}: cutting changed the model at {text['bytes']:,} bytes")
    return records


def needs(runner: Runner, plan: Plan, text: dict[str, Any]) -> dict[str, Any] | None:
    """The bytes of the distinct pretokens of a text, for the bar on memory."""
    job = {"kind": "needs", "peer": "superword", "threads": 1}
    item = Measured(
        job | {"nul": str(Path(text["stem"]).with_suffix(".nul"))}, "different pretokens"
    )
    runner.group([item], 1, "seconds", text["bytes"], plan.training_limit)
    return None if item.failed else item.results[0] | {"text_bytes": text["bytes"]}


def run(
    runner: Runner, plan: Plan, texts: dict[str, Any], installed: set[str], section: dict[str, Any]
) -> None:
    """Fill the section, most important groups first in case the time runs out."""
    peers = [name for name, (_, asked) in PEERS.items() if "train" in asked and name in installed]
    by_size = [texts[f"train-{size}"] for size in plan.sizes if f"train-{size}" in texts]
    # A source may have too little text for several sizes; then the same text is measured once.
    unique = {text["bytes"]: text for text in by_size}
    by_size = [unique[size] for size in sorted(unique)]
    largest = by_size[-1]
    at = texts.get(f"train-{plan.vocab_size_text}", by_size[0])
    section |= {
        "headline": [largest["bytes"], plan.vocab],
        "vocab_text": at["bytes"],
        "results": [],
        "threads": [],
        "figures": [],
    }
    results: list[dict[str, Any]] = section["results"]
    results += competition(runner, plan, largest, plan.vocab, peers)
    section["threads"] = threads(runner, plan, largest, plan.vocab)
    section["figures"] = figures(
        runner, plan, [texts[n] for n in plan.figure_texts if n in texts], plan.figure_vocab
    )
    section["needs"] = needs(runner, plan, largest)
    for text in by_size[:-1]:
        results += competition(runner, plan, text, plan.vocab, peers)
    for vocab in plan.vocabs:
        if not any(r["bytes"] == at["bytes"] and r["vocab_size"] == vocab for r in results):
            results += competition(runner, plan, at, vocab, peers)

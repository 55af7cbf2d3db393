"""The bars for large corpora."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benches.output.bars import Bar, at_most

Record = dict[str, Any]
NAMES = {"bpe": "BPE", "boundless": "BoundlessBPE"}
CPU_PER_GB = {"bpe": 6.0, "boundless": 12.0}
BYTES_PER_PRETOKEN = 130
LEAST_PRETOKENS = 10_000_000
LEAST_BYTES = 4_000_000_000
SLOWER_AT_MOST = 1.5
ESTIMATE_WITHIN = 1.5
EARLY = 5.0  # Seconds after which a refusal is late: the engine has read a good part of the text.


def judged(bar: Bar, enough: bool) -> Bar:
    """The bar, or only its value if the corpus is too small for it."""
    return bar if enough else Bar(bar.work, bar.bar, f"{bar.measured}; the corpus is small", None)


def memory_limit(name: str, run: Record, free: Record) -> Bar:
    """Less memory: the same model in not much more time, or an early refusal that helps."""
    work = f"{name}, max_memory at a {run['share']} of the peak"
    target = f"the same model in ≤ {SLOWER_AT_MOST:g} × the time, or an early refusal that helps"
    if not run["refused"]:
        slower = run["seconds"] / free["seconds"]
        same = run["sha256"] == free["sha256"]
        peak = f"peak {run['peak_memory'] / 1e9:.2f} GB of {int(run['limit']) / 1e9:.2f}"
        said = f"{'the same model' if same else 'another model'}, {slower:.2f} × the time, {peak}"
        return Bar(work, target, said, same and slower <= SLOWER_AT_MOST)
    early = run["seconds"] <= EARLY
    again = run.get("again")
    said = f"refused after {run['seconds']:.1f} s"
    if again is None:
        return Bar(work, target, f"{said}, without a number", False)
    if again["refused"]:
        return Bar(work, target, f"{said}; its number was refused too", False)
    same = again["sha256"] == free["sha256"]
    said += f"; its number worked with {'the same' if same else 'another'} model"
    return Bar(work, target, said, early and same)


def bars(result: Record) -> Iterator[Bar]:
    """All bars of a run."""
    for method, held in result["runs"].items():
        name, free = NAMES[method], held["free"]
        if free["refused"]:
            yield Bar(f"{name}, {result['vocab']:,} tokens", "a model", "failed", False)
            continue
        size, unique = free["bytes"], free["report"].get("unique_pretokens")
        cpu = at_most(
            f"{name}, CPU time", CPU_PER_GB[method], free["cpu_seconds"] / size * 1e9, "s per GB"
        )
        yield judged(cpu, size >= LEAST_BYTES)
        per = free["peak_memory"] / unique if unique else None
        peak = at_most(
            f"{name}, peak memory", BYTES_PER_PRETOKEN, per, "bytes per distinct pretoken"
        )
        yield judged(peak, (unique or 0) >= LEAST_PRETOKENS)
        for run in held["limited"]:
            yield memory_limit(name, run, free)
        yield estimate(name, free)


def estimate(name: str, free: Record) -> Bar:
    """The estimate of the time left after a fifth of the run."""
    work = f"{name}, estimate of the time left after 20 % of the run"
    target = f"within a factor of {ESTIMATE_WITHIN:g}"
    seen = free["estimates"].get("0.2")
    if seen is None or not seen["truth"]:
        return Bar(work, target, "not measured", None)
    quotient = max(seen["said"], 0.001) / seen["truth"]
    off = max(quotient, 1 / quotient)
    whose = " (of its phase)" if free["estimates"]["of"] == "phase" else ""
    said = f"{seen['said']:.0f} s{whose}, in truth {seen['truth']:.0f} s: a factor of {off:.2f}"
    return Bar(work, target, said, off <= ESTIMATE_WITHIN, ESTIMATE_WITHIN / off)

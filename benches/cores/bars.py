"""The bars for many cores: ratios within one run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from benches.output.bars import Bar, at_least, at_most, ratio

Record = dict[str, Any]
THREADS = 16  # of the bars


class Results:
    """The measured jobs of a run, by what they measure."""

    def __init__(self, result: Record) -> None:
        self.counts: list[int] = result["counts"]
        self.by: dict[tuple[str, str, str, int], Record] = {
            (r["work"], r["who"], r["form"], r["threads"]): r
            for r in result["results"]
            if not r["failed"]
        }

    def value(self, work: str, who: str, form: str, threads: int, key: str) -> float | None:
        """A measurement, or None if there is none."""
        found = self.by.get((work, who, form, threads), {}).get(key)
        return None if found is None else float(found)

    def speed(self, work: str, who: str, form: str, threads: int, key: str) -> float | None:
        """Bytes per second."""
        seconds = self.value(work, who, form, threads, key)
        return self.by[work, who, form, threads]["bytes"] / seconds if seconds else None

    def speedup(self, what: str, bar: float, work: str, who: str, form: str, key: str) -> Bar:
        """Sixteen threads against one. With fewer cores, the most; shown, but not judged."""
        most = THREADS if THREADS in self.counts else self.counts[-1]
        times = [self.value(work, who, form, count, key) for count in (1, most)]
        made = at_least(f"{what}, {most} threads", bar, ratio(times[0], times[1]), "1 thread")
        if most != THREADS:
            return Bar(made.work, f"{made.bar} on {THREADS} cores", made.measured, None)
        return made

    def against_gigatoken(self, who: str, form: str, key: str) -> dict[int, float]:
        """Our speed divided by gigatoken's, for each number of threads."""
        found = {}
        for count in self.counts:
            ours = self.speed("encode", who, form, count, key)
            theirs = self.speed("encode", "gigatoken", "bytes", count, key)
            if (quotient := ratio(ours, theirs)) is not None:
                found[count] = quotient
        return found


def worst(work: str, bar: float, found: dict[int, float], counts: Iterable[int]) -> Bar:
    """A bar for every number of threads: met if the lowest ratio meets it."""
    text = f"≥ {bar:g} × gigatoken's words, every number of threads"
    if not found:
        return Bar(work, text, "not measured", None)
    lowest = min(found, key=lambda count: found[count])
    said = ", ".join(f"{value:.2f} × on {count}" for count, value in found.items())
    met = found[lowest] >= bar
    if met and set(found) != set(counts):
        return Bar(work, text, said, None)
    return Bar(work, text, said, met, found[lowest] / bar)


def bars(result: Record) -> Iterator[Bar]:
    """All bars of a run."""
    got = Results(result)
    most = got.counts[-1]
    names = {"bpe": "BPE", "boundless": "BoundlessBPE"}
    for who, name in names.items():
        yield got.speedup(f"whole {name} run", 5, "train", who, "jsonl", "seconds")
    for count in sorted({min(2, most), most}):
        times = [got.value("train", who, "jsonl", count, "seconds") for who in names]
        work = f"whole BoundlessBPE run, {count} thread{'s' * (count > 1)}"
        bar = at_most(work, 3, ratio(times[1], times[0]), "× the time of our plain BPE")
        # The target is for two cores; with more, the value is shown but not judged.
        yield bar if count == 2 else Bar(bar.work, "–", bar.measured, None)
    for count in sorted({1, most}):
        ours = got.value("train", "gpt2", "jsonl", count, "cpu_seconds")
        theirs = got.value("train", "gigabpe", "txt", count, "cpu_seconds")
        work = f"BPE, GPT-2's pattern, CPU time, {count} thread{'s' * (count > 1)}"
        yield at_least(work, 3, ratio(theirs, ours), "gigabpe's speed")
    for who in ("words", "superwords"):
        what = f"{who}, list of str, first pass"
        yield got.speedup(what, 6, "encode", who, "str", "first")
    for who, first in (("words", 1.2), ("superwords", 1.0)):
        for form in ("str", "bytes"):
            for key, bar_value in (("first", first), ("warm", 1.0)):
                shown = "first pass" if key == "first" else "warm"
                found = got.against_gigatoken(who, form, key)
                yield worst(f"{who}, list of {form}, {shown}", bar_value, found, got.counts)
    for who in ("words", "superwords"):
        yield got.speedup(f"encode_files, {who}", 12, "encode_files", who, "jsonl", "seconds")
    yield same_models(result)


def same_models(result: Record) -> Bar:
    """The model must not depend on the number of threads, also with more threads than cores."""
    work, text = "the models", "the same file for every number of threads"
    trained = [r for r in result["results"] if r["work"] == "train" and r["who"] != "gigabpe"]
    counts = sorted({r["threads"] for r in trained if r.get("digest")})
    if len(counts) < 2:
        return Bar(work, text, "not measured", None)
    wrong = [f"{r['who']} on {r['threads']}" for r in trained if r["failed"] == "another model"]
    said = f"different: {', '.join(wrong)}" if wrong else f"the same on {counts[0]} to {counts[-1]}"
    return Bar(work, text, said, not wrong)

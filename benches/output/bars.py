"""The bars: performance targets, mostly ratios within one run, and whether a run meets them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from benches.running.measure import TOO_LATE

Record = dict[str, Any]
# Seconds per GB on one thread, as published with the algorithms (Faster Superword
# Tokenization): training at 131,072 tokens on 1 GB.
PAPER_PER_GB = {"boundless": 603.0, "superbpe": 593.0}
SLOW_SCRIPTS = ("zh", "ja", "th", "ar", "hi", "code")
# The minimum memory for counts: the bytes of each distinct pretoken, its count and its offset;
# four bytes for each token of a candidate, and its count and its offset.
ENTRY = 16
TOKEN = 4


@dataclass(frozen=True)
class Bar:
    """One bar. `met` is None if the run did not measure it."""

    work: str
    bar: str
    measured: str
    met: bool | None
    share: float | None = None  # of the bar that was reached: 1 or more if it is met

    @property
    def verdict(self) -> str:
        """Met or missed, and by how much."""
        if self.met is None:
            return "–"
        if self.met:
            return "met"
        by = "" if self.share is None or self.share >= 1 else f" by {1 - self.share:.0%}"
        return f"**missed**{by}"


def at_least(work: str, bar: float, value: float | None, against: str) -> Bar:
    """A ratio that must reach `bar`."""
    text = f"≥ {bar:g} × {against}"
    if value is None:
        return Bar(work, text, "not measured", None)
    return Bar(work, text, f"{value:.2f} ×", value >= bar, value / bar)


def at_most(work: str, bar: float, value: float | None, unit: str) -> Bar:
    """A value that must not exceed `bar`."""
    text = f"≤ {bar:g} {unit}"
    if value is None:
        return Bar(work, text, "not measured", None)
    return Bar(work, text, f"{value:.2f} {unit}", value <= bar, bar / value if value else None)


def ratio(above: float | None, below: float | None) -> float | None:
    """A quotient, or None if an operand is missing."""
    return None if above is None or not below else above / below


def training_time(
    section: Record,
    trainer: str,
    method: str = "bpe",
    key: str = "seconds",
    pattern: str | None = None,
) -> float | None:
    """The headline time of a trainer: the largest text with the largest measured vocabulary.

    Ours is that with the usual pattern, unless `pattern` is given.
    """
    size, vocab = section["headline"]
    if trainer == "superword" and pattern is None:
        pattern = "gpt4o"
    for record in section["results"]:
        where = (record["trainer"], record["method"], record["bytes"], record["vocab_size"])
        if where == (trainer, method, size, vocab) and not record["failed"]:
            value = record.get(key)
            if value is not None and pattern in (None, record.get("pattern", "gpt4o")):
                return float(value)
    return None


def training_bars(section: Record) -> Iterator[Bar]:
    """Bars of training."""
    size, vocab = section["headline"]
    where = f"{size / 1e6:.0f} MB, {vocab:,} tokens"
    ours = {method: training_time(section, "superword", method) for method in PAPER_PER_GB}
    plain = training_time(section, "superword")
    rustbpe = training_time(section, "rustbpe")
    yield at_least(f"plain BPE training, {where}", 4, ratio(rustbpe, plain), "rustbpe's speed")
    hf = training_time(section, "tokenizers")
    yield at_least(f"plain BPE training, {where}", 10, ratio(hf, plain), "HF tokenizers' speed")
    for method, seconds in ours.items():
        work = f"{method} training, both phases, {where}"
        yield at_least(work, 1, ratio(rustbpe, seconds), "rustbpe's plain BPE")
        paper = ratio(PAPER_PER_GB[method], None if seconds is None else seconds / size * 1e9)
        yield at_least(work, 20, paper, "the speed for each GB that the paper reports")
    cost = ratio(ours["boundless"], plain)
    yield at_most(f"boundless training, {where}", 3, cost, "× the time of our plain BPE")
    theirs = training_time(section, "gigabpe", key="cpu_seconds")
    own = training_time(section, "superword", key="cpu_seconds", pattern="gpt2")
    work = f"plain BPE training, GPT-2's pattern, CPU time, {where}"
    yield at_least(work, 3, ratio(theirs, own), "gigabpe's speed")
    yield from growth(section)
    yield from memory(section)
    yield from counting(section)


def growth(section: Record) -> Iterator[Bar]:
    """Time and memory over the two largest texts: the exponent must be below one."""
    done = [
        r
        for r in section.get("figures", [])
        if not r["failed"] and r["cutting"] and r["method"] == "boundless"
    ]
    done.sort(key=lambda record: record["bytes"])
    for name, key in (("time", "seconds"), ("memory", "peak_memory")):
        value = None
        if len(done) > 1:
            low, high = done[-2], done[-1]
            grown = math.log(max(1.0, high["bytes"] / low["bytes"]))
            value = math.log(high[key] / low[key]) / grown if grown else None
        bar = at_most(f"growth of {name} with the corpus (boundless)", 1, value, "as exponent")
        yield bar


def memory(section: Record) -> Iterator[Bar]:
    """Peak memory above that of the idle process, relative to the minimum for the counts."""
    need = section.get("needs")
    size, vocab = section["headline"]
    for method in ("bpe", "boundless"):
        value = None
        for record in section["results"]:
            where = (record["trainer"], record["method"], record["bytes"], record["vocab_size"])
            if need and where == ("superword", method, size, vocab) and not record["failed"]:
                report = record["report"]
                least = need["bytes"] + ENTRY * need["unique_pretokens"]
                least += TOKEN * report.get("candidate_tokens", 0)
                least += ENTRY * report.get("unique_candidates", 0)
                value = (record["peak_memory"] - record["base_memory"]) / least
        yield at_most(f"peak memory, {method}", 1.5, value, "× what the counts need")


def counting(section: Record) -> Iterator[Bar]:
    """Two threads against one: the speedup of counting, and equal models."""
    by = {(r["method"], r["threads"]): r for r in section.get("threads", []) if not r["failed"]}
    one, two = by.get(("bpe", 1)), by.get(("bpe", 2))
    value = None
    if one and two:
        value = ratio(one["report"]["seconds"]["count"], two["report"]["seconds"]["count"])
    yield at_least("counting on 2 threads", 1.7, value, "1 thread")
    same = [
        by[method, 1]["digest"] == by[method, 2]["digest"]
        for method in ("bpe", "boundless", "superbpe")
        if (method, 1) in by and (method, 2) in by
    ]
    said = "not measured" if not same else "the same" if all(same) else "another"
    yield Bar("the model on 2 threads", "the same file", said, all(same) if same else None)


def speed(
    section: Record, text: str, encoder: str, key: str = "first", threads: int = 1
) -> float | None:
    """Bytes per second of an encoder on a text, or None."""
    for record in section["results"]:
        if (record["text"], record["encoder"], record["threads"]) == (text, encoder, threads):
            if record["failed"] or not record.get(key):
                return None
            return float(record["bytes"] / record[key])
    return None


def encoding_bars(section: Record) -> Iterator[Bar]:
    """Bars for encoding. By default: one thread, English, first pass."""

    def english(encoder: str, key: str = "first") -> float | None:
        return speed(section, "english", encoder, key)

    for name in ("boundless", "superbpe"):
        work = f"{name} encoding"
        first = f"{work}, first pass"
        ours = english(name)
        yield at_least(first, 10, ratio(ours, english("tiktoken")), "tiktoken's plain BPE")
        yield at_least(first, 1, ratio(ours, english("gigatoken")), "gigatoken's plain BPE")
        warm = ratio(english(name, "warm"), english("gigatoken", "warm"))
        yield at_least(f"{work}, warm", 1, warm, "gigatoken's plain BPE, warm")
    plain = english("words")
    work = "plain encoding, first pass"
    yield at_least(work, 15, ratio(plain, english("tiktoken")), "tiktoken")
    yield at_least(work, 1.2, ratio(plain, english("gigatoken")), "gigatoken")
    warm = ratio(english("words", "warm"), english("gigatoken", "warm"))
    yield at_least("plain encoding, warm", 1, warm, "gigatoken, warm")
    for name in ("boundless", "superbpe"):
        cost = ratio(english(f"{name}-words"), english(name))
        yield at_most(f"{name} on top of its words", 1.4, cost, "× its own word model")
    # `script` is the default pretokenizer; the others use a pattern that peers support.
    for encoder in ("words", "boundless", "script"):
        there = [name for name in SLOW_SCRIPTS if name in section.get("languages", [])]
        for what, texts, bar in (
            ("Chinese … code", there, 0.5),
            ("worst cases", section.get("worst", []), 0.2),
        ):
            found = speeds(section, texts, encoder)
            yield slowest(f"{what}, {encoder}", found, len(texts), english(encoder), bar)
    startup = section.get("startup", {})
    for model in ("words", "boundless"):
        load = startup.get("load", {}).get(f"superword {model}", {})
        # Until it has encoded some words, because building tables on first use is loading too.
        seconds = load.get("ready") or load.get("seconds")
        size = (section.get("models") or {}).get(model, {}).get("vocabulary")
        named = f"loading {model}" + (f", {size:,} tokens" if size else "")
        yield at_most(named, 150, None if seconds is None else seconds * 1000, "ms")
    seconds = startup.get("import_seconds")
    yield at_most("import superword", 100, None if seconds is None else seconds * 1000, "ms")


def speeds(section: Record, texts: Iterable[str], encoder: str) -> dict[str, float | None]:
    """First-pass speed on each text. None if the encoder failed; no entry if it never ran."""
    ran = {
        r["text"]
        for r in section["results"]
        if r["encoder"] == encoder and r["threads"] == 1 and r["failed"] != TOO_LATE
    }
    return {text: speed(section, text, encoder) for text in texts if text in ran}


def slowest(
    work: str, speeds: dict[str, float | None], of: int, english: float | None, bar: float
) -> Bar:
    """The slowest of several texts against English.

    A text that failed counts as not met. The bar is met only if all `of` texts were measured.
    """
    text = f"≥ {bar:g} × English"
    measured = {name: value for name, value in speeds.items() if value is not None}
    if english is None or not measured:
        return Bar(work, text, "not measured", None)
    name = min(measured, key=lambda key: measured[key])
    value = measured[name] / english
    missing = [name for name, value in speeds.items() if value is None]
    said = f"{value:.2f} × ({name}, slowest of {len(measured)} measured)"
    if missing:
        return Bar(work, text, f"{said}; no result: {', '.join(missing)}", False, value / bar)
    if value >= bar and len(measured) < of:
        return Bar(work, text, f"{said}; {of - len(measured)} were left out", None)
    return Bar(work, text, said, value >= bar, value / bar)


def bars(result: Record) -> list[Bar]:
    """All bars of a recorded run."""
    found: list[Bar] = []
    if result.get("training"):
        found += training_bars(result["training"])
    if result.get("encoding", {}).get("models"):
        found += encoding_bars(result["encoding"])
    return found

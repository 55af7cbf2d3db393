"""The page of a run on many cores."""

from __future__ import annotations

from typing import Any

from benches.cores.bars import Results, bars
from benches.output.tables import bar_rows, seconds, table

Record = dict[str, Any]
TRAINERS = (
    ("bpe", "jsonl", "**superword**, BPE"),
    ("boundless", "jsonl", "**superword**, BoundlessBPE"),
    ("gpt2", "jsonl", "**superword**, BPE, GPT-2's pattern"),
    ("gigabpe", "txt", "gigabpe"),
)
ENCODERS = (
    ("words", "str", "**superword**, words, list of `str`"),
    ("words", "bytes", "**superword**, words, list of `bytes`"),
    ("superwords", "str", "**superword**, superwords, list of `str`"),
    ("superwords", "bytes", "**superword**, superwords, list of `bytes`"),
    ("gigatoken", "bytes", "gigatoken, words, one buffer of bytes"),
)
PHASES = ("count", "merge", "candidates", "supermerge")


def amount(size: int) -> str:
    """A cache size."""
    return f"{size / 2**20:g} MiB" if size >= 2**20 else f"{size / 2**10:g} KiB"


def machine(result: Record) -> str:
    """The machine and the versions, in a few sentences."""
    facts = result["machine"]
    memory = f", {facts['memory_bytes'] / 1e9:.0f} GB" if facts["memory_bytes"] else ""
    caches = ", ".join(f"{name} {amount(size)}" for name, size in result["caches"].items())
    per_core = result["threads_per_core"]
    shared = "" if per_core in (None, 1) else f" ({per_core} share a physical core)"
    versions = ", ".join(f"{name} {v}" for name, v in result["versions"].items() if v)
    return (
        f"{facts['processor']}, {facts['cores']} cores{shared}{memory}, {facts['system']}. "
        f"Caches: {caches or 'unknown'}. Python {facts['python']}, {versions}. "
        f"Load before the run: {facts['load_before']}. {result['date']}, best of up to "
        f"{result['rounds']} runs."
    )


def training(got: Results) -> str:
    """Seconds, CPU seconds and memory of training by number of threads."""
    rows = []
    for who, form, name in TRAINERS:
        for key, shown in (("seconds", "s"), ("cpu_seconds", "CPU s"), ("peak_memory", "peak MB")):
            values = [got.value("train", who, form, count, key) for count in got.counts]
            if key == "peak_memory":
                cells = ["–" if v is None else f"{v / 1e6:,.0f}" for v in values]
            else:
                cells = [seconds(v) for v in values]
            if any(v is not None for v in values):
                rows.append([f"{name}, {shown}", *cells])
    return table(["threads", *map(str, got.counts)], rows)


def phases(got: Results) -> str:
    """The seconds of each phase of BoundlessBPE training."""
    rows = []
    for phase in PHASES:
        cells = []
        for count in got.counts:
            report = got.by.get(("train", "boundless", "jsonl", count), {}).get("report", {})
            cells.append(seconds(report.get("seconds", {}).get(phase)))
        rows.append([phase, *cells])
    return table(["BoundlessBPE, seconds by phase", *map(str, got.counts)], rows)


def encoding(got: Results, work: str, key: str, title: str) -> str:
    """MB/s by number of threads."""
    rows = []
    for who, form, name in ENCODERS:
        given = "jsonl" if work == "encode_files" else form
        if work == "encode_files" and form != "str":
            continue
        shown = name.removesuffix(", list of `str`") if work == "encode_files" else name
        speeds = [got.speed(work, who, given, count, key) for count in got.counts]
        if any(speeds):
            rows.append([shown, *("–" if s is None else f"{s / 1e6:,.0f}" for s in speeds)])
    return table([title, *map(str, got.counts)], rows)


def compressing(got: Results) -> list[str]:
    """What the cores give to threads that share nothing, if it was measured."""
    speeds = [got.speed("compress", "zlib", "bytes", count, "seconds") for count in got.counts]
    if not any(speeds):
        return []
    first = speeds[0]
    rows = [
        ["zlib, MB/s", *("–" if s is None else f"{s / 1e6:,.0f}" for s in speeds)],
        ["zlib, × 1 thread", *("–" if not (s and first) else f"{s / first:.2f}" for s in speeds)],
    ]
    return [
        "What the cores of this machine give to threads that share nothing: zlib compresses the "
        "same text in pieces of 250 kB.",
        table(["threads", *map(str, got.counts)], rows),
    ]


def page(result: Record) -> str:
    """Everything as Markdown."""
    got = Results(result)
    cores = result["machine"]["cores"]
    train, encode = result["train_bytes"] / 1e6, result["encode_bytes"] / 1e6
    parts = [f"# Many cores: results of {result['date']} on {cores} cores", machine(result)]
    parts += ["## Targets", bar_rows(bars(result))]
    parts += [
        "## Training",
        f"{train:.0f} MB of text, {result['vocab']:,} tokens, from JSONL to a saved model. Each "
        "process may use only as many cores as threads.",
        training(got),
        phases(got),
        "## Encoding",
        f"{encode:.0f} MB of text that the models were not trained on, from memory to arrays of "
        "ids. All ids were compared before times counted.",
        encoding(got, "encode", "first", "MB/s, first pass"),
        encoding(got, "encode", "warm", "MB/s, warm"),
        f"`encode_files`, {train:.0f} MB of text from JSONL to shards, first pass:",
        encoding(got, "encode_files", "seconds", "MB/s of text"),
        *compressing(got),
    ]
    failed = [
        f"- {r['work']} {r['who']}, {r['form']}, {r['threads']} threads: {r['failed']}"
        for r in result["results"]
        if r["failed"]
    ]
    parts += ["## Skipped", "\n".join(failed) or "Nothing."]
    return "\n\n".join(parts) + "\n"

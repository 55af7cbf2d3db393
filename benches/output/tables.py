"""A recorded run as Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benches.output.bars import Bar, bars, speed

Record = dict[str, Any]
SHOWN = {
    "superword": "superword",
    "tokenizers": "HF tokenizers",
    "tokenizers_rc": "HF tokenizers, release candidate",
    "youtokentome": "YouTokenToMe",
    "words": "**superword**, words",
    "boundless": "**superword**, BoundlessBPE",
    "superbpe": "**superword**, SuperBPE",
    "script": "**superword**, BoundlessBPE, default pretokenizer",
    "boundless-words": "superword, words of BoundlessBPE",
    "superbpe-words": "superword, words of SuperBPE",
}
PATTERN_REMARK = ", GPT-2's pattern"  # of ours, beside peers that take no other
METHODS = {"bpe": "BPE", "boundless": "BoundlessBPE", "superbpe": "SuperBPE"}


def table(head: list[str], rows: Iterable[list[str]]) -> str:
    """Markdown; the first column is text, the others numbers."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def trainer_name(record: Record) -> str:
    """`superword, BoundlessBPE`, `rustbpe`, ..."""
    if record["trainer"] == "superword":
        pattern = PATTERN_REMARK if record.get("pattern") == "gpt2" else ""
        return f"**superword**, {METHODS[record['method']]}{pattern}"
    trainer: str = record["trainer"]
    return SHOWN.get(trainer, trainer)


def version(result: Record, name: str) -> str:
    """The version of a peer, with a space before it."""
    held = result["peers"].get(name, {}).get("version")
    return f" {held}" if held else ""


def machine(result: Record) -> str:
    """The machine in a sentence."""
    facts = result["machine"]
    memory = f", {facts['memory_bytes'] / 1e9:.0f} GB" if facts["memory_bytes"] else ""
    return (
        f"{facts['processor']}, {facts['cores']} cores{memory}, {facts['system']}, "
        f"Python {facts['python']}; {result['date']}, best of up to {result['rounds']} runs"
    )


def seconds(value: float | None) -> str:
    """A time."""
    return "–" if value is None else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def at(section: Record, size: int, vocab: int) -> list[Record]:
    """The results for one text and one vocabulary size."""
    found = (r for r in section["results"] if (r["bytes"], r["vocab_size"]) == (size, vocab))
    return sorted(found, key=lambda r: (r["failed"] is not None, r.get("seconds") or 0.0))


def training_table(result: Record, size: int, vocab: int) -> str:
    """All trainers on one text, the fastest first."""
    rows = []
    records = at(result["training"], size, vocab)
    cpu = any(record.get("cpu_seconds") for record in records)  # Older runs did not measure it.
    for record in records:
        name = trainer_name(record) + (
            version(result, record["trainer"]) if record["trainer"] != "superword" else ""
        )
        if record["failed"]:
            blank = ["–"] * (5 if cpu else 4)
            rows.append([name, record["failed"], *blank, record.get("rules", "")])
            continue
        own = record["seconds"] - (record["read_seconds"] or 0.0)
        share = record.get("equal_share")
        rows.append(
            [
                name,
                seconds(record["seconds"]),
                *([seconds(record.get("cpu_seconds"))] if cpu else []),
                seconds(own) if record["read_seconds"] else "–",
                f"{record['bytes'] / 1e6 / record['seconds']:.1f}",
                f"{record['peak_memory'] / 1e6:,.0f}",
                "–" if share is None else f"{share:.2%}",
                record["rules"],
            ]
        )
    head = [
        "trainer",
        "seconds",
        *(["CPU seconds"] if cpu else []),
        "without reading",
        "MB/s",
        "peak MB",
        "shared tokens",
        "training rules",
    ]
    return table(head, rows)


def encoding_table(result: Record) -> str:
    """All encoders on English, the fastest first."""
    section = result["encoding"]
    rows = []
    done = [r for r in section["results"] if r["text"] == "english" and r["threads"] == 1]
    done.sort(
        key=lambda r: (r["failed"] is not None, -(speed(section, "english", r["encoder"]) or 0))
    )
    for record in done:
        name = SHOWN.get(record["encoder"], record["encoder"]) + version(result, record["encoder"])
        if record["failed"]:
            rows.append([name, record["failed"], "–", "–", "–", "–"])
            continue
        values = [
            speed(section, "english", record["encoder"], key, threads)
            for threads in (1, 2)
            for key in ("first", "warm")
        ]
        shown = ["–" if value is None else f"{value / 1e6:.1f}" for value in values]
        rows.append([name, *shown, f"{record['bytes'] / record['tokens']:.3f}"])
    head = ["encoder, MB/s", "1 thread, first pass", "warm", "2 threads, first pass", "warm"]
    return table([*head, "bytes per token"], rows)


def measured(section: Record, texts: list[str], key: str = "first", threads: int = 1) -> list[str]:
    """The texts that some encoder finished; a run that was cut short may lack others."""
    done = {
        r["text"]
        for r in section["results"]
        if not r["failed"] and r["threads"] == threads and r.get(key)
    }
    return [text for text in texts if text in done]


def cell(section: Record, text: str, encoder: str, key: str, threads: int) -> str:
    """A speed in MB/s, or the time after which an encoder was stopped."""
    value = speed(section, text, encoder, key, threads)
    if value is not None:
        return f"{value / 1e6:.1f}"
    for record in section["results"]:
        if (record["text"], record["encoder"], record["threads"]) == (text, encoder, threads):
            failed = record["failed"] or ""
            stopped = failed.startswith("stopped after ")
            return f"> {failed.removeprefix('stopped after ')}" if stopped else "–"
    return "–"


def language_table(result: Record, texts: list[str], key: str = "first", threads: int = 1) -> str:
    """A speed for each text and encoder."""
    section = result["encoding"]
    shown = measured(section, texts, key, threads)
    here = (r for r in section["results"] if r["text"] in texts and r["threads"] == threads)
    found = list(dict.fromkeys(r["encoder"] for r in here))
    rows = [[text, *(cell(section, text, e, key, threads) for e in found)] for text in shown]
    heads = [SHOWN.get(name, name).replace("**", "") for name in found]
    passes = "first pass" if key == "first" else "warm"
    on = "1 thread" if threads == 1 else f"{threads} threads"
    return table([f"MB/s, {passes}, {on}", *heads], rows)


def figures_table(section: Record) -> str:
    """Pretokens and candidates against documents."""
    rows = []
    for r in section["figures"]:
        if r["failed"]:
            continue
        report = r["report"]
        rows.append(
            [
                f"{METHODS[r['method']]}, {'cut' if r['cutting'] else 'not cut'}",
                *(f"{n:,}" for n in (r["documents"], report["pretokens"])),
                *(
                    f"{report[key]:,}"
                    for key in ("unique_pretokens", "unique_candidates", "candidate_tokens")
                ),
                *(seconds(report["seconds"].get(p)) for p in PHASES),
                f"{r['peak_memory'] / 1e6:,.0f}",
            ]
        )
    head = ["method", "documents", "pretokens", "distinct", "distinct candidates"]
    return table([*head, "tokens in them", *(f"{p} s" for p in PHASES), "peak MB"], rows)


PHASES = ("count", "merge", "candidates", "supermerge")


def bar_table(result: Record) -> str:
    """Each bar: measured, met or missed."""
    return bar_rows(bars(result))


def bar_rows(found: Iterable[Bar]) -> str:
    """Bars as a table."""
    rows = [[b.work, b.bar, b.measured, b.verdict] for b in found]
    return table(["workload", "target", "measured", "result"], rows)

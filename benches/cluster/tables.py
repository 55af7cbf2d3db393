"""Tables of the cluster page, from the newest record in `benches/results/cluster/`.

`python -m benches.cluster.tables` writes them into docs/how-to/cluster.md. A test compares the page
with the record.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

from benches import RECORDED, ROOT

PAGE = ROOT / "docs" / "how-to" / "cluster.md"
GB, TB = 10**9, 10**12
NAMES = {
    "train": "`superword train`, two threads",
    "plan": "the commands of a plan, two at a time",
    "ray": "Ray, two CPUs",
    "spark": "Spark, two executors",
}
# What the estimate assumes about a part of a large corpus: see `estimate`.
TASK_BYTES = GB
CORES = 16


def newest(suffix: str = "") -> dict[str, Any]:
    """The newest record."""
    pattern = f"????-??-??{suffix}.json"
    path = sorted((RECORDED / "cluster").glob(pattern))[-1]
    record: dict[str, Any] = json.loads(path.read_text())
    return record


def costs(record: dict[str, Any]) -> str:
    """Seconds and memory of every way."""
    rows = ["| way | start | training | peak memory of all processes |", "|---|---|---|---|"]
    for way, name in NAMES.items():
        found = record["ways"][way]
        start = f"{found['start']:.0f} s" if "start" in found else "–"
        memory = f"{found['peak_bytes'] / GB:.1f} GB"
        rows.append(f"| {name} | {start} | {found['train']:.0f} s | {memory} |")
    return "\n".join(rows)


class Growth:
    """Numbers that grow with the text as a power of its size, from the two largest sizes."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.half, self.full = record["growth"][-2:]

    def exponent(self, name: str) -> float:
        """The power."""
        ratio = self.full[name] / self.half[name]
        return math.log(ratio) / math.log(self.full["bytes"] / self.half["bytes"])

    def at(self, name: str, size: float) -> float:
        """The number for a text of `size` bytes."""
        number: float = self.full[name] * (size / self.full["bytes"]) ** self.exponent(name)
        return number

    def each(self, seconds: str, rows: str) -> float:
        """The seconds that one more row takes."""
        more = self.full["seconds"][seconds] - self.half["seconds"][seconds]
        return float(more / (self.full[rows] - self.half[rows]))

    def bytes_each(self, kind: str, rows: str) -> float:
        """The memory for each row at the peak of learning."""
        return float(self.full["peak_bytes"][kind] / self.full[rows])


def memory(record: dict[str, Any]) -> str:
    """What the machine that learns has to hold."""
    grown = Growth(record)
    rows = [
        "| text | distinct pretokens | memory for words | distinct candidates (without cutting) | "
        "memory for superwords |",
        "|---|---|---|---|---|",
    ]
    words = grown.bytes_each("words", "pretokens")
    superwords = grown.bytes_each("superwords", "candidates")
    for size in (grown.full["bytes"], 10 * GB, 100 * GB, TB, 10 * TB):
        pretokens, runs = grown.at("pretokens", size), grown.at("candidates", size)
        shown = "" if size == grown.full["bytes"] else "about "
        rows.append(
            f"| {amount(size)}B | {shown}{amount(pretokens)} | {amount(pretokens * words)}B | "
            f"{amount(runs)} ({amount(grown.at('uncut_candidates', size))}) | "
            f"{amount(runs * superwords)}B |"
        )
    once = grown.full["candidates_once"] / grown.full["candidates"]
    return "\n".join(
        [
            *rows,
            "",
            f"The first row is measured, with {record['vocab_size']:,} tokens and `boundless`.",
            f"The others are extrapolated: from {amount(grown.half['bytes'])}B to "
            f"{amount(grown.full['bytes'])}B, the number of pretokens grew as the text to the",
            f"power of {grown.exponent('pretokens'):.2f}, and the number of candidates to the "
            f"power of {grown.exponent('candidates'):.2f}.",
            f"Of the candidates, {once:.0%} occur only once.",
        ]
    )


def estimate(record: dict[str, Any], rates: dict[str, Any]) -> str:
    """Hours for large corpora, by calculation."""
    grown = Growth(record)
    read = {
        "count": grown.each("load_counts", "pretokens"),
        "candidates": grown.each("load_candidates", "candidates"),
    }
    learn = {
        "words": grown.each("words", "pretokens") + read["count"],
        "superwords": grown.each("superwords", "candidates") + read["candidates"],
    }
    rows = [
        "| text | machines | count pretokens | learn words | count candidates | learn superwords | "
        "in all | longest |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for size in (TB, 10 * TB):
        tasks = size / TASK_BYTES
        for machines in (1, 16, 128):
            cores = machines * CORES
            added = {
                "count": tasks * grown.at("pretokens", TASK_BYTES) * read["count"] / cores,
                "candidates": tasks
                * grown.at("candidates", TASK_BYTES)
                * read["candidates"]
                / cores,
            }
            stages = {
                "counting pretokens": size / rates["count"] / machines + added["count"],
                "learning words": grown.at("pretokens", size) * learn["words"],
                "counting candidates": size / rates["candidates"] / machines + added["candidates"],
                "learning superwords": grown.at("candidates", size) * learn["superwords"],
            }
            longest = max(stages, key=lambda name: stages[name])
            shown = " | ".join(duration(seconds) for seconds in stages.values())
            total = duration(sum(stages.values()))
            rows.append(f"| {amount(size)}B | {machines} | {shown} | {total} | {longest} |")
    return "\n".join(rows)


def amount(number: float) -> str:
    """A number with a unit, such as `2.9 M` or `120 G`."""
    for unit, size in (("T", TB), ("G", GB), ("M", 10**6), ("k", 1000)):
        if number >= size:
            scaled = number / size
            return f"{scaled:.1f} {unit}" if scaled < 10 else f"{scaled:.0f} {unit}"
    return f"{number:.0f} "


def duration(seconds: float) -> str:
    """A time, such as `35 s`, `12 min` or `3.1 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def rendered(page: str) -> str:
    """The page with the tables of the newest record."""
    record = newest()
    tables = {
        "memory": memory(record),
        "costs": costs(record),
        "estimate": estimate(record, newest("-rates")),
    }
    for name, table in tables.items():
        block = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        assert block.search(page), name
        page = block.sub(lambda match, table=table: f"{match[1]}{table}\n{match[2]}", page)
    return page


def main(path: Path = PAGE) -> None:
    """Write the tables into the page."""
    path.write_text(rendered(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()

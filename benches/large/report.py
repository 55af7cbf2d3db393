"""The page of a run on a large corpus."""

from __future__ import annotations

from typing import Any

from benches.large.bars import NAMES, bars
from benches.output.tables import bar_rows, seconds, table

Record = dict[str, Any]


def number(value: float | None, unit: float = 1.0, digits: int = 0) -> str:
    """A number in a unit, or a dash."""
    return "–" if value is None else f"{value / unit:,.{digits}f}"


def runs(result: Record) -> str:
    """The runs without a limit."""
    rows = []
    for method, held in result["runs"].items():
        run = held["free"]
        if run["refused"]:
            rows.append([NAMES[method], run["refused"]["message"], *["–"] * 8])
            continue
        report, size = run["report"], run["bytes"]
        unique = report.get("unique_pretokens")
        rows.append(
            [
                NAMES[method],
                number(size, 1e9, 2),
                seconds(run["seconds"]),
                seconds(run["cpu_seconds"]),
                seconds(run["cpu_seconds"] / size * 1e9),
                number(run["peak_memory"], 1e9, 2),
                number(run["sampled_peak"], 1e9, 2),
                number(unique),
                number(run["peak_memory"] / unique) if unique else "–",
                number(report.get("unique_candidates")),
            ]
        )
    head = ["method", "GB of text", "s", "CPU s", "CPU s per GB", "peak GB", "sampled peak GB"]
    head += ["distinct pretokens", "bytes per distinct pretoken", "candidates"]
    return table(head, rows)


def phases(result: Record) -> str:
    """Time and memory by phase."""
    rows = []
    for method, held in result["runs"].items():
        for name, phase in held["free"]["phases"].items():
            rows.append(
                [
                    f"{NAMES[method]}, {name}",
                    seconds(phase["seconds"]),
                    seconds(phase["cpu_seconds"]),
                    number(phase["peak_memory"], 1e9, 2),
                ]
            )
    return table(["phase", "s", "CPU s", "peak GB"], rows)


def limits(result: Record) -> str:
    """The runs with less memory, and what a refusal said."""
    rows = []
    for method, held in result["runs"].items():
        for run in held["limited"]:
            tried = [(f"a {run['share']} of the peak", run)]
            if run.get("again"):
                tried.append(("what the refusal asked for", run["again"]))
            for share, one in tried:
                said = one["refused"]
                same = one["sha256"] == held["free"]["sha256"]
                outcome = "the same model" if same else "another model"
                if said:
                    outcome = f"refused: {said['message']} ({said['hint']})"
                limit = one["limit"]
                shown = number(float(limit), 1e9, 3) + " GB" if limit.isdigit() else limit
                rows.append(
                    [
                        f"{NAMES[method]}, {share}",
                        shown,
                        seconds(one["seconds"]),
                        number(one["peak_memory"], 1e9, 2),
                        outcome,
                    ]
                )
    return table(["run", "max_memory", "s", "peak GB", "outcome"], rows)


def estimates(result: Record) -> str:
    """What was said about the time left, and the truth."""
    rows = []
    for method, held in result["runs"].items():
        for share, seen in held["free"]["estimates"].items():
            if share != "of":
                rows.append(
                    [
                        f"{NAMES[method]}, after {seen['at']:.0%}",
                        seen["phase"],
                        seconds(seen["said"]),
                        seconds(seen["truth"]),
                    ]
                )
    return table(["run", "phase", "s left, estimated", "s left, in truth"], rows)


def page(result: Record) -> str:
    """Everything as Markdown."""
    facts, corpus = result["machine"], result["corpus"]
    memory = f", {facts['memory_bytes'] / 1e9:.0f} GB" if facts["memory_bytes"] else ""
    size = f"{result['jsonl_bytes'] / 1e9:.2f} GB of JSONL"
    if corpus:
        size += (
            f" with {corpus['bytes'] / 1e9:.2f} GB of text in {corpus['documents']:,} documents, "
            f"from {corpus['packages']:,} source packages"
        )
    return (
        "\n\n".join(
            [
                f"# A large corpus: results of {result['date']}",
                f"{facts['processor']}, {facts['cores']} cores{memory}, {facts['system']}, Python "
                f"{facts['python']}. Load before the run: {facts['load_before']}. "
                f"{size}; {result['vocab']:,} tokens. One run each.",
                "## Targets",
                bar_rows(bars(result)),
                "## Runs",
                runs(result),
                "## By phase",
                "Sampled from outside. Work between two phases counts for the first.",
                phases(result),
                "## Less memory",
                limits(result),
                "## Estimates",
                estimates(result),
            ]
        )
        + "\n"
    )

"""The plots of a recorded run, as SVG files beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")
mpl.rcParams["svg.hashsalt"] = "superword"  # The same numbers give the same file.

from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.ticker import LogLocator, NullFormatter  # noqa: E402

from benches.output.bars import speed  # noqa: E402
from benches.output.tables import METHODS, PHASES, SHOWN, measured, trainer_name  # noqa: E402
from benches.render import headline_chart, plots_of  # noqa: E402

Record = dict[str, Any]
# A curve of fewer points says little.
LEAST_POINTS = 4
STYLE = {"boundless": "-", "superbpe": "--"}


def plain(name: str) -> str:
    """A name without Markdown."""
    return name.replace("**", "")


def save(figure: Any, path: Path, name: str) -> str:
    """Write a figure and return its file name."""
    target = path.with_name(f"{path.stem}-{name}.svg")
    if not figure.legends:  # Callers with a legend for the whole figure have made room for it.
        figure.tight_layout()
    figure.savefig(target, metadata={"Date": None})
    plt.close(figure)
    return target.name


def trainers_over(section: Record, axis: str, fixed: dict[str, int], value: str) -> Any:
    """A line for each trainer: a value over `axis`, with the rest of the workload fixed.

    Only trainers with enough points have a line. None if there is no such trainer.
    """
    lines: dict[str, list[tuple[float, float]]] = {}
    for record in section["results"]:
        if record["failed"] or any(record[key] != wanted for key, wanted in fixed.items()):
            continue
        x = record[axis] / (1e6 if axis == "bytes" else 1)
        y = record[value] / (1e6 if value == "peak_memory" else 1)
        lines.setdefault(plain(trainer_name(record)), []).append((x, y))
    lines = {name: points for name, points in lines.items() if len(points) >= LEAST_POINTS}
    if not lines:
        return None
    figure, axes = plt.subplots(figsize=(8, 5))
    for name, points in lines.items():
        ours = name.startswith("superword")
        xs, ys = zip(*sorted(points), strict=True)
        axes.plot(xs, ys, marker="o", linewidth=2.5 if ours else 1.2, label=name)
    axes.set(xscale="log", yscale="log")
    axes.set_xlabel("MB of text" if axis == "bytes" else "tokens in the vocabulary")
    axes.set_ylabel("peak memory, MB" if value == "peak_memory" else "seconds")
    places = sorted({x for points in lines.values() for x, _ in points})
    axes.set_xticks(places, [f"{x:,.0f}" for x in places])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(True, alpha=0.25)
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def figure_records(section: Record, method: str, cutting: bool) -> list[Record]:
    """Our runs over documents, in order."""
    wanted = (method, cutting)
    found = [r for r in section["figures"] if (r["method"], r["cutting"]) == wanted]
    return sorted((r for r in found if not r["failed"]), key=lambda r: r["documents"])


def phases(section: Record) -> Any:
    """The time of each phase over documents, both methods, cut."""
    figure, both = plt.subplots(1, 2, figsize=(10, 4.5), sharey=True)
    for axes, method in zip(both, ("boundless", "superbpe"), strict=True):
        records = figure_records(section, method, True)
        documents = [r["documents"] for r in records]
        times = [[r["report"]["seconds"].get(p, 0.0) for r in records] for p in PHASES]
        if records:
            axes.stackplot(documents, *times, labels=PHASES, alpha=0.85)
        axes.set(title=METHODS[method], xlabel="documents", ylabel="seconds")
        axes.legend(loc="upper left", fontsize=8)
    return figure


def counts(section: Record) -> Any:
    """Pretokens (distinct and all), candidates, and tokens in candidates, over documents."""
    figure, both = plt.subplots(1, 2, figsize=(12, 4.5))
    records = figure_records(section, "boundless", True)
    documents = [r["documents"] for r in records]
    for key, label in (("pretokens", "all"), ("unique_pretokens", "different")):
        both[0].plot(documents, [r["report"][key] for r in records], marker="o", label=label)
    both[0].set(title="pretokens", xlabel="documents", xscale="log", yscale="log")
    both[1].set(title="supermerge candidates", xlabel="documents", xscale="log", yscale="log")
    for method in ("boundless", "superbpe"):
        for cutting in (True, False):
            records = figure_records(section, method, cutting)
            for key, label in (("unique_candidates", "different"), ("candidate_tokens", "tokens")):
                ys = [max(1, r["report"][key]) for r in records]
                name = f"{METHODS[method]}, {label}, {'cut' if cutting else 'not cut'}"
                xs = [r["documents"] for r in records]
                both[1].plot(xs, ys, STYLE[method], marker="." if cutting else "x", label=name)
    for axes in both:
        axes.set_xticks(documents, [f"{x:,}" for x in documents], fontsize=8)
        axes.minorticks_off()
        axes.grid(True, alpha=0.25)
    both[0].legend(fontsize=8)
    both[1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def memory(section: Record) -> Any:
    """Peak memory over documents, with and without cutting."""
    figure, axes = plt.subplots(figsize=(7, 4.5))
    for method in ("boundless", "superbpe"):
        for cutting in (True, False):
            records = figure_records(section, method, cutting)
            label = f"{METHODS[method]}, {'cut' if cutting else 'not cut'}"
            xs = [r["documents"] for r in records]
            ys = [r["peak_memory"] / 1e6 for r in records]
            axes.plot(xs, ys, STYLE[method], marker="o" if cutting else "x", label=label)
    axes.set(xlabel="documents", ylabel="peak memory, MB", xscale="log")
    axes.set_ylim(bottom=0)
    axes.grid(True, alpha=0.25)
    axes.legend(fontsize=8)
    return figure


# The encoders drawn for each text, in the same color everywhere.
DRAWN = {
    "words": "#1f77b4",
    "boundless": "#d62728",
    "script": "#9467bd",
    "gigatoken": "#7f7f7f",
    "tiktoken": "#bcbd22",
}


def encoders(section: Record) -> Any:
    """Every encoder on English: first pass and warm, one thread and two."""
    names = dict.fromkeys(r["encoder"] for r in section["results"] if r["text"] == "english")
    found = [name for name in names if speed(section, "english", name)]
    found.sort(key=lambda name: speed(section, "english", name) or 0.0, reverse=True)
    ways = [(key, threads) for threads in (1, 2) for key in ("first", "warm")]
    figure, axes = plt.subplots(figsize=(9, 1.5 + 0.55 * len(found)))
    height = 0.8 / len(ways)
    for place, (key, threads) in enumerate(ways):
        values = [(speed(section, "english", name, key, threads) or 0.0) / 1e6 for name in found]
        label = (
            f"{'first pass' if key == 'first' else 'warm'}, {threads} thread{'s'[: threads - 1]}"
        )
        rows = [row + height * place for row in range(len(found))]
        colour = ("#1f77b4", "#aec7e8", "#ff7f0e", "#ffbb78")[place]
        axes.barh(rows, values, height, label=label, color=colour)
    places = [row + height * 1.5 for row in range(len(found))]
    labels = [plain(SHOWN.get(name, name)).replace(", default", ",\ndefault") for name in found]
    axes.set_yticks(places, labels, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("MB/s, English")
    axes.grid(True, axis="x", alpha=0.25)
    axes.legend(fontsize=8, loc="lower right")
    return figure


def stopped(section: Record, text: str, encoder: str) -> float | None:
    """An upper bound of the MB/s of an encoder that was stopped; None if it was not."""
    here = [r for r in section["results"] if r["text"] == text and r["threads"] == 1]
    size = max((r["bytes"] for r in here if not r["failed"]), default=0)
    for record in here:
        said = str(record["failed"] or "")
        if record["encoder"] == encoder and said.startswith("stopped after ") and size:
            return float(size / 1e6 / float(said.split()[2]))
    return None


def dots(axes: Any, section: Record, texts: list[str]) -> None:
    """A row for each text, a dot for each encoder. A cross marks an encoder that was stopped."""
    for encoder, colour in DRAWN.items():
        points = [
            (value / 1e6, row)
            for row, text in enumerate(texts)
            if (value := speed(section, text, encoder))
        ]
        if points:
            xs, ys = zip(*points, strict=True)
            label = plain(SHOWN.get(encoder, encoder))
            axes.scatter(xs, ys, s=22, color=colour, label=label, zorder=3)
        late = [(x, row) for row, t in enumerate(texts) if (x := stopped(section, t, encoder))]
        if late:
            xs, ys = zip(*late, strict=True)
            axes.scatter(xs, ys, s=30, color=colour, marker="x", zorder=3)
    axes.set_yticks(range(len(texts)), texts, fontsize=8)
    axes.set_ylim(len(texts) - 0.4, -0.6)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(True, axis="x", which="both", alpha=0.2)
    axes.grid(True, axis="y", alpha=0.15)


def languages(section: Record) -> Any:
    """First-pass speed on each language, one thread, in two columns."""
    texts = measured(section, ["english", *section["languages"]])
    half = (len(texts) + 1) // 2 if len(texts) > 16 else len(texts)
    columns = [part for part in (texts[:half], texts[half:]) if part]
    size = (5.2 * len(columns) + 0.4, 1.6 + 0.2 * half)
    figure, axes = plt.subplots(1, len(columns), figsize=size, sharex=True, squeeze=False)
    for place, part in zip(axes[0], columns, strict=True):
        dots(place, section, part)
        place.set_ylim(half - 0.4, -0.6)
        place.set_xlabel("MB/s, first pass, one thread")
    labels = axes[0][0].get_legend_handles_labels()
    figure.legend(*labels, loc="upper center", ncols=3, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.6 / size[1]))
    return figure


def worst_cases(section: Record) -> Any:
    """First-pass speed on English and on each worst case, and where the bar is."""
    texts = ["english", *measured(section, section["worst"])]
    figure, axes = plt.subplots(figsize=(8, 2.2 + 0.34 * len(texts)))
    dots(axes, section, texts)
    for encoder in ("words", "boundless"):
        if english := speed(section, "english", encoder):
            axes.axvline(english / 5e6, color=DRAWN[encoder], linestyle=":", linewidth=1)
    axes.set_xlabel("MB/s, first pass, one thread; dotted: a fifth of English; ×: slower, stopped")
    axes.legend(fontsize=7, ncols=3, loc="lower center", bbox_to_anchor=(0.45, 1.01), frameon=False)
    return figure


def draw(result: Record, path: Path) -> list[str]:
    """Draw all plots that the run has data for, and return their file names."""
    made = []
    for old in plots_of(path):
        if old != headline_chart(path).name:
            path.with_name(old).unlink()
    training = result.get("training")
    if training:
        _, vocab = training["headline"]
        by_size = {"vocab_size": vocab}
        by_vocab = {"bytes": training["vocab_text"]}
        for name, axis, fixed, value in (
            ("time-by-size", "bytes", by_size, "seconds"),
            ("time-by-vocabulary", "vocab_size", by_vocab, "seconds"),
            ("memory-by-size", "bytes", by_size, "peak_memory"),
        ):
            figure = trainers_over(training, axis, fixed, value)
            if figure is not None:
                made.append(save(figure, path, name))
        over_documents = (
            ("phases", phases),
            ("counts-by-documents", counts),
            ("memory-by-documents", memory),
        )
        lines = [
            figure_records(training, method, cutting)
            for method in ("boundless", "superbpe")
            for cutting in (True, False)
        ]
        if all(len(points) >= LEAST_POINTS for points in lines):
            made += [save(plot(training), path, name) for name, plot in over_documents]
    encoding = result.get("encoding", {})
    if any(not record["failed"] for record in encoding.get("results", [])):
        made.append(save(encoders(encoding), path, "encoding-english"))
        made.append(save(languages(encoding), path, "encoding-by-language"))
        if measured(encoding, encoding.get("worst", [])):
            made.append(save(worst_cases(encoding), path, "encoding-worst-cases"))
    return made

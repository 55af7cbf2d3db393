"""The section of a report about training: the figures of the paper, for any run."""

from __future__ import annotations

from superword._support.text import format_bytes, format_seconds, plural
from superword.progress import PHASES
from superword.reports.content import Block, Figure, Note, Paragraph, Row, Rows, Section, Table
from superword.reports.formats import percent
from superword.reports.plots import Axis, BarChart, Bars, LineChart, Panel, Series
from superword.reports.training.results import Amount, Course, Phase, Training

__all__ = ["sections"]

_DOCUMENTS = "documents (logarithmic)"
_COUNTED = (
    ("pretokens", "pretokens"),
    ("distinct pretokens", "unique_pretokens"),
    ("candidates", "candidates"),
    ("distinct candidates", "unique_candidates"),
)
_REUSED = {"no": "no", "perhaps": "perhaps in part", "yes": "yes"}


def sections(training: Training) -> tuple[Section, ...]:
    """The sections for `superword.reports.write`."""
    blocks: list[Block] = [
        Paragraph(
            f"A {training.method} model with a vocabulary of "
            f"{plural(training.vocab_size, 'token')}."
        ),
        *(Note(text) for text in training.notes),
        *_counts(training.amounts),
        *_ratios(training),
        *_times(training.courses),
        *_merges(training),
    ]
    return (Section("training", "Training", tuple(blocks)),)


def _counts(amounts: tuple[Amount, ...]) -> list[Block]:
    series = tuple(
        Series(name, index, points, points)
        for index, (name, field) in enumerate(_COUNTED)
        if (points := _points(amounts, field))
    )
    if not series:
        return [Note("There is no figure of counts: the text has no pretokens.")]
    chart = LineChart(
        "Pretokens and candidates against documents",
        "How many there are in growing parts of the text, and how many of them are distinct. "
        "Candidates are runs of pretokens that superwords are learned from. They are counted "
        "without cutting.",
        Axis(_DOCUMENTS, log=True),
        Axis("number (logarithmic)", log=True),
        (Panel(None, series),),
    )
    last = amounts[-1]
    table = Table(
        f"Counts of {plural(last.documents, 'document')}, {format_bytes(last.bytes)}",
        "",
        ("all", "distinct", "type–token ratio"),
        (
            Rows(
                None,
                (
                    _ratio_row("pretokens", last.pretokens, last.unique_pretokens),
                    _ratio_row("candidates", last.candidates, last.unique_candidates),
                ),
            ),
        ),
    )
    return [Figure(chart), table]


def _points(amounts: tuple[Amount, ...], field: str) -> tuple[tuple[float, float], ...]:
    return tuple(
        (float(amount.documents), float(getattr(amount, field)))
        for amount in amounts
        if amount.documents and getattr(amount, field)
    )


def _ratio_row(name: str, total: int, unique: int) -> Row:
    return Row(name, (f"{total:,}", f"{unique:,}", percent(unique / total) if total else "–"))


def _ratios(training: Training) -> list[Block]:
    groups = training.groups
    kinds = ("pretokens", "candidates", "split")
    names = ("pretokens", "candidates", "candidates after greedy splitting")
    series = tuple(
        Bars(name, index, tuple(getattr(group, kind).value for group in groups))
        for index, (name, kind) in enumerate(zip(names, kinds, strict=True))
    )
    if not any(value is not None for bars in series for value in bars.values):
        return [Note("There is no figure of type–token ratios: the text has no pretokens.")]
    sizes = [group.bytes for group in groups]
    about = (
        "Distinct ones divided by all of them: the lower, the more the text repeats itself. "
        f"Measured on the first {format_bytes(min(sizes))} of "
        + ("each group" if len(groups) > 1 else "the text")
        + ". Greedy splitting uses n-grams that occur as often as the rarest merge would in this "
        "much text, and at least 15 times."
    )
    chart = BarChart(
        "Type–token ratio" + (" by group" if len(groups) > 1 else ""),
        about,
        Axis("type–token ratio", percents=True, zero=True),
        tuple(group.name or "all text" for group in groups),
        series,
        shown=percent,
    )
    rows = tuple(
        Row(
            group.name or "all text",
            (
                f"{group.documents:,}",
                format_bytes(group.bytes),
                *(
                    (percent(ratio.value), f"{ratio.unique:,} of {ratio.total:,}")
                    for ratio in (group.pretokens, group.candidates, group.split)
                ),
                f"{group.split_below:,}",
            ),
        )
        for group in groups
    )
    columns = ("documents", "bytes", "pretokens", "candidates", "after splitting", "rarest n-gram")
    table = Table("Type–token ratios", "group", columns, (Rows(None, rows),))
    return [Figure(chart), table]


def _times(courses: tuple[Course, ...]) -> list[Block]:
    if not courses:
        return [
            Note(
                "There are no figures of time: the work directory has no record of a complete run."
            )
        ]
    course = courses[0]
    rows = tuple(
        Row(
            PHASES.get(phase.name, phase.name),
            (_seconds(phase), _memory(phase), _REUSED[phase.reused]),
        )
        for phase in course.phases
    )
    table = Table(
        f"Time of a run on {plural(course.documents, 'document')}, {format_bytes(course.bytes)}: "
        f"{format_seconds(course.seconds)}",
        "phase",
        ("time", "peak memory", "earlier work used"),
        (Rows(None, rows),),
    )
    return [table, *_against_documents(courses), *_against_vocabulary(course)]


def _seconds(phase: Phase) -> str:
    return "–" if phase.reused == "yes" else format_seconds(phase.seconds)


def _memory(phase: Phase) -> str:
    if phase.reused == "yes" or phase.peak_memory is None:
        return "–"
    return format_bytes(phase.peak_memory)


def _against_documents(courses: tuple[Course, ...]) -> list[Block]:
    course = courses[0]
    series: list[Series] = []
    for phase in course.phases:
        if phase.unit == "bytes" and phase.total and phase.reused == "no":
            start = phase.points[-1][0] - phase.seconds
            points = [(0.0, 0.0)] + [
                (course.documents * done / phase.total, max(0.0, seconds - start))
                for seconds, done in phase.points
            ]
            series.append(Series(PHASES[phase.name], len(series), tuple(points)))
    blocks: list[Block] = []
    if series:
        chart = LineChart(
            "Time against documents",
            "How long the run took to read this many documents. It recorded bytes; documents are "
            "interpolated between them.",
            Axis("documents", zero=True),
            Axis("seconds since the start of the phase", zero=True),
            (Panel(None, tuple(series)),),
        )
        blocks.append(Figure(chart))
    else:
        blocks.append(
            Note("There is no figure of time against documents: earlier counts were used.")
        )
    fresh = {c.documents: c.seconds for c in courses if all(p.reused == "no" for p in c.phases)}
    if len(fresh) > 1:
        runs = tuple((float(n), seconds) for n, seconds in sorted(fresh.items()))
        chart = LineChart(
            "Time of complete runs against documents",
            "Runs in this work directory with the same method and vocabulary, on texts of "
            "different sizes, that used no earlier work.",
            Axis(_DOCUMENTS, log=True),
            Axis("seconds (logarithmic)", log=True),
            (Panel(None, (Series("runs", 0, runs, runs),)),),
        )
        blocks.append(Figure(chart))
    return blocks


def _against_vocabulary(course: Course) -> list[Block]:
    series: list[Series] = []
    words = 0  # SuperBPE counts its superwords from 0, after the words.
    for phase in course.phases:
        if phase.unit == "tokens" and phase.points:
            base = words if phase.total is not None and phase.total < words else 0
            points = tuple((float(base + done), seconds) for seconds, done in phase.points)
            if phase.reused == "no":
                series.append(Series(PHASES[phase.name], len(series), points, points))
            words = max(words, int(points[-1][0]))
    if not series:
        return [Note("There is no figure of time against vocabulary: earlier work was used.")]
    chart = LineChart(
        "Time against vocabulary size",
        "When the vocabulary had reached a size, counted from the start of the run. Reading and "
        "counting come first.",
        Axis("size of the vocabulary (tokens)", zero=True),
        Axis("seconds since the start of the run", zero=True),
        (Panel(None, tuple(series)),),
    )
    return [Figure(chart)]


def _merges(training: Training) -> list[Block]:
    panels = []
    for kind, found in (("merge", training.merges), ("supermerge", training.supermerges)):
        points = tuple((float(number), float(count)) for number, count in found)
        if points:
            x = Axis(f"number of the {kind} (logarithmic)", log=True)
            title = f"{kind.capitalize()}s"
            panels.append(Panel(title, (Series("count", 0, points),), x=x))
    if not panels:
        return []
    chart = LineChart(
        "Counts of merges and supermerges",
        "How often the pair of each merge occurred in the training text when it was merged.",
        Axis("number of the merge (logarithmic)", log=True),
        Axis("occurrences of the pair (logarithmic)", log=True),
        tuple(panels),
    )
    return [Figure(chart)]

"""Figures of how tokens are used: ranks, coverage, lengths, words per token."""

from __future__ import annotations

from collections.abc import Mapping

from superword.evaluation.results import OVERALL, Distribution, Evaluation
from superword.reports.content import Block, Figure, Note
from superword.reports.formats import percent
from superword.reports.plots import Axis, BarChart, Bars, LineChart, Panel, Series

__all__ = ["coverage", "coverage_curve", "lengths", "rank_frequency", "words"]

# Longer tokens than those that make up this share are left out of the figure of lengths.
_SHOWN = 0.99
_MOST_WORDS = 6


def _distributions(evaluation: Evaluation) -> list[tuple[int, str, Distribution]]:
    return [
        (index, model.name, model.numbers[OVERALL].distribution)
        for index, model in enumerate(evaluation.models)
        if OVERALL in model.numbers and model.numbers[OVERALL].distribution.rank_frequency
    ]


def rank_frequency(evaluation: Evaluation) -> list[Block]:
    """How often the token of each rank occurs."""
    series = tuple(
        Series(name, index, tuple((float(x), float(y)) for x, y in found.rank_frequency))
        for index, name, found in _distributions(evaluation)
    )
    if not series:
        return [Note("There is no figure of ranks and frequencies: the text has no tokens.")]
    chart = LineChart(
        "Rank and frequency of tokens",
        "Tokens ordered by how often they occur in all text. A straight line would be Zipf's law; "
        "a flatter line uses the vocabulary more evenly.",
        Axis("rank of the token (logarithmic)", log=True),
        Axis("occurrences (logarithmic)", log=True),
        (Panel(None, series),),
    )
    return [Figure(chart)]


def coverage(evaluation: Evaluation) -> list[Block]:
    """Which share of the text the most frequent tokens make up."""
    series = []
    for index, name, found in _distributions(evaluation):
        exact = _exact(found)
        series.append(Series(name, index, coverage_curve(found), exact))
    if not series:
        return [Note("There is no figure of coverage: the text has no tokens.")]
    chart = LineChart(
        "Coverage of the text by the most frequent tokens",
        "The share of all emitted tokens that the k most frequent ones make up. Markers are exact; "
        "the lines between them follow the frequencies of the ranks.",
        Axis("number of most frequent tokens, k (logarithmic)", log=True),
        Axis("share of emitted tokens", percents=True, zero=True),
        (Panel(None, tuple(series)),),
    )
    return [Figure(chart)]


def _exact(found: Distribution) -> tuple[tuple[float, float], ...]:
    """The points of the curve that the result has: for some k, and for some shares."""
    points = {}
    for key, share in found.top_share.items():
        if key.isdigit() and int(key) > 0:
            points[float(key)] = share
    return tuple(sorted(points.items()))


def coverage_curve(found: Distribution) -> tuple[tuple[float, float], ...]:
    """The share of the k most frequent tokens, for each rank that the result has.

    Between two ranks, frequencies are taken to fall by the same factor at each step.
    """
    covered = 0.0
    points: list[tuple[float, float]] = []
    before: tuple[int, int] | None = None
    for rank, count in found.rank_frequency:
        if before is None:
            covered = float(count * rank)
        else:
            steps = rank - before[0]
            if count and before[1] and count != before[1]:
                factor = (count / before[1]) ** (1 / steps)
                covered += before[1] * factor * (1 - factor**steps) / (1 - factor)
            else:
                covered += count * steps
        before = (rank, count)
        points.append((float(rank), covered))
    return tuple((rank, share / covered) for rank, share in points) if covered else ()


def lengths(evaluation: Evaluation) -> list[Block]:
    """Lengths of the tokens of the vocabulary, and of the emitted tokens."""
    vocabulary, emitted = [], []
    for index, model in enumerate(evaluation.models):
        vocabulary.append((index, model.name, model.vocabulary.by_length))
        if OVERALL in model.numbers:
            emitted.append((index, model.name, model.numbers[OVERALL].use.by_length))
    x = Axis("length (characters)", zero=True)
    panels = []
    for title, found in (("In the vocabulary", vocabulary), ("Emitted", emitted)):
        longest = max((_longest(counts) for _, _, counts in found), default=0)
        series = tuple(
            Series(name, index, points)
            for index, name, counts in found
            if (points := _shares(counts, longest))
        )
        if series:
            panels.append(Panel(title, series, x=x))
    if not panels:
        return [Note("There is no figure of lengths: the result has no lengths.")]
    chart = LineChart(
        "Lengths of tokens",
        "The share of tokens of each length. 0 is less than one character. Lines end where at most "
        f"{percent(1 - _SHOWN)} of the tokens of each model are longer.",
        x,
        Axis("share of tokens", percents=True, zero=True),
        tuple(panels),
    )
    return [Figure(chart)]


def _numbered(counts: Mapping[str, int]) -> dict[int, int]:
    return {int(key): count for key, count in counts.items() if key.isdigit()}


def _longest(counts: Mapping[str, int]) -> int:
    """The length up to which nearly all tokens are."""
    total, covered = sum(counts.values()), 0
    for length, count in sorted(_numbered(counts).items()):
        covered += count
        if covered >= _SHOWN * total:
            return length
    return 0


def _shares(counts: Mapping[str, int], longest: int) -> tuple[tuple[float, float], ...]:
    total = sum(counts.values())
    if not total:
        return ()
    found = _numbered(counts)
    return tuple((float(n), found.get(n, 0) / total) for n in range(longest + 1))


def words(evaluation: Evaluation) -> list[Block]:
    """How many words the emitted superwords join."""
    found = [
        (index, model.name, _numbered(model.numbers[OVERALL].use.by_words))
        for index, model in enumerate(evaluation.models)
        if OVERALL in model.numbers
    ]
    found = [entry for entry in found if any(words > 1 for words in entry[2])]
    if not found:
        return [Note("There is no figure of words per token: no emitted token joins words.")]
    most = min(_MOST_WORDS, max(words for _, _, counts in found for words in counts))
    categories = [f"{words} words" for words in range(2, most + 1)]
    categories[-1] = f"{most} or more" if most == _MOST_WORDS else categories[-1]
    series = []
    for index, name, counts in found:
        total = sum(counts.values())
        values = [counts.get(words, 0) / total for words in range(2, most)]
        values.append(sum(n for words, n in counts.items() if words >= most) / total)
        series.append(Bars(name, index, tuple(values)))
    chart = BarChart(
        "Words per token",
        "The share of emitted tokens that join so many words (pretokens). All other tokens are "
        "one word or a part of one.",
        Axis("share of emitted tokens", percents=True, zero=True),
        tuple(categories),
        tuple(series),
        shown=percent,
    )
    return [Figure(chart)]

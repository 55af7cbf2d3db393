"""Figures over the run of a training: sizes of the vocabulary, supermerges, counts of merges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from superword.evaluation.results import OVERALL, Evaluation, ModelResult
from superword.reports.content import Block, Figure, Note
from superword.reports.plots import Axis, LineChart, Panel, Series
from superword.reports.tables import group_names

__all__ = ["merge_counts", "supermerges", "text_bytes", "vocabulary_sizes"]

_Points = tuple[tuple[int, int], ...]
_Curve = Mapping[str, _Points] | None
_Line = tuple[tuple[float, float], ...]
_DENSITY = Axis("bytes per token")


@dataclass(frozen=True)
class _What:
    """What a chart shows. `line` makes its lines from points of a curve and bytes of the text."""

    title: str
    about: str
    y: Axis
    line: Callable[[_Points, int], _Line]


def text_bytes(evaluation: Evaluation) -> dict[str, int]:
    """The bytes of each group, and of all text."""
    found = {group.name: group.bytes for group in evaluation.groups}
    return {**found, OVERALL: sum(found.values())}


def _densities(points: _Points, bytes_: int) -> _Line:
    return tuple((float(size), bytes_ / tokens) for size, tokens in points if tokens and bytes_)


def vocabulary_sizes(evaluation: Evaluation) -> list[Block]:
    """Bytes per token against the size of the vocabulary, for all text and by group."""
    title = "Bytes per token against the size of the vocabulary"
    return _curves(
        evaluation,
        lambda model: model.curves.vocabulary_sizes,
        Axis("size of the vocabulary (tokens, logarithmic)", log=True),
        _What(
            title,
            "Every size comes from the one trained model, without training again: a model that is "
            "cut off after its first merges is the model that training would have made at that "
            "size. SuperBPE learns all words first, and then superwords.",
            _DENSITY,
            _densities,
        ),
        _What(
            f"{title}, by group",
            "All panels have the same scales, so they can be compared.",
            _DENSITY,
            _densities,
        ),
        none="the result has no curves",
    )


def supermerges(evaluation: Evaluation) -> list[Block]:
    """Bytes per token against the number of supermerges; what they save, by group."""

    def saved(points: _Points, bytes_: int) -> _Line:
        before = points[0][1] if points else 0
        return tuple((float(x), 1 - tokens / before) for x, tokens in points) if before else ()

    return _curves(
        evaluation,
        lambda model: model.curves.supermerges,
        Axis("supermerges", zero=True),
        _What(
            "Bytes per token against the number of supermerges",
            "All ordinary merges are kept; only supermerges are added, in their order. The left "
            "end is the same model without superwords.",
            _DENSITY,
            _densities,
        ),
        _What(
            "Tokens saved by supermerges, by group",
            "The share of tokens that supermerges save. All panels have the same scales.",
            Axis("tokens saved", percents=True, zero=True),
            saved,
        ),
        none="no model has supermerges",
    )


def _curves(
    evaluation: Evaluation,
    get: Callable[[ModelResult], _Curve],
    x: Axis,
    whole: _What,
    parts: _What,
    none: str,
) -> list[Block]:
    """A chart for all text, a chart with a panel for each group, and what is missing in them."""
    sizes = text_bytes(evaluation)

    def panel(what: _What, group: str, name: str | None) -> Panel:
        series = tuple(
            Series(model.name, index, points)
            for index, model in enumerate(evaluation.models)
            if (points := what.line((get(model) or {}).get(group, ()), sizes.get(group, 0)))
        )
        return Panel(name, series)

    reasons = _reasons(evaluation)
    first = panel(whole, OVERALL, None)
    if not first.series:
        return [Note(f"There is no figure “{whole.title}”: {'; '.join(reasons) or none}.")]
    blocks: list[Block] = [Figure(LineChart(whole.title, whole.about, x, whole.y, (first,)))]
    panels = (panel(parts, name, name) for name in group_names(evaluation))
    found = tuple(one for one in panels if one.series)
    if len(found) > 1:
        blocks.append(Figure(LineChart(parts.title, parts.about, x, parts.y, found)))
    if reasons:
        blocks.append(Note("Models without a line: " + "; ".join(reasons) + "."))
    return blocks


def _reasons(evaluation: Evaluation) -> list[str]:
    return [
        f"{model.name} ({model.curves.why_not})"
        for model in evaluation.models
        if model.curves.why_not is not None
    ]


def merge_counts(evaluation: Evaluation) -> list[Block]:
    """How often each merge and supermerge occurred in training."""

    def series(get: Callable[[ModelResult], tuple[tuple[int, int], ...]]) -> tuple[Series, ...]:
        return tuple(
            Series(model.name, index, tuple((float(x), float(y)) for x, y in get(model)))
            for index, model in enumerate(evaluation.models)
            if get(model)
        )

    merges = series(lambda model: model.curves.merge_counts)
    supers = series(lambda model: model.curves.supermerge_counts)
    x = Axis("size of the vocabulary after the merge (tokens)")
    y = Axis("occurrences of the pair (logarithmic)", log=True)
    panels = []
    if merges:
        panels.append(Panel("Merges", merges, x=x))
    if supers:
        panels.append(Panel("Supermerges", supers, x=x))
    if not panels:
        return [
            Note("There is no figure of the counts of merges: the models do not have these counts.")
        ]
    about = (
        "How often the pair of each merge occurred in the training text when it was merged. "
        "Imported models do not have these counts."
    )
    return [Figure(LineChart("Counts of merges over the run", about, x, y, tuple(panels)))]

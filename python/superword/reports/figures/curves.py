"""Figures over the run of a training: sizes of the vocabulary, supermerges, counts of merges."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from superword.evaluation.results import OVERALL, Evaluation, ModelResult
from superword.reports.content import Block, Figure, Note
from superword.reports.plots import Axis, LineChart, Panel, Series
from superword.reports.tables import group_names

__all__ = ["merge_counts", "supermerges", "text_bytes", "vocabulary_sizes"]

_DENSITY = "bytes per token"
_Curve = Mapping[str, tuple[tuple[int, int], ...]] | None


def text_bytes(evaluation: Evaluation) -> dict[str, int]:
    """The bytes of each group, and of all text."""
    found = {group.name: group.bytes for group in evaluation.groups}
    return {**found, OVERALL: sum(found.values())}


def vocabulary_sizes(evaluation: Evaluation) -> list[Block]:
    """Bytes per token against the size of the vocabulary, for all text and by group."""
    return _density(
        evaluation,
        lambda model: model.curves.vocabulary_sizes,
        Axis("size of the vocabulary (tokens, logarithmic)", log=True),
        "Bytes per token against the size of the vocabulary",
        "Every size comes from the one trained model: cutting off its last merges gives exactly "
        "the model that training to that size would have given.",
        "There is no figure of bytes per token against the size of the vocabulary: ",
    )


def supermerges(evaluation: Evaluation) -> list[Block]:
    """Bytes per token against the number of supermerges, for all text and by group."""
    return _density(
        evaluation,
        lambda model: model.curves.supermerges,
        Axis("supermerges", zero=True),
        "Bytes per token against the number of supermerges",
        "All ordinary merges are kept; only supermerges are added, in their order. The left end "
        "is the same model without superwords.",
        "There is no figure of bytes per token against the number of supermerges: ",
        none="no model has supermerges",
    )


def _density(
    evaluation: Evaluation,
    get: Callable[[ModelResult], _Curve],
    x: Axis,
    title: str,
    about: str,
    left_out: str,
    none: str = "the result has no curves",
) -> list[Block]:
    sizes = text_bytes(evaluation)

    def panel(group: str, name: str | None) -> Panel:
        series = tuple(
            Series(model.name, index, points)
            for index, model in enumerate(evaluation.models)
            if (points := _ratios((get(model) or {}).get(group, ()), sizes.get(group, 0)))
        )
        return Panel(name, series)

    whole = panel(OVERALL, None)
    reasons = _reasons(evaluation)
    if not whole.series:
        return [Note(left_out + ("; ".join(reasons) or none) + ".")]
    y = Axis(_DENSITY)
    blocks: list[Block] = [Figure(LineChart(title, about, x, y, (whole,)))]
    panels = tuple(found for name in group_names(evaluation) if (found := panel(name, name)).series)
    if len(panels) > 1:
        by_group = f"{title}, by group"
        same = "All panels have the same scales, so they can be compared."
        blocks.append(Figure(LineChart(by_group, same, x, y, panels)))
    if reasons:
        blocks.append(Note("Models without a line: " + "; ".join(reasons) + "."))
    return blocks


def _reasons(evaluation: Evaluation) -> list[str]:
    return [
        f"{model.name} ({model.curves.why_not})"
        for model in evaluation.models
        if model.curves.why_not is not None
    ]


def _ratios(points: tuple[tuple[int, int], ...], bytes_: int) -> tuple[tuple[float, float], ...]:
    return tuple((float(size), bytes_ / tokens) for size, tokens in points if tokens and bytes_)


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

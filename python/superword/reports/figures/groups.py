"""Figures that compare groups or languages: bars and heat maps."""

from __future__ import annotations

from superword.evaluation.results import Evaluation, ModelResult
from superword.reports.content import Block, Figure, Note
from superword.reports.plots import Axis, BarChart, Bars, HeatMap
from superword.reports.tables import group_names

__all__ = ["density_bars", "density_map", "parity_bars", "relative_map"]


def _density(model: ModelResult, group: str) -> float | None:
    found = model.numbers.get(group)
    return found.size.bytes_per_token if found else None


def _relative(model: ModelResult, group: str) -> float | None:
    found = model.numbers.get(group)
    return found.size.relative_length if found else None


def density_bars(evaluation: Evaluation) -> list[Block]:
    """Bytes per token of each model in each group."""
    names = tuple(group_names(evaluation))
    if len(names) * len(evaluation.models) < 2:
        return [Note("There are no bars by group: there is only one group and one model.")]
    series = tuple(
        Bars(model.name, index, values)
        for index, model in enumerate(evaluation.models)
        if any(values := tuple(_density(model, name) for name in names))
    )
    if not series:
        return [Note("There is no figure of bytes per token by group: the text has no tokens.")]
    chart = BarChart(
        "Bytes per token by group",
        "More bytes per token mean fewer tokens for the same text. Compare models in a group; "
        "groups in different scripts cannot be compared with each other in bytes. Bars are in the "
        "order of the legend.",
        Axis("bytes per token", zero=True),
        names,
        series,
    )
    return [Figure(chart)]


def parity_bars(evaluation: Evaluation) -> list[Block]:
    """Tokens in each language for the same sentences, relative to the reference language."""
    found = [model.parallel for model in evaluation.models]
    first = next((one for one in found if one is not None), None)
    languages = tuple(
        dict.fromkeys(
            name
            for one in found
            if one is not None
            for name in one.languages
            if name != one.reference
        )
    )
    if first is None or not languages:
        return [
            Note(
                "There is no figure of parity: it needs the same sentences in several languages, "
                "as parallel text of the evaluation."
            )
        ]
    series = tuple(
        Bars(
            model.name,
            index,
            tuple(
                one.languages[name].parity if name in one.languages else None for name in languages
            ),
        )
        for index, model in enumerate(evaluation.models)
        if (one := model.parallel) is not None
    )
    chart = BarChart(
        f"Parity with {first.reference}",
        f"Tokens for the same sentences, divided by those in {first.reference}. At the line, at 1, "
        "a language costs as much as the reference language. Bars are in the order of the legend.",
        Axis(f"tokens relative to {first.reference}", zero=True),
        languages,
        series,
        line=1.0,
    )
    return [Figure(chart)]


def _map(
    evaluation: Evaluation,
    values: tuple[tuple[float | None, ...], ...],
    title: str,
    about: str,
    scale: str,
    center: float | None = None,
) -> Figure:
    names = tuple(group_names(evaluation))
    models = tuple(model.name for model in evaluation.models)
    return Figure(HeatMap(title, about, models, names, values, center, scale))


def density_map(evaluation: Evaluation) -> list[Block]:
    """Bytes per token by model and group, as colors."""
    names = group_names(evaluation)
    values = tuple(tuple(_density(model, name) for name in names) for model in evaluation.models)
    if len(names) < 2 or not any(value for row in values for value in row):
        return [Note("There is no heat map of bytes per token: it needs more groups with text.")]
    return [
        _map(
            evaluation,
            values,
            "Bytes per token by model and group",
            "The same numbers as the bars, at a glance.",
            "A stronger color means more bytes per token.",
        )
    ]


def relative_map(evaluation: Evaluation) -> list[Block]:
    """Tokens relative to the reference model, by model and group."""
    if evaluation.reference is None:
        return [
            Note("There is no heat map of relative lengths: the evaluation has no reference model.")
        ]
    names = group_names(evaluation)
    values = tuple(tuple(_relative(model, name) for name in names) for model in evaluation.models)
    if len(names) < 2 or not any(value for row in values for value in row):
        return [Note("There is no heat map of relative lengths: it needs more groups with text.")]
    return [
        _map(
            evaluation,
            values,
            f"Tokens relative to {evaluation.reference}, by model and group",
            "Below 1, a model needs fewer tokens than the reference model.",
            "Blue: fewer tokens than the reference. Orange: more.",
            center=1.0,
        )
    ]

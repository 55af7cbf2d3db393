"""The summary at the top: sentences that are computed from the numbers, and warnings."""

from __future__ import annotations

from superword._support.text import plural
from superword.evaluation.results import OVERALL, Evaluation, ModelResult, Numbers
from superword.reports import formats
from superword.reports.content import Block, Bullets, Note, Row, Rows, Table, Warn
from superword.reports.tables import group_names

__all__ = ["limits", "subtitle", "summary"]

# Superwords that save less than this are not worth a sentence.
_WORTH = 0.0005


def subtitle(evaluation: Evaluation) -> str:
    """What was compared, in a line."""
    text = sum(group.bytes for group in evaluation.groups)
    return (
        f"{plural(len(evaluation.models), 'model')} on {formats.size(text)} of text in "
        f"{plural(len(evaluation.groups), 'group')}. Made by superword {evaluation.version}."
    )


def summary(evaluation: Evaluation) -> list[Block]:
    """Warnings, sentences, and the most important numbers."""
    blocks: list[Block] = [Warn(text) for text in _warnings(evaluation)]
    sentences = [*_lengths(evaluation), *_groups(evaluation), *_superwords(evaluation)]
    if sentences:
        blocks.append(Bullets(tuple(sentences)))
    return [*blocks, *_headline(evaluation)]


def _all(model: ModelResult) -> Numbers | None:
    return model.numbers.get(OVERALL)


def _density(model: ModelResult, group: str = OVERALL) -> float | None:
    found = model.numbers.get(group)
    return found.size.bytes_per_token if found else None


def _warnings(evaluation: Evaluation) -> list[str]:
    texts = []
    for model in evaluation.models:
        if model.trained_on:
            where = (
                "this text"
                if OVERALL in model.trained_on
                else f"the text of {_listed(model.trained_on)}"
            )
            texts.append(
                f"{model.name} was probably trained on {where}, or on a part of it. Its numbers "
                "there say little about other text."
            )
    for group in evaluation.groups:
        if group.skipped:
            texts.append(
                f"{plural(group.skipped, 'document')} of {group.name} could not be read and "
                "were skipped."
            )
    return texts


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _lengths(evaluation: Evaluation) -> list[str]:
    """Who needs the fewest tokens, and how models compare with the reference."""
    found = [(density, model) for model in evaluation.models if (density := _density(model))]
    if not found:
        return []
    ranked = sorted(found, key=lambda entry: -entry[0])
    most, best = ranked[0]
    if len(ranked) == 1:
        return [f"{best.name} holds {formats.number(most)} bytes per token on all text."]
    texts = [
        f"{best.name} needs the fewest tokens on all text: {formats.number(most)} bytes per token."
    ]
    reference = next((m for m in evaluation.models if m.name == evaluation.reference), None)
    base = reference or ranked[-1][1]
    compared = _density(base)
    if compared:
        # The text is the same, so its tokens are to each other as the densities, reversed.
        texts += [
            _compared(model, base, compared / density - 1)
            for density, model in ranked
            if model is not base
        ]
    return texts


def _compared(model: ModelResult, base: ModelResult, change: float) -> str:
    sizes = ""
    if model.n_vocab != base.n_vocab:
        sizes = f" (with a vocabulary of {model.n_vocab:,} tokens instead of {base.n_vocab:,})"
    if abs(change) < _WORTH:
        return f"{model.name} needs as many tokens as {base.name} on all text{sizes}."
    amount = f"{formats.percent(abs(change))} {'fewer' if change < 0 else 'more'} tokens"
    return f"{model.name} needs {amount} than {base.name} on all text{sizes}."


def _groups(evaluation: Evaluation) -> list[str]:
    """How far the languages or groups of the model with the fewest tokens are apart."""
    densities = [(density, model) for model in evaluation.models if (density := _density(model))]
    if not densities:
        return []
    model = max(densities, key=lambda entry: entry[0])[1]
    if model.parallel is not None:
        parities = [
            (found.parity, language)
            for language, found in model.parallel.languages.items()
            if found.parity is not None and language != model.parallel.reference
        ]
        if parities:
            most, worst = max(parities)
            return [
                f"For the same sentences, {model.name} needs {formats.number(most)} times as many "
                f"tokens in {worst} as in {model.parallel.reference}."
            ]
    found = [
        (density, name) for name in group_names(evaluation) if (density := _density(model, name))
    ]
    if len(found) < 2:
        return []
    (low, worst), (high, best) = min(found), max(found)
    return [
        f"{model.name} holds from {formats.number(low)} bytes per token in {worst} to "
        f"{formats.number(high)} in {best}."
    ]


def _superwords(evaluation: Evaluation) -> list[str]:
    texts = []
    for model in evaluation.models:
        found = _all(model)
        if found is None or not model.vocabulary.superwords:
            continue
        saved = found.superwords.saved
        if saved is not None and saved >= _WORTH:
            texts.append(
                f"The superwords of {model.name} save {formats.percent(saved)} of the tokens that "
                "the same model needs without them."
            )
        else:
            texts.append(f"The superwords of {model.name} save nothing on this text.")
    return texts


def _headline(evaluation: Evaluation) -> list[Block]:
    """Models as rows, with the numbers that most readers look for."""
    columns: tuple[str, ...] = (
        "vocabulary",
        "tokens",
        "bytes per token",
        "relative length",
        "used",
        "superwords",
    )
    rows = []
    for model in evaluation.models:
        found = _all(model)
        cells = [formats.count(model.n_vocab)]
        if found is None:
            cells += [formats.NONE] * 5
        else:
            cells += [
                formats.count(found.size.tokens),
                formats.number(found.size.bytes_per_token),
                formats.number(found.size.relative_length),
                formats.percent(found.use.used.share),
                formats.percent(found.superwords.emitted.share),
            ]
        rows.append(Row(model.name, tuple(cells)))
    about = "Used: share of the vocabulary that occurs. Superwords: share of the emitted tokens."
    if evaluation.reference is None:
        columns = tuple(name for name in columns if name != "relative length")
        rows = [Row(row.label, (*row.cells[:3], *row.cells[4:])) for row in rows]
    else:
        about += f" Relative length: tokens divided by those of {evaluation.reference}."
    return [Table("All text", "model", columns, (Rows(None, tuple(rows)),)), Note(about)]


def limits() -> tuple[str, ...]:
    """What the numbers of a report do not tell."""
    return (
        "Fewer tokens do not make a better language model. Compression, entropy and fertility "
        "have been found to agree with the quality of trained models in some studies and not in "
        "others. Only training models tells.",
        "The numbers hold for this text. Another domain, language or spelling gives other numbers.",
        "Bytes per token of different scripts cannot be compared: UTF-8 needs one byte for a Latin "
        "letter and three for a Chinese character. Use parity on parallel text for that.",
        "Models with vocabularies of different size differ in the cost of their embeddings and "
        "output layers too. The figures against the size of the vocabulary compare them at the "
        "same size.",
        "Costs are computed from the number of tokens for one stated shape. Real costs depend on "
        "hardware, batches and software.",
        "Single-token retention and morpheme boundaries depend on the list of words that was used.",
    )

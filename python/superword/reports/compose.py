"""The report on an evaluation: which sections there are, and what is in each of them."""

from __future__ import annotations

from collections.abc import Sequence

from superword._support.text import printable
from superword.evaluation.results import OVERALL, Evaluation
from superword.reports import figures, tables
from superword.reports.content import (
    Block,
    Bullets,
    Details,
    Note,
    Paragraph,
    Report,
    Row,
    Rows,
    Section,
    Table,
)
from superword.reports.figures.curves import text_bytes
from superword.reports.summary import limits, subtitle, summary

__all__ = ["report_on"]

TITLE = "Tokenizer report"


def report_on(evaluation: Evaluation | None, more: Sequence[Section] = ()) -> Report:
    """The report on an evaluation, with more sections after it. Either may be absent."""
    if evaluation is None:
        return Report(TITLE, "", tuple(more))
    sections = (
        Section("summary", "Summary", tuple(summary(evaluation))),
        Section("text", "Text and models", tuple(_text(evaluation))),
        Section("size", "Size", tuple(_size(evaluation))),
        Section("languages", "Groups and languages", tuple(_languages(evaluation))),
        Section("distribution", "Distribution", tuple(_distribution(evaluation))),
        Section("vocabulary", "Vocabulary", tuple(_vocabulary(evaluation))),
        Section("words", "Words", tuple(_words(evaluation))),
        Section("superwords", "Superwords", tuple(_superwords(evaluation))),
        Section("edges", "Prompt edges", tuple(_edges(evaluation))),
        Section("cost", "Cost", tuple(_cost(evaluation))),
        *more,
        Section("limits", "What these numbers do not tell", (Bullets(limits()),)),
    )
    return Report(TITLE, subtitle(evaluation), sections)


def _text(evaluation: Evaluation) -> list[Block]:
    inputs = Table(
        "Inputs",
        "group",
        ("files and directories",),
        (Rows(None, tuple(Row(g.name, (", ".join(g.inputs),)) for g in evaluation.groups)),),
        words=True,
    )
    return [
        tables.groups(evaluation),
        Details("Inputs of each group", (inputs,)),
        tables.models(evaluation),
    ]


def _size(evaluation: Evaluation) -> list[Block]:
    sizes = tables.sizes(
        evaluation,
        "Bytes per token of all text at some sizes of the vocabulary",
        "size of the vocabulary",
        lambda model: model.curves.vocabulary_sizes,
        text_bytes(evaluation),
    )
    return [
        *figures.vocabulary_sizes(evaluation),
        *([sizes] if sizes else []),
        *tables.numbers(evaluation, "size", "Size"),
    ]


def _languages(evaluation: Evaluation) -> list[Block]:
    about = (
        "Parity: tokens of all lines divided by those of the reference language. Premium: the "
        "mean, over lines, of tokens divided by those of the same line in the reference language."
    )
    table = tables.parallel(evaluation)
    parallel: list[Block] = [] if table is None else [table, Note(about)]
    return [
        *figures.density_bars(evaluation),
        *figures.density_map(evaluation),
        *figures.relative_map(evaluation),
        *figures.parity_bars(evaluation),
        *parallel,
    ]


def _distribution(evaluation: Evaluation) -> list[Block]:
    return [
        *figures.rank_frequency(evaluation),
        *figures.coverage(evaluation),
        *tables.numbers(evaluation, "distribution", "Distribution"),
    ]


def _vocabulary(evaluation: Evaluation) -> list[Block]:
    blocks: list[Block] = [
        tables.vocabulary(evaluation),
        *tables.numbers(evaluation, "use", "Use of the vocabulary"),
        *figures.lengths(evaluation),
        Details(
            "Tokens by script, length and number of words",
            (
                tables.by_key(
                    evaluation,
                    "Tokens of the vocabulary by script",
                    "script",
                    lambda model: model.vocabulary.by_script,
                ),
                tables.by_key(
                    evaluation,
                    "Tokens of the vocabulary by length",
                    "characters",
                    lambda model: model.vocabulary.by_length,
                ),
                tables.by_key(
                    evaluation,
                    "Emitted tokens by length, all text",
                    "characters",
                    lambda model: (
                        model.numbers[OVERALL].use.by_length if OVERALL in model.numbers else {}
                    ),
                ),
                tables.by_key(
                    evaluation,
                    "Tokens of the vocabulary by number of words",
                    "words",
                    lambda model: model.vocabulary.by_words,
                ),
                tables.by_key(
                    evaluation,
                    "Emitted tokens by number of words, all text",
                    "words",
                    lambda model: (
                        model.numbers[OVERALL].use.by_words if OVERALL in model.numbers else {}
                    ),
                ),
            ),
        ),
    ]
    examples = [
        Row(model.name, ("   ".join(_quoted(text) for text in found),))
        for model in evaluation.models
        if (found := model.vocabulary.unreachable_examples)
    ]
    if examples:
        table = Table(
            "Examples of unreachable tokens",
            "model",
            ("tokens",),
            (Rows(None, tuple(examples)),),
            words=True,
        )
        blocks.append(Details("Examples of unreachable tokens", (table,)))
    return blocks


def _quoted(text: str) -> str:
    return f"“{printable(text).replace(' ', '␣')}”"


def _words(evaluation: Evaluation) -> list[Block]:
    morphemes = tables.morphemes(evaluation)
    missing = Note("Morpheme boundaries were not compared: no file of segmented words was given.")
    lists = dict.fromkeys(
        found.words.listed for model in evaluation.models for found in model.numbers.values()
    )
    return [
        *tables.numbers(evaluation, "words", "Words"),
        Note(f"Single-token retention is measured on {', '.join(lists) or 'no words'}."),
        morphemes or missing,
    ]


def _superwords(evaluation: Evaluation) -> list[Block]:
    return [
        *figures.supermerges(evaluation),
        *figures.words(evaluation),
        *tables.numbers(evaluation, "superwords", "Superwords"),
        *figures.merge_counts(evaluation),
    ]


def _edges(evaluation: Evaluation) -> list[Block]:
    pairs = tables.pairs(evaluation)
    return [
        Paragraph(
            "A prompt may end where a token would go on. The language model then sees other tokens "
            "than in its training text."
        ),
        *tables.numbers(evaluation, "edges", "Prompt edges"),
        pairs or Note("Pairs of prompts and continuations were not given."),
    ]


def _cost(evaluation: Evaluation) -> list[Block]:
    return [
        Paragraph(tables.shape(evaluation)),
        *tables.numbers(evaluation, "cost", "Cost of a megabyte of text"),
    ]

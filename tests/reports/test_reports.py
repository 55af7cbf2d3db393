"""Reports have every number, in every format, and are safe and complete pages."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser
from typing import Any

import pytest
from superword import reports
from superword.errors import OptionError
from superword.evaluation.results import OVERALL, Evaluation, Share
from superword.reports import formats
from superword.reports.compose import report_on
from superword.reports.content import Paragraph, Section, Table
from superword.reports.figures.distributions import coverage_curve
from superword.reports.measures import measures, vocabulary_measures
from support.evaluations import bare, evaluation

VOID = {"meta", "br", "wbr", "hr", "img", "input", "link"}
HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a|b`*_[x](y)\n\x1b[31m\u202e",
    "=1+1",
]


class Page(HTMLParser):
    """The elements of a page, its texts, and whether every element is closed."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def figures(page: str) -> list[ET.Element]:
    return [ET.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


# What tables show of a result. Curves, ranks, and lengths by group are in the figures and the CSV.


def shown_numbers(made: Evaluation) -> Iterator[str]:
    for group in made.groups:
        for name in ("documents", "bytes", "characters", "lines", "words"):
            yield formats.count(getattr(group, name))
    for model in made.models:
        yield formats.count(model.n_vocab)
        cells = [measure.shown(model.vocabulary) for measure in vocabulary_measures()]
        for numbers in model.numbers.values():
            for section in ("size", "distribution", "use", "words", "superwords", "edges", "cost"):
                cells += [measure.shown(numbers) for measure in measures(made, section)]
        for cell in cells:
            yield from [cell] if isinstance(cell, str) else cell
        whole = model.numbers[OVERALL].use
        vocabulary = model.vocabulary
        yield from map(formats.count, vocabulary.by_script.values())
        for counts in (
            vocabulary.by_length,
            vocabulary.by_words,
            whole.by_length,
            whole.by_words,
        ):
            small = {key: count for key, count in counts.items() if int(key) <= 24}
            yield from map(formats.count, small.values())
            yield formats.count(sum(counts.values()) - sum(small.values()))
        if model.morphemes is not None:
            yield formats.percent(model.morphemes.precision)
        if model.pairs is not None:
            yield formats.of(model.pairs.bridged)[1]
        if model.parallel is not None:
            for lines in model.parallel.languages.values():
                yield formats.number(lines.parity)
                yield formats.number(lines.premium)


@pytest.mark.parametrize("format", ["html", "md"])
@pytest.mark.parametrize("made", [evaluation(3, 4), evaluation(1, 1)], ids=["many", "one"])
def test_every_number_of_a_result_is_in_the_tables(
    made: Evaluation, format: reports.Format
) -> None:
    text = reports.render(made, format)
    if format == "html":
        cells = set(re.findall(r">([^<>]*)<", text))
    else:
        found = (re.split(r" \| |\| | \|", line) for line in text.splitlines() if line[:1] == "|")
        whole = {cell for line in found for cell in line}
        parts = (re.fullmatch(r"(.*?) \((.*)\)", cell) for cell in whole)
        cells = whole | {part for match in parts if match for part in match.groups()}
    missing = {number for number in shown_numbers(made) if number not in cells}
    assert missing == set()


def leaves(value: Any) -> Iterator[float]:
    if is_dataclass(value):
        for field in fields(value):
            yield from leaves(getattr(value, field.name))
    elif isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, tuple):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, int | float):
        yield value


def test_every_measure_of_the_result_has_a_row() -> None:
    """A new field of a result must not be forgotten in the tables."""
    made = evaluation(1, 1)
    numbers = made.models[0].numbers[OVERALL]
    for section, part in (
        ("size", numbers.size),
        ("words", numbers.words),
        ("superwords", numbers.superwords),
        ("edges", numbers.edges),
        ("cost", numbers.cost),
    ):
        measured = [field for field in fields(part) if field.name != "listed"]
        assert len(measures(made, section)) == len(measured), section
    inside = sum(len(f) for f in vars(numbers.distribution).values() if isinstance(f, dict))
    assert len(measures(made, "distribution")) == inside + 1  # And the Gini coefficient.
    assert len(measures(made, "use")) == len(fields(numbers.use)) - 2  # Lengths and words.


def test_csv_has_every_number_at_full_precision() -> None:
    made = evaluation(2, 3)
    rows = list(csv.reader(io.StringIO(reports.render(made, "csv"))))
    assert rows[0] == ["model", "group", "number", "value"]
    table = {(model, group, number): value for model, group, number, value in rows[1:]}
    assert len(table) == len(rows) - 1
    de = made.models[1].numbers["de"]
    assert float(table["boundless", "de", "size.bytes_per_token"]) == de.size.bytes_per_token
    assert int(table["boundless", "de", "use.used.part"]) == de.use.used.part
    assert float(table["boundless", "de", "distribution.entropy[2.5]"]) == 7.6
    assert int(table["", "en", "bytes"]) == made.groups[0].bytes
    curve = made.models[0].curves.vocabulary_sizes
    assert curve is not None
    size, tokens = curve["all"][50]
    assert int(table["bpe", "all", f"curves.vocabulary_sizes[{size}]"]) == tokens
    known = {float(value) for value in table.values() if value}
    # The x of a point is part of its name.
    named = {float(x) for key in table for x in re.findall(r"\[(\d+)\]", key[2])}
    assert {float(leaf) for leaf in leaves(made)} <= known | named


@pytest.mark.parametrize(
    "made",
    [evaluation(6, 12), evaluation(1, 1), bare(evaluation(2, 2)), Evaluation("1", (), ())],
    ids=["many", "one", "bare", "empty"],
)
def test_the_page_is_one_complete_file(made: Evaluation) -> None:
    text = reports.render(made)
    page = Page(text)
    names = [name for name, _ in page.elements]
    assert "script" not in names
    assert "link" not in names
    assert "img" not in names
    assert re.findall(r"https?:|url\(|@import|src=", text) == []
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for name, attributes in page.elements:
        if name == "a":
            assert (attributes["href"] or "")[1:] in ids
        if name == "th":
            assert attributes["scope"] in ("col", "row", "rowgroup")
        if name == "svg":
            assert all(id in ids for id in (attributes["aria-labelledby"] or "").split())
    headings = [int(name[1]) for name in names if re.fullmatch(r"h[1-6]", name)]
    assert headings[0] == 1
    assert set(headings[1:]) == {2}
    assert names.count("figcaption") == names.count("figure")
    for scheme in ("prefers-color-scheme: dark", "@media print", "max-width: 600px"):
        assert scheme in text


def test_all_figures_are_there_and_each_is_drawn_for_both_widths() -> None:
    drawn = figures(reports.render(evaluation(3, 4)))
    titles = [svg[0].text for svg in drawn]
    assert (
        titles[::2]
        == titles[1::2]
        == [
            "Bytes per token against the size of the vocabulary",
            "Bytes per token against the size of the vocabulary, by group",
            "Bytes per token by group",
            "Bytes per token by model and group",
            "Tokens relative to bpe, by model and group",
            "Parity with en",
            "Rank and frequency of tokens",
            "Coverage of the text by the most frequent tokens",
            "Lengths of tokens",
            "Bytes per token against the number of supermerges",
            "Tokens saved by supermerges, by group",
            "Words per token",
            "Counts of merges over the run",
        ]
    )
    assert [svg.get("width") for svg in drawn] == ["920", "340"] * 13


def test_a_missing_figure_is_explained() -> None:
    text = reports.render(bare(evaluation(2, 2)))
    assert [svg[0].text for svg in figures(text)] == ["Lengths of tokens"] * 2
    for reason in (
        "vocabulary”: bpe (it has merges that are not in order); boundless (it has merges",
        "There is no figure of bytes per token by group: the text has no tokens",
        "There is no heat map of bytes per token",
        "There is no heat map of relative lengths: the evaluation has no reference model",
        "There is no figure of parity",
        "There is no figure of ranks and frequencies",
        "There is no figure of coverage",
        "There is no figure of words per token",
        "There is no figure of the counts of merges",
        "Morpheme boundaries were not compared",
        "Pairs of prompts and continuations were not given",
    ):
        assert reason in text


@pytest.mark.parametrize("format", reports.FORMATS)
def test_names_cannot_inject_anything(format: reports.Format) -> None:
    made = evaluation(HOSTILE, [*HOSTILE, "x" * 5000])
    text = reports.render(made, format)
    if format == "html":
        page = Page(text)
        assert not {"script", "img"} & {name for name, _ in page.elements}
        assert not any(key.startswith("on") for _, a in page.elements for key in a)
        assert "alert(1)" in "".join(page.texts)  # It is shown, not run.
        assert len(figures(text)) > 20
    if format == "md":
        assert "<script" not in text
        assert "<img" not in text
        assert "\x1b" not in text
        tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
        for table in tables:
            bars = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
            assert len(bars) == 1
    if format == "csv":
        rows = list(csv.reader(io.StringIO(text)))
        assert {len(row) for row in rows} == {4}
        assert not any(cell.startswith("=") for row in rows for cell in row)


def test_the_summary_says_what_the_numbers_say() -> None:
    made = evaluation(3, 2)
    first, second = made.models[0], made.models[2]
    tokens = [model.numbers[OVERALL].size.tokens for model in (first, second)]
    change = formats.percent(abs(tokens[1] / tokens[0] - 1))
    word = "fewer" if tokens[1] < tokens[0] else "more"
    text = reports.render(made, "md")
    assert f"superbpe needs {change} {word} tokens than bpe on all text." in text
    assert "The superwords of boundless save 12.3% of the tokens" in text
    assert "**Warning:** boundless was probably trained on the text of en" in text
    assert reports.render(evaluation(1, 2)).count("probably trained on") == 0
    skipped = replace(made, groups=(replace(made.groups[0], skipped=3), made.groups[1]))
    assert "3 documents of en could not be read" in reports.render(skipped)


def test_without_a_reference_models_are_compared_with_the_longest() -> None:
    text = reports.render(evaluation(3, 2, reference=False), "md")
    assert "needs the fewest tokens on all text" in text
    assert "Relative length" not in text


def test_more_sections_can_be_added_and_the_evaluation_left_out() -> None:
    more = Section("training", "The training", (Paragraph("It took <long>."),))
    both = Page(reports.render(evaluation(1, 1), sections=[more]))
    ids = [attributes.get("id") for name, attributes in both.elements if name == "section"]
    assert ids[0] == "summary"
    assert ids[-2:] == ["training", "limits"]
    alone = Page(reports.render(None, sections=[more]))
    ids = [attributes.get("id") for name, attributes in alone.elements if name == "section"]
    assert ids == ["training"]
    assert "It took <long>." in alone.texts
    assert "It took &lt;long&gt;." in reports.render(None, "md", sections=[more])
    with pytest.raises(OptionError, match="CSV needs the result"):
        reports.render(None, "csv", sections=[more])


def test_long_tokens_are_one_row() -> None:
    made = evaluation(1, 1)
    lengths = {"1": 5, "24": 3, "25": 2, "130": 40}
    vocabulary = replace(made.models[0].vocabulary, by_length=lengths)
    made = replace(made, models=(replace(made.models[0], vocabulary=vocabulary),))
    text = reports.render(made, "md").replace("\u00a0", " ")
    assert "| 24 | 3 (6.00%) |\n| 25 or more | 42 (84.0%) |" in text
    assert "bpe,,vocabulary.by_length[130],40" in reports.render(made, "csv")


def test_coverage_of_known_counts() -> None:
    """Counts 8, 4, 2, 1, 1: between ranks 1 and 3 they fall by half each time."""
    made = evaluation(1, 1).models[0].numbers[OVERALL].distribution
    found = coverage_curve(replace(made, rank_frequency=((1, 8), (3, 2), (4, 1), (5, 1))))
    assert [rank for rank, _ in found] == [1, 3, 4, 5]
    assert [share for _, share in found] == pytest.approx([8 / 16, 14 / 16, 15 / 16, 1.0])
    assert coverage_curve(replace(made, rank_frequency=())) == ()


def test_definitions_are_beside_the_numbers() -> None:
    for text in (reports.render(evaluation(2, 2)), reports.render(evaluation(2, 2), "md")):
        for measure in measures(evaluation(2, 2), "size"):
            assert measure.about in text
        assert "What these numbers do not tell" in text
        assert "Entropy divided by log2 of the size of the vocabulary." in text


def test_a_share_of_nothing_has_no_percent() -> None:
    assert formats.of(Share(0, 0)) == ("–", "0\u00a0of\u00a00")


def test_tables_name_their_columns() -> None:
    made = evaluation(2, 2)
    report = report_on(made)
    for section in report.sections:
        for block in section.blocks:
            if isinstance(block, Table):
                for part in block.parts:
                    assert all(len(row.cells) == len(block.columns) for row in part.rows)

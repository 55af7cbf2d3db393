"""The result of an evaluation as tables for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from superword._support.text import format_bytes, plural, printable
from superword.evaluation.results import OVERALL, Evaluation, ModelResult, Numbers, Share

__all__ = ["print_tables"]

# Tables are this wide if possible. More models are shown in further tables.
_WIDTH = 80
_FIRST_COLUMN = 24
_NARROWEST, _WIDEST = 10, 20
_NOTHING = "-"

Row = tuple[str, Callable[[ModelResult], str]]


def print_tables(evaluation: Evaluation) -> None:
    """Print the main numbers to stdout: of all text, and by group and language."""
    # rich uses colors on terminals only, and never with NO_COLOR.
    console = Console(highlight=False)
    groups = evaluation.groups
    size = format_bytes(sum(group.bytes for group in groups))
    documents = plural(sum(group.documents for group in groups), "document")
    words = plural(sum(group.words for group in groups), "word")
    console.print(f"{documents}, {size}, {words}", end="\n\n")
    for models in _beside_each_other(evaluation):
        for title, rows in _sections(evaluation):
            # A terminal that is narrower wraps the lines, which is better than losing numbers.
            console.print(_table(title, models, rows), width=_WIDTH)


def _beside_each_other(evaluation: Evaluation) -> Iterator[list[ModelResult]]:
    """The models in groups that fit into one table."""
    some: list[ModelResult] = []
    width = _FIRST_COLUMN
    for model in evaluation.models:
        needed = 3 + min(max(len(model.name), _NARROWEST), _WIDEST)
        if some and width + needed > _WIDTH:
            yield some
            some, width = [], _FIRST_COLUMN
        some.append(model)
        width += needed
    yield some


def _table(title: str, models: list[ModelResult], rows: list[Row]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(title, style="cyan", no_wrap=True)
    for model in models:
        name = escape(printable(model.name))
        table.add_column(name, justify="right", overflow="fold", max_width=_WIDEST)
    for name, value in rows:
        table.add_row(escape(printable(name)), *(value(model) for model in models))
    return table


def _sections(evaluation: Evaluation) -> Iterator[tuple[str, list[Row]]]:
    yield "", list(_rows(evaluation))
    names = [group.name for group in evaluation.groups]
    if len(names) > 1:

        def of_groups(value: Callable[[Numbers], str]) -> list[Row]:
            return [
                (name, lambda model, name=name: value(model.numbers[name]))  # type: ignore[misc]
                for name in names
            ]

        yield "bytes per token", of_groups(lambda found: _number(found.size.bytes_per_token))
        if any(model.vocabulary.superwords for model in evaluation.models):
            yield "saved by superwords", of_groups(lambda found: _percent(found.superwords.saved))
    first = evaluation.models[0].parallel
    if first is not None:

        def parity(language: str) -> Row:
            def value(model: ModelResult) -> str:
                found = model.parallel
                return _NOTHING if found is None else _number(found.languages[language].parity)

            return language, value

        yield f"tokens relative to {first.reference}", [parity(name) for name in first.languages]


def _rows(evaluation: Evaluation) -> Iterator[Row]:
    def of_text(name: str, value: Callable[[Numbers], str]) -> Row:
        return name, lambda model: value(model.numbers[OVERALL])

    yield "vocabulary", lambda model: f"{model.n_vocab:,}"
    yield of_text("tokens", lambda found: f"{found.size.tokens:,}")
    yield of_text("bytes per token", lambda found: _number(found.size.bytes_per_token))
    yield of_text("characters per token", lambda found: _number(found.size.characters_per_token))
    if evaluation.reference is not None:
        name = f"length / {evaluation.reference}"
        yield of_text(name, lambda found: _number(found.size.relative_length))
    yield of_text("fertility", lambda found: _number(found.words.fertility))
    yield of_text("continued words", lambda found: _share(found.words.continued))
    yield of_text("single-token words", lambda found: _share(found.words.retained_after_space))
    yield of_text(
        "Rényi efficiency 2.5",
        lambda found: _number(found.distribution.efficiency_vocabulary.get("2.5"), 3),
    )
    yield of_text("vocabulary used", lambda found: _share(found.use.used))
    yield "unreachable tokens", lambda model: f"{model.vocabulary.unreachable:,}"
    if any(model.vocabulary.superwords for model in evaluation.models):
        yield of_text("superwords", lambda found: _share(found.superwords.emitted))
        yield of_text(
            "words per superword", lambda found: _number(found.superwords.words_per_superword)
        )
        yield of_text("spaces bridged", lambda found: _share(found.superwords.spaces_bridged))
        yield of_text("saved by superwords", lambda found: _percent(found.superwords.saved))
    yield of_text("word ends in tokens", lambda found: _share(found.edges.words))
    yield of_text("sentence ends in tokens", lambda found: _share(found.edges.sentences))
    yield of_text("line ends in tokens", lambda found: _share(found.edges.lines))
    if evaluation.models[0].pairs is not None:
        yield "pairs bridged", lambda m: _NOTHING if m.pairs is None else _share(m.pairs.bridged)
    if evaluation.models[0].morphemes is not None:
        yield (
            "morphemes F1",
            lambda m: _NOTHING if m.morphemes is None else _number(m.morphemes.f1, 3),
        )
    yield of_text("prefill PFLOP per MB", lambda found: _scaled(found.cost.prefill_flops, 1e15))
    yield of_text("decode PFLOP per MB", lambda found: _scaled(found.cost.decode_flops, 1e15))
    yield of_text("KV cache GB per MB", lambda found: _scaled(found.cost.kv_cache_bytes, 1e9))


def _number(value: float | None, digits: int = 2) -> str:
    return _NOTHING if value is None else f"{value:.{digits}f}"


def _scaled(value: float | None, unit: float) -> str:
    return _NOTHING if value is None else _number(value / unit)


def _percent(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.1%}"


def _share(share: Share) -> str:
    return _percent(share.share)

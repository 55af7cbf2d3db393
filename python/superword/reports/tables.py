"""The tables of a report: models as columns, numbers or groups as rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from superword._support.text import plural
from superword.evaluation.results import (
    OVERALL,
    Evaluation,
    ModelResult,
    Numbers,
    ParallelLines,
)
from superword.reports import formats
from superword.reports.content import Block, Cell, Details, Row, Rows, Table
from superword.reports.measures import Measure, in_order, measures, vocabulary_measures

__all__ = [
    "by_key",
    "group_names",
    "groups",
    "models",
    "morphemes",
    "numbers",
    "pairs",
    "parallel",
    "shape",
    "sizes",
    "vocabulary",
]


_MOST_KEYS = 24
_MORE = f"{_MOST_KEYS + 1} or more"


def group_names(evaluation: Evaluation) -> list[str]:
    """The groups with numbers, in the order of the result, without `"all"`."""
    names = [group.name for group in evaluation.groups]
    more = [name for model in evaluation.models for name in model.numbers]
    return [name for name in dict.fromkeys(names + more) if name != OVERALL]


def _columns(evaluation: Evaluation) -> tuple[str, ...]:
    return tuple(model.name for model in evaluation.models)


def _cell(measure: Measure, numbers: Numbers | None) -> Cell:
    return formats.NONE if numbers is None else measure.shown(numbers)


def numbers(evaluation: Evaluation, section: str, caption: str) -> list[Block]:
    """The numbers of a section: a table for all text, and one by group that is folded up."""
    columns = _columns(evaluation)
    listed = measures(evaluation, section)
    families = tuple(
        _family_rows(evaluation, family, list(found))
        for family, found in groupby(listed, key=lambda measure: measure.family)
    )
    blocks: list[Block] = [Table(f"{caption}, all text", "", columns, families)]
    names = group_names(evaluation)
    if not _only_one_group(evaluation, names):
        parts = tuple(
            Rows(
                measure.name,
                tuple(
                    Row(
                        name,
                        tuple(
                            _cell(measure, model.numbers.get(name)) for model in evaluation.models
                        ),
                    )
                    for name in names
                ),
            )
            for measure in listed
        )
        table = Table(f"{caption} by group", "group", columns, parts)
        blocks.append(Details(f"{caption} by group ({plural(len(names), 'group')})", (table,)))
    return blocks


def _family_rows(evaluation: Evaluation, family: str | None, found: list[Measure]) -> Rows:
    """The rows of measures for all text. A family has one definition, in its heading."""
    rows = tuple(
        Row(
            measure.label,
            tuple(_cell(measure, model.numbers.get(OVERALL)) for model in evaluation.models),
            measure.about if family is None else None,
        )
        for measure in found
    )
    return Rows(family, rows, None if family is None else found[0].about)


def _only_one_group(evaluation: Evaluation, names: Sequence[str]) -> bool:
    """Whether a table by group would repeat the table for all text."""
    return not names or all(
        set(model.numbers) <= {OVERALL, names[0]}
        and model.numbers.get(names[0]) in (None, model.numbers.get(OVERALL))
        for model in evaluation.models
    )


def groups(evaluation: Evaluation) -> Table:
    """The text: documents, bytes, characters, lines and words of each group."""
    columns = ("documents", "skipped", "bytes", "characters", "lines", "words")
    rows = [
        Row(group.name, tuple(formats.count(getattr(group, name)) for name in columns))
        for group in evaluation.groups
    ]
    if len(rows) > 1:
        sums = (sum(getattr(group, name) for group in evaluation.groups) for name in columns)
        rows.append(Row(OVERALL, tuple(map(formats.count, sums))))
    return Table("The text", "group", columns, (Rows(None, tuple(rows)),))


def models(evaluation: Evaluation) -> Table:
    """The models: what they are and where they are."""

    def row(label: str, get: Callable[[ModelResult], str], about: str | None = None) -> Row:
        return Row(label, tuple(get(model) for model in evaluation.models), about)

    rows = (
        row("Method", lambda model: model.method),
        row("Vocabulary", lambda model: plural(model.n_vocab, "token")),
        row("Pretokenizer", lambda model: model.pretokenizer),
        row("Kind of file", lambda model: model.kind),
        row("Path", lambda model: model.path or formats.NONE),
        row(
            "Trained on",
            lambda model: ", ".join(model.trained_on) or formats.NONE,
            "Groups that are probably a part of its training text, as far as that is known.",
        ),
    )
    return Table("The models", "", _columns(evaluation), (Rows(None, rows),), words=True)


def vocabulary(evaluation: Evaluation) -> Table:
    """The vocabularies, independent of the text."""
    rows = tuple(
        Row(
            measure.label,
            tuple(measure.shown(model.vocabulary) for model in evaluation.models),
            measure.about,
        )
        for measure in vocabulary_measures()
    )
    return Table("The vocabulary itself", "", _columns(evaluation), (Rows(None, rows),))


def by_key(
    evaluation: Evaluation,
    caption: str,
    corner: str,
    get: Callable[[ModelResult], Mapping[str, int]],
) -> Table:
    """Counts by a key, such as a script or a length, with their share.

    Large numbers are one row: some tokens are runs of a hundred spaces.
    """
    found = [_few(get(model)) for model in evaluation.models]

    def cell(counts: Mapping[str, int], key: str) -> Cell:
        count = counts.get(key, 0)
        return (
            (formats.count(count), formats.percent(count / sum(counts.values()))) if count else "0"
        )

    keys = in_order(key for counts in found for key in counts if key != _MORE)
    keys += [_MORE] if any(_MORE in counts for counts in found) else []
    rows = tuple(Row(key, tuple(cell(counts, key) for counts in found)) for key in keys)
    return Table(caption, corner, _columns(evaluation), (Rows(None, rows),))


def _few(counts: Mapping[str, int]) -> dict[str, int]:
    """The counts with all keys that are large numbers in one."""
    few: dict[str, int] = {}
    for key, count in counts.items():
        large = key.isdigit() and int(key) > _MOST_KEYS
        few[_MORE if large else key] = few.get(_MORE if large else key, 0) + count
    return few


def sizes(
    evaluation: Evaluation,
    caption: str,
    corner: str,
    curve: Callable[[ModelResult], Mapping[str, Sequence[tuple[int, int]]] | None],
    bytes_of: Mapping[str, int],
) -> Table | None:
    """Bytes per token of all text at some of the sizes that the curves have."""
    curves = [(curve(model) or {}).get(OVERALL, ()) for model in evaluation.models]
    last = max((points[-1][0] for points in curves if points), default=0)
    marks = [size for power in range(4, 40) for size in (2**power,) if size < last] + [last]
    rows = []
    for mark in marks[-9:]:
        cells = []
        for points in curves:
            # The point at the size, or the last one below it if the curve goes on.
            before = [tokens for size, tokens in points if size <= mark]
            ended = not points or points[-1][0] < mark or not before
            ratio = None if ended or not before[-1] else bytes_of[OVERALL] / before[-1]
            cells.append(formats.number(ratio))
        if any(cell != formats.NONE for cell in cells):
            rows.append(Row(formats.count(mark), tuple(cells)))
    if not rows:
        return None
    return Table(caption, corner, _columns(evaluation), (Rows(None, tuple(rows)),))


def morphemes(evaluation: Evaluation) -> Table | None:
    """Agreement of token boundaries with morpheme boundaries, if it was measured."""
    found = [model.morphemes for model in evaluation.models]
    if not any(found):
        return None
    rows = (
        Row(
            "Words",
            tuple(formats.count(one.words if one else None) for one in found),
            "Segmented words in the file.",
        ),
        Row(
            "Precision",
            tuple(formats.percent(one.precision if one else None) for one in found),
            "The share of token boundaries that are morpheme boundaries.",
        ),
        Row(
            "Recall",
            tuple(formats.percent(one.recall if one else None) for one in found),
            "The share of morpheme boundaries that are token boundaries.",
        ),
        Row(
            "F1",
            tuple(formats.percent(one.f1 if one else None) for one in found),
            "The harmonic mean of precision and recall.",
        ),
    )
    return Table("Morpheme boundaries", "", _columns(evaluation), (Rows(None, rows),))


def pairs(evaluation: Evaluation) -> Table | None:
    """What happens between prompts and continuations, if pairs were given."""
    found = [model.pairs for model in evaluation.models]
    if not any(found):
        return None
    rows = (
        Row(
            "Cuts bridged",
            tuple(formats.of(one.bridged) if one else formats.NONE for one in found),
            "Pairs with a token across the cut when both parts are encoded together.",
        ),
        Row(
            "Prompts changed",
            tuple(formats.of(one.changed) if one else formats.NONE for one in found),
            "Pairs whose joint encoding does not begin with the tokens of the prompt.",
        ),
    )
    return Table("Prompts and continuations", "", _columns(evaluation), (Rows(None, rows),))


def parallel(evaluation: Evaluation) -> Table | None:
    """Tokens, parity and premium of each language of a parallel text, if there was one."""
    found = [model.parallel for model in evaluation.models]
    languages = list(dict.fromkeys(name for one in found if one for name in one.languages))
    if not languages:
        return None
    first = next(one for one in found if one)
    parts = []
    ways: tuple[tuple[str, Callable[[ParallelLines], str]], ...] = (
        ("Tokens", lambda line: formats.count(line.tokens)),
        ("Parity", lambda line: formats.number(line.parity)),
        ("Premium", lambda line: formats.number(line.premium)),
    )
    for title, get in ways:
        rows = tuple(
            Row(
                language,
                tuple(
                    get(one.languages[language])
                    if one and language in one.languages
                    else formats.NONE
                    for one in found
                ),
            )
            for language in languages
        )
        parts.append(Rows(title, rows))
    caption = f"Parallel text, {plural(first.lines, 'line')}, compared with {first.reference}"
    return Table(caption, "language", _columns(evaluation), tuple(parts))


def shape(evaluation: Evaluation) -> str:
    """The language model that costs are computed for, in a sentence."""
    found = evaluation.shape
    return (
        f"Costs are computed for a language model with {plural(found.layers, 'layer')} of width "
        f"{found.hidden:,}, {found.heads:,} attention heads, {found.kv_heads:,} of them for keys "
        f"and values, a feed-forward width of {found.feed_forward:,}, a context of "
        f"{plural(found.context, 'token')} and {plural(found.bytes_per_value, 'byte')} for each "
        "number in the KV cache. They follow from the number of tokens, and are not measured."
    )

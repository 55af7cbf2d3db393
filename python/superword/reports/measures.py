"""The numbers that tables show: the name of each, its definition, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from superword.evaluation.results import Evaluation, Numbers, Share, Vocabulary
from superword.reports import formats
from superword.reports.content import Cell

__all__ = ["Measure", "in_order", "measures", "vocabulary_measures"]


_SHANNON = ("1", "1.0")


@dataclass(frozen=True)
class Measure:
    """A number with its definition. `shown` gets it from its place and writes it.

    Numbers of a family differ in a parameter, which is their label. They share the definition.
    """

    label: str
    about: str
    shown: Callable[[Any], Cell]
    family: str | None = None

    @property
    def name(self) -> str:
        """The label, with the family if there is one."""
        return self.label if self.family is None else f"{self.family}, {self.label}"


def in_order(keys: Iterable[str]) -> list[str]:
    """Keys without repetitions, numbers by value and before other keys."""

    def rank(key: str) -> tuple[bool, float, str]:
        try:
            return False, float(key), key
        except ValueError:
            return True, 0.0, key

    return sorted(set(keys), key=rank)


def measures(evaluation: Evaluation, section: str) -> list[Measure]:
    """The measures of a section. Some depend on the result, such as one for each order."""
    every = [found for model in evaluation.models for found in model.numbers.values()]
    return _SECTIONS[section](evaluation, every)


def _plain(
    label: str, about: str, get: Callable[[Numbers], Any], write: Callable[[Any], Cell]
) -> Measure:
    return Measure(label, about, lambda numbers: write(get(numbers)))


def _family(
    every: Sequence[Numbers],
    family: str,
    about: str,
    get: Callable[[Numbers], Mapping[str, Any]],
    write: Callable[[Any], str],
    label: Callable[[str], str],
) -> list[Measure]:
    """A measure for each key of a mapping."""

    def one(key: str) -> Measure:
        return Measure(label(key), about, lambda found: write(get(found).get(key)), family)

    return [one(key) for key in in_order(key for numbers in every for key in get(numbers))]


def _size(evaluation: Evaluation, every: Sequence[Numbers]) -> list[Measure]:
    reference = evaluation.reference
    rows = [
        _plain("Tokens", "Tokens of the encoded text.", lambda n: n.size.tokens, formats.count),
        _plain(
            "Bytes per token",
            "Bytes of the text divided by its tokens. More is shorter.",
            lambda n: n.size.bytes_per_token,
            formats.number,
        ),
        _plain(
            "Characters per token",
            "Characters of the text divided by its tokens.",
            lambda n: n.size.characters_per_token,
            formats.number,
        ),
        _plain(
            "Bytes per token, median",
            "The median over documents that have tokens.",
            lambda n: n.size.median_bytes_per_token,
            formats.number,
        ),
        _plain(
            "Characters per token, median",
            "The median over documents that have tokens.",
            lambda n: n.size.median_characters_per_token,
            formats.number,
        ),
        _plain(
            "Tokens per line",
            "Tokens divided by lines.",
            lambda n: n.size.tokens_per_line,
            formats.number,
        ),
    ]
    if reference is not None:
        rows.append(
            _plain(
                "Relative length",
                f"Tokens divided by those of {reference}. Below 1 is shorter.",
                lambda n: n.size.relative_length,
                formats.number,
            )
        )
    return rows


def _distribution(evaluation: Evaluation, every: Sequence[Numbers]) -> list[Measure]:
    def order(key: str) -> str:
        return f"order {key} (Shannon)" if key in _SHANNON else f"order {key}"

    def top(key: str) -> str:
        return f"top {int(key):,}" if key.isdigit() else key

    return [
        *_family(
            every,
            "Entropy",
            "Rényi entropy in bits: log2(sum of p^a) / (1 - a), where p is the share of each token "
            "and a is the order. Order 1 is Shannon's: -sum of p · log2 p.",
            lambda n: n.distribution.entropy,
            formats.bits,
            order,
        ),
        *_family(
            every,
            "Efficiency, whole vocabulary",
            "Entropy divided by log2 of the size of the vocabulary.",
            lambda n: n.distribution.efficiency_vocabulary,
            formats.percent,
            order,
        ),
        *_family(
            every,
            "Efficiency, observed vocabulary",
            "Entropy divided by log2 of the number of different tokens that occur.",
            lambda n: n.distribution.efficiency_observed,
            formats.percent,
            order,
        ),
        *_family(
            every,
            "Share of the most frequent tokens",
            "Their share among all emitted tokens.",
            lambda n: n.distribution.top_share,
            formats.percent,
            top,
        ),
        *_family(
            every,
            "Tokens for a share of the text",
            "How many of the most frequent tokens make up this share of the emitted tokens.",
            lambda n: n.distribution.tokens_for_share,
            formats.count,
            formats.percent_of_key,
        ),
        _plain(
            "Gini of use",
            "Gini coefficient of the counts of all tokens. 0: all equally often.",
            lambda n: n.distribution.gini,
            formats.number,
        ),
    ]


def _use(evaluation: Evaluation, every: Sequence[Numbers]) -> list[Measure]:
    return [
        _plain(
            "Used",
            "Tokens of the vocabulary that occur. Special tokens do not count.",
            lambda n: n.use.used,
            formats.of,
        ),
        _plain(
            "Never used", "Tokens that do not occur.", lambda n: n.use.never_used, formats.count
        ),
        _plain(
            "Rare",
            f"Tokens that occur, but fewer than {evaluation.rare_below:,} times.",
            lambda n: n.use.rare,
            formats.count,
        ),
        _plain(
            "Only steps",
            "Tokens that never occur, although longer tokens made from them do.",
            lambda n: n.use.only_steps,
            formats.count,
        ),
    ]


def _words(evaluation: Evaluation, every: Sequence[Numbers]) -> list[Measure]:
    return [
        _plain(
            "Fertility",
            "Tokens divided by words. A word is a run of characters that are not white space.",
            lambda n: n.words.fertility,
            formats.number,
        ),
        _plain(
            "Continued words",
            "Words of the text with a token boundary inside.",
            lambda n: n.words.continued,
            formats.of,
        ),
        _plain(
            "Single-token retention",
            "STRR: words of the list that are one token when encoded alone.",
            lambda n: n.words.retained,
            formats.of,
        ),
        _plain(
            "Retention after a space",
            "The same with a space before the word, as in a sentence.",
            lambda n: n.words.retained_after_space,
            formats.of,
        ),
    ]


def _superwords(evaluation: Evaluation, every: Sequence[Numbers]) -> list[Measure]:
    return [
        _plain(
            "Emitted superwords",
            "Emitted tokens that are superwords.",
            lambda n: n.superwords.emitted,
            formats.of,
        ),
        _plain(
            "Words per superword",
            "Pretokens that an emitted superword joins, on average.",
            lambda n: n.superwords.words_per_superword,
            formats.number,
        ),
        _plain(
            "Spaces bridged",
            "Spaces of the text inside a token, with another word on both sides.",
            lambda n: n.superwords.spaces_bridged,
            formats.of,
        ),
        _plain(
            "Tokens without superwords",
            "Tokens of the text if the same model had no supermerges.",
            lambda n: n.superwords.tokens_without,
            formats.count,
        ),
        _plain(
            "Saved by superwords",
            "1 - tokens / tokens without superwords.",
            lambda n: n.superwords.saved,
            formats.percent,
        ),
    ]


def _edges(evaluation: Evaluation, every: Sequence[Numbers]) -> list[Measure]:
    return [
        _plain(
            "Ends of words inside a token",
            "Places after the last character of a word.",
            lambda n: n.edges.words,
            formats.of,
        ),
        _plain(
            "Ends of sentences inside a token",
            "Places after . ! ? … and the like, with closing quotes and brackets.",
            lambda n: n.edges.sentences,
            formats.of,
        ),
        _plain(
            "Ends of lines inside a token",
            "Places before a newline.",
            lambda n: n.edges.lines,
            formats.of,
        ),
    ]


def _cost(evaluation: Evaluation, every: Sequence[Numbers]) -> list[Measure]:
    return [
        _plain(
            "Tokens per megabyte",
            "Tokens for a million bytes of text.",
            lambda n: n.cost.tokens_per_megabyte,
            formats.number,
        ),
        _plain(
            "Prefill",
            "Operations to read a megabyte of text.",
            lambda n: n.cost.prefill_flops,
            formats.flops,
        ),
        _plain(
            "Decode",
            "Operations to write a megabyte of text.",
            lambda n: n.cost.decode_flops,
            formats.flops,
        ),
        _plain(
            "KV cache",
            "Size of the KV cache for a megabyte of text.",
            lambda n: n.cost.kv_cache_bytes,
            formats.size,
        ),
    ]


_SECTIONS: dict[str, Callable[[Evaluation, Sequence[Numbers]], list[Measure]]] = {
    "size": _size,
    "distribution": _distribution,
    "use": _use,
    "words": _words,
    "superwords": _superwords,
    "edges": _edges,
    "cost": _cost,
}


def vocabulary_measures() -> list[Measure]:
    """The measures of a `Vocabulary`, which do not depend on a text."""

    def one(
        label: str, about: str, get: Callable[[Vocabulary], int], *, share: bool = True
    ) -> Measure:
        def shown(found: Vocabulary) -> Cell:
            part = get(found)
            return formats.of(Share(part, found.tokens)) if share else formats.count(part)

        return Measure(label, about, shown)

    return [
        one("Tokens", "Without special tokens.", lambda v: v.tokens, share=False),
        one("Special tokens", "Counted only here.", lambda v: v.special, share=False),
        one("Superwords", "Tokens that join several pretokens.", lambda v: v.superwords),
        one(
            "Partial characters",
            "Tokens that are not valid UTF-8, so they hold a part of a character.",
            lambda v: v.partial_characters,
        ),
        one(
            "Unreachable",
            "Tokens of whole characters that do not come out when their text is encoded.",
            lambda v: v.unreachable,
        ),
    ]

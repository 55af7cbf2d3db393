"""All numbers of one model on one group, from what the engine counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from superword.errors import OptionError
from superword.evaluation.distribution import distribution, use
from superword.evaluation.results import (
    OVERALL,
    Cost,
    Edges,
    Group,
    ModelShape,
    Numbers,
    Share,
    Size,
    Superwords,
    Words,
)
from superword.evaluation.vocabulary import Tokens
from superword.tokenizer import Tokenizer

__all__ = ["Counted", "check_shape", "cost", "numbers", "sum_of", "together"]


@dataclass(frozen=True)
class Counted:
    """What the engine counted in one group: of the text, and of one model. See `_core.evaluate`."""

    text: dict[str, Any]
    model: dict[str, Any]

    @property
    def uses(self) -> Any:
        """How often each id occurs."""
        return self.model["uses"]


def together(groups: Sequence[Counted]) -> Counted:
    """The counts of all groups together."""
    return Counted(
        _added([group.text for group in groups]), _added([group.model for group in groups])
    )


def _added(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    added: dict[str, Any] = {}
    for name, first in parts[0].items():
        values = [part[name] for part in parts]
        if name.startswith("document_"):
            added[name] = np.concatenate(values)
        elif isinstance(first, int | np.ndarray):
            added[name] = sum(values[1:], start=first)
        elif name == "tokens_without":
            added[name] = None
    return added


def numbers(
    tokenizer: Tokenizer,
    tokens: Tokens,
    group: Group,
    counted: Counted,
    reference: Counted | None,
    listed: tuple[Sequence[str], str],
    *,
    shape: ModelShape,
    rare_below: int,
    threads: int,
) -> Numbers:
    """Compute everything. `listed` are the words for the single-token retention, and their name."""
    total = int(counted.uses.sum())
    return Numbers(
        size=_size(group, counted, total, reference),
        distribution=distribution(counted.uses, tokens),
        use=use(counted.uses, tokens, tokenizer._model, rare_below),
        words=_words(tokenizer, group, counted, total, listed, threads),
        superwords=_superwords(tokens, counted, total),
        edges=_edges(counted),
        cost=cost(total, group.bytes, tokenizer.n_vocab, shape),
    )


def _ratio(part: float, total: float) -> float | None:
    return part / total if total else None


def _median(sizes: Any, tokens: Any) -> float | None:
    there = tokens > 0
    return float(np.median(sizes[there] / tokens[there])) if there.any() else None


def _size(group: Group, counted: Counted, tokens: int, reference: Counted | None) -> Size:
    of_documents = counted.model["document_tokens"]
    return Size(
        tokens=tokens,
        bytes_per_token=_ratio(group.bytes, tokens),
        characters_per_token=_ratio(group.characters, tokens),
        median_bytes_per_token=_median(counted.text["document_bytes"], of_documents),
        median_characters_per_token=_median(counted.text["document_characters"], of_documents),
        tokens_per_line=_ratio(tokens, group.lines),
        relative_length=None if reference is None else _ratio(tokens, int(reference.uses.sum())),
    )


def _words(
    tokenizer: Tokenizer,
    group: Group,
    counted: Counted,
    tokens: int,
    listed: tuple[Sequence[str], str],
    threads: int,
) -> Words:
    words, name = listed
    alone = tokenizer.count_tokens(list(words), threads=threads)
    after_space = tokenizer.count_tokens([f" {word}" for word in words], threads=threads)
    return Words(
        fertility=_ratio(tokens, group.words),
        continued=Share(counted.model["continued_words"], group.words),
        retained=Share(alone.count(1), len(words)),
        retained_after_space=Share(after_space.count(1), len(words)),
        listed=name,
    )


def _superwords(tokens: Tokens, counted: Counted, total: int) -> Superwords:
    uses = counted.uses
    emitted = int(uses[tokens.is_superword].sum())
    joined = int((uses * tokens.words)[tokens.is_superword].sum())
    without = counted.model["tokens_without"]
    if without is None:
        # Each pretoken in a superword is a single token.
        without = total - emitted + joined
    spaces = counted.text["spaces"]
    return Superwords(
        emitted=Share(emitted, total),
        words_per_superword=_ratio(joined, emitted),
        spaces_bridged=Share(spaces - counted.model["cut_spaces"], spaces),
        tokens_without=without,
        saved=1 - total / without if without else None,
    )


def _edges(counted: Counted) -> Edges:
    def inside(name: str) -> Share:
        there = counted.text[f"{name}_ends"]
        return Share(there - counted.model[f"cut_{name}_ends"], there)

    return Edges(words=inside("word"), sentences=inside("sentence"), lines=inside("line"))


def cost(tokens: int, text_bytes: int, n_vocab: int, shape: ModelShape) -> Cost:
    """What a language model of this shape computes for a megabyte of the text."""
    if not text_bytes:
        return Cost(None, None, None, None)
    per_megabyte = tokens / text_bytes * 1e6
    hidden, heads = shape.hidden, shape.heads
    kv_width = hidden // heads * shape.kv_heads
    # Queries and output; keys and values; gate, up and down.
    weights = 2 * hidden * hidden + 2 * hidden * kv_width + 3 * hidden * shape.feed_forward
    # Scores and sums over the values: 2 * hidden each for each token that attention sees.
    attention = 4 * hidden * shape.context / 2
    layers = shape.layers * (2 * weights + attention)
    return Cost(
        tokens_per_megabyte=per_megabyte,
        prefill_flops=per_megabyte * layers,
        decode_flops=per_megabyte * (layers + 2 * hidden * n_vocab),
        kv_cache_bytes=per_megabyte * 2 * shape.layers * kv_width * shape.bytes_per_value,
    )


def check_shape(shape: ModelShape) -> None:
    """Raise `OptionError` if there is no language model of this shape."""
    for field in fields(shape):
        value = getattr(shape, field.name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise OptionError(
                f"{field.name} of `shape` must be a whole number, 1 or more, not {value!r}",
                option="shape",
                value=value,
            )
    for part, of in (("heads", "hidden"), ("kv_heads", "heads")):
        if getattr(shape, of) % getattr(shape, part):
            raise OptionError(
                f"{of} of `shape` is {getattr(shape, of)}, which is not a multiple of {part}, "
                f"{getattr(shape, part)}",
                hint=f"give a value of {part} that divides {of}",
                option="shape",
            )


def sum_of(groups: Sequence[Group]) -> Group:
    """The text of all groups together."""
    totals = {
        field.name: sum(getattr(group, field.name) for group in groups)
        for field in fields(Group)
        if field.name not in ("name", "inputs")
    }
    inputs = tuple(name for group in groups for name in group.inputs)
    return Group(name=OVERALL, inputs=inputs, **totals)

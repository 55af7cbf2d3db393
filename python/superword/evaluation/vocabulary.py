"""The vocabulary of a model, and how a text shrinks while the vocabulary grows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from superword import _core
from superword.evaluation.distribution import by_number, evenly
from superword.evaluation.results import Curves, Vocabulary
from superword.tokenizer import Tokenizer

__all__ = ["Tokens", "curves", "vocabulary"]

EXAMPLES = 10
_UNUSED, _ORDINARY, _SUPERWORD, _SPECIAL = range(4)


@dataclass(frozen=True)
class Tokens:
    """The tokens of a model, by id."""

    kinds: NDArray[Any]
    characters: NDArray[Any]
    partial: NDArray[Any]
    words: NDArray[Any]
    scripts: list[str]

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Tokens:
        """Ask the engine."""
        return cls(**_core.describe_tokens(tokenizer._model))

    @cached_property
    def ordinary(self) -> NDArray[Any]:
        """The ids of all tokens that are not special."""
        return np.flatnonzero((self.kinds == _ORDINARY) | (self.kinds == _SUPERWORD))

    @property
    def count(self) -> int:
        """The number of tokens that are not special."""
        return len(self.ordinary)

    @cached_property
    def is_superword(self) -> NDArray[Any]:
        """Whether each id is a superword."""
        found: NDArray[Any] = self.kinds == _SUPERWORD
        return found


def vocabulary(tokenizer: Tokenizer, tokens: Tokens) -> Vocabulary:
    """The numbers about the vocabulary itself."""
    ids = tokens.ordinary
    unreachable = _unreachable(tokenizer, tokens)
    ones = np.ones(len(ids), dtype=np.uint64)
    scripts = Counter(tokens.scripts[id] for id in ids)
    return Vocabulary(
        tokens=len(ids),
        special=int((tokens.kinds == _SPECIAL).sum()),
        superwords=int(tokens.is_superword.sum()),
        partial_characters=int(tokens.partial[ids].sum()),
        unreachable=len(unreachable),
        unreachable_examples=tuple(unreachable[:EXAMPLES]),
        by_script=dict(sorted(scripts.items(), key=lambda item: (-item[1], item[0]))),
        by_length=by_number(tokens.characters[ids], ones),
        by_words=by_number(tokens.words[ids], ones),
    )


def _unreachable(tokenizer: Tokenizer, tokens: Tokens) -> list[str]:
    """The texts of the tokens that do not come out when their own text is encoded."""
    ids = [int(id) for id in tokens.ordinary if not tokens.partial[id]]
    texts = [tokenizer.token_bytes(id).decode() for id in ids]
    encoded, ends = tokenizer.encode_batch_to_numpy(texts)
    alone = np.diff(ends.astype(np.int64)) == 1
    found = np.zeros(len(ids), dtype=bool)
    found[alone] = encoded[ends[:-1][alone]] == np.array(ids, dtype=np.uint32)[alone]
    return [text for text, is_found in zip(texts, found, strict=True) if not is_found]


def curves(tokenizer: Tokenizer, uses: Mapping[str, Any]) -> Curves:
    """How many tokens each text has at smaller sizes. `uses` are the counts of ids by group."""
    model = tokenizer._model
    sizes: dict[str, tuple[tuple[int, int], ...]] = {}
    steps: dict[str, tuple[tuple[int, int], ...]] = {}
    why_not = None
    for group, counts in uses.items():
        found, why_not = _core.event_uses(model, counts)
        if found is not None:
            sizes[group] = _undone(found, counts, model.n_vocab - len(found))
        superwords, _ = _core.supermerge_uses(model, counts)
        if superwords is not None and len(superwords):
            steps[group] = _undone(superwords, counts, 0)
    merges, supermerges = _training_counts(tokenizer)
    return Curves(
        vocabulary_sizes=sizes or None,
        supermerges=steps or None,
        why_not=why_not,
        merge_counts=merges,
        supermerge_counts=supermerges,
    )


def _undone(uses: Any, counts: Any, start: int) -> tuple[tuple[int, int], ...]:
    """Points `(start + events, tokens)` for the first events, from none to all of them."""
    # What all events from this one on save, and 0 after the last.
    saved = np.append(np.cumsum(uses[::-1])[::-1], np.uint64(0))
    tokens = int(counts.sum())
    return tuple((start + int(n), tokens + int(saved[n])) for n in evenly(len(saved)))


Points = tuple[tuple[int, int], ...]


def _training_counts(tokenizer: Tokenizer) -> tuple[Points, Points]:
    """The size of the vocabulary after a merge and its count in training, where known."""
    merges: list[tuple[int, int]] = []
    supermerges: list[tuple[int, int]] = []
    events = tokenizer._model.events()
    size = tokenizer.n_vocab
    for kind, _, _, _ in events:
        size += 1 if kind == "delete" else -1
    for kind, _, _, count in events:
        size += -1 if kind == "delete" else 1
        if kind != "delete":
            (merges if kind == "merge" else supermerges).append((size, count))
    # An importer writes 1 for each count. Superwords that were added later have real counts.
    imported = "imported" in tokenizer.facts
    known = [
        () if imported and all(count == 1 for _, count in points) else _some(points)
        for points in (merges, supermerges)
    ]
    return known[0], known[1]


def _some(points: list[tuple[int, int]]) -> Points:
    return tuple(points[index] for index in evenly(len(points))) if points else ()

"""How evenly tokens are used, and which ones are: numbers that follow from the counts of ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from superword import _core
from superword.evaluation.results import Distribution, Share, Use

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from superword.evaluation.vocabulary import Tokens

__all__ = ["by_number", "distribution", "entropies", "evenly", "use"]

ORDERS = (1.0, 2.0, 2.5, 3.0)
TOP = (10, 100, 1000, 10_000)
# Percent, so that sums of counts are compared exactly.
COVERED = (50, 90, 99)
RANKS = 200

Counts = Any  # NDArray[uint64]; numpy's own arithmetic on it has many types


def distribution(uses: Counts, tokens: Tokens) -> Distribution:
    """The numbers for a text in which each id occurs `uses` times."""
    observed = np.sort(uses[uses > 0])[::-1]
    total = int(observed.sum())
    entropy = entropies(observed)
    whole, seen = np.log2(max(tokens.count, 1)), np.log2(max(len(observed), 1))
    reached = np.cumsum(observed)
    return Distribution(
        entropy=entropy,
        efficiency_vocabulary={a: _ratio(bits, whole) for a, bits in entropy.items()},
        efficiency_observed={a: _ratio(bits, seen) for a, bits in entropy.items()},
        top_share={str(k): int(observed[:k].sum()) / total for k in TOP} if total else {},
        tokens_for_share={
            f"{percent / 100:g}": int(
                np.searchsorted(reached, np.uint64(-(-percent * total // 100)))
            )
            + 1
            for percent in COVERED
        }
        if total
        else {},
        gini=_gini(uses[tokens.ordinary]),
        rank_frequency=tuple((int(rank), int(observed[rank - 1])) for rank in _ranks(observed)),
    )


def entropies(counts: Counts) -> dict[str, float]:
    """The Rényi entropy of each order, in bits. Empty if there is nothing."""
    if not len(counts):
        return {}
    p = counts / counts.sum()
    found = {}
    for order in ORDERS:
        if order == 1.0:
            bits = -float((p * np.log2(p)).sum())
        else:
            bits = float(np.log2((p**order).sum())) / (1 - order)
        # A single token gives -0.0.
        found[f"{order:g}"] = bits + 0.0
    return found


def _ratio(bits: float, most: float) -> float | None:
    return float(bits / most) if most else None


def _gini(counts: Counts) -> float | None:
    """0 if all counts are the same, nearly 1 if one token has all of them."""
    n, total = len(counts), int(counts.sum())
    if not total:
        return None
    ranks = np.arange(1, n + 1)
    return float(2 * (ranks * (np.sort(counts) / total)).sum() / n - (n + 1) / n)


def _ranks(observed: Counts) -> NDArray[Any]:
    last = len(observed)
    if not last:
        return np.array([], dtype=int)
    return np.unique(np.rint(np.geomspace(1, last, RANKS)).astype(int))


def evenly(points: int, most: int = 1000) -> NDArray[Any]:
    """At most `most` of the numbers 0 to `points - 1`, the first and the last included."""
    return np.unique(np.rint(np.linspace(0, points - 1, min(points, most))).astype(int))


def use(uses: Counts, tokens: Tokens, model: _core.Model, rare_below: int) -> Use:
    """Which tokens occur in a text in which each id occurs `uses` times."""
    counts = uses[tokens.ordinary]
    used = int((counts > 0).sum())
    return Use(
        used=Share(used, tokens.count),
        never_used=tokens.count - used,
        rare=int(((counts > 0) & (counts < rare_below)).sum()),
        only_steps=_core.only_steps(model, uses),
        by_length=by_number(tokens.characters, uses),
        by_words=by_number(tokens.words, uses),
    )


def by_number(numbers: NDArray[Any], counts: Counts) -> dict[str, int]:
    """The sum of the counts for each number that has one: `{"1": 20, "2": 7}`."""
    if not len(numbers):
        return {}
    # Not `bincount` with weights, which are floats.
    sums = np.zeros(int(numbers.max()) + 1, dtype=np.uint64)
    np.add.at(sums, numbers, counts)
    return {str(number): int(sums[number]) for number in np.flatnonzero(sums)}

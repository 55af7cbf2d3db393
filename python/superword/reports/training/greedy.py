"""How many n-grams greedy splitting leaves of some candidates.

The engine splits while it learns and does not return the parts. Only their numbers are needed here,
so this works on whole arrays: an n-gram is frequent only if the two (n-1)-grams in it are, so it is
known by the numbers of these two.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from superword.counts import Candidates

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FLOOR", "LONGEST", "split_counts"]

FLOOR = 15
"""N-grams that occur less often are never used, however small the text is."""
LONGEST = 30


def split_counts(candidates: Candidates, threshold: int) -> tuple[int, int]:
    """The number of distinct n-grams that greedy splitting leaves, and the sum of their counts.

    `threshold` is the count below which n-grams are not used.
    """
    unique = total = 0
    symbols, starts, ends, counts = _columns(candidates)
    if not len(starts):
        return unique, total
    grams, longest = _longest(symbols, starts, ends, counts, threshold)
    # All candidates are split in step. Each round takes the longest n-gram at the current place.
    places, weights, until = starts.copy(), counts, ends
    found: list[NDArray[np.int64]] = []
    while len(places):
        lengths = longest[places]
        taken = lengths > 1
        found.append(grams[places[taken]])
        total += int(weights[taken].sum())
        places = places + lengths
        left = places < until
        places, weights, until = places[left], weights[left], until[left]
    return len(np.unique(np.concatenate(found))), total


def _longest(
    symbols: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    counts: NDArray[np.int64],
    threshold: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The longest frequent n-gram at each place: a number for it, and its length.

    N-grams with the same number are equal. A place where no symbol is frequent has the length 1.
    """
    weights = np.repeat(counts, ends - starts)
    until = np.repeat(ends, ends - starts)
    longest = np.ones(len(symbols), dtype=np.int64)
    grams = np.full(len(symbols), -1, dtype=np.int64)
    named = np.full(len(symbols) + 1, -1, dtype=np.int64)
    # The n-grams that start at these places are to be counted; first those of one symbol.
    places = np.arange(len(symbols), dtype=np.int64)
    keys = symbols
    first = 0
    for n in range(1, LONGEST + 1):
        if not len(places):
            break
        _, number = np.unique(keys, return_inverse=True)
        sums = np.zeros(int(number.max()) + 1, dtype=np.int64)
        np.add.at(sums, number, weights[places])
        frequent = sums[number] >= threshold
        places, number = places[frequent], number[frequent] + first
        first += len(sums)
        longest[places] = n
        grams[places] = number
        named[:] = -1
        named[places] = number
        # A longer n-gram starts where this one is followed by another one in the same candidate.
        places = places[(named[places + 1] >= 0) & (places + n + 1 <= until[places])]
        keys = named[places] * (first + 1) + named[places + 1]
    return grams, longest


def _columns(
    candidates: Candidates,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """All candidates in a row as numbers of tokens, where each starts and ends, and its count."""
    numbers: dict[bytes, int] = {}
    symbols: list[int] = []
    sizes: list[int] = []
    counts: list[NDArray[np.uint64]] = []
    for lists, offsets, data, column in candidates._engine.columns():
        places = np.frombuffer(offsets, dtype=np.int32).tolist()
        tokens = [data[a:b] for a, b in pairwise(places)]
        symbols += [numbers.setdefault(token, len(numbers)) for token in tokens]
        sizes += np.diff(np.frombuffer(lists, dtype=np.int32)).tolist()
        counts.append(np.frombuffer(column, dtype=np.uint64))
    ends = np.cumsum(np.array(sizes, dtype=np.int64))
    starts = ends - np.array(sizes, dtype=np.int64)
    weights = np.concatenate([np.zeros(0, np.uint64), *counts]).astype(np.int64)
    return np.array(symbols, dtype=np.int64), starts, ends, weights

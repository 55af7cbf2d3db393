"""Pairs of neighbours: count them, choose the best one, join it. Both phases use this.

A *token* is a `bytes` object, a sequence is a list of tokens, and a pair is two neighbours.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

Token = bytes
Pair = tuple[Token, Token]


def split_bytes(word: bytes) -> list[Token]:
    """Split into single bytes, the tokens that training starts with.

    >>> split_bytes(b"hug")
    [b'h', b'u', b'g']
    """
    return [word[i : i + 1] for i in range(len(word))]


def count_pairs(sequence: Sequence[Token]) -> Counter[Pair]:
    """Count the pairs from left to right, without overlaps.

    >>> count_pairs([b"a", b"a", b"a"])[b"a", b"a"]
    1
    >>> count_pairs([b"a", b"a", b"a", b"a"])[b"a", b"a"]
    2
    """
    counts: Counter[Pair] = Counter()
    counted = None  # the pair just counted; in `a a a` the second (a, a) overlaps the first
    for pair in pairwise(sequence):
        if pair == counted:
            counted = None
        else:
            counts[pair] += 1
            counted = pair
    return counts


def apply_merge(sequence: Sequence[Token], pair: Pair) -> list[Token]:
    """Join each occurrence of the pair, from left to right.

    >>> apply_merge([b"a", b"b", b"a", b"b", b"a"], (b"a", b"b"))
    [b'ab', b'ab', b'a']
    >>> apply_merge([b"a", b"a", b"a"], (b"a", b"a"))
    [b'aa', b'a']
    """
    left, right = pair
    out: list[Token] = []
    i = 0
    while i < len(sequence):
        if sequence[i] == left and i + 1 < len(sequence) and sequence[i + 1] == right:
            out.append(left + right)
            i += 2
        else:
            out.append(sequence[i])
            i += 1
    return out


def order(pair: Pair, count: int) -> tuple[int, Token, Token]:
    """Return the sort key of a pair. The best pair has the smallest key.

    A larger count comes first, then the smaller left token in byte order, then the right one.

    >>> min([order((b"b", b"a"), 7), order((b"a", b"z"), 7), order((b"a", b"a"), 3)])
    (-7, b'a', b'z')
    """
    return (-count, *pair)


def allow_all(pair: Pair) -> bool:
    """Allow every pair."""
    return True


class Sequences:
    """Weighted sequences, with pair counts that are updated when a pair is joined.

    The textbook counts everything again after each merge. Here only the sequences that contain the
    pair are counted again. The result is the same.

    >>> s = Sequences([([b"a", b"b", b"c"], 5), ([b"b", b"c"], 2)])
    >>> s.best()
    ((b'b', b'c'), 7)
    >>> s.merge((b"b", b"c"))
    >>> s.best()
    ((b'a', b'bc'), 5)
    """

    def __init__(
        self,
        weighted: Iterable[tuple[Sequence[Token], int]],
        allowed: Callable[[Pair], bool] = allow_all,
    ) -> None:
        self.sequences: list[list[Token]] = []
        self.weights: list[int] = []
        self.pair_counts: Counter[Pair] = Counter()
        self.token_counts: Counter[Token] = Counter()
        # For each pair, the indices of the sequences that contain it.
        self.holders: defaultdict[Pair, set[int]] = defaultdict(set)
        self.allowed = allowed
        # The keys of allowed pairs. It may contain old counts, which `best` drops.
        self.heap: list[tuple[int, Token, Token]] = []
        for sequence, weight in weighted:
            self.sequences.append([])
            self.weights.append(weight)
            self._rewrite(len(self.weights) - 1, list(sequence))
        self._push(self.pair_counts)

    def best(self) -> tuple[Pair, int] | None:
        """Return the best allowed pair and its count, or None if there is none."""
        while self.heap:
            negative, left, right = self.heap[0]
            if self.pair_counts[left, right] == -negative:
                return (left, right), -negative
            heapq.heappop(self.heap)
        return None

    def merge(self, pair: Pair) -> None:
        """Join the pair everywhere."""
        changed: set[Pair] = set()
        for i in list(self.holders[pair]):
            changed |= self._rewrite(i, apply_merge(self.sequences[i], pair))
        self._push(changed)

    def split(self, token: Token, parts: Sequence[Token]) -> None:
        """Replace each occurrence of a token by its parts (a PickyBPE deletion)."""
        changed: set[Pair] = set()
        for i, sequence in enumerate(self.sequences):
            if token in sequence:
                changed |= self._rewrite(i, split_token(sequence, token, parts))
        self._push(changed)

    def _rewrite(self, i: int, new: list[Token]) -> set[Pair]:
        """Replace sequence `i` and return the pairs whose count changed."""
        old, weight = self.sequences[i], self.weights[i]
        before, after = count_pairs(old), count_pairs(new)
        changed = {pair for pair in before.keys() | after.keys() if before[pair] != after[pair]}
        for pair in changed:
            self.pair_counts[pair] += (after[pair] - before[pair]) * weight
            if after[pair]:
                self.holders[pair].add(i)
            else:
                self.holders[pair].discard(i)
        for token in old:
            self.token_counts[token] -= weight
        for token in new:
            self.token_counts[token] += weight
        self.sequences[i] = new
        return changed

    def _push(self, pairs: Iterable[Pair]) -> None:
        for pair in pairs:
            count = self.pair_counts[pair]
            if count == 0:
                del self.pair_counts[pair], self.holders[pair]
            elif self.allowed(pair):
                heapq.heappush(self.heap, order(pair, count))


def split_token(sequence: Sequence[Token], token: Token, parts: Sequence[Token]) -> list[Token]:
    """Replace each occurrence of a token by its parts.

    >>> split_token([b"ab", b"c", b"ab"], b"ab", [b"a", b"b"])
    [b'a', b'b', b'c', b'a', b'b']
    """
    return [piece for t in sequence for piece in (parts if t == token else (t,))]

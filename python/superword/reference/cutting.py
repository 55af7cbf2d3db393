"""Lossless cutting: drop what no supermerge can use, without changing the result.

Let c be a count such that no supermerge with a smaller count can be chosen. A superword that occurs
c times contains bigrams (pairs of neighbouring pretokens) that occur at least c times each. So a
candidate can be cut at every bigram that occurs fewer than c times. The remaining candidates are
shorter, and many more of them are equal.

The argument assumes that a superword is always made of the same pretokens. `Superwords` in
`boundless.py` detects when this is not so. Then `train` learns from the uncut candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise

from superword.reference.pairs import Token
from superword.reference.steps import Event, Merge, vocabulary_of


def smallest_count(
    events: Iterable[Event], vocab_size: int, alphabet: str = "bytes", min_count: int = 1
) -> int:
    """Return the bound c for BoundlessBPE: no supermerge with a smaller count can be chosen.

    If phase 1 reached its size, the bound is the smallest count among its merges. If it ran out of
    pairs, supermerges fill the rest of the vocabulary, down to `min_count`.

    >>> smallest_count([Merge(b"a", b"b", 9), Merge(b"c", b"d", 8)], 258)
    8
    >>> smallest_count([Merge(b"a", b"b", 9), Merge(b"c", b"d", 8)], 300)
    1
    """
    events = list(events)
    if len(vocabulary_of(events, alphabet)) < vocab_size:
        return min_count
    return max(min_count, min((e.count for e in events if isinstance(e, Merge)), default=1))


def cut(candidates: Mapping[tuple[Token, ...], int], c: int) -> dict[tuple[Token, ...], int]:
    """Cut each candidate at every bigram that occurs fewer than c times.

    All occurrences are counted, including overlapping ones. Single tokens are dropped.

    >>> cut({(b" a", b" b", b" c"): 2, (b" a", b" b", b" d", b" c"): 1}, 2)
    {(b' a', b' b', b' c'): 2, (b' a', b' b'): 1}
    """
    bigrams: Counter[tuple[Token, Token]] = Counter()
    for candidate, count in candidates.items():
        for bigram in pairwise(candidate):
            bigrams[bigram] += count

    cuts: Counter[tuple[Token, ...]] = Counter()
    for candidate, count in candidates.items():
        start = 0
        for i in range(1, len(candidate) + 1):
            if i == len(candidate) or bigrams[candidate[i - 1], candidate[i]] < c:
                if i - start >= 2:
                    cuts[candidate[start:i]] += count
                start = i
    return dict(cuts)

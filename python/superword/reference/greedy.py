"""Greedy n-gram splitting (the paper, Appendix D): step 4, optional.

Candidates are split into frequent n-grams. Unlike lossless cutting this changes the result: merges
across a split are lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from superword.reference.pairs import Token

FLOOR = 15  # n-grams that occur less often are not used
MAX_LENGTH = 30

Ngram = tuple[Token, ...]


def count_ngrams(
    candidates: Mapping[Ngram, int], c_min: int, max_length: int = MAX_LENGTH
) -> dict[Ngram, int]:
    """Count the n-grams of 2 to `max_length` tokens that occur `c_min` times or more (Algorithm 2).

    An n-gram is only counted if both (n-1)-grams in it are frequent enough.

    >>> count_ngrams({(b"x", b"a", b"b"): 2, (b"a", b"b", b"y"): 1}, 3)
    {(b'a', b'b'): 3}
    """
    frequent: dict[Ngram, int] = {}
    for n in range(1, max_length + 1):
        found: Counter[Ngram] = Counter()
        for sequence, count in candidates.items():
            for i in range(len(sequence) - n + 1):
                if n > 1 and not (
                    sequence[i : i + n - 1] in frequent and sequence[i + 1 : i + n] in frequent
                ):
                    continue
                found[sequence[i : i + n]] += count
        new = {ngram: count for ngram, count in found.items() if count >= c_min}
        if not new:
            break
        frequent |= new
    return {ngram: count for ngram, count in frequent.items() if len(ngram) > 1}


def split_greedily(sequence: Sequence[Token], ngrams: Collection[Ngram]) -> list[Ngram]:
    """Split from left to right into the longest n-grams. Other tokens are returned alone.

    >>> split_greedily([b"a", b"b", b"c", b"x"], {(b"a", b"b"), (b"b", b"c"), (b"a", b"b", b"c")})
    [(b'a', b'b', b'c'), (b'x',)]
    """
    split: list[Ngram] = []
    i = 0
    while i < len(sequence):
        # Every prefix of an n-gram is an n-gram too (Algorithm 2), so extend it while it is one.
        end = i + 1
        while end < len(sequence) and tuple(sequence[i : end + 1]) in ngrams:
            end += 1
        split.append(tuple(sequence[i:end]))
        i = end
    return split


def split_candidates(
    candidates: Mapping[Ngram, int], ngrams: Collection[Ngram]
) -> dict[Ngram, int]:
    """Split all candidates greedily and count the resulting n-grams. Single tokens are dropped.

    >>> split_candidates({(b"a", b"b", b"c"): 2, (b"a", b"b"): 1}, {(b"a", b"b")})
    {(b'a', b'b'): 3}
    """
    counts: Counter[Ngram] = Counter()
    for candidate, count in candidates.items():
        for ngram in split_greedily(candidate, ngrams):
            if len(ngram) >= 2:
                counts[ngram] += count
    return dict(counts)

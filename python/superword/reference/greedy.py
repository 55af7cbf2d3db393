"""Greedy n-gram splitting (the paper, Appendix D): step 4, optional.

Cut candidates into n-grams that are frequent. Unlike lossless cutting it changes the result:
merges across a cut are lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from superword.reference.pairs import Token

FLOOR = 15  # no n-gram that is rarer is looked for
MAX_LENGTH = 30

Ngram = tuple[Token, ...]


def count_ngrams(
    candidates: Mapping[Ngram, int], c_min: int, max_length: int = MAX_LENGTH
) -> dict[Ngram, int]:
    """Count the n-grams of 2 to `max_length` tokens that occur `c_min` times (Algorithm 2).

    An n-gram is counted only if both (n-1)-grams in it were frequent enough.

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
    """Cut from left to right, the longest n-gram first; a token that starts none stands alone.

    >>> split_greedily([b"a", b"b", b"c", b"x"], {(b"a", b"b"), (b"b", b"c"), (b"a", b"b", b"c")})
    [(b'a', b'b', b'c'), (b'x',)]
    """
    pieces: list[Ngram] = []
    i = 0
    while i < len(sequence):
        # Each n-gram's beginnings are n-grams too (Algorithm 2), so grow while it is one.
        end = i + 1
        while end < len(sequence) and tuple(sequence[i : end + 1]) in ngrams:
            end += 1
        pieces.append(tuple(sequence[i:end]))
        i = end
    return pieces


def split_candidates(
    candidates: Mapping[Ngram, int], ngrams: Collection[Ngram]
) -> dict[Ngram, int]:
    """Cut all candidates greedily and count the pieces; pieces of one token are dropped.

    >>> split_candidates({(b"a", b"b", b"c"): 2, (b"a", b"b"): 1}, {(b"a", b"b")})
    {(b'a', b'b'): 3}
    """
    pieces: Counter[Ngram] = Counter()
    for candidate, count in candidates.items():
        for piece in split_greedily(candidate, ngrams):
            if len(piece) >= 2:
                pieces[piece] += count
    return dict(pieces)

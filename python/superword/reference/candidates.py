"""Supermerge candidates: steps 2 and 3 of the aggregation procedure (the paper, Figure 1).

A candidate is a maximal run of two or more consecutive eligible pretokens of one document. Only
counted candidates are stored, never documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from superword.reference.encode import Words, eligible_runs
from superword.reference.pairs import Token
from superword.reference.pretokenize import DEFAULT_PRESET, Pretokenizer, as_pretokenizer
from superword.reference.steps import Event

Candidates = dict[tuple[Token, ...], int]


def count_candidates(
    texts: Iterable[str],
    events: Sequence[Event],
    pretokenizer: str | Pretokenizer = DEFAULT_PRESET,
) -> Candidates:
    """Count the candidates of all documents, using the words that phase 1 learned.

    >>> from superword.reference.steps import Merge
    >>> events = [Merge(b" ", b"a", 9), Merge(b" ", b"b", 8)]
    >>> count_candidates([" a b, a b", " a b xy"], events)
    {(b' a', b' b'): 3}
    """
    pretokenizer = as_pretokenizer(pretokenizer)
    words = Words(events)
    candidates: Counter[tuple[Token, ...]] = Counter()
    for text in texts:
        for eligible, run in eligible_runs(pretokenizer.split(text), pretokenizer, words):
            if eligible and len(run) >= 2:
                candidates[run] += 1
    return dict(candidates)

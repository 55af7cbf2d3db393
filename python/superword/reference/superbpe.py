"""Phase 2, SuperBPE: first all ordinary merges, then a given number of supermerges."""

from __future__ import annotations

from collections.abc import Sequence

from superword.reference.boundless import Superwords
from superword.reference.steps import Event, Step


def learn_superbpe(events: Sequence[Event], superwords: Superwords, supermerges: int) -> list[Step]:
    """Add exactly so many supermerges to the words of phase 1 (fewer if none is left).

    `events` are those of a phase 1 to `vocab_size - supermerges`.

    >>> from superword.reference.steps import Merge
    >>> events = [Merge(b" ", b"a", 9), Merge(b" ", b"b", 8)]
    >>> learn_superbpe(events, Superwords({(b" a", b" b"): 5}, events), 3)[2:]
    [Supermerge(left=b' a', right=b' b', count=5)]
    """
    steps: list[Step] = list(events)
    for _ in range(supermerges):
        supermerge = superwords.best()
        if supermerge is None:
            break
        superwords.merge(supermerge.pair)
        steps.append(supermerge)
    return steps

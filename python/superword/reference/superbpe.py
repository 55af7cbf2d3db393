"""Phase 2, SuperBPE: all ordinary merges first, then a fixed number of supermerges."""

from __future__ import annotations

from collections.abc import Sequence

from superword.reference.boundless import Superwords
from superword.reference.steps import Event, Step


def learn_superbpe(events: Sequence[Event], superwords: Superwords, supermerges: int) -> list[Step]:
    """Add this many supermerges to the words of phase 1, or fewer if no more are left.

    `events` must come from a phase 1 with `vocab_size - supermerges` tokens.

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

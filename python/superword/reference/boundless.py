"""Phase 2, BoundlessBPE: replay the ordinary merges with supermerges in between (Algorithm 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from superword.reference.allowed import Allowed, Limits
from superword.reference.pairs import Pair, Sequences, Token
from superword.reference.steps import (
    Delete,
    Event,
    Step,
    Supermerge,
    Vocabulary,
    check_size,
    vocabulary_of,
)

ALL_ALLOWED = Allowed()


class Superwords:
    """The candidates while supermerges are applied to them: BestPair and ApplyMerge in the paper.

    `ambiguous` tells whether some superword has the same bytes as another token that is made of
    other pretokens (docs/concepts.md calls this a collision). With the presets this hardly ever
    happens. If it does, lossless cutting and the
    equalities between the procedures are not guaranteed (see the tests).
    """

    def __init__(
        self,
        candidates: Mapping[tuple[Token, ...], int],
        events: Sequence[Event],
        alphabet: str = "bytes",
        allowed: Allowed = ALL_ALLOWED,
        min_count: int = 1,
    ) -> None:
        self._word_tokens = vocabulary_of(events, alphabet)
        self._limits = Limits(set(self._word_tokens), allowed, events)
        self._sequences = Sequences(candidates.items(), self._limits.allow)
        self._min_count = min_count
        self._made_of: dict[Token, tuple[Token, ...]] = {}
        self.ambiguous = False

    def best(self) -> Supermerge | None:
        """Return the best supermerge, or None if there is none."""
        best = self._sequences.best()
        if best is None or best[1] < self._min_count:
            return None
        return Supermerge(*best[0], best[1])

    def merge(self, pair: Pair) -> None:
        """Join the pair in all candidates."""
        left, right = pair
        made_of = self._made_of.get(left, (left,)) + self._made_of.get(right, (right,))
        known = self._made_of.setdefault(left + right, made_of)
        if known != made_of or left + right in self._word_tokens:
            self.ambiguous = True
        self._limits.join(pair)
        self._sequences.merge(pair)


def learn_boundless(
    events: Sequence[Event],
    superwords: Superwords,
    vocab_size: int,
    *,
    alphabet: str = "bytes",
) -> list[Step]:
    """Combine the merges of phase 1 with supermerges, by count. The ordinary merge wins ties.

    `events` must come from a phase 1 with the full `vocab_size`. A deletion directly follows its
    merge. The ordinary merges in the result are a prefix of `events`.

    >>> from superword.reference.steps import Merge
    >>> events = [Merge(b" ", b"a", 9), Merge(b" ", b"b", 8), Merge(b"x", b"y", 2)]
    >>> candidates = {(b" a", b" b"): 5}
    >>> learn_boundless(events, Superwords(candidates, events), 259)[2]
    Supermerge(left=b' a', right=b' b', count=5)
    """
    vocabulary = Vocabulary(alphabet)
    check_size(vocab_size, vocabulary)
    steps: list[Step] = []
    j = 0  # the next event to replay
    while True:
        if j < len(events) and isinstance(events[j], Delete):
            step: Step = events[j]
            j += 1
        elif len(vocabulary) >= vocab_size:
            return steps
        else:
            supermerge = superwords.best()
            ordinary = events[j] if j < len(events) else None
            assert not isinstance(ordinary, Delete)
            c_s = 0 if supermerge is None else supermerge.count
            c_r = 0 if ordinary is None else ordinary.count
            if supermerge is not None and c_s > c_r:
                step = supermerge
                superwords.merge(supermerge.pair)
            elif ordinary is not None:
                step = ordinary
                j += 1
            else:
                return steps  # both are exhausted
        steps.append(step)
        vocabulary.apply(step)

"""Encoding: text to tokens, with the steps that training recorded.

1. Split the text into pretokens.
2. Inside each pretoken, apply the ordinary merges (`Words`).
3. Inside each run of eligible pretokens that are one token each, apply the supermerges.

Here tokens are bytes. `model.py` turns them into ids.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from superword.reference.greedy import split_greedily
from superword.reference.pairs import Pair, Token, apply_merge, split_bytes, split_token
from superword.reference.pretokenize import Pretokenizer
from superword.reference.steps import Delete, Event, Merge, Step, Supermerge

Whole: TypeAlias = frozenset[Token]


def apply_earliest_first(tokens: Sequence[Token], ranks: Mapping[Pair, int]) -> list[Token]:
    """Apply the earliest applicable rule everywhere, until no rule applies.

    "Earliest" means the earliest rule that applies now, even if a later one was applied before.
    This is the paper's definition, and what Hugging Face tokenizers and tiktoken do.

    For the merges of phase 1 without deletions, replaying them in order gives the same result.
    Equal bytes go through the same merges wherever they stand between the same boundaries. So only
    one rule makes each token, and it comes before all rules that use the token.

    >>> apply_earliest_first([b"a", b"b", b"c"], {(b"b", b"c"): 0, (b"a", b"b"): 1})
    [b'a', b'bc']
    """
    tokens = list(tokens)
    while True:
        applicable = [pair for pair in pairwise(tokens) if pair in ranks]
        if not applicable:
            return tokens
        tokens = apply_merge(tokens, min(applicable, key=ranks.__getitem__))


def apply_one_at_a_time(tokens: Sequence[Token], ranks: Mapping[Pair, int]) -> list[Token]:
    """Apply the rule of the lowest rank at its leftmost position, one merge at a time.

    This is what Hugging Face tokenizers and tiktoken do with ranks in any order. It differs from
    `apply_earliest_first` only if a merge enables an earlier rule, which then goes next.

    >>> ranks = {(b"ab", b"a"): 0, (b"a", b"b"): 1}
    >>> apply_one_at_a_time([b"a", b"b", b"a", b"b"], ranks)
    [b'aba', b'b']
    >>> apply_earliest_first([b"a", b"b", b"a", b"b"], ranks)
    [b'ab', b'ab']
    """
    tokens = list(tokens)
    while True:
        found = [(ranks[pair], at) for at, pair in enumerate(pairwise(tokens)) if pair in ranks]
        if not found:
            return tokens
        _, at = min(found)
        tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]


def ranks_of(merges: Iterable[Merge | Supermerge]) -> dict[Pair, int]:
    """Number the rules. A rule that was recorded twice has its first number."""
    ranks: dict[Pair, int] = {}
    for merge in merges:
        ranks.setdefault(merge.pair, len(ranks))
    return ranks


class Words:
    """Encodes a pretoken with the events of phase 1.

    Imported models may have `own_ranks`, which are not in the order of the events, and pretokens
    that are one token as a `whole`, whatever the merges make of them.

    >>> Words([Merge(b"u", b"g", 20), Merge(b"h", b"ug", 15)]).encode(b"hugs")
    (b'hug', b's')
    """

    def __init__(
        self,
        events: Sequence[Event],
        own_ranks: Mapping[Pair, int] | None = None,
        whole: Whole = frozenset(),
    ) -> None:
        self.events = list(events)
        self.own_ranks = own_ranks
        self.whole = whole
        self.deletes = any(isinstance(event, Delete) for event in events)
        self.ranks = ranks_of(e for e in events if isinstance(e, Merge))
        # For the replay: the events that merge a pair or delete a token.
        self.when: defaultdict[Pair | Token, list[int]] = defaultdict(list)
        for i, event in enumerate(events):
            self.when[event.token if isinstance(event, Delete) else event.pair].append(i)
        self.encode = lru_cache(maxsize=100_000)(self._encode)

    def _encode(self, pretoken: bytes) -> tuple[Token, ...]:
        if pretoken in self.whole:
            return (pretoken,)
        tokens = split_bytes(pretoken)
        if self.own_ranks is not None:
            return tuple(apply_one_at_a_time(tokens, self.own_ranks))
        if self.deletes:
            return tuple(self.replay(tokens))
        return tuple(apply_earliest_first(tokens, self.ranks))

    def replay(self, tokens: list[Token]) -> list[Token]:
        """Apply all events in order, as training did, so that no deleted token is left.

        The loop goes directly from one event that changes something to the next.
        """
        now = 0  # all events before this one have been applied
        while True:
            keys: list[Pair | Token] = [*pairwise(tokens), *tokens]
            upcoming = [at for key in keys if (at := self.next_time(key, now)) is not None]
            if not upcoming:
                return tokens
            now = min(upcoming)
            event = self.events[now]
            if isinstance(event, Delete):
                tokens = split_token(tokens, event.token, event.parts)
            else:
                tokens = apply_merge(tokens, event.pair)
            now += 1

    def next_time(self, key: Pair | Token, now: int) -> int | None:
        """Return the next event that merges the pair or deletes the token."""
        times = self.when.get(key, [])
        later = bisect_left(times, now)
        return times[later] if later < len(times) else None


def eligible_runs(
    pretokens: Iterable[str], pretokenizer: Pretokenizer, words: Words
) -> Iterator[tuple[bool, tuple[Token, ...]]]:
    """Group encoded pretokens into maximal runs of eligible ones.

    A pretoken is eligible if it matches the eligibility pattern and is exactly one token. Yields
    (True, tokens of a run) for each run, and (False, tokens) for each other pretoken.

    >>> words = Words([Merge(b" ", b"a", 9), Merge(b" ", b"b", 8)])
    >>> list(eligible_runs([" a", " b", ".", " abc"], Pretokenizer(), words))
    [(True, (b' a', b' b')), (False, (b'.',)), (False, (b' a', b'b', b'c'))]
    """
    run: list[Token] = []
    for pretoken in pretokens:
        tokens = words.encode(pretoken.encode("utf-8"))
        if len(tokens) == 1 and pretokenizer.is_eligible(pretoken):
            run.append(tokens[0])
            continue
        if run:
            yield True, tuple(run)
            run = []
        yield False, tokens
    if run:
        yield True, tuple(run)


class Encoder:
    """Encodes a text with all steps of a model.

    >>> steps = [Merge(b" ", b"a", 9), Merge(b" ", b"b", 8), Supermerge(b" a", b" b", 7)]
    >>> Encoder(steps, Pretokenizer()).encode(" a b ab")
    [b' a b', b' a', b'b']
    """

    def __init__(
        self,
        steps: Sequence[Step],
        pretokenizer: Pretokenizer,
        ngrams: Collection[tuple[Token, ...]] | None = None,
        own_ranks: Mapping[Pair, int] | None = None,
        whole: Whole = frozenset(),
    ) -> None:
        self.pretokenizer = pretokenizer
        events = [s for s in steps if not isinstance(s, Supermerge)]
        self.words = Words(events, own_ranks, whole)
        self.superwords = ranks_of(s for s in steps if isinstance(s, Supermerge))
        self.ngrams = ngrams

    def encode(self, text: str) -> list[Token]:
        """Split a text into tokens. With `ngrams`, split runs greedily first, as in training."""
        out: list[Token] = []
        pretokens = self.pretokenizer.split(text)
        for eligible, tokens in eligible_runs(pretokens, self.pretokenizer, self.words):
            if not eligible:
                out.extend(tokens)
                continue
            runs = [tokens] if self.ngrams is None else split_greedily(tokens, self.ngrams)
            for run in runs:
                out.extend(apply_earliest_first(run, self.superwords))
        return out

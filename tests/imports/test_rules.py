"""The merge of each token is found by encoding its bytes."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from superword import Tokenizer

BYTES = {bytes([byte]): byte for byte in range(256)}
# Long enough for the second of two algorithms, which is for more than 40 bytes.
words = st.text("ab", min_size=2, max_size=6) | st.sampled_from(["ab" * 21, "a" * 48, "ba" * 24])


def last_pair(token: bytes, ranks: dict[bytes, int]) -> tuple[bytes, bytes] | None:
    """The pair that is joined last when a token is encoded: the definition, word by word."""
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 1:
        ranked = [ranks.get(left + right) for left, right in pairwise(parts)]
        known = [rank for rank in ranked if rank is not None]
        if not known:
            return None
        at = ranked.index(min(known))
        if len(parts) == 2:
            return parts[0], parts[1]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return None


@settings(max_examples=300, deadline=None)
@given(tokens=st.sets(words, max_size=14), seed=st.integers(0, 1000))
def test_each_token_has_the_merge_that_makes_it(tokens: set[str], seed: int) -> None:
    listed = sorted(tokens)
    Random(seed).shuffle(listed)
    ranks = BYTES | {token.encode(): id for id, token in enumerate(listed, start=256)}
    pairs = {token: last_pair(token, ranks) for token in ranks if len(token) > 1}
    model = Tokenizer.from_tiktoken(ranks, r"[\s\S]+")
    merges = [(left, right) for left, right, _ in model.merges]
    assert {left + right: (left, right) for left, right in merges} == {
        token: pair for token, pair in pairs.items() if pair is not None
    }
    assert set(model.unmade_tokens) == {token for token, pair in pairs.items() if pair is None}
    # The merges of the parts come first, and the ranks are those of the tokens.
    known = set(BYTES)
    for left, right in merges:
        assert {left, right} <= known
        known.add(left + right)
    order = model._model.order or range(len(merges))
    by_rank = [left + right for _, (left, right) in sorted(zip(order, merges, strict=True))]
    assert by_rank == sorted(by_rank, key=ranks.__getitem__)

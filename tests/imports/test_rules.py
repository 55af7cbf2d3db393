"""The merge of each token is found by encoding its bytes."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st
from superword.imports.rules import Rules, last_pair, rules_of


def test_a_long_token_is_reached_by_the_heap_as_by_the_list() -> None:
    ranks = {b" " * (2**power): power for power in range(1, 8)}
    assert last_pair(b" " * 128, lambda a, b: ranks.get(a + b)) == (b" " * 64, b" " * 64)
    assert last_pair(b" " * 96, lambda a, b: ranks.get(a + b)) is None
    assert last_pair(b" " * 32, lambda a, b: ranks.get(a + b)) == (b" " * 16, b" " * 16)


def rules_of_ranks(ranks: Mapping[bytes, int]) -> Rules:
    return rules_of(ranks, lambda left, right: ranks.get(left + right))


BYTES = {b"a": 0, b"b": 1, b"c": 2}


def test_ranks_in_order_need_no_ranks() -> None:
    found = rules_of_ranks(BYTES | {b"ab": 3, b"abc": 4})
    assert found == Rules([(b"a", b"b"), (b"ab", b"c")], None, set())


def test_a_merge_before_those_of_its_parts_keeps_its_rank() -> None:
    found = rules_of_ranks(BYTES | {b"abc": 3, b"ab": 4, b"bb": 5})
    assert found.merges == [(b"a", b"b"), (b"ab", b"c"), (b"b", b"b")]
    assert found.order == [1, 0, 2]
    assert not found.unmade


def test_a_token_that_its_own_merges_do_not_make_is_unmade() -> None:
    # "abc" is encoded as "a" and "bc", which nothing joins; the empty token is never made.
    found = rules_of(
        {**BYTES, b"bc": 3, b"ab": 4, b"abc": 5, b"": 6},
        lambda left, right: {(b"b", b"c"): 0, (b"a", b"b"): 1, (b"ab", b"c"): 2}.get((left, right)),
    )
    assert found.unmade == {b"abc", b""}
    assert found.merges == [(b"b", b"c"), (b"a", b"b")]


@given(tokens=st.sets(st.text("abc", min_size=2, max_size=6), max_size=12), seed=st.randoms())
def test_parts_come_first_and_ranks_are_kept(tokens: set[str], seed: object) -> None:
    listed = sorted(tokens)
    seed.shuffle(listed)  # type: ignore[attr-defined]
    ranks = BYTES | {token.encode(): at for at, token in enumerate(listed, start=3)}
    found = rules_of_ranks(ranks)
    known = set(BYTES)
    for left, right in found.merges:
        assert {left, right} <= known
        known.add(left + right)
    assert known | found.unmade == set(ranks)
    order = found.order or range(len(found.merges))
    by_rank = [rule for _, rule in sorted(zip(order, found.merges, strict=True))]
    assert by_rank == sorted(by_rank, key=lambda rule: ranks[rule[0] + rule[1]])

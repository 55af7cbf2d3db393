"""Equalities between procedures hold in the engine, for random corpora and options.

That two phases equal the original single pass is tested with the reference, which equals the
engine. Some equalities do not hold where a superword has the same bytes as another token made of
other pretokens (see docs/concepts.md). The reference says where that is the case.
"""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from superword import reference
from superword.reference.boundless import Superwords
from support.examples import examples
from support.learning_cases import ALPHABET_SIZES, Case, cases
from support.parity import engine_rows, engine_train

LIMITS = ("max_words", "same_script", "boundary", "veto")


def is_ambiguous(case: Case) -> bool:
    """Say whether a superword is made in two ways or has the bytes of a word."""
    options = case.options
    size = options["vocab_size"] - len(options["special_tokens"])
    alphabet, min_count = options["alphabet"], options["min_count"]
    pretokenizer = options["pretokenizer"]
    events = reference.learn_words(
        reference.count_pretokens(case.texts, pretokenizer),
        size,
        alphabet=alphabet,
        min_count=min_count,
    )
    allowed = reference.Allowed(**{name: options[name] for name in LIMITS if name in options})
    candidates = reference.count_candidates(case.texts, events, pretokenizer)
    superwords = Superwords(candidates, events, alphabet, allowed, min_count)
    reference.learn_boundless(events, superwords, size, alphabet=alphabet)
    return superwords.ambiguous


@settings(max_examples=examples(200), deadline=None)
@given(
    cases(
        methods=("boundless",),
        deletions=False,
        greedy=False,
        min_counts=(1, 1, 1, 2, 3),
        learned=(8, 40),  # Superwords come after the most frequent words.
    )
)
def test_boundless_equals_superbpe_with_the_same_numbers(case: Case) -> None:
    ours, _ = engine_train(case.texts, **case.options)
    assume(ours.supermerges)
    assume(not is_ambiguous(case))
    options = case.options | {"method": "superbpe", "supermerges": len(ours.supermerges)}
    merges, alphabet = len(ours.merges), ALPHABET_SIZES[options["alphabet"]]
    words = {left + right for left, right, _ in ours.merges}
    assume(len(words) == merges)  # Then the number of merges is the number of words.
    options["vocab_size"] = (
        alphabet + merges + len(ours.supermerges) + len(options["special_tokens"])
    )
    matching, _ = engine_train(case.texts, **options)
    assert matching.merges == ours.merges
    assert matching.supermerges == ours.supermerges
    assert vocabulary(matching) == vocabulary(ours)
    for text in [*case.texts, *case.others]:
        tokens = [[tok.token_bytes(i) for i in tok.encode(text)] for tok in (ours, matching)]
        assert tokens[0] == tokens[1]


def vocabulary(tok: Any) -> set[bytes]:
    return {tok.token_bytes(i) for i in range(tok.n_vocab)}


@settings(max_examples=examples(200), deadline=None)
@given(cases(deletions=False, greedy=False), st.integers(0, 30))
def test_truncated_equals_trained_at_that_size(case: Case, less: int) -> None:
    ours, report = engine_train(case.texts, **case.options)
    options = dict(case.options)
    smallest = ALPHABET_SIZES[options["alphabet"]] + len(options["special_tokens"])
    if options["method"] == "superbpe":
        # Supermerges come last, so truncating removes them first.
        assume(report["shortfall"] is None)
        less = min(less, options["supermerges"] - 1)
        options["supermerges"] -= less
    size = max(ours.n_vocab - less, smallest)
    assume(options["method"] != "boundless" or not is_ambiguous(case))
    trained, _ = engine_train(case.texts, **options | {"vocab_size": size})
    assert engine_rows(ours.truncate(size)) == engine_rows(trained)
    # A file records the size that was asked for, which a text may not have enough words for.
    if report["shortfall"] is None or size < ours.n_vocab:
        assert ours.truncate(size).to_bytes() == trained.to_bytes()


@settings(max_examples=examples(200), deadline=None)
@given(cases(methods=("boundless", "superbpe")))
def test_cutting_changes_nothing(case: Case) -> None:
    on, _ = engine_train(case.texts, **case.options)
    off, report = engine_train(case.texts, cutting=False, **case.options)
    assert report["cut_below"] == 1
    assert on.to_bytes() == off.to_bytes()


@settings(max_examples=examples(150), deadline=None)
@given(cases(), st.integers(2, 8), st.randoms(use_true_random=False))
def test_threads_and_order_of_documents_change_nothing(
    case: Case, threads: int, random: Any
) -> None:
    one, _ = engine_train(case.texts, **case.options | {"threads": 1})
    shuffled = random.sample(case.texts, len(case.texts))
    many, _ = engine_train(shuffled, **case.options | {"threads": threads})
    assert one.to_bytes() == many.to_bytes()


@settings(max_examples=examples(100), deadline=None)
@given(cases(), st.integers(1, 4))
def test_one_file_equals_the_same_documents_in_many(case: Case, parts: int) -> None:
    options = case.options | {"threads": 2}
    one, _ = engine_train(case.texts, **options)
    many, _ = engine_train(case.texts, parts=parts, **options)
    assert one.to_bytes() == many.to_bytes()


@settings(max_examples=examples(150), deadline=None)
@given(cases(), st.lists(st.text(max_size=80), max_size=3))
def test_every_text_comes_back(case: Case, texts: list[str]) -> None:
    ours, _ = engine_train(case.texts, **case.options)
    for text in [*case.texts, *case.others, *texts]:
        ids = ours.encode(text)
        assert ours.decode(ids) == text
        assert ours.decode(ours.encode(text, allowed_special="all")) == text
        assert all(0 <= i < ours.n_vocab for i in ids)

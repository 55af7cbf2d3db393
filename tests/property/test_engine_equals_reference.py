"""Engine and reference agree on random corpora and options: models, ids, files, encodings."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from superword import Tokenizer
from support.examples import examples
from support.learning_cases import ALPHABET_SIZES, PRETOKENIZERS, Case, cases
from support.parity import assert_agree, assert_same_encodings, assert_same_model, engine_train
from support.parity import reference_train as train

AMBIGUOUS = PRETOKENIZERS[-1]


@pytest.mark.parametrize("method", ["bpe", "boundless", "superbpe"])
def test_same_model_and_encodings(method: str) -> None:
    @settings(max_examples=examples(200), deadline=None)
    @given(cases(methods=(method,)))
    def check(case: Case) -> None:
        assert_agree(case.texts, case.others, **case.options)

    check()


@settings(max_examples=examples(150), deadline=None)
@given(cases())
def test_same_smaller_models(case: Case) -> None:
    ours, _ = engine_train(case.texts, **case.options)
    theirs = train(case.texts, **case.options)
    smallest = ALPHABET_SIZES[theirs.alphabet] + len(theirs.special_tokens)
    largest = theirs.n_vocab
    for size in {smallest, (smallest + largest) // 2, max(smallest, largest - 1), largest}:
        smaller = theirs.truncate(size)
        assert_same_model(ours.truncate(size), smaller)
        assert_same_encodings(ours.truncate(size), smaller, [*case.texts, *case.others])


@settings(max_examples=examples(150), deadline=None)
@given(cases())
def test_saved_and_read_again_is_the_same(case: Case) -> None:
    ours, _ = engine_train(case.texts, **case.options)
    again = Tokenizer.from_bytes(ours.to_bytes())
    assert again == ours
    assert again.to_bytes() == ours.to_bytes()
    texts = [*case.texts, *case.others]
    assert again.encode_batch(texts) == ours.encode_batch(texts)


@pytest.mark.soak
@settings(max_examples=20_000, deadline=None)
@given(cases())
def test_same_model_and_encodings_of_very_many(case: Case) -> None:
    assert_agree(case.texts, case.others, **case.options)


# Regressions.


def test_deletions_with_pairs_below_min_count() -> None:
    # Deletions change the counts of pairs that are too rare to merge. Training did not end.
    thai = "า ากกกกาก กกกากกกกกกกกก  กกก กาากกาา กกกากกา ก  กกากา  กา าก"
    options: dict[str, Any] = {"picky": 0.2, "picky_split": "bytes", "min_count": 3}
    for size in range(243, 264):
        assert_agree(
            [thai, *["กากกาากกาก"] * 20],
            vocab_size=size,
            method="bpe",
            alphabet="utf8",
            pretokenizer="gpt4",
            **options,
        )


def test_long_vowel_marks_that_are_words_and_superwords() -> None:
    # The marks are one pretoken before a Latin letter, and two between Chinese ones.
    for method, more in [("boundless", {}), ("superbpe", {"supermerges": 4})]:
        for size in range(261, 275):
            assert_agree(
                ["一ーー!a", "一ーー一", "一ーー一ーー!a ーー"] * 3,
                ["ーー一ーーa", "ーーー"],
                vocab_size=size,
                method=method,
                **more,
            )


def test_words_and_superwords_with_the_same_bytes() -> None:
    for size in range(256, 275):
        for picky in (None, 0.3, 0.6, 1.0):
            assert_agree(
                ["bcababacccbbaacbccaccb", "bccbcbaabcccabb", "cabcabab", "abcabcab"],
                vocab_size=size,
                pretokenizer=AMBIGUOUS,
                picky=picky,
            )


def test_zero_bytes_are_text_like_any_other() -> None:
    assert_agree(["\0", "\0\0", "a\0\0b\0" * 9], ["\0" * 40, "\0\0a"], vocab_size=262)


def test_deletion_of_a_word_leaves_the_superword_with_the_same_bytes() -> None:
    # The script run of the mark decides where it is split, so some superwords have the bytes of
    # words that are deleted later. Those superwords lost their ids.
    for texts in (["aーー", *["aー   カ"] * 2], ["aーa", *["aー   カ"] * 2], ["aーa", "aー   カ"]):
        for size in range(257, 275):
            for picky in (0.2, 0.5, 0.9):
                for max_words in (None, 2):
                    assert_agree(
                        texts,
                        ["aーカaーー", "ー   カ"],
                        vocab_size=size,
                        pretokenizer=PRETOKENIZERS[8],
                        picky=picky,
                        max_words=max_words,
                    )


def test_model_cut_to_its_own_size_stays_as_it_is() -> None:
    # It may have had that size earlier, with tokens that were deleted later.
    texts = ["aa", "aé", *["aaaaa   aa aaaa a aaaaaa é aaa"] * 2]
    for size in range(243, 270):
        options: dict[str, Any] = {"method": "bpe", "alphabet": "utf8", "picky": 0.2}
        options["vocab_size"] = size
        ours, _ = engine_train(texts, **options)
        theirs = train(texts, **options)
        assert ours.truncate(ours.n_vocab) == ours
        assert theirs.truncate(theirs.n_vocab) == theirs


def test_ngrams_of_deleted_tokens_are_left_out() -> None:
    """N-grams are made of all words that were learned, also of those that are deleted later."""
    assert_agree(
        [*[" 国国"] * 16, *["aaaaaa"] * 17],
        ["国国国", "aaaaaaaa 国国a"],
        method="boundless",
        vocab_size=261,
        pretokenizer=PRETOKENIZERS[5],
        picky=0.2,
        greedy_split="encode",
    )

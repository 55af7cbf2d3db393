"""Small cases of training, computed by hand."""

from collections import Counter

import pytest
import regex
from superword.reference import (
    Allowed,
    Candidates,
    Delete,
    Event,
    Merge,
    Step,
    Supermerge,
    Superwords,
    Tokenizer,
    count_candidates,
    count_ngrams,
    cut,
    learn_boundless,
    learn_superbpe,
    learn_words,
    smallest_count,
    split_candidates,
    train,
    truncate,
    vocabulary_of,
)
from superword.reference.pairs import apply_merge, count_pairs


def letters(text: str) -> list[bytes]:
    return [char.encode() for char in text]


@pytest.mark.parametrize(
    ("text", "count"), [("a", 0), ("aa", 1), ("aaa", 1), ("aaaa", 2), ("aaaaa", 2), ("aabaaa", 2)]
)
def test_pairs_do_not_overlap_and_a_merge_joins_what_was_counted(text: str, count: int) -> None:
    pair = (b"a", b"a")
    assert count_pairs(letters(text))[pair] == count
    assert len(letters(text)) - len(apply_merge(letters(text), pair)) == count


def test_pairs_of_different_tokens_all_count() -> None:
    assert count_pairs(letters("abab")) == Counter({(b"a", b"b"): 2, (b"b", b"a"): 1})


def test_ties_go_to_the_smaller_left_then_right_token() -> None:
    events = learn_words({b"xy": 3, b"ab": 3, b"ac": 3}, 259)
    assert [e.pair for e in events if isinstance(e, Merge)] == [
        (b"a", b"b"),
        (b"a", b"c"),
        (b"x", b"y"),
    ]


def test_bpe_ends_at_its_size_or_at_min_count() -> None:
    words = {b"abc": 5, b"xy": 2}
    assert learn_words(words, 257) == [Merge(b"a", b"b", 5)]
    assert len(learn_words(words, 300)) == 3
    assert learn_words(words, 300, min_count=3) == [Merge(b"a", b"b", 5), Merge(b"ab", b"c", 5)]
    with pytest.raises(ValueError, match="smaller than the alphabet"):
        learn_words(words, 255)


def test_alphabets() -> None:
    assert list(vocabulary_of([])) == [bytes([b]) for b in range(256)]
    utf8 = {
        b
        for char in map(chr, range(0x110000))
        if not 0xD800 <= ord(char) < 0xE000
        for b in char.encode()
    }
    assert list(vocabulary_of([], "utf8")) == [bytes([b]) for b in sorted(utf8)]
    assert len(utf8) == 243
    with pytest.raises(ValueError, match="no alphabet"):
        vocabulary_of([], "ascii")


# PickyBPE. `abc` 9 times and `ab` once: (a, b) is merged 10 times, then (ab, c) takes 9 of the
# 10 `ab`, which is 0.9.
PICKY = {b"abc": 9, b"ab": 1}


def test_picky_deletes_a_part_that_went_into_the_merge() -> None:
    assert learn_words(PICKY, 257, picky=0.9) == [Merge(b"a", b"b", 10)]
    assert learn_words(PICKY, 258, picky=0.91) == [Merge(b"a", b"b", 10), Merge(b"ab", b"c", 9)]
    events = learn_words(PICKY, 258, picky=0.9)
    # The deletion frees a place. Training continues up to the size, and `ab` returns with a new id.
    assert events == [
        Merge(b"a", b"b", 10),
        Merge(b"ab", b"c", 9),
        Delete(b"ab", (b"a", b"b")),
        Merge(b"a", b"b", 1),
    ]
    assert list(vocabulary_of(events))[256:] == [b"abc", b"ab"]


def test_picky_parts_and_bytes() -> None:
    words = {b"abcd": 90, b"abc": 9, b"ab": 900}
    parts = learn_words(words, 260, picky=0.9, picky_split="parts")
    assert Delete(b"abc", (b"ab", b"c")) in parts
    in_bytes = learn_words(words, 260, picky=0.9, picky_split="bytes")
    assert Delete(b"abc", (b"a", b"b", b"c")) in in_bytes


def test_picky_part_that_was_deleted_before_is_replaced_by_its_own_parts() -> None:
    # es+k, then esk+top deletes esk, then d+esktop deletes esktop. Its part esk is gone, but es
    # and top are still in the vocabulary.
    words = {b"desktop": 99, b"esktop": 1, b"es": 500, b"top": 500}
    deletions = [e for e in learn_words(words, 264, picky=0.9) if isinstance(e, Delete)]
    assert Delete(b"esk", (b"es", b"k")) in deletions
    assert Delete(b"esktop", (b"es", b"k", b"top")) in deletions


def test_picky_refuses_a_threshold_out_of_range() -> None:
    for threshold in (0.0, -1.0, 1.5):
        with pytest.raises(ValueError, match="threshold"):
            learn_words(PICKY, 258, picky=threshold)
    with pytest.raises(ValueError, match="'parts' or 'bytes'"):
        learn_words(PICKY, 258, picky=0.9, picky_split="halves")


# Candidates. These words make ` a`, ` b` and ` c` single tokens.
WORDS: list[Event] = [Merge(b" ", b"a", 9), Merge(b" ", b"b", 8), Merge(b" ", b"c", 7)]


def test_candidates_end_at_what_is_not_eligible_and_at_the_document() -> None:
    texts = [" a b c", " a b. c a 1 b", " a", " b c xy a b"]
    assert count_candidates(texts, WORDS) == {
        (b" a", b" b", b" c"): 1,
        (b" a", b" b"): 2,
        (b" c", b" a"): 1,
        (b" b", b" c"): 1,
    }


def test_cutting_counts_overlapping_neighbours() -> None:
    candidates: Candidates = {(b"a", b"a", b"a", b"b"): 1}
    assert cut(candidates, 2) == {(b"a", b"a", b"a"): 1}
    assert cut(candidates, 3) == {}


def test_bound_of_cutting() -> None:
    assert smallest_count(WORDS, 259) == 7
    assert smallest_count(WORDS, 260) == 1  # phase 1 ran out: supermerges fill the rest
    assert smallest_count(WORDS, 260, min_count=4) == 4
    assert smallest_count([], 256) == 1


def test_ngrams_by_algorithm_2() -> None:
    candidates = {(b"x", b"a", b"b", b"c"): 2, (b"a", b"b", b"c"): 3, (b"b", b"c", b"d"): 1}
    assert count_ngrams(candidates, 5) == {
        (b"a", b"b"): 5,
        (b"b", b"c"): 6,
        (b"a", b"b", b"c"): 5,
    }
    assert count_ngrams(candidates, 5, max_length=2) == {(b"a", b"b"): 5, (b"b", b"c"): 6}
    assert count_ngrams({}, 1) == {}


def test_greedy_splitting_takes_the_longest_from_the_left() -> None:
    ngrams = {(b"a", b"b"), (b"b", b"c"), (b"c", b"d"), (b"c", b"d", b"e")}
    candidates = {(b"a", b"b", b"c", b"d", b"e"): 2, (b"x", b"b", b"c", b"d"): 3}
    assert split_candidates(candidates, ngrams) == {
        (b"a", b"b"): 2,
        (b"c", b"d", b"e"): 2,
        (b"b", b"c"): 3,
    }


# Phase 2.


def test_boundless_mixes_by_count_and_ties_go_to_the_ordinary_merge() -> None:
    events: list[Event] = [*WORDS, Merge(b"x", b"y", 5), Merge(b"y", b"z", 2)]
    superwords = Superwords({(b" a", b" b", b" c"): 3, (b" a", b" b"): 2}, events)
    assert learn_boundless(events, superwords, 261) == [
        *WORDS,
        Merge(b"x", b"y", 5),  # 5 against 5
        Supermerge(b" a", b" b", 5),
    ]


def test_boundless_goes_on_with_supermerges_when_words_run_out() -> None:
    superwords = Superwords({(b" a", b" b", b" c"): 3}, WORDS)
    assert learn_boundless(WORDS, superwords, 300)[3:] == [
        Supermerge(b" a", b" b", 3),
        Supermerge(b" a b", b" c", 3),
    ]
    assert learn_boundless(WORDS, Superwords({(b" a", b" b"): 3}, WORDS, min_count=4), 300) == WORDS


def test_boundless_replays_deletions_at_once() -> None:
    events: list[Event] = [
        Merge(b" ", b"a", 9),
        Merge(b" a", b"x", 8),
        Delete(b" a", (b" ", b"a")),
        Merge(b"y", b"z", 7),
    ]
    assert learn_boundless(events, Superwords({}, events), 257) == events[:1]
    assert learn_boundless(events, Superwords({}, events), 258) == events


def test_supermerge_to_known_bytes_is_recorded_and_adds_no_token() -> None:
    events: list[Event] = [Merge(b"a", b"b", 9), Merge(b"x", b"y", 2)]
    superwords = Superwords({(b"a", b"b"): 5}, events)
    steps = learn_boundless(events, superwords, 258)
    assert steps == [Merge(b"a", b"b", 9), Supermerge(b"a", b"b", 5), Merge(b"x", b"y", 2)]
    assert list(vocabulary_of(steps))[256:] == [b"ab", b"xy"]
    assert superwords.ambiguous


def test_deletion_keeps_a_token_that_a_supermerge_makes() -> None:
    steps: list[Step] = [
        Merge(b"a", b"b", 9),
        Supermerge(b"a", b"b", 5),
        Delete(b"ab", (b"a", b"b")),
    ]
    assert b"ab" in vocabulary_of(steps)


def test_superbpe_makes_just_so_many_supermerges() -> None:
    candidates: Candidates = {(b" a", b" b", b" c"): 3}
    one = learn_superbpe(WORDS, Superwords(candidates, WORDS), 1)
    assert one == [*WORDS, Supermerge(b" a", b" b", 3)]
    assert len(learn_superbpe(WORDS, Superwords(candidates, WORDS), 9)) == 5


@pytest.mark.parametrize(
    ("allowed", "left", "right", "expected"),
    [
        (Allowed(), "a", "б", True),
        (Allowed(max_words=3), " of", " the", True),
        (Allowed(max_words=2), " of", " the", False),
        (Allowed(boundary="space"), "x", " y", True),
        (Allowed(boundary="space"), " x", "y", False),
        (Allowed(boundary="space"), " x", "\ty", False),
        (Allowed(same_script=True), " ok", " то", False),
        (Allowed(same_script=True), " ok", " ok\u0301 12", True),
        (Allowed(same_script=True), "ー", " ok", True),  # Common on one side
        (Allowed(same_script=True), "カ", "あ", False),
        (Allowed(veto=r"f t"), " of", " the", False),  # found across the boundary
        (Allowed(veto=r"^of"), " of", " the", True),
    ],
)
def test_allowed_pairs(allowed: Allowed, left: str, right: str, expected: bool) -> None:
    assert allowed.allow((left.encode(), right.encode()), 3) is expected


def test_max_words_counts_pretokens() -> None:
    candidates: Candidates = {(b" a", b" b", b" c", b" a"): 3}

    def longest(max_words: int) -> int:
        superwords = Superwords(candidates, WORDS, allowed=Allowed(max_words=max_words))
        steps = learn_superbpe(WORDS, superwords, 9)
        return max(len(token.split()) for token in vocabulary_of(steps))

    assert [longest(n) for n in (2, 3, 4)] == [2, 3, 4]


def test_max_words_of_a_superword_with_the_bytes_of_a_word_is_one() -> None:
    events: list[Event] = [Merge(b"a", b"b", 9)]
    superwords = Superwords({(b"a", b"b", b"c"): 3}, events, allowed=Allowed(max_words=2))
    steps = learn_superbpe(events, superwords, 2)
    assert steps[1:] == [Supermerge(b"a", b"b", 3), Supermerge(b"ab", b"c", 3)]


def test_veto_that_does_not_compile_is_refused() -> None:
    with pytest.raises(regex.error):
        Allowed(veto="(")


@pytest.mark.parametrize("options", [{"max_words": 1}, {"boundary": "tab"}])
def test_bad_limits_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        Allowed(**options)  # type: ignore[arg-type]


# Complete training.

TEXTS = ["to be or not to be, that is the question", "to be is to do", "not to be"] * 4


def test_train_reaches_the_size_special_tokens_included() -> None:
    for method, options in [("bpe", {}), ("boundless", {}), ("superbpe", {"supermerges": 3})]:
        tok = train(TEXTS, 280, method, special_tokens=["<|end|>"], **options)  # type: ignore[arg-type]
        assert tok.n_vocab == 280
        assert tok.token_bytes(279) == b"<|end|>"
        assert tok.method == method


def test_train_refuses_what_makes_no_sense() -> None:
    for options in [
        {"method": "wordpiece"},
        {"method": "bpe", "supermerges": 3},
        {"method": "superbpe"},
        {"method": "boundless", "greedy_encode": True},
        {"method": "boundless", "special_tokens": ["x", "x"]},
    ]:
        with pytest.raises(ValueError):  # noqa: PT011
            train(TEXTS, 280, **options)  # type: ignore[arg-type]


def test_truncate_cuts_where_training_would_have_ended() -> None:
    steps: list[Step] = [
        Merge(b"a", b"b", 9),
        Merge(b"ab", b"c", 9),
        Delete(b"ab", (b"a", b"b")),
        Supermerge(b"abc", b"d", 5),
    ]
    assert truncate(steps, 257) == steps[:1]
    assert truncate(steps, 258) == steps
    tok = train(TEXTS, 290, special_tokens=["<|end|>"]).truncate(270)
    assert isinstance(tok, Tokenizer)
    assert tok.n_vocab == 270
    assert tok == train(TEXTS, 270, special_tokens=["<|end|>"])

"""Encoding: cases computed by hand, and properties of every text."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from superword.reference import (
    Delete,
    Encoder,
    Event,
    Merge,
    Pretokenizer,
    Step,
    Supermerge,
    Tokenizer,
    Words,
    count_pretokens,
    learn_words,
    train,
    vocabulary_of,
)
from superword.reference.encode import apply_earliest_first
from superword.reference.pairs import split_bytes


def spell(*words: str) -> list[Step]:
    """Give merges that make each word a token, letter by letter."""
    merges: dict[tuple[bytes, bytes], Merge] = {}
    for word in words:
        raw = word.encode()
        for i in range(1, len(raw)):
            merges.setdefault((raw[:i], raw[i : i + 1]), Merge(raw[:i], raw[i : i + 1], 1))
    return list(merges.values())


def test_are_notes_of_the_paper() -> None:
    # ` not` is only part of a pretoken in ` are notes`, so the supermerge does not apply.
    steps = [*spell(" are", " not", "es"), Supermerge(b" are", b" not", 1)]
    encoder = Encoder(steps, Pretokenizer("gpt4o"))
    assert encoder.encode(" are notes") == [b" are", b" not", b"es"]
    assert encoder.encode(" are not") == [b" are not"]


def test_figure_1_superwords() -> None:
    words = ["Token", "ization", " of", " the", " multi", "lingual", " 德", "国", "HY", "DAC"]
    words += ["电", "磁", "球", "阀", " can", " be", " hard"]
    supers = [(" of", " the"), (" 德", "国"), ("电", "磁"), ("球", "阀"), (" can", " be")]
    steps = spell(*words) + [Supermerge(a.encode(), b.encode(), 1) for a, b in supers]
    text = "Tokenization of the multilingual 德国HYDAC电磁球阀 can be hard."
    assert [token.decode() for token in Encoder(steps, Pretokenizer()).encode(text)] == [
        *["Token", "ization", " of the", " multi", "lingual", " 德国", "HY", "DAC"],
        *["电磁", "球阀", " can be", " hard", "."],
    ]


def test_earliest_rule_is_the_earliest_that_fits_now() -> None:
    # (ab, c) is earlier than (a, b), which makes the `ab` it needs. A strict replay in the order
    # of the rules would have missed it and returned ab cd. Training without deletions never makes
    # such rules: each token is made by one rule, which precedes the rules that use the token.
    ranks = {(b"ab", b"c"): 0, (b"a", b"b"): 1, (b"c", b"d"): 2}
    assert apply_earliest_first(split_bytes(b"abcd"), ranks) == [b"abc", b"d"]


def test_rule_is_applied_at_all_its_places_before_the_next() -> None:
    ranks = {(b"a", b"b"): 0, (b"ab", b"ab"): 1, (b"ab", b"a"): 2}
    assert apply_earliest_first(split_bytes(b"ababa"), ranks) == [b"abab", b"a"]
    assert apply_earliest_first(split_bytes(b"aaaaa"), {(b"a", b"a"): 0}) == [b"aa", b"aa", b"a"]


def test_supermerges_do_not_cross_what_is_not_eligible() -> None:
    steps = [*spell(" a", " b"), Supermerge(b" a", b" b", 1), Supermerge(b" a b", b" a", 1)]
    encoder = Encoder(steps, Pretokenizer())
    assert encoder.encode(" a b a") == [b" a b a"]
    assert encoder.encode(" a. b a 1 b") == [b" a", b".", b" b", b" a", b" ", b"1", b" b"]


def test_word_with_the_bytes_of_a_superword_is_not_taken_whole() -> None:
    # `ab` is a token, but only as a superword of the pretokens `a` and `b`.
    pretokenizer = Pretokenizer(pattern="ab(?=c)|[abc]")
    encoder = Encoder([Supermerge(b"a", b"b", 1)], pretokenizer)
    assert encoder.encode("ab") == [b"ab"]
    assert encoder.encode("abc") == [b"a", b"b", b"c"]


def test_events_are_replayed_in_order() -> None:
    events: list[Event] = [
        Merge(b"a", b"b", 10),
        Merge(b"ab", b"c", 9),
        Delete(b"ab", (b"a", b"b")),
        Merge(b"b", b"d", 5),
        Merge(b"a", b"b", 1),
    ]
    words = Words(events)
    assert words.encode(b"abc") == (b"abc",)
    assert words.encode(b"abd") == (b"a", b"bd")  # at first ab d, then a b d, then a bd
    assert words.encode(b"ab") == (b"ab",)


def test_greedy_splitting_while_encoding() -> None:
    steps = [*spell(" a", " b", " c"), Supermerge(b" b", b" c", 9), Supermerge(b" a", b" b", 8)]
    ngrams = {(b" a", b" b")}
    assert Encoder(steps, Pretokenizer()).encode(" a b c") == [b" a", b" b c"]
    assert Encoder(steps, Pretokenizer(), ngrams).encode(" a b c") == [b" a b", b" c"]


# Special tokens.


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    return train(["a b a b"] * 5, 265, special_tokens=["<|a|>", "<|a|>b", "<|z|>"])


def test_special_tokens_are_plain_text_unless_allowed(tok: Tokenizer) -> None:
    first = len(tok.vocabulary)
    text = "a<|z|>"
    assert tok.encode(text) == tok.encode_ordinary(text)
    assert max(tok.encode(text)) < first
    assert tok.encode(text, allowed_special="all")[-1] == first + 2
    assert tok.encode(text, allowed_special={"<|z|>"})[-1] == first + 2
    assert tok.encode(text, allowed_special={"<|a|>"}) == tok.encode(text)
    assert tok.encode(text, allowed_special={"unknown"}) == tok.encode(text)


def test_longer_special_token_wins(tok: Tokenizer) -> None:
    first = len(tok.vocabulary)
    assert tok.encode("<|a|>b<|a|>", allowed_special="all") == [first + 1, first]
    assert tok.decode([first + 1, first]) == "<|a|>b<|a|>"
    assert tok.decode_batch(tok.encode_batch(["a b", ""])) == ["a b", ""]


def test_disallowed_special_tokens_are_an_error(tok: Tokenizer) -> None:
    with pytest.raises(ValueError, match=r"<\|z\|>"):
        tok.encode("a<|z|>", disallowed_special="all")
    with pytest.raises(ValueError, match=r"<\|z\|>"):
        tok.encode("<|a|><|z|>", allowed_special={"<|a|>"}, disallowed_special="all")
    assert tok.encode("<|a|>", allowed_special={"<|a|>"}, disallowed_special="all")
    assert tok.encode("<|a|>", disallowed_special={"<|z|>"})


def test_ids_out_of_range_are_refused(tok: Tokenizer) -> None:
    for bad in (-1, tok.n_vocab):
        with pytest.raises(ValueError, match="no token"):
            tok.decode([bad])


def test_ids_are_the_order_of_entering(tok: Tokenizer) -> None:
    assert [tok.token_to_id(token) for token in tok.vocabulary] == list(range(tok.n_vocab - 3))
    assert tok.token_to_id(b"<|z|>") is None
    superwords = [i for i in range(tok.n_vocab) if tok.is_superword(i)]
    assert superwords == [tok.token_to_id(left + right) for left, right, _ in tok.supermerges]


# For every text.

ALPHABET = "ab cB.1é德カーไ\n\u0301😀"
CORPUS = ["ab cab ab. é 德カーカ ab cab", "aBc 11 bab cab ab", "ไไ ab ab\n cab 😀😀 é é"] * 3
MODELS: dict[str, dict[str, Any]] = {
    "bpe": {"method": "bpe"},
    "boundless": {"method": "boundless"},
    "superbpe": {"method": "superbpe", "supermerges": 9},
    "picky": {"method": "boundless", "picky": 0.6},
    "picky bytes": {"method": "boundless", "picky": 0.6, "picky_split": "bytes"},
    "greedy": {
        "method": "boundless",
        "greedy_split": True,
        "greedy_floor": 3,
        "greedy_encode": True,
    },
}


@pytest.fixture(scope="module")
def trained() -> dict[str, Tokenizer]:
    return {name: train(CORPUS, 290, **options) for name, options in MODELS.items()}


@pytest.mark.parametrize("name", MODELS)
@given(text=st.text(ALPHABET, max_size=40) | st.text(max_size=10))
def test_decoding_gives_back_the_text(trained: dict[str, Tokenizer], name: str, text: str) -> None:
    # `encode` looks each token up in the final vocabulary: a deleted one would be an error.
    assert trained[name].decode(trained[name].encode(text)) == text


@settings(max_examples=200)
@given(
    words=st.dictionaries(
        st.text("ab", min_size=1, max_size=12).map(str.encode), st.integers(1, 20), max_size=10
    ),
    size=st.integers(256, 300),
    unseen=st.text("abc", max_size=15).map(str.encode),
)
def test_each_token_is_made_by_one_rule_and_replay_is_earliest_first(
    words: dict[bytes, int], size: int, unseen: bytes
) -> None:
    events = learn_words(words, size)
    merges = [event for event in events if isinstance(event, Merge)]
    assert len({merge.left + merge.right for merge in merges}) == len(merges)
    counts = [merge.count for merge in merges]
    assert counts == sorted(counts, reverse=True)
    encoder = Words(events)
    for word in [*words, unseen]:
        assert tuple(encoder.replay(split_bytes(word))) == encoder.encode(word)
    assert all(encoder.encode(m.left + m.right) == (m.left + m.right,) for m in merges)


@settings(max_examples=200)
@given(
    words=st.dictionaries(
        st.text("abc", min_size=1, max_size=8).map(str.encode), st.integers(1, 20), max_size=10
    ),
    size=st.integers(256, 290),
    threshold=st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9, 1.0]),
    split=st.sampled_from(["parts", "bytes"]),
    unseen=st.text("abcd", max_size=15).map(str.encode),
)
def test_no_encoding_holds_a_deleted_token(
    words: dict[bytes, int], size: int, threshold: float, split: str, unseen: bytes
) -> None:
    events = learn_words(words, size, picky=threshold, picky_split=split)
    vocabulary = vocabulary_of(events)
    assert len(vocabulary) <= size
    encoder = Words(events)
    for word in [*words, unseen]:
        tokens = encoder.encode(word)
        assert b"".join(tokens) == word
        assert all(token in vocabulary for token in tokens)


def test_corpus_of_these_tests_makes_superwords(trained: dict[str, Tokenizer]) -> None:
    assert all(trained[name].supermerges for name in MODELS if name != "bpe")
    assert any(isinstance(step, Delete) for step in trained["picky"].steps)
    assert count_pretokens(CORPUS)

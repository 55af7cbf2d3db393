"""What a tokenizer promises to Python: special tokens, immutability, pickling, threads."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import superword
from superword.errors import SpecialTokenError, TextError, TokenError

EOT = "<|endoftext|>"


def test_vocabulary_counts_special_tokens(boundless: superword.Tokenizer) -> None:
    assert boundless.n_vocab == 440
    assert boundless.special_tokens == {EOT: 438, "<|pad|>": 439}
    assert boundless.eot_token == 438
    assert boundless.token_to_id(EOT) == 438


def test_no_end_of_text_is_none(words: superword.Tokenizer) -> None:
    assert words.special_tokens == {}
    assert words.eot_token is None


def test_merges_and_supermerges_make_tokens(boundless: superword.Tokenizer) -> None:
    assert boundless.merges
    assert boundless.supermerges
    for left, right, count in boundless.merges + boundless.supermerges:
        assert count >= 1
        assert boundless.token_to_id(left + right) is not None
    superwords = [i for i in range(boundless.n_vocab) if boundless.is_superword(i)]
    made = {left + right for left, right, _ in boundless.supermerges}
    assert {boundless.token_bytes(i) for i in superwords} <= made
    assert superwords


def test_superbpe_learns_the_wanted_number(superbpe: superword.Tokenizer) -> None:
    assert superbpe.method == "superbpe"
    assert len(superbpe.supermerges) == 20
    assert superbpe.n_vocab == 440


def test_plain_bpe_has_no_superwords(words: superword.Tokenizer) -> None:
    assert words.supermerges == []
    assert not any(map(words.is_superword, range(words.n_vocab)))


@pytest.mark.parametrize("name", ["words", "boundless", "superbpe"])
def test_decoding_gives_back_the_text(
    name: str, texts: list[str], request: pytest.FixtureRequest
) -> None:
    tok: superword.Tokenizer = request.getfixturevalue(name)
    for text in [*texts, "", " ", "\0", "a" * 1000, f"x{EOT}y", "\U0010ffff"]:
        assert tok.decode(tok.encode(text), errors="strict") == text
        assert tok.decode_bytes(tok.encode_ordinary(text)) == text.encode()


def test_batches_equal_one_by_one(boundless: superword.Tokenizer, texts: list[str]) -> None:
    one_by_one = [boundless.encode(text) for text in texts]
    assert boundless.encode_batch(texts) == one_by_one
    assert boundless.encode_batch(tuple(texts), threads=2) == one_by_one
    assert boundless.decode_batch(one_by_one) == texts
    assert boundless.encode_batch([]) == []


def test_ids_may_be_any_integers_in_a_row(boundless: superword.Tokenizer) -> None:
    ids = boundless.encode("one of the words")
    for given in (tuple(ids), np.array(ids, dtype=np.uint32), iter(ids), range(97, 99)):
        wanted = "ab" if isinstance(given, range) else "one of the words"
        assert boundless.decode(given) == wanted
    with pytest.raises(TypeError, match="token_bytes"):
        boundless.decode(5)  # type: ignore[arg-type]


def test_special_tokens_are_plain_text_unless_allowed(boundless: superword.Tokenizer) -> None:
    text = f"one{EOT}of the{EOT}"
    plain = boundless.encode(text)
    assert plain == boundless.encode_ordinary(text)
    assert 438 not in plain
    for allowed in ("all", {EOT}, frozenset([EOT])):
        ids = boundless.encode(text, allowed_special=allowed)
        assert ids == [*boundless.encode("one"), 438, *boundless.encode("of the"), 438]
        assert boundless.decode(ids) == text
    assert boundless.encode(text, allowed_special={"<|pad|>"}) == plain
    assert boundless.encode_batch([text], allowed_special="all") == [ids]


def test_disallowed_special_tokens_are_an_error_that_lists_the_ways_out(
    boundless: superword.Tokenizer,
) -> None:
    text = f"one{EOT}"
    refusals: list[Any] = ["all", [EOT], {EOT}, (EOT,)]
    for disallowed in refusals:
        with pytest.raises(SpecialTokenError) as caught:
            boundless.encode(text, disallowed_special=disallowed)
        assert caught.value.token == EOT
        for way in ("allowed_special=", "disallowed_special", "encode_ordinary"):
            assert way in str(caught.value)
    with pytest.raises(SpecialTokenError, match="text 1"):
        boundless.encode_batch(["one", text], disallowed_special="all")
    ids = boundless.encode(text, allowed_special={EOT}, disallowed_special="all")
    assert ids[-1] == 438
    assert boundless.encode("one", disallowed_special="all") == boundless.encode("one")


def test_wrong_special_names_are_an_error(boundless: superword.Tokenizer) -> None:
    with pytest.raises(SpecialTokenError, match="did you mean"):
        boundless.encode("x", allowed_special={"<|endoftxt|>"})
    with pytest.raises(SpecialTokenError, match="a set"):
        boundless.encode("x", allowed_special=EOT)  # type: ignore[arg-type]


def test_tokens_by_bytes_and_by_text(boundless: superword.Tokenizer) -> None:
    assert boundless.token_to_id(b"a") == 97
    assert boundless.token_to_id("a") == 97
    assert boundless.token_to_id(b"no such token at all") is None
    assert boundless.token_bytes(97) == b"a"
    assert boundless.token_bytes(438) == EOT.encode()
    for id in range(438):
        assert boundless.token_to_id(boundless.token_bytes(id)) == id


@pytest.mark.parametrize("id", [-1, 440, 2**32, 2**64, -(2**64)])
def test_ids_out_of_range_are_token_errors(boundless: superword.Tokenizer, id: int) -> None:
    calls: list[Any] = [
        lambda: boundless.decode([97, id]),
        lambda: boundless.decode_bytes([id]),
        lambda: boundless.decode_batch([[97], [id]]),
        lambda: boundless.token_bytes(id),
        lambda: boundless.is_superword(id),
    ]
    for call in calls:
        with pytest.raises(TokenError) as caught:
            call()
        assert str(id) in str(caught.value)
        assert caught.value.id == id
        assert caught.value.hint


def test_a_lone_surrogate_is_a_text_error_with_its_place(boundless: superword.Tokenizer) -> None:
    text = "one \ud83d"
    calls: list[Any] = [
        lambda: boundless.encode(text),
        lambda: boundless.encode(text, allowed_special="all"),
        lambda: boundless.encode_ordinary(text),
        lambda: boundless.encode_batch(["fine", text]),
        lambda: boundless.pretokenizer.split(text),
        lambda: boundless.pretokenizer.is_eligible(text),
        lambda: boundless.token_to_id(text),
    ]
    for call in calls:
        with pytest.raises(TextError) as caught:
            call()
        assert caught.value.position == 4
        assert caught.value.hint
    with pytest.raises(TextError, match="text 1"):
        boundless.encode_batch(["fine", text])


def test_nothing_can_be_changed(boundless: superword.Tokenizer) -> None:
    for thing in (boundless, boundless.pretokenizer):
        for name in ("n_vocab", "name", "_model", "new"):
            with pytest.raises(AttributeError, match="immutable"):
                setattr(thing, name, 1)
            with pytest.raises(AttributeError, match="immutable"):
                delattr(thing, name)
    boundless.merges.clear()
    boundless.special_tokens.clear()
    boundless.facts.clear()
    assert boundless.merges
    assert boundless.special_tokens
    assert boundless.facts
    with pytest.raises(TypeError, match=r"superword\.train"):
        superword.Tokenizer()


def test_pickles_and_copies_are_equal(
    boundless: superword.Tokenizer, words: superword.Tokenizer, tmp_path: Path
) -> None:
    path = tmp_path / "m.superword"
    boundless.save(path)
    for same in (
        pickle.loads(pickle.dumps(boundless)),
        copy.deepcopy(boundless),
        superword.Tokenizer.load(path),
        superword.Tokenizer.load(str(path)),
        superword.Tokenizer.from_bytes(boundless.to_bytes()),
    ):
        assert same == boundless
        assert hash(same) == hash(boundless)
        assert same.to_bytes() == boundless.to_bytes() == path.read_bytes()
        assert same.encode("one of the words") == boundless.encode("one of the words")
    assert boundless != words
    assert boundless != "boundless"
    assert {boundless: 1}[pickle.loads(pickle.dumps(boundless))] == 1


def test_many_threads_may_use_one_tokenizer(
    boundless: superword.Tokenizer, texts: list[str]
) -> None:
    wanted = [boundless.encode(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            assert list(pool.map(boundless.encode, texts)) == wanted


def test_truncating_keeps_the_first_tokens_and_the_special_ones(
    boundless: superword.Tokenizer, texts: list[str]
) -> None:
    small = boundless.truncate(400)
    assert small.n_vocab == 400
    assert small.special_tokens == {EOT: 398, "<|pad|>": 399}
    assert [small.token_bytes(i) for i in range(398)] == [
        boundless.token_bytes(i) for i in range(398)
    ]
    assert small.decode(small.encode(texts[0])) == texts[0]
    assert boundless.truncate(440).merges == boundless.merges
    trained = superword.train_from_iterator(texts, vocab_size=400, special_tokens=[EOT, "<|pad|>"])
    assert trained.merges == small.merges
    assert trained.supermerges == small.supermerges


@pytest.mark.parametrize("size", [0, 255, 257, 441, -1, 2**80])
def test_truncating_to_what_cannot_be_is_an_error(
    boundless: superword.Tokenizer, size: int
) -> None:
    with pytest.raises(superword.errors.OptionError):
        boundless.truncate(size)


def test_repr_says_what_it_is(boundless: superword.Tokenizer) -> None:
    assert repr(boundless) == "<superword.Tokenizer: boundless, 440 tokens, gpt4o-portable>"

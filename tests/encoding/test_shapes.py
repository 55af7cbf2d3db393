"""The same ids from every method: lists, arrays, counts, offsets and streams, on any threads."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import superword
from hypothesis import given, settings
from hypothesis import strategies as st
from superword.errors import OptionError, SpecialTokenError, TextError, TokenError
from support.strategies import texts as random_texts
from support.variants import engine

EOT = "<|endoftext|>"


def test_batches_are_the_texts_one_by_one_for_any_number_of_threads(
    boundless: superword.Tokenizer,
) -> None:
    @settings(max_examples=40, deadline=None)
    @given(st.lists(random_texts, max_size=12), st.sampled_from([None, 0, 1, 2, 3, 7]))
    def check(texts: list[str], threads: int | None) -> None:
        expected = [boundless.encode(text) for text in texts]
        assert boundless.encode_batch(texts, threads=threads) == expected
        ids, offsets = boundless.encode_batch_to_numpy(texts, threads=threads)
        assert ids.dtype == np.uint32
        assert offsets.dtype == np.uint64
        assert len(offsets) == len(texts) + 1
        bounds = [int(offset) for offset in offsets]
        assert [ids[start:end].tolist() for start, end in pairwise(bounds)] == expected
        assert boundless.count_tokens(texts, threads=threads) == [len(ids) for ids in expected]

    check()


def test_many_texts_come_back_in_order_from_many_threads(
    boundless: superword.Tokenizer, texts: list[str]
) -> None:
    # Far more than one batch of texts per thread.
    many = [f"{index} {texts[index % len(texts)]}" for index in range(2000)]
    expected = [boundless.encode(text) for text in many]
    for threads in (1, 2, 5):
        assert boundless.encode_batch(many, threads=threads) == expected
        ids, offsets = boundless.encode_batch_to_numpy(many, threads=threads)
        assert ids.tolist() == [id for ids in expected for id in ids]
        assert offsets[-1] == len(ids)
        assert boundless.count_tokens(many, threads=threads) == list(map(len, expected))


def test_one_text_as_an_array(boundless: superword.Tokenizer) -> None:
    array = boundless.encode_to_numpy("One of the first", allowed_special="all")
    assert array.dtype == np.uint32
    assert array.tolist() == boundless.encode("One of the first")
    array[0] = 7  # The caller may change the array.
    assert boundless.encode_to_numpy("One of the first")[0] != 7
    assert boundless.encode_to_numpy("").shape == (0,)
    assert boundless.decode(boundless.encode_to_numpy("говорит")) == "говорит"


def test_iterators_are_taken(boundless: superword.Tokenizer) -> None:
    assert boundless.encode_batch(word for word in ("a", "b")) == [[97], [98]]
    assert boundless.count_tokens(("a", "b")) == [1, 1]
    ids, offsets = boundless.encode_batch_to_numpy(iter([]))
    assert ids.tolist() == []
    assert offsets.tolist() == [0]


def test_count_of_one_text_is_a_number(boundless: superword.Tokenizer) -> None:
    assert boundless.count_tokens("of the" + EOT) == len(boundless.encode("of the" + EOT))
    assert boundless.count_tokens(EOT, allowed_special="all") == 1


def test_special_tokens_in_every_shape(boundless: superword.Tokenizer) -> None:
    text = f"a{EOT}"
    expected = boundless.encode(text, allowed_special={EOT})
    assert expected == [97, boundless.eot_token]
    assert boundless.encode_to_numpy(text, allowed_special={EOT}).tolist() == expected
    ids, _ = boundless.encode_batch_to_numpy([text], allowed_special={EOT})
    assert ids.tolist() == expected
    assert boundless.encode_with_offsets(text, allowed_special={EOT}) == (
        expected,
        [(0, 1), (1, 14)],
    )
    for call in (boundless.encode_to_numpy, boundless.encode_with_offsets):
        with pytest.raises(SpecialTokenError, match="disallowed"):
            call(text, disallowed_special="all")
    with pytest.raises(SpecialTokenError, match="text 1 has"):
        boundless.encode_batch_to_numpy(["b", text], disallowed_special="all")


def test_wrong_arguments_are_said(boundless: superword.Tokenizer) -> None:
    with pytest.raises(OptionError, match="threads"):
        boundless.encode_batch(["a"], threads=-1)
    with pytest.raises(OptionError, match="unit"):
        boundless.encode_with_offsets("a", unit="word")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="several texts"):
        boundless.encode_batch_to_numpy("a text")
    for call in (boundless.encode_to_numpy, boundless.count_tokens, boundless.encode_with_offsets):
        with pytest.raises(TextError, match="lone surrogate"):
            call("\ud800")
    with pytest.raises(TextError, match="text 1 has a lone surrogate"):
        boundless.count_tokens(["a", "b\udfff"])


def test_offsets_cut_the_text() -> None:
    models = [engine("boundless"), engine("picky"), engine("utf8")]

    @settings(max_examples=150, deadline=None)
    @given(random_texts, st.sampled_from(models))
    def check(text: str, tok: superword.Tokenizer) -> None:
        encoded = text.encode()
        ids, in_bytes = tok.encode_with_offsets(text, unit="byte")
        assert ids == tok.encode(text)
        assert [encoded[start:end] for start, end in in_bytes] == [tok.token_bytes(i) for i in ids]
        assert [0, *(end for _, end in in_bytes)] == [*(s for s, _ in in_bytes), len(encoded)]

        same, in_characters = tok.encode_with_offsets(text)
        assert same == ids
        for (start, end), (first, last) in zip(in_bytes, in_characters, strict=True):
            # Exactly the characters that the bytes belong to.
            assert len(text[:first].encode()) <= start < len(text[: first + 1].encode())
            assert len(text[: last - 1].encode()) < end <= len(text[:last].encode())
        covered = 0
        for first, last in in_characters:
            assert covered - 1 <= first <= covered < last or (first, last) == (covered - 1, covered)
            covered = last
        assert covered == len(text)

    check()


def test_tokens_of_one_character_share_it(words: superword.Tokenizer) -> None:
    ids, offsets = words.encode_with_offsets("a☃b")
    assert len(ids) == 5
    assert offsets == [(0, 1), (1, 2), (1, 2), (1, 2), (2, 3)]
    assert words.encode_with_offsets("") == ([], [])


def test_streaming_gives_what_decoding_gives() -> None:
    tok = engine("boundless")

    @settings(max_examples=200, deadline=None)
    @given(st.lists(st.integers(0, tok.n_vocab - 1), max_size=30))
    def any_ids(ids: list[int]) -> None:
        stream = tok.decode_stream()
        parts = [stream.feed(id) for id in ids]
        assert "".join([*parts, stream.finish()]) == tok.decode(ids)
        assert stream.pending == b""

    @settings(max_examples=60, deadline=None)
    @given(random_texts)
    def text_comes_as_soon_as_it_is_whole(text: str) -> None:
        stream = tok.decode_stream()
        told, seen = "", b""
        for id in tok.encode(text):
            told += stream.feed(id)
            seen += tok.token_bytes(id)
            assert told == seen.decode(errors="ignore")
            assert told.encode() + stream.pending == seen
        assert stream.finish() == ""
        assert told == text

    any_ids()
    text_comes_as_soon_as_it_is_whole()


@pytest.mark.parametrize(
    "data",
    [b"\xe2\x98", b"\xff\xe2\x98\x83", b"\xf0\x9f\x98a", b"\xe2\xe2\x98\x83\x80", b"\xed\xa0\x80"],
)
def test_streams_of_broken_bytes(words: superword.Tokenizer, data: bytes) -> None:
    for errors in ("replace", "ignore", "backslashreplace"):
        stream = words.decode_stream(errors)
        told = "".join([*map(stream.feed, data), stream.finish()])
        assert told == words.decode(data, errors) == data.decode(errors=errors)
    strict = words.decode_stream("strict")
    with pytest.raises(UnicodeDecodeError):
        "".join([*map(strict.feed, data), strict.finish()])


def test_a_stream_says_which_id_is_wrong_and_goes_on(words: superword.Tokenizer) -> None:
    stream = words.decode_stream()
    assert stream.feed(0xE2) == ""
    with pytest.raises(TokenError):
        stream.feed(words.n_vocab)
    with pytest.raises(TokenError):
        stream.feed(-1)
    assert stream.feed(0x98) == ""
    assert stream.feed(0x83) == "☃"


def test_clearing_the_cache_changes_no_result(texts: list[str]) -> None:
    tok = engine("picky")
    before = tok.encode_batch(texts)
    tok.clear_cache()
    assert tok.encode_batch(texts) == before
    unused = superword.Tokenizer.from_bytes(tok.to_bytes())
    unused.clear_cache()
    assert unused.encode_batch(texts) == before


def test_numpy_is_imported_only_when_asked_for(model_path: Path) -> None:
    code = (
        "import sys, superword\n"
        "tok = superword.Tokenizer.load(sys.argv[1])\n"
        "tok.decode(tok.encode('of the')), tok.encode_batch(['a'])\n"
        "assert not {'numpy', 'pyarrow'} & set(sys.modules)\n"
        "tok.encode_to_numpy('of the')\n"
        "assert 'numpy' in sys.modules and 'pyarrow' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code, str(model_path)], check=True)

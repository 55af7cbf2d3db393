"""`as_tiktoken` has the methods of `tiktoken.Encoding` and gives the same results."""

from __future__ import annotations

import inspect
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from superword.errors import TextError
from superword.export import load_tiktoken
from superword.integrations.tiktoken import Encoding
from support.export_models import scripts, superwords, texts, train, training_text
from support.imported_models import THINK, chat_model

tiktoken = pytest.importorskip("tiktoken", reason="pip install 'superword[tiktoken]'")


Both = tuple[Encoding, Any]


@pytest.fixture(scope="module", params=["gpt2", "gpt4", "gpt4o"])
def words_in_both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Both:
    """A model without superwords, and its export in tiktoken."""
    model = train(method="bpe", supermerges=None, boundary=None, pretokenizer=request.param)
    path = tmp_path_factory.mktemp("words") / "m.tiktoken"
    model.export_tiktoken(path, "exact")
    return model.as_tiktoken(), load_tiktoken(path)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("ranks") / "m.tiktoken"
    superwords().export_tiktoken(path, "exact")
    return load_tiktoken(path)


@settings(max_examples=200, deadline=None)
@given(text=texts())
def test_every_method_answers_as_tiktoken_does(real: Any, text: str) -> None:
    ours = superwords().as_tiktoken()
    ids = real.encode_ordinary(text)
    assert ours.encode_ordinary(text) == ids
    assert ours.encode(text, disallowed_special=()) == real.encode(text, disallowed_special=())
    assert ours.encode_ordinary_batch([text, "the"]) == real.encode_ordinary_batch([text, "the"])
    assert ours.decode(ids) == real.decode(ids)
    assert ours.decode_bytes(ids) == real.decode_bytes(ids)
    assert ours.decode_tokens_bytes(ids) == real.decode_tokens_bytes(ids)
    assert ours.decode_with_offsets(ids) == real.decode_with_offsets(ids)
    assert ours.decode_batch([ids, []]) == real.decode_batch([ids, []])
    assert ours.decode_bytes_batch([ids]) == real.decode_bytes_batch([ids])
    assert ours.encode_to_numpy(text, disallowed_special=()).tolist() == (
        real.encode_to_numpy(text, disallowed_special=()).tolist()
    )


def test_facts_are_those_of_tiktoken(real: Any) -> None:
    ours = superwords().as_tiktoken("m")
    for name in ("name", "n_vocab", "max_token_value", "eot_token", "special_tokens_set"):
        assert getattr(ours, name) == getattr(real, name), name
    assert repr(ours) == repr(real)
    assert ours.token_byte_values() == real.token_byte_values()
    for token in ("the", b" of", "<|endoftext|>"):
        assert ours.encode_single_token(token) == real.encode_single_token(token)
    for id in (0, 300, real.eot_token):
        assert ours.decode_single_token_bytes(id) == real.decode_single_token_bytes(id)
        assert ours.is_special_token(id) == real.is_special_token(id)


def test_special_tokens_are_an_error_unless_allowed(real: Any) -> None:
    ours = superwords().as_tiktoken()
    text = "the<|endoftext|>of<|pad|>"
    for encoding in (ours, real):
        with pytest.raises(ValueError, match="disallowed special token"):
            encoding.encode(text)
        with pytest.raises(ValueError, match="disallowed special token"):
            encoding.encode_batch([text])
        with pytest.raises(ValueError, match="disallowed special token"):
            encoding.encode(text, allowed_special={"<|pad|>"})
    for options in (
        {"allowed_special": "all"},
        {"allowed_special": {"<|endoftext|>"}, "disallowed_special": ()},
        {"allowed_special": {"<|pad|>", "<|no such|>"}, "disallowed_special": ()},
        {"disallowed_special": ()},
    ):
        assert ours.encode(text, **options) == real.encode(text, **options)
        assert ours.encode_batch([text], **options) == (real.encode_batch([text], **options))


def test_wrong_ids_and_tokens_are_key_errors(real: Any) -> None:
    ours = superwords().as_tiktoken()
    for encoding in (ours, real):
        with pytest.raises(KeyError):
            encoding.decode([10**6])
        with pytest.raises(KeyError):
            encoding.decode_single_token_bytes(10**6)
        with pytest.raises(KeyError):
            encoding.encode_single_token("no such token")


def test_lone_surrogates_are_replaced(real: Any) -> None:
    ours = superwords().as_tiktoken()
    for text in ("the \ud83d of", "\ud83d\ude00"):
        assert ours.encode(text) == real.encode(text)
        assert ours.encode_ordinary(text) == real.encode_ordinary(text)


def test_every_public_method_of_tiktoken_is_there(real: Any) -> None:
    for name, member in inspect.getmembers(type(real)):
        if name.startswith("_"):
            continue
        assert hasattr(Encoding, name), name
        if inspect.isfunction(member):
            wanted = list(inspect.signature(member).parameters)
            assert list(inspect.signature(getattr(Encoding, name)).parameters) == wanted, name


def test_models_that_tiktoken_cannot_hold_have_the_face_too(tmp_path: Path) -> None:
    ours = scripts().as_tiktoken()
    for text in training_text(3, 10):
        assert ours.decode(ours.encode(text)) == text
        assert ours.encode(text) == scripts().encode(text)
    assert pickle.loads(pickle.dumps(ours)).encode("the") == ours.encode("the")
    assert ours._mergeable_ranks[b"the"] == ours.encode_single_token("the")
    with pytest.raises(AttributeError, match="more than one pattern"):
        _ = ours._pat_str
    with pytest.raises(AttributeError, match="export_tiktoken"):
        _ = ours._core_bpe


def test_private_attributes_make_the_same_encoding_in_tiktoken(words_in_both: Both) -> None:
    ours, real = words_in_both
    assert ours._mergeable_ranks == real._mergeable_ranks
    assert ours._special_tokens == real._special_tokens
    made = tiktoken.Encoding(
        "made",
        pat_str=ours._pat_str,
        mergeable_ranks=ours._mergeable_ranks,
        special_tokens=ours._special_tokens,
    )
    for text in training_text(4, 10):
        assert made.encode(text) == ours.encode(text)


def test_a_special_token_is_found_by_its_bytes(real: Any) -> None:
    ours = superwords().as_tiktoken()
    token = b"<|endoftext|>"
    assert ours.encode_single_token(token) == real.encode_single_token(token) == ours.eot_token


@settings(max_examples=200, deadline=None)
@given(start=texts(), cut=st.integers(0, 3), middle=st.binary(max_size=5), end=texts())
def test_bytes_are_encoded_as_in_tiktoken(
    words_in_both: Both, start: str, cut: int, middle: bytes, end: str
) -> None:
    ours, real = words_in_both
    data = start.encode()[: max(0, len(start.encode()) - cut)] + middle + end.encode()
    assert ours._encode_bytes(data) == real._encode_bytes(data)
    if data:  # tiktoken panics on an empty piece.
        assert ours._encode_single_piece(data) == real._encode_single_piece(data)
    assert ours._encode_single_piece(start) == ours._encode_single_piece(start.encode())


@settings(max_examples=200, deadline=None)
@given(start=texts(), cut=st.integers(0, 3), middle=st.binary(max_size=5))
def test_bytes_of_superword_models_come_back(start: str, cut: int, middle: bytes) -> None:
    ours = superwords().as_tiktoken()
    data = start.encode()[: max(0, len(start.encode()) - cut)] + middle
    assert ours.decode_bytes(ours._encode_bytes(data)) == data


def test_a_superword_before_invalid_bytes_ends_at_their_pretoken() -> None:
    ours = superwords().as_tiktoken()
    (id,) = ours.encode(" of the")
    assert ours.superword.is_superword(id)
    assert ours._encode_bytes(b" of the\xff") == [
        *ours.encode(" of"),
        *ours._encode_single_piece(b" the\xff"),
    ]


def test_an_added_token_before_invalid_bytes_stays_one_token() -> None:
    ours = chat_model().as_tiktoken()
    the = ours.encode("the")
    for end in (b"\xff", b"the\xff", b"  \xff"):
        assert ours._encode_bytes(b"the<think>" + end) == [
            *the,
            THINK,
            *ours._encode_single_piece(end),
        ]
    assert ours.encode_single_token(b"<think>") == THINK
    assert not ours.is_special_token(THINK)
    assert b"<think>" not in ours._mergeable_ranks


def test_bytes_that_a_model_cannot_encode_are_named() -> None:
    utf8 = train(alphabet="utf8").as_tiktoken()
    with pytest.raises(TextError, match="byte 0xff is not in the alphabet"):
        utf8._encode_bytes(b"the \xff")
    with pytest.raises(TextError, match="deleted tokens"):
        scripts().as_tiktoken()._encode_bytes(b"the \xff")
    assert scripts().as_tiktoken()._encode_bytes(b"the") == scripts().encode("the")


def test_arrays_are_made_without_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = superwords().as_tiktoken()
    expected = ours.encode("the of")
    monkeypatch.setattr(Encoding, "encode", None)
    found = ours.encode_to_numpy("the of")
    assert found.dtype == np.uint32
    assert found.tolist() == expected
    with pytest.raises(ValueError, match="disallowed special token"):
        ours.encode_to_numpy("<|endoftext|>")


def test_offsets_of_special_tokens_and_parts_of_characters(real: Any) -> None:
    ours = superwords().as_tiktoken()
    ids = ours.encode("the<|endoftext|>是 ꙮ", allowed_special="all")
    text, offsets = ours.decode_with_offsets(ids)
    assert (text, offsets) == real.decode_with_offsets(ids)
    assert offsets[:2] == [0, 3]
    assert offsets[ids.index(ours.eot_token) + 1] == 3 + len("<|endoftext|>")

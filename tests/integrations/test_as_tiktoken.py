"""`as_tiktoken` has the methods of `tiktoken.Encoding` and gives the same results."""

from __future__ import annotations

import inspect
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from superword.export import load_tiktoken
from superword.integrations.tiktoken import Encoding
from support.export_models import scripts, superwords, texts, training_text

tiktoken = pytest.importorskip("tiktoken", reason="pip install 'superword[tiktoken]'")


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
    """All methods except the one about tokens at an unfinished end of text."""
    missing = {"encode_with_unstable"}
    for name, member in inspect.getmembers(type(real)):
        if name.startswith("_") or name in missing:
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
    with pytest.raises(AttributeError, match="export_tiktoken"):
        _ = ours._mergeable_ranks

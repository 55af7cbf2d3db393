"""Models built from parts that name tokens by their bytes."""

from __future__ import annotations

from typing import Any

import pytest
from superword import Pretokenizer, Tokenizer, _core
from superword.errors import ConversionError


def made(**change: Any) -> Tokenizer:
    parts: dict[str, Any] = {
        "method": "superbpe",
        "pretokenizer": Pretokenizer("gpt2")._engine,
        "alphabet": "bytes",
        "events": [
            ("merge", b" ", b"a", 3),
            ("merge", b"b", b"c", 2),
            ("supermerge", b" a", b" a", 1),
        ],
        "ids": None,
        "special_tokens": [("<|x|>", 300)],
        "facts": "{}",
    }
    return Tokenizer._wrap(_core.Model.from_parts(**(parts | change)))


def test_parts_become_a_model_that_encodes_saves_and_loads() -> None:
    model = made()
    assert model.encode(" a a bc<|x|>", allowed_special="all") == [258, 32, 257, 300]
    assert model.merges == [(b" ", b"a", 3), (b"b", b"c", 2)]
    assert model.supermerges == [(b" a", b" a", 1)]
    assert Tokenizer.from_bytes(model.to_bytes()) == model


def test_ids_may_be_given_for_each_token() -> None:
    ids = {bytes([byte]): 255 - byte for byte in range(256)}
    ids |= {b" a": 400, b"bc": 401, b" a a": 402}
    model = made(ids=ids)
    assert model.encode(" a a bc b") == [402, 255 - 32, 401, 255 - 32, 255 - ord("b")]
    assert model.decode([402, 401]) == " a abc"
    assert model._model.has_own_ids
    assert not made()._model.has_own_ids


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"method": "words"}, "no method named"),
        ({"alphabet": "letters"}, "no alphabet named"),
        ({"facts": "[]"}, "not a JSON object"),
        ({"events": [("delete", b"a", b"b", 1)]}, "no kind of event named"),
        ({"events": [("merge", b"ab", b"c", 1)]}, 'event 0 uses the token "ab"'),
        ({"events": [("merge", b"a", b"b", 0)]}, "count of 0"),
        ({"method": "bpe"}, "is a supermerge"),
        ({"ids": {b"a": 1}}, "has no id"),
        ({"special_tokens": [("<|x|>", 5)]}, "given twice"),
        ({"special_tokens": [("<|x|>", 2**31)]}, "is larger than"),
        ({"special_tokens": [("", 400)]}, "is empty"),
    ],
)
def test_parts_that_make_no_model_are_refused(change: dict[str, Any], match: str) -> None:
    with pytest.raises(ConversionError, match=match):
        made(**change)

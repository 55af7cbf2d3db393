"""Models built from parts that name tokens by their bytes."""

from __future__ import annotations

from typing import Any

import pytest
import superword
from superword import Pretokenizer, Tokenizer, _core
from superword.errors import ConversionError, OptionError


def special(text: str, id: int) -> tuple[str, int, bool, bool, bool, bool, bool]:
    return (text, id, True, False, False, False, False)


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
        "added_tokens": [special("<|x|>", 300)],
        "facts": "{}",
    }
    return Tokenizer._wrap(_core.Model.from_parts(**(parts | change)))


def test_parts_become_a_model_that_encodes_saves_and_loads() -> None:
    model = made()
    assert model.encode(" a a bc<|x|>", allowed_special="all") == [258, 32, 257, 300]
    assert model.merges == [(b" ", b"a", 3), (b"b", b"c", 2)]
    assert model.supermerges == [(b" a", b" a", 1)]
    assert Tokenizer.from_bytes(model.to_bytes()) == model


def test_what_imports_have_is_kept_through_the_file() -> None:
    ids = {bytes([byte]): byte for byte in range(256)}
    ids |= {b" a": 256, b"bc": 257, b" a a": 258}
    added = [
        special("<|x|>", 300),
        special("<|y|>", 300),
        ("<think>", 301, False, True, False, True, True),
    ]
    model = made(
        ids=ids,
        added_tokens=added,
        normalizer="nfc",
        whole_pieces=True,
        order=[7, 3],
        unmade=[(b" the", 302), (b"", 303)],
        settings='{"eos_token": "<|x|>"}',
    )
    for tok in (model, Tokenizer.from_bytes(model.to_bytes())):
        assert tok.special_tokens == {"<|x|>": 300, "<|y|>": 300}
        assert tok.added_tokens == [superword.AddedToken(*token) for token in added]
        assert tok.added_tokens[2].single_word
        assert tok.normalizer == "nfc"
        assert tok.whole_pieces
        assert tok._model.order == [7, 3]
        assert tok.unmade_tokens == {b" the": 302, b"": 303}
        assert tok.settings == {"eos_token": "<|x|>"}
        assert tok.n_vocab == 304
        assert [tok.token_bytes(id) for id in (300, 301, 302, 303)] == [
            b"<|x|>",
            b"<think>",
            b" the",
            b"",
        ]
        assert tok.decode([300, 302, 303, 301]) == "<|x|> the<think>"
        assert tok.token_to_id("<|y|>") == 300
        assert tok.token_to_id("<think>") == tok.token_to_id(b"<think>") == 301
        assert tok.token_to_id(" the") == 302
        assert not any(map(tok.is_superword, (300, 301, 302, 303)))
        with pytest.raises(OptionError, match="custom ids cannot be truncated"):
            tok.truncate(300)
    plain = made()
    assert plain.normalizer is None
    assert not plain.whole_pieces
    assert plain._model.order is None
    assert plain.settings == {}
    assert plain.unmade_tokens == {}


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
        ({"facts": "[]"}, "facts are not a JSON object"),
        ({"settings": "[]"}, "settings are not a JSON object"),
        ({"normalizer": "nfd"}, "no normalizer named"),
        ({"order": [1]}, "1 ranks were given for 2 merges"),
        ({"unmade": [(b"xyz", 400)]}, "the others have none"),
        ({"events": [("remove", b"a", b"b", 1)]}, "no kind of event named"),
        ({"events": [("delete", b"a", b"", 0)]}, "which is a single byte"),
        ({"events": [("merge", b"ab", b"c", 1)]}, 'event 0 uses the token "ab"'),
        ({"events": [("merge", b"a", b"b", 0)]}, "count of 0"),
        ({"method": "bpe"}, "is a supermerge"),
        ({"ids": {b"a": 1}}, "has no id"),
        ({"added_tokens": [special("<|x|>", 5)]}, "given twice"),
        ({"added_tokens": [special("<|x|>", 2**31)]}, "is larger than"),
        ({"added_tokens": [special("", 400)]}, "is empty"),
    ],
)
def test_parts_that_make_no_model_are_refused(change: dict[str, Any], match: str) -> None:
    with pytest.raises(ConversionError, match=match):
        made(**change)


def test_parts_may_hold_deletions() -> None:
    events = [("merge", b"a", b"b", 3), ("merge", b"ab", b"c", 2), ("delete", b"ab", b"", 0)]
    for split in ("parts", "bytes"):
        model = made(method="bpe", events=events, picky_split=split)
        assert model._model.events() == events
        assert model.encode("abc ab") == [256, 32, 97, 98]
        assert Tokenizer.from_bytes(model.to_bytes()) == model
    with pytest.raises(ConversionError, match="no picky_split named"):
        made(picky_split="letters")

"""Damaged files of other programs are refused with the place of the damage."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from superword import Tokenizer
from superword._support.bytechars import to_chars
from superword.errors import ConversionError

VOCABULARY = {to_chars(bytes([byte])): byte for byte in range(256)}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False}


def tokenizer_json(**model: Any) -> dict[str, Any]:
    return {
        "added_tokens": [{"id": 256, "content": "<s>", "special": True}],
        "pre_tokenizer": BYTE_LEVEL,
        "model": {"type": "BPE", "vocab": VOCABULARY, "merges": [], **model},
    }


def refused(path: Path) -> str:
    with pytest.raises(ConversionError) as caught:
        Tokenizer.from_file(path)
    assert caught.value.hint is not None
    return caught.value.message


@pytest.mark.parametrize(
    ("model", "place"),
    [
        ({"vocab": VOCABULARY | {"ab": -1}}, "model.vocab.ab: -1 is not a whole number"),
        ({"vocab": VOCABULARY | {"ab": 2**40}}, "model.vocab.ab: 1099511627776 is not a whole"),
        ({"vocab": VOCABULARY | {"ab": "7"}}, "model.vocab.ab: expected a number, found a string"),
        ({"merges": [["a", "b"], ["a", 5]]}, "model.merges[1]: expected two tokens"),
        ({"merges": None}, "model.merges: expected a list, found null"),
    ],
)
def test_a_damaged_tokenizer_json(model: dict[str, Any], place: str, tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(tokenizer_json(**model)))
    assert refused(file).startswith(f"{file}: not laid out as expected ({place}")


def test_a_merge_whose_token_is_missing(tmp_path: Path) -> None:
    vocabulary = VOCABULARY | {"abc": 257}
    data = tokenizer_json(vocab=vocabulary, merges=["a b", "ab c"])
    (tmp_path / "tokenizer.json").write_text(json.dumps(data))
    assert "lacks the token b'ab', which its merges make" in refused(tmp_path)


def test_a_byte_order_mark_is_no_damage(tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(tokenizer_json()), encoding="utf-8-sig")
    assert Tokenizer.from_file(file).special_tokens == {"<s>": 256}
    assert Tokenizer.from_huggingface(file) == Tokenizer.from_file(file)


@pytest.mark.parametrize("text", ['{"a": "\\ud800"}', '{"a": NaN}', '{"a": ' + "[" * 10_000])
def test_what_only_some_programs_take_for_json(text: str, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(text)
    assert f"{tmp_path / 'tokenizer.json'} is not JSON: " in refused(tmp_path)


def test_the_file_that_names_an_unknown_role_is_named(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer_json()))
    (tmp_path / "tokenizer_config.json").write_text('{"bos_token": "<s>"}')
    (tmp_path / "chat_template.jinja").write_text("{{ messages }}")
    wrong = tmp_path / "special_tokens_map.json"
    wrong.write_text('{"pad_token": "<pad>", "bos_token": "<x>"}')
    assert refused(tmp_path).startswith(f"{wrong}: the pad_token is '<pad>'")
    wrong.write_text('{"bos_token": "<x>"}')
    settings = Tokenizer.from_file(tmp_path).settings
    assert settings == {"bos_token": "<s>", "chat_template": "{{ messages }}"}


@pytest.mark.parametrize(
    ("line", "is_good"),
    [
        ("= 300", True),
        ("YWI= 300", True),
        ("", True),
        ("YWI= -1", False),
        ("YWI= 4294967296", False),
    ]
    + [(line, False) for line in ("YWI 300", "YW!= 300", "YWI= 1 2", "YWI=", "YWI= 3.0")],
)
def test_lines_of_ranks(line: str, is_good: bool, tmp_path: Path) -> None:
    lines = [f"{base64.b64encode(bytes([byte])).decode()} {byte}" for byte in range(256)]
    file = tmp_path / "m.tiktoken"
    file.write_text("\r\n".join([*lines, line]))
    if is_good:
        assert Tokenizer.from_tiktoken(file, "gpt2").encode("a") == [97]
        return
    with pytest.raises(ConversionError) as caught:
        Tokenizer.from_tiktoken(file, "gpt2")
    assert caught.value.message.startswith(f"{file}:257: not a token in base64 and its rank: b'YW")


def test_ranks_that_are_no_ids() -> None:
    for rank in (-1, 2**32, 1.5, "1"):
        with pytest.raises(ConversionError, match="a rank must be a number for some bytes"):
            Tokenizer.from_tiktoken({b"a": rank}, "gpt2")


def test_a_tekken_json_with_an_absurd_size(tmp_path: Path) -> None:
    config = {"pattern": ".", "default_vocab_size": 300, "default_num_special_tokens": 2**31}
    (tmp_path / "tekken.json").write_text(json.dumps({"config": config, "vocab": []}))
    assert "default_num_special_tokens: 2147483648 is too large" in refused(tmp_path)

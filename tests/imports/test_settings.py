"""What the files beside a tokenizer say is kept as settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from superword import Tokenizer
from superword._support.bytechars import to_chars
from superword.errors import ConversionError

BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": True,
}
TOKENS = ["<s>", "</s>", "<pad>", "<mask>"]


def template(single: list[str], pair: list[str]) -> dict[str, Any]:
    def item(text: str) -> dict[str, Any]:
        if text.startswith("$"):
            return {"Sequence": {"id": text[1:], "type_id": 0}}
        return {"SpecialToken": {"id": text, "type_id": 0}}

    return {
        "type": "TemplateProcessing",
        "single": [item(text) for text in single],
        "pair": [item(text) for text in pair],
        "special_tokens": {
            text: {"id": text, "ids": [256 + at], "tokens": [text]}
            for at, text in enumerate(TOKENS)
        },
    }


def write(folder: Path, config: dict[str, Any] | None = None, **parts: Any) -> Path:
    data = {
        "version": "1.0",
        "added_tokens": [
            {
                "id": 256 + at,
                "content": text,
                "special": True,
                "single_word": False,
                "lstrip": text == "<mask>",
                "rstrip": False,
                "normalized": False,
            }
            for at, text in enumerate(TOKENS)
        ],
        "normalizer": None,
        "pre_tokenizer": BYTE_LEVEL,
        "post_processor": None,
        "decoder": BYTE_LEVEL,
        "model": {
            "type": "BPE",
            "vocab": {to_chars(bytes([byte])): byte for byte in range(256)},
            "merges": [],
        },
        **parts,
    }
    (folder / "tokenizer.json").write_text(json.dumps(data))
    if config is not None:
        (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder


def settings_of(folder: Path) -> dict[str, Any]:
    return Tokenizer.from_huggingface(folder).settings


CONFIG = {
    "bos_token": "<s>",
    "eos_token": {"__type": "AddedToken", "content": "</s>", "lstrip": False},
    "pad_token": "<pad>",
    "unk_token": None,
    "chat_template": "{{ messages }}",
    "model_max_length": 4096,
    "padding_side": "left",
    "clean_up_tokenization_spaces": False,
    "tokenizer_class": "PreTrainedTokenizerFast",
}


def test_the_configuration_becomes_settings(tmp_path: Path) -> None:
    assert settings_of(write(tmp_path, CONFIG)) == {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "pad_token": "<pad>",
        "chat_template": "{{ messages }}",
        "model_max_length": 4096,
        "padding_side": "left",
        "clean_up_tokenization_spaces": False,
    }
    by_file = Tokenizer.from_huggingface(tmp_path / "tokenizer.json")
    assert by_file.settings == settings_of(tmp_path)
    assert Tokenizer.from_bytes(by_file.to_bytes()).settings == by_file.settings


def test_without_a_configuration_there_are_no_settings(tmp_path: Path) -> None:
    assert settings_of(write(tmp_path)) == {}


def test_no_limit_is_no_setting(tmp_path: Path) -> None:
    assert settings_of(write(tmp_path, {"model_max_length": 1000000000000000019884624838656})) == {}


def test_special_tokens_map_names_roles_too(tmp_path: Path) -> None:
    write(tmp_path, {"eos_token": "</s>"})
    (tmp_path / "special_tokens_map.json").write_text('{"eos_token": "<s>", "bos_token": "<s>"}')
    assert settings_of(tmp_path) == {"eos_token": "</s>", "bos_token": "<s>"}


def test_templates_in_files_replace_the_one_in_the_configuration(tmp_path: Path) -> None:
    write(tmp_path, CONFIG)
    (tmp_path / "chat_template.jinja").write_text("from a file")
    assert settings_of(tmp_path)["chat_template"] == "from a file"
    (tmp_path / "additional_chat_templates").mkdir()
    (tmp_path / "additional_chat_templates" / "tools.jinja").write_text("with tools")
    assert settings_of(tmp_path)["chat_template"] == [
        {"name": "default", "template": "from a file"},
        {"name": "tools", "template": "with tools"},
    ]


BOS = (["<s>", "$A"], ["<s>", "$A", "<s>", "$B"])
BOTH = (["<s>", "$A", "</s>"], ["<s>", "$A", "</s>", "<s>", "$B", "</s>"])
ROBERTA = (["<s>", "$A", "</s>"], ["<s>", "$A", "</s>", "</s>", "$B", "</s>"])
ROLES = {"bos_token": "<s>", "eos_token": "</s>"}


@pytest.mark.parametrize(
    ("post", "config", "expected"),
    [
        (template(*BOS), {}, BOS),
        ({"type": "Sequence", "processors": [BYTE_LEVEL, template(*BOS)]}, {}, BOS),
        (BYTE_LEVEL, {}, None),
        (None, {}, None),
        ({"type": "RobertaProcessing", "sep": ["</s>", 257], "cls": ["<s>", 256]}, {}, ROBERTA),
        # The two switches count where the post-processor adds nothing.
        (BYTE_LEVEL, {"add_bos_token": True, "add_eos_token": False}, BOS),
        (None, {"add_bos_token": True, "add_eos_token": True}, BOTH),
        (template(*BOS), {"add_bos_token": True, "add_eos_token": True}, BOS),
        (template(*BOS), {"add_bos_token": False}, BOS),
        (None, {"add_bos_token": True, "bos_token": None}, None),
    ],
)
def test_what_surrounds_a_text(
    post: dict[str, Any] | None, config: dict[str, Any], expected: Any, tmp_path: Path
) -> None:
    found = settings_of(write(tmp_path, ROLES | config, post_processor=post))
    assert found.get("single") == (expected and expected[0])
    assert found.get("pair") == (expected and expected[1])


def test_what_surrounds_a_text_is_what_transformers_adds(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    fast = {"tokenizer_class": "PreTrainedTokenizerFast"}
    for post in (None, BYTE_LEVEL, template(*BOS), template(*BOTH), template(*ROBERTA)):
        for config in ({}, {"add_bos_token": False}):
            write(tmp_path, ROLES | config | fast, post_processor=post)
            theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
            model = Tokenizer.from_huggingface(tmp_path)
            for key, texts in (("single", ["a"]), ("pair", ["a", "b"])):
                plain = ["$A"] if key == "single" else ["$A", "$B"]
                items = model.settings.get(key, plain)
                given = {"$A": [97], "$B": [98]}
                ids = [
                    id for item in items for id in given.get(item, [model.special_tokens.get(item)])
                ]
                assert theirs(*texts).input_ids == ids
            again = Tokenizer.from_huggingface(theirs)
            assert again.settings.get("single") == model.settings.get("single")
            assert again.settings["bos_token"] == "<s>"


def test_a_role_without_a_token_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, {"pad_token": "<nothing>"})
    with pytest.raises(ConversionError, match="the pad_token is '<nothing>'") as caught:
        settings_of(tmp_path)
    assert "tokenizer_config.json" in str(caught.value)
    assert caught.value.hint is not None


def test_tokens_that_only_the_configuration_names_are_added(tmp_path: Path) -> None:
    listed = {
        "260": {"content": "<tool>", "special": False, "normalized": False},
        "256": {"content": "<s>", "special": True, "lstrip": True},
    }
    model = Tokenizer.from_huggingface(write(tmp_path, {"added_tokens_decoder": listed}))
    tokens = {token.content: token for token in model.added_tokens}
    assert tokens["<tool>"].id == 260
    assert not tokens["<tool>"].special
    assert not tokens["<s>"].lstrip  # tokenizer.json says so.
    assert tokens["<mask>"].lstrip


def test_damaged_files_beside_the_tokenizer_are_named(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text("{")
    with pytest.raises(ConversionError, match=r"tokenizer_config\.json is not JSON"):
        settings_of(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('{"added_tokens_decoder": {"x": 1}}')
    with pytest.raises(ConversionError, match="not laid out as expected"):
        settings_of(tmp_path)

"""Published tokenizers behave in `SuperwordTokenizer` as they do in transformers.

They are fetched by `python tools/families.py fetch`; see `tests/families`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from superword import Tokenizer
from support.nasty import NASTY

transformers = pytest.importorskip("transformers", reason="pip install 'superword[transformers]'")

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from family_fetch import DEFAULT  # type: ignore[import-not-found]  # noqa: E402
from superword.integrations.transformers import SuperwordTokenizer  # noqa: E402

FOLDER = Path(os.environ.get("SUPERWORD_FAMILIES") or DEFAULT)
# With NFC and without, with tokens around a text and without, with chat templates of all sorts.
NAMES = ("qwen3", "llama3.1", "gpt-oss", "command-r-plus", "aya-expanse", "mistral-nemo", "gpt2")
ADDED = (
    "<think>hm</think> <tool_call>{}</tool_call>",
    "<|im_start|>user\nhi<|im_end|> x",
    "<|begin_of_text|>a<|eot_id|> <s>b</s><|endoftext|>",
)


@pytest.fixture(scope="module", params=NAMES)
def both(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    folder = FOLDER / request.param
    if not (folder / "tokenizer.json").is_file():
        pytest.skip(f"no {request.param} in {FOLDER}; run python tools/families.py fetch")
    # Not AutoTokenizer, which replaces the patterns of some files with those of a class.
    origin = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    return SuperwordTokenizer.from_superword(Tokenizer.from_huggingface(folder)), origin


def test_ids_and_masks_are_the_same(both: tuple[Any, Any]) -> None:
    ours, origin = both
    for text in (*NASTY, *ADDED):
        for options in ({}, {"text_pair": "b"}, {"add_special_tokens": False}):
            encoded = ours(text, return_special_tokens_mask=True, **options)
            expected = origin(text, return_special_tokens_mask=True, **options)
            for key in ("input_ids", "attention_mask", "special_tokens_mask"):
                assert encoded[key] == expected[key], (text, options, key)


def test_decoded_text_is_the_same(both: tuple[Any, Any]) -> None:
    ours, origin = both
    for text in (*NASTY, *ADDED):
        ids = origin(text)["input_ids"]
        for skip in (False, True):
            assert ours.decode(ids, skip_special_tokens=skip) == (
                origin.decode(ids, skip_special_tokens=skip)
            ), (text, skip)
            tokens = ours.convert_ids_to_tokens(ids, skip_special_tokens=skip)
            assert ours.convert_tokens_to_string(tokens) == (
                ours.decode(ids, skip_special_tokens=skip)
            )
        assert ours.convert_ids_to_tokens(ids) == origin.convert_ids_to_tokens(ids)


def test_roles_flags_and_templates_are_the_same(both: tuple[Any, Any]) -> None:
    ours, origin = both
    assert ours.special_tokens_map == origin.special_tokens_map
    assert ours.chat_template == origin.chat_template
    for name in ("model_max_length", "padding_side", "truncation_side"):
        assert getattr(ours, name) == getattr(origin, name), name
    assert set(ours.all_special_ids) >= set(origin.all_special_ids)
    flags = ("content", "special", "lstrip", "rstrip", "normalized", "single_word")
    for id, token in origin.added_tokens_decoder.items():
        own = ours.added_tokens_decoder[id]
        assert [getattr(own, flag) for flag in flags] == [getattr(token, flag) for flag in flags]
    if isinstance(origin.chat_template, str):
        messages = [
            {"role": "user", "content": "Hi, what is <think>?"},
            {"role": "assistant", "content": "A token."},
        ]
        options = {"tokenize": True, "return_dict": False}
        assert ours.apply_chat_template(messages, **options) == (
            origin.apply_chat_template(messages, **options)
        )

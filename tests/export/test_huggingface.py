"""Hugging Face's libraries load an export correctly, whatever else is in the directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.export_models import superwords, training_text, words

pytest.importorskip("tokenizers", reason="pip install 'superword[huggingface]'")
transformers = pytest.importorskip("transformers", reason="pip install 'superword[transformers]'")

TEMPLATE = "{% for m in messages %}{{ m.role }}: {{ m.content }}{{ eos_token }}{% endfor %}"

# Some releases of transformers replace the pre-tokenizer with that of the model type.
CONFIGS: dict[str, dict[str, Any] | None] = {
    "none": None,
    "gpt2": {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": 900},
    "llama": {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": 900},
}


@pytest.mark.parametrize("config", CONFIGS)
def test_auto_tokenizer_gives_the_ids_of_the_model(config: str, tmp_path: Path) -> None:
    for name, model in (("superwords", superwords()), ("words", words())):
        folder = tmp_path / name
        model.export_huggingface(folder, "exact", chat_template=TEMPLATE)
        if CONFIGS[config] is not None:
            (folder / "config.json").write_text(json.dumps(CONFIGS[config]))
        loaded = transformers.AutoTokenizer.from_pretrained(folder)
        for text in training_text(5, 40):
            assert loaded(text)["input_ids"] == model.encode(text)
            assert loaded.decode(model.encode(text)) == text
        assert loaded.eos_token == "<|endoftext|>"
        assert loaded.pad_token == "<|pad|>"
        assert loaded.bos_token is None
        assert loaded.eos_token_id == model.eot_token
        assert len(loaded) == model.n_vocab
        said = loaded.apply_chat_template([{"role": "user", "content": "the"}], tokenize=False)
        assert said == "user: the<|endoftext|>"
        batch = loaded(["the", "the of and"], padding=True)
        assert len(batch["input_ids"][0]) == len(batch["input_ids"][1])


def test_the_fast_class_loads_it_whatever_the_model_type(tmp_path: Path) -> None:
    """AutoTokenizer of transformers 5 replaces any pattern with that of Qwen2."""
    model = superwords()
    model.export_huggingface(tmp_path)
    config = {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "vocab_size": 900}
    (tmp_path / "config.json").write_text(json.dumps(config))
    loaded = transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path)
    for text in training_text(5, 40):
        assert loaded(text)["input_ids"] == model.encode(text)


def test_saved_again_by_transformers_it_is_the_same(tmp_path: Path) -> None:
    model = superwords()
    model.export_huggingface(tmp_path / "a")
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path / "a")
    loaded.save_pretrained(tmp_path / "b")
    again = transformers.AutoTokenizer.from_pretrained(tmp_path / "b")
    for text in training_text(6, 20):
        assert again(text)["input_ids"] == model.encode(text)


def test_ids_and_tokens_are_those_of_the_model(tmp_path: Path) -> None:
    import tokenizers

    model = superwords()
    model.export_huggingface(tmp_path)
    loaded = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert loaded.get_vocab_size() == model.n_vocab
    for id in range(model.n_vocab):
        text = model.token_bytes(id).decode(errors="replace")
        assert loaded.decode([id], skip_special_tokens=False) == text

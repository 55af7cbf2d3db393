"""The tokenizer class for transformers, with models that no other format can express."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from superword.errors import OptionError
from support.export_models import scripts, superwords, texts, training_text

transformers = pytest.importorskip("transformers", reason="pip install 'superword[transformers]'")

from superword.integrations.transformers import SuperwordTokenizer  # noqa: E402

TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}{% endfor %}"


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return SuperwordTokenizer.from_superword(scripts(), chat_template=TEMPLATE)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=texts())
def test_ids_text_and_offsets_are_those_of_the_model(tokenizer: Any, text: str) -> None:
    model = scripts()
    encoded = tokenizer(text, return_offsets_mapping=True)
    ids = encoded["input_ids"]
    assert ids == model.encode(text, allowed_special="all")
    assert encoded["attention_mask"] == [1] * len(ids)
    assert tokenizer.decode(ids) == text
    assert tokenizer.convert_tokens_to_ids(tokenizer.tokenize(text)) == ids
    assert tokenizer.convert_tokens_to_string(tokenizer.tokenize(text)) == text
    spans = encoded["offset_mapping"]
    for id, (start, end) in zip(ids, spans, strict=True):
        assert model.token_bytes(id) in text[start:end].encode()
        assert start < end
    assert all(a[0] <= b[0] and b[0] <= a[1] for a, b in pairwise(spans))
    if spans:
        assert (spans[0][0], spans[-1][1]) == (0, len(text))


def test_a_batch_for_a_tiny_model(tokenizer: Any) -> None:
    """Return logits for ids: an embedding and a product, with the padding masked."""
    documents = [*training_text(1, 5), ""]
    batch = tokenizer(documents, padding=True, truncation=True, max_length=16, return_tensors="np")
    ids, mask = batch["input_ids"], batch["attention_mask"]
    assert ids.shape == mask.shape == (6, 16)
    random = np.random.default_rng(0)
    embedding = random.standard_normal((len(tokenizer), 8))
    hidden = (embedding[ids] * mask[..., None]).sum(axis=1)
    assert (hidden @ embedding.T).shape == (6, len(tokenizer))
    for row, used, text in zip(ids, mask, documents, strict=True):
        assert list(row[: used.sum()]) == scripts().encode(text)[:16]
        assert set(row[used.sum() :]) <= {tokenizer.pad_token_id}


def test_padding_and_truncation_on_either_side() -> None:
    model = superwords()
    tokenizer = SuperwordTokenizer.from_superword(model, padding_side="left")
    batch = tokenizer(["the", "the of and that это"], padding=True, return_offsets_mapping=True)
    assert batch["input_ids"][0][-1:] == model.encode("the")
    assert batch["attention_mask"][0][0] == 0
    assert batch["offset_mapping"][0][0] == (0, 0)
    assert batch["offset_mapping"][0][-1] == (0, 3)
    text = " это и не что В"
    whole = model.encode(text)
    tokenizer.truncation_side = "left"
    cut = tokenizer(text, truncation=True, max_length=2, return_offsets_mapping=True)
    assert cut["input_ids"] == whole[-2:]
    assert cut["offset_mapping"][-1][1] == len(text)
    assert tokenizer("the of", padding="max_length", max_length=32)["attention_mask"][0] == 0


def test_special_tokens_are_added_where_asked() -> None:
    model = superwords()
    tokenizer = SuperwordTokenizer.from_superword(
        model, bos_token="<|pad|>", special_tokens_pattern="bos_eos"
    )
    bos, eos = model.special_tokens["<|pad|>"], model.eot_token
    encoded = tokenizer("the of", return_offsets_mapping=True, return_special_tokens_mask=True)
    inner = model.encode("the of")
    assert encoded["input_ids"] == [bos, *inner, eos]
    assert encoded["special_tokens_mask"] == [1, *[0] * len(inner), 1]
    assert encoded["offset_mapping"][0] == encoded["offset_mapping"][-1] == (0, 0)
    assert tokenizer("the of", add_special_tokens=False)["input_ids"] == inner
    assert tokenizer.decode(encoded["input_ids"], skip_special_tokens=True) == "the of"
    short = tokenizer(" это не что В", truncation=True, max_length=3, return_offsets_mapping=True)
    assert len(short["input_ids"]) == len(short["offset_mapping"]) == 3
    pair = tokenizer("the", "of", return_offsets_mapping=True)
    assert model.encode("of")[0] in pair["input_ids"]
    assert len(pair["offset_mapping"]) == len(pair["input_ids"])


def test_special_tokens_in_text(tokenizer: Any) -> None:
    model = scripts()
    text = "the<|endoftext|>of"
    assert model.eot_token in tokenizer(text)["input_ids"]
    plain = tokenizer(text, split_special_tokens=True)["input_ids"]
    assert plain == model.encode_ordinary(text)


def test_chat_templates(tokenizer: Any) -> None:
    messages = [{"role": "user", "content": "the of"}]
    said = tokenizer.apply_chat_template(messages, tokenize=False)
    assert said == "<user>the of<|endoftext|>"
    ids = tokenizer.apply_chat_template(messages, return_dict=True)["input_ids"]
    assert ids == scripts().encode(said, allowed_special="all")


def test_tokens_added_later_have_new_ids() -> None:
    tokenizer = SuperwordTokenizer.from_superword(superwords())
    size = len(tokenizer)
    assert tokenizer.add_tokens(["<new>"]) == 1
    assert len(tokenizer) == size + 1
    ids = tokenizer("the<new> of")["input_ids"]
    assert ids == [*superwords().encode("the"), size, *superwords().encode(" of")]
    assert tokenizer.decode(ids) == "the<new> of"


def test_saved_and_loaded_it_is_the_same(tokenizer: Any, tmp_path: Path) -> None:
    tokenizer.save_pretrained(tmp_path / "a")
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path / "a")
    assert type(loaded) is SuperwordTokenizer
    loaded.save_pretrained(tmp_path / "b")
    again = SuperwordTokenizer.from_pretrained(tmp_path / "b")
    copied = pickle.loads(pickle.dumps(loaded))
    for text in training_text(2, 10):
        expected = tokenizer(text)["input_ids"]
        for other in (loaded, again, copied):
            assert other(text)["input_ids"] == expected
    assert loaded.chat_template == TEMPLATE
    assert loaded.pad_token == "<|pad|>"
    assert loaded.get_vocab() == tokenizer.get_vocab()


def test_as_remote_code_it_needs_no_import(tokenizer: Any, tmp_path: Path) -> None:
    """Load it in a separate process that does not import the module."""
    folder = tmp_path / "saved"
    tokenizer.save_pretrained(folder)
    assert (folder / "tokenization_superword.py").is_file()
    code = (
        "import sys, transformers\n"
        "t = transformers.AutoTokenizer.from_pretrained(sys.argv[1], trust_remote_code=True)\n"
        "assert 'superword.integrations.transformers' not in sys.modules\n"
        "print(*t(sys.argv[2])['input_ids'])\n"
    )
    text = "the of and 这是的 that"
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder), text],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "HF_HOME": str(tmp_path / "cache"), "HF_HUB_OFFLINE": "1"},
    )
    assert [int(id) for id in done.stdout.split()] == scripts().encode(text)


def test_what_has_no_meaning_here_is_an_error(tokenizer: Any) -> None:
    with pytest.raises(OptionError, match="is_split_into_words"):
        tokenizer(["the", "of"], is_split_into_words=True)
    with pytest.raises(OptionError, match="second texts"):
        tokenizer(["the", "of"], ["and"])

"""Any file is recognised by its content, or refused with a hint."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from superword import Pretokenizer, Tokenizer
from superword._support.bytechars import to_chars
from superword.errors import ConversionError, MissingModelError, ModelFileError, OptionError
from superword.imports import open_any
from support.export_models import training_text, words
from support.golden import COMMITTED_SET

# Windows has no devices that look like files.
DEVICES = [path for path in ["/dev/null"] if Path(path).exists()]


def hf_data(model: Tokenizer) -> dict[str, Any]:
    """A tokenizer.json of a model without superwords."""
    ids = {model.token_bytes(id): id for id in range(model.n_vocab - len(model.special_tokens))}
    split = {
        "type": "Split",
        "pattern": {"Regex": model.pretokenizer.pattern},
        "behavior": "Isolated",
        "invert": False,
    }
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    return {
        "added_tokens": [],
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
        "model": {
            "type": "BPE",
            "vocab": {to_chars(token): id for token, id in ids.items()},
            "merges": [[to_chars(left), to_chars(right)] for left, right, _ in model.merges],
        },
    }


def same(model: Tokenizer, other: Tokenizer) -> None:
    for text in training_text(5, 20):
        assert model.encode(text) == other.encode(text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tokenizer.json").write_text(json.dumps(hf_data(words())))
    return tmp_path


def test_a_directory_and_its_tokenizer_json(folder: Path) -> None:
    same(open_any(folder), words())
    same(Tokenizer.from_file(folder / "tokenizer.json"), words())
    renamed = folder / "any-name.json"
    (folder / "tokenizer.json").rename(renamed)
    same(Tokenizer.from_file(renamed), words())


def ranks_of(model: Tokenizer) -> dict[bytes, int]:
    return {model.token_bytes(id): id for id in range(model.n_vocab - len(model.special_tokens))}


def write_ranks(path: Path, model: Tokenizer) -> None:
    lines = [f"{base64.b64encode(t).decode()} {id}\n" for t, id in ranks_of(model).items()]
    path.write_text("".join(lines))


def test_ranks_of_tiktoken_with_and_without_a_sidecar(tmp_path: Path) -> None:
    write_ranks(tmp_path / "tokenizer.model", words())
    pattern = words().pretokenizer.pattern
    with pytest.raises(OptionError, match="give pattern"):
        open_any(tmp_path)
    made = open_any(tmp_path, pattern=pattern, special_tokens={"<|x|>": 5000})
    same(made, words())
    assert words().pretokenizer.name is not None
    same(open_any(tmp_path, pattern=words().pretokenizer.name), words())
    assert made.special_tokens == {"<|x|>": 5000}
    words().export_tiktoken(tmp_path / "m.tiktoken")
    (tmp_path / "tokenizer.model").unlink()
    same(open_any(tmp_path), words())


def test_tekken_json_puts_special_tokens_first(tmp_path: Path) -> None:
    ranks = ranks_of(words())
    data = {
        "config": {
            "pattern": words().pretokenizer.pattern,
            "default_vocab_size": len(ranks) + 30 - 5,
            "default_num_special_tokens": 30,
            "version": "v3",
        },
        "vocab": [
            {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
            for token, rank in ranks.items()
        ],
    }
    (tmp_path / "tekken.json").write_text(json.dumps(data))
    model = open_any(tmp_path)
    assert model.n_vocab == len(ranks) + 30 - 5  # The last five tokens are not used.
    assert model.special_tokens["</s>"] == 2
    assert model.special_tokens["<SPECIAL_29>"] == 29
    assert model.settings["bos_token"] == "<s>"
    assert model.encode("a") == [ranks[b"a"] + 30]
    data["special_tokens"] = [{"rank": 0, "token_str": "<one>", "is_control": True}]
    (tmp_path / "tekken.json").write_text(json.dumps(data))
    listed = open_any(tmp_path)
    assert listed.special_tokens["<one>"] == 0
    assert listed.special_tokens["<SPECIAL_1>"] == 1
    assert "bos_token" not in listed.settings


def test_vocab_json_and_merges_txt(tmp_path: Path) -> None:
    data = hf_data(words())
    (tmp_path / "vocab.json").write_text(json.dumps(data["model"]["vocab"] | {"<s>": 5000}))
    merges = "\n".join(" ".join(merge) for merge in data["model"]["merges"])
    (tmp_path / "merges.txt").write_text(f"#version: 0.2\n{merges}\n", encoding="utf-8")
    for given in (tmp_path, tmp_path / "vocab.json", tmp_path / "merges.txt"):
        model = open_any(given)
        assert model.pretokenizer == Pretokenizer(pattern=GPT2)
        assert [merge[:2] for merge in model.merges] == [merge[:2] for merge in words().merges]
    config = {"tokenizer_class": "RobertaTokenizer", "bos_token": "<s>"}
    config["added_tokens_decoder"] = {"5000": {"content": "<s>", "special": True}}  # type: ignore[assignment]
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    assert open_any(tmp_path).special_tokens == {"<s>": 5000}
    assert open_any(tmp_path).settings["bos_token"] == "<s>"
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "CLIPTokenizer"}')
    with pytest.raises(ConversionError, match="does not know the class CLIPTokenizer"):
        open_any(tmp_path)
    (tmp_path / "merges.txt").write_text("a b c\n")
    with pytest.raises(ConversionError, match="merge 1 is not two tokens: 'a b c'"):
        open_any(tmp_path)
    (tmp_path / "merges.txt").unlink()
    with pytest.raises(ConversionError, match=r"there is no file .*merges\.txt"):
        open_any(tmp_path / "vocab.json")


GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def test_models_of_superword_and_of_the_papers_program(tmp_path: Path) -> None:
    words().save(tmp_path / "m.superword")
    assert open_any(tmp_path / "m.superword") == words()
    assert open_any(tmp_path) == words()
    shutil.copy(COMMITTED_SET.directory / "models" / "word.model", tmp_path / "w.model")
    assert open_any(tmp_path / "w.model").n_vocab == 3001


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"\n\x0e\n\x05<unk>\x15\x00\x00\x00\x00\x18\x02", "looks like a SentencePiece model"),
        (b"some text", "is not a tokenizer that superword knows"),
        (b"", "is not a tokenizer that superword knows"),
        (b'{"model": {"type": "BPE", ', "is not JSON"),
        (b'{"model_max_length": 5}', "it has no model"),
        (b'{"model": {"type": "BPE"}}', "without a pre-tokenizer"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_a_hint(
    content: bytes, match: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(ConversionError, match=match) as caught:
        open_any(tmp_path / "file")
    assert caught.value.hint
    assert str(tmp_path / "file") in str(caught.value)


def test_a_directory_without_or_with_several_tokenizers(tmp_path: Path) -> None:
    with pytest.raises(ConversionError, match="there is no tokenizer in"):
        open_any(tmp_path)
    words().save(tmp_path / "a.superword")
    words().save(tmp_path / "b.superword")
    with pytest.raises(ConversionError, match=r"several tokenizers in .*: a"):
        open_any(tmp_path)


def test_an_option_of_another_format_is_an_error(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="pattern cannot be used with"):
        open_any(folder, pattern="x")
    words().export_tiktoken(tmp_path / "m.tiktoken")
    with pytest.raises(OptionError, match="ignore_normalizer cannot be used"):
        open_any(tmp_path / "m.tiktoken", ignore_normalizer=True)


@pytest.mark.parametrize("load", [Tokenizer.from_tiktoken, Tokenizer.from_paper])
def test_a_path_that_is_no_file_is_a_typed_error(load: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for wrong in (".", tmp_path, *DEVICES):
        with pytest.raises(ModelFileError, match="not a") as caught:
            load(wrong)
        assert caught.value.hint is not None
    for missing in (tmp_path / "none", tmp_path / "file" / "below"):
        with pytest.raises(MissingModelError, match="there is no file"):
            load(missing)
    with pytest.raises(ModelFileError, match="not the name of a file"):
        load("a\0b")


def test_a_huggingface_directory_without_a_tokenizer_is_a_typed_error(tmp_path: Path) -> None:
    with pytest.raises(MissingModelError, match=r"tokenizer\.json"):
        Tokenizer.from_huggingface(tmp_path)
    (tmp_path / "tokenizer.json").mkdir()
    with pytest.raises(ModelFileError, match="is a directory, not a file"):
        Tokenizer.from_huggingface(tmp_path)
    for device in DEVICES:
        with pytest.raises(ModelFileError, match="not a regular file"):
            Tokenizer.from_huggingface(device)

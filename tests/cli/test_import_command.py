"""`superword import`, and what `superword inspect` shows of an imported model."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from superword import Tokenizer
from superword._support.bytechars import to_chars
from superword.cli import cli

SPECIAL = {"special": True, "lstrip": False, "rstrip": False, "single_word": False}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    vocab = {to_chars(bytes([byte])): byte for byte in range(256)} | {"ab": 256, "abc": 257}
    data = {
        "added_tokens": [
            {"id": 258, "content": "<s>", "normalized": False, **SPECIAL},
            {"id": 259, "content": "<t>", "normalized": True, **SPECIAL, "special": False},
        ],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
        "model": {"type": "BPE", "vocab": vocab, "merges": ["a b"], "ignore_merges": True},
    }
    (tmp_path / "tokenizer.json").write_text(json.dumps(data))
    config = {"bos_token": "<s>", "add_bos_token": True, "chat_template": "a\nb\n"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    return tmp_path


def test_import_writes_a_model_and_tells_what_it_kept(folder: Path) -> None:
    result = run("import", folder, "-o", folder / "m.superword")
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    for line in (
        "special tokens   1",
        "pretokenizer     a custom pattern that splits as gpt2",
        'in every text    "<t>" (259)',
        "normalizer       nfc",
        "unmade tokens    1, found as whole pretokens",
        "bos_token <s>; chat_template 3 lines; pair <s> $A <s> $B; single <s> $A",
        "saved 260 tokens as",
    ):
        assert line in result.stderr
    model = Tokenizer.load(folder / "m.superword")
    assert model.encode("abc abcd<t>") == [257, 32, 256, 99, 100, 259]
    told = run("inspect", folder / "m.superword")
    assert "<s> (258)" in told.stdout
    assert "chat_template                3 lines" in told.stdout
    data = json.loads(run("inspect", folder / "m.superword", "--json").stdout)
    assert data["normalizer"] == "nfc"
    assert data["splits_as"] == "gpt2"
    assert data["settings"]["chat_template"] == "a\nb\n"
    assert [token["normalized"] for token in data["added_tokens"]] == [False, True]


def test_the_normalizer_can_be_left_out(folder: Path) -> None:
    result = run("import", folder, "-o", folder / "m.superword", "--ignore-normalizer")
    assert "left out         the normalizer NFC" in result.stderr
    assert Tokenizer.load(folder / "m.superword").normalizer is None


def test_ranks_need_a_pattern_and_may_have_special_tokens(tmp_path: Path) -> None:
    lines = [f"{base64.b64encode(bytes([byte])).decode()} {byte}" for byte in range(256)]
    (tmp_path / "r.tiktoken").write_text("\n".join(lines))
    out = tmp_path / "m.superword"
    result = run("import", tmp_path / "r.tiktoken", "-o", out)
    assert result.exit_code == 2
    assert "give --pattern" in result.stderr
    options = ("--pattern", "[a-z]+|[^a-z]", "--special-token", "<a=b>=300")
    result = run("import", tmp_path / "r.tiktoken", "-o", out, *options)
    assert result.exit_code == 0, result.output
    assert Tokenizer.load(out).special_tokens == {"<a=b>": 300}
    result = run("import", tmp_path / "r.tiktoken", "-o", out, "--special-token", "x")
    assert result.exit_code == 2
    assert "is not a text, an equals sign and an id" in result.stderr


def test_another_file_is_replaced_only_with_force(folder: Path) -> None:
    (folder / "notes").write_text("mine")
    result = run("import", folder, "-o", folder / "notes")
    assert result.exit_code == 1
    assert "--force" in result.stderr
    assert (folder / "notes").read_text() == "mine"
    assert run("import", folder, "-o", folder / "notes", "--force").exit_code == 0
    own = folder / "tokenizer.json"
    assert "it is one of the inputs" in run("import", own, "-o", own, "--force").stderr

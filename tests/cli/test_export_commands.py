"""`superword export` and `superword verify`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import superword
from click.testing import CliRunner, Result
from superword.cli import cli

pytest.importorskip("tokenizers", reason="pip install 'superword[huggingface]'")
pytest.importorskip("tiktoken", reason="pip install 'superword[tiktoken]'")

TEXT = "one of the first of the many, are notes of the one or are not of the first of many notes\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "m.superword"
    superword.train_from_iterator(
        [TEXT] * 9,
        vocab_size=288,
        method="superbpe",
        supermerges=8,
        pretokenizer="gpt4o-export",
        boundary="space",
    ).save(path)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.mark.parametrize(("target", "name"), [("huggingface", "out"), ("tiktoken", "m.tiktoken")])
def test_export_writes_and_compares(model: Path, target: str, name: str, tmp_path: Path) -> None:
    result = run("export", model, "--to", target, "-o", tmp_path / name)
    assert result.exit_code == 0, result.output
    assert f"{superword.Tokenizer.load(model).n_vocab} tokens" in result.stderr
    assert "exact" in result.stderr
    assert "the same ids in" in result.stderr
    assert result.stdout == ""
    (tmp_path / "text.txt").write_text(TEXT)
    result = run("verify", model, tmp_path / name, "--on", tmp_path / "text.txt")
    assert result.exit_code == 0, result.output
    assert "0 of" in result.stdout


def test_verify_shows_differences_side_by_side(model: Path, tmp_path: Path) -> None:
    run("export", model, "--to", "huggingface", "-o", tmp_path / "hf", "--mode", "approximate")
    lines = ["of the", "one of theft", "are notes", "the"]
    (tmp_path / "text.jsonl").write_text("".join(json.dumps({"b": x}) + "\n" for x in lines))
    told = run(
        *("verify", model, tmp_path / "hf", tmp_path / "text.jsonl", "--text-field", "b", "--json")
    )
    data = json.loads(told.stdout)
    assert told.exit_code == 1
    assert data["documents"] == 4
    assert data["documents_differ"] >= 1
    first = data["differences"][0]
    assert "".join(first["model"]) == "".join(first["export"])
    assert first["model"] != first["export"]
    told = run(
        *("verify", model, tmp_path / "hf", "--on", tmp_path / "text.jsonl", "--text-field", "b")
    )
    assert f"document {first['document'] + 1}, byte {first['position']}" in told.stdout
    assert json.dumps(first["export"][0]) in told.stdout
    limited = run(
        *("verify", model, tmp_path / "hf", "--on", tmp_path / "text.jsonl", "--text-field", "b"),
        *("--max-documents", "1", "--json"),
    )
    assert json.loads(limited.stdout)["documents"] == 1


def test_refusals_say_what_to_do(tmp_path: Path) -> None:
    model = superword.train_from_iterator([TEXT] * 9, vocab_size=280, pretokenizer="gpt4o-script")
    model.save(tmp_path / "m")
    result = run("export", tmp_path / "m", "--to", "huggingface", "-o", tmp_path / "hf")
    assert result.exit_code == 1
    assert "splits text by script" in result.stderr
    assert "hint: train with --pretokenizer gpt4o-portable" in result.stderr
    assert not (tmp_path / "hf").exists()


def test_wrong_usage_is_said(model: Path, tmp_path: Path) -> None:
    result = run("export", model, "--to", "tiktoken", "-o", tmp_path / "m", "--eos-token", "x")
    assert result.exit_code == 2
    assert "--eos-token can only be used with --to huggingface" in result.stderr
    result = run("verify", model, tmp_path / "nothing")
    assert result.exit_code == 1
    assert "there is no export at" in result.stderr
    result = run("verify", model, tmp_path)
    assert "no tokenizer.json" in result.stderr
    result = run(
        *("export", model, "--to", "huggingface", "-o", tmp_path / "x"),
        *("--chat-template", tmp_path / "none.jinja"),
    )
    assert result.exit_code == 1
    assert "cannot read the chat template" in result.stderr


def test_without_the_package_it_exports_and_says_so(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    result = run("export", model, "--to", "tiktoken", "-o", tmp_path / "m.tiktoken")
    assert result.exit_code == 0
    assert "not compared with the model" in result.stderr
    assert "superword[tiktoken]" in result.stderr

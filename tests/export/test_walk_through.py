"""docs/superwords-for-an-existing-tokenizer.md, works step by step as written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import superword
from click.testing import CliRunner
from superword.cli import cli
from support.export_models import training_text

tokenizers = pytest.importorskip("tokenizers", reason="pip install 'superword[huggingface]'")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "superwords-for-an-existing-tokenizer.md"


def test_the_walk_through_does_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    corpus = "\n".join(training_text())
    Path("corpus.txt").write_text(corpus, encoding="utf-8")
    names: dict[str, Any] = {}
    done = []
    for language, code in re.findall(r"^```(python|sh)\n(.*?)^```", PAGE.read_text(), re.M | re.S):
        if language == "python":
            exec(code.replace("vocab_size=1000", "vocab_size=600"), names)
            continue
        for line in code.splitlines():
            command, *arguments = shlex.split(line)
            if command == "superword":
                result = CliRunner().invoke(cli, arguments)
                assert result.exit_code == 0, result.output
                done.append(arguments[0])
    assert done == ["train", "export", "verify"]

    origin, base = names["words"], names["base"]
    more = superword.Tokenizer.load("more.superword")
    for text in training_text(21, 20):
        assert base.encode(text) == origin.encode(text).ids
    for id in range(base.n_vocab):
        assert more.token_bytes(id) == base.token_bytes(id)
    assert more.special_tokens == base.special_tokens
    assert more.n_vocab == base.n_vocab + 200
    assert all(more.is_superword(id) for id in range(base.n_vocab, more.n_vocab))
    exported = tokenizers.Tokenizer.from_file("exported/tokenizer.json")
    shorter = 0
    for text in training_text(22, 40):
        assert exported.encode(text).ids == more.encode(text)
        shorter += len(base.encode(text)) - len(more.encode(text))
    assert shorter > 0
    # In tiktoken too, because words have the lower ids.
    more.export_tiktoken("more.tiktoken", "exact")

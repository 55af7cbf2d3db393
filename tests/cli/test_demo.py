"""The demonstration, on a few files of the standard library."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import superword
from superword import demo


def test_every_tenth_file_is_held_out_and_packages_are_left_out() -> None:
    texts = demo.read_standard_library()
    files = len(texts.training) + len(texts.held_out)
    assert len(texts.held_out) == files // 10
    assert files > 100
    assert demo.read_standard_library() == texts


def test_demo_compares_shows_and_saves(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = demo.read_standard_library()
    few = demo.Texts(texts.training[:4], texts.held_out[:2], texts.skipped)
    monkeypatch.setattr(demo, "read_standard_library", lambda: few)
    demo.main(["--vocab-size", "500", "--output", str(tmp_path / "models")])
    told = capsys.readouterr().out
    for word in ("bytes per token", "superwords learned", "learning words", "saved: "):
        assert word in told
    for method in ("bpe", "boundless", "superbpe"):
        tok = superword.Tokenizer.load(tmp_path / "models" / f"{method}.superword")
        assert tok.method == method
        shown = re.search(rf"^{method}, (\d+) tokens\n(.*)$", told, re.MULTILINE)
        assert shown
        ids = tok.encode_ordinary(demo.SENTENCE)
        assert int(shown[1]) == len(ids)
        assert shown[2].replace("│", "") == demo.SENTENCE

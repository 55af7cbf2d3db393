"""The demonstration, on a few files of the standard library."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import superword
from superword import demo
from superword.evaluation.results import Evaluation


def test_every_tenth_file_is_held_out_and_packages_are_left_out() -> None:
    texts = demo.read_standard_library()
    files = len(texts.training) + len(texts.measured())
    assert len(texts.measured()) == files // 10
    assert files > 100
    assert demo.read_standard_library() == texts


def test_demo_compares_shows_and_saves(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = demo.read_standard_library()
    held_out = {"library": texts.measured()[:1], "tests": texts.measured()[1:2]}
    few = demo.Texts(texts.training[:4], held_out, texts.skipped)
    monkeypatch.setattr(demo, "read_standard_library", lambda: few)
    demo.main(["--vocab-size", "500", "--output", str(tmp_path / "models")])
    told = capsys.readouterr().out
    for word in ("bytes per token", "superwords learned", "learning words", "saved: ", "report: "):
        assert word in told
    for method in ("bpe", "boundless", "superbpe"):
        tok = superword.Tokenizer.load(tmp_path / "models" / f"{method}.superword")
        assert tok.method == method
        shown = re.search(rf"^{method}, (\d+) tokens\n(.*)$", told, re.MULTILINE)
        assert shown
        ids = tok.encode_ordinary(demo.SENTENCE)
        assert int(shown[1]) == len(ids)
        assert shown[2].replace("│", "") == demo.SENTENCE


def test_demo_writes_a_report_on_the_held_out_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = demo.read_standard_library()
    measured = texts.measured()
    few = demo.Texts(texts.training[:4], {"library": measured[:2]}, texts.skipped)
    monkeypatch.setattr(demo, "read_standard_library", lambda: few)
    for _ in range(2):  # A second run replaces the files of the first.
        demo.main(["--vocab-size", "400", "--output", str(tmp_path)])
    assert f"report: {tmp_path / 'report.html'}" in capsys.readouterr().out
    result = Evaluation.load(tmp_path / "result.json")
    assert [model.name for model in result.models] == ["bpe", "boundless", "superbpe"]
    assert result.reference == "bpe"
    size = sum(len(text.encode()) for text in measured[:2])
    assert [(group.name, group.bytes) for group in result.groups] == [("library", size)]
    page = (tmp_path / "report.html").read_text()
    assert "<svg" in page
    assert "boundless needs" in page

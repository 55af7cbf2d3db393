"""`superword evaluate`: what it prints, writes and exits with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import superword
from click.testing import CliRunner, Result
from superword.cli import cli
from superword.evaluation import Evaluation
from support.systems import needs_signals
from support.toy_models import toy


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two models and two languages in the current directory."""
    monkeypatch.chdir(tmp_path)
    toy().save("toy.superword")
    toy(supermerge=False).save("words.superword")
    for name, text in (("en", "of the cat. Of the hat.\n"), ("de", "und der Hund\n")):
        Path(name).mkdir()
        Path(name, "1.txt").write_text(text * 20)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["evaluate", *arguments])


def test_the_command_of_the_manual(folder: Path) -> None:
    found = run("toy.superword", "words.superword", "--on", "de=de", "en=en", "-o", "result.json")
    assert found.exit_code == 0, found.output
    result = Evaluation.load(folder / "result.json")
    assert [group.name for group in result.groups] == ["de", "en"]
    assert [model.name for model in result.models] == ["toy", "words"]
    expected = superword.evaluate(["toy.superword", "words.superword"], {"de": "de", "en": "en"})
    assert result == expected
    assert "bytes per token" in found.stdout
    assert "saved as result.json" in found.stderr
    assert max(map(len, found.stdout.splitlines())) <= 80


def test_values_may_follow_one_flag_or_several(folder: Path) -> None:
    forms = [
        ["--on", "de=de", "en=en", "-q", "--json"],
        ["--on", "de=de", "--on", "en=en", "-q", "--json"],
        ["-q", "--on=de=de", "--on", "en=en", "--json"],
        ["--json", "--on", "de=de", "en=en", "-q"],
    ]
    printed = {run("toy.superword", *form).stdout for form in forms}
    assert len(printed) == 1
    assert json.loads(printed.pop())["models"][0]["name"] == "toy"
    last = run("-q", "--json", "--on", "de=de", "en=en", "--", "toy.superword")
    assert json.loads(last.stdout)["models"][0]["name"] == "toy"


def test_the_result_on_stdout_is_the_saved_one(folder: Path) -> None:
    found = run("a=toy.superword", "--on", "en", "--json", "-o", "r.json", "--reference", "a")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout) == json.loads(Path("r.json").read_text())
    assert json.loads(found.stdout)["reference"] == "a"


def test_all_sections_of_the_table(folder: Path) -> None:
    Path("f.en").write_text("of the\ncat\n")
    Path("f.de").write_text("und\nder\n")
    Path("pairs").write_text("of\t the\n")
    Path("morphemes").write_text("there\tthere\n")
    lists = ["--parallel", "en=f.en", "de=f.de", "--pairs", "pairs", "--morphemes", "morphemes"]
    found = run("toy.superword", "words.superword", *lists, "--on", "en=en", "de=de")
    assert found.exit_code == 0, found.output
    rows = {line[:24].strip(): line[24:].split() for line in found.stdout.splitlines()}
    assert rows["tokens"][0] < rows["tokens"][1]
    assert rows["pairs bridged"] == ["100.0%", "0.0%"]
    assert "saved by superwords" in found.stdout
    assert "tokens relative to en" in found.stdout


def test_many_models_are_shown_in_several_tables(folder: Path) -> None:
    names = [f"m{n}=toy.superword" for n in range(7)]
    found = run(*names, "--on", "en=en", "de=de")
    assert found.exit_code == 0, found.output
    assert max(map(len, found.stdout.splitlines())) <= 80
    assert all(f"m{n}" in found.stdout for n in range(7))


def test_checks_decide_the_exit_code(folder: Path) -> None:
    passed = run("toy.superword", "--on", "en=en", "de=de", "--check", "bytes_per_token>=0.5")
    assert passed.exit_code == 0
    assert "1 check passed" in passed.stderr
    failed = run(
        "toy.superword", "--on", "en=en", "de=de", "-q", "-o", "r.json",
        "--check", "bytes_per_token>0.5", "--check", "*:bytes_per_token>1.2",
    )  # fmt: skip
    assert failed.exit_code == 1
    assert failed.stderr == "failed: toy on de: size.bytes_per_token is 1, not > 1.2\n"
    # The result is there to look at.
    assert Path("r.json").exists()
    assert failed.stdout == ""


def test_training_text_is_reported(folder: Path) -> None:
    superword.train("en", vocab_size=260).save("own.superword")
    found = run("own.superword", "--on", "en=en", "de=de", "-q")
    assert found.exit_code == 0
    assert "warning: own was probably trained on en" in found.stderr


def test_skipped_documents_are_reported(folder: Path) -> None:
    Path("bad.jsonl").write_text('{"text": "one"}\nnot json\n')
    found = run("toy.superword", "--on", "bad.jsonl", "--on-error", "skip", "-q")
    assert "warning: skipped 1 document" in found.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--check", "bytes_per_tokn>=4"],
            "--check 'bytes_per_tokn>=4': there is no number",
        ),
        (["--check", "tokens>=4"], "write vocabulary.tokens or size.tokens"),
        (["--shape", "layer=3"], "did you mean 'layers'"),
        (["--shape", "layers"], "write NAME=NUMBER"),
        (["--shape", ""], "write NAME=NUMBER"),
        (["--shape", "hidden=100"], "hidden of --shape is 100"),
        (["--parallel", "x.en"], "--parallel 'x.en' has no name"),
        (["--parallel", "en=x", "en=y"], "two files for en"),
        (["--reference", "tpy"], "did you mean 'toy'"),
        (["--rare-below", "0"], "--rare-below must be"),
    ],
)
def test_bad_options_exit_with_2(folder: Path, arguments: list[str], message: str) -> None:
    found = run("toy.superword", "--on", "en", *arguments)
    assert found.exit_code == 2, found.output
    assert message in found.stderr


def test_outputs_are_protected(folder: Path) -> None:
    Path("notes.json").write_text("my notes")
    found = run("toy.superword", "--on", "en", "-o", "notes.json")
    assert found.exit_code == 1
    assert "is not replaced" in found.stderr
    assert Path("notes.json").read_text() == "my notes"
    for output in ("toy.superword", os.path.join("en", "1.txt")):  # noqa: PTH118
        before = Path(output).read_bytes()
        found = run("toy.superword", "--on", "en", "-o", output, "--force")
        assert found.exit_code == 1
        assert "cannot save to" in found.stderr
        assert Path(output).read_bytes() == before
    assert run("toy.superword", "--on", "en", "-o", "notes.json", "--force", "-q").exit_code == 0
    # A result replaces a result.
    assert run("toy.superword", "--on", "en", "-o", "notes.json", "-q").exit_code == 0


@needs_signals
def test_ctrl_c_stops_within_a_second_and_saves_nothing(folder: Path) -> None:
    Path("large.txt").write_text("of the cat and the hat of the other one \n" * 1_500_000)
    models = [f"m{n}=toy.superword" for n in range(5)]
    options = ["-o", "r.json", "--on", "large.txt", "--format", "lines"]
    process = subprocess.Popen(
        [sys.executable, "-m", "superword", "evaluate", *models, *options],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith("encoding")
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert time.monotonic() - sent < 1.5
    assert process.returncode == 130
    assert told.splitlines()[-1] == "stopped; nothing was saved"
    assert not Path("r.json").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["missing.superword", "--on", "en"],
        ["toy.superword", "--on", "en=en", "fr=fr"],
        ["toy.superword", "--on", "en", "--pairs", "missing"],
    ],
)
def test_missing_files_leave_nothing_behind(folder: Path, arguments: list[str]) -> None:
    found = run(*arguments, "-o", "r.json")
    assert found.exit_code == 1
    assert found.stderr.startswith("error: ")
    assert not Path("r.json").exists()

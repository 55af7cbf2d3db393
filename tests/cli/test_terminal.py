"""The command line and the terminal: closed streams, hostile text, colors, completion, Ctrl-C."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import superword
from click.testing import CliRunner
from superword import Pretokenizer, Tokenizer, _core
from superword.cli import cli
from support.systems import needs_bash

COMMAND = [sys.executable, "-m", "superword"]


def shell(line: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which `superword` is this package."""
    script = f'superword() {{ "{sys.executable}" -m superword "$@"; }}\n{line}'
    return subprocess.run(
        ["bash", "-c", script], cwd=cwd, capture_output=True, text=True, timeout=120
    )


@needs_bash
def test_a_closed_stdout_is_an_error_without_a_traceback(model_path: Path, tmp_path: Path) -> None:
    result = shell(f"echo hello | superword encode {model_path} >&-", tmp_path)
    assert result.returncode == 1
    assert result.stderr.startswith("error: standard output is closed")
    assert "Traceback" not in result.stderr


@needs_bash
def test_a_closed_stderr_keeps_progress_out_of_stdout(jsonl: Path) -> None:
    line = f"superword train {jsonl.name} --vocab-size 300 -o m.superword 2>&-"
    result = shell(line, jsonl.parent)
    assert result.returncode == 0
    assert result.stdout == ""
    assert Tokenizer.load(jsonl.parent / "m.superword").n_vocab == 300


@needs_bash
def test_a_closed_stdin_is_an_error_without_a_traceback(model_path: Path, tmp_path: Path) -> None:
    result = shell(f"superword encode {model_path} <&-", tmp_path)
    assert result.returncode == 1
    assert result.stderr.startswith("error: standard input is closed")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["--help", "--version", "train --help", "completion bash"])
def test_a_full_disk_is_an_error_without_a_traceback(tmp_path: Path, command: str) -> None:
    result = shell(f"superword {command} >/dev/full", tmp_path)
    assert result.returncode == 1
    assert result.stderr == "error: No space left on device\n"


def test_too_little_memory_for_a_document_is_an_error_without_a_traceback(
    model_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Tokenizer, "load", fail)
    result = CliRunner().invoke(cli, ["encode", str(model_path)], input="hello")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: out of memory\nhint: ")


def hostile(tmp_path: Path) -> Path:
    """A model whose texts would change the terminal if they were not escaped."""
    escape = "\x1b[31m\x9b"
    model = _core.Model.from_parts(
        method="boundless",
        pretokenizer=Pretokenizer(pattern=".|\x1b")._engine,
        alphabet="bytes",
        events=[("supermerge", b"a", b"\x1b", 1), ("supermerge", b"a\x1b", b"\xc2\x9b"[:1], 1)],
        ids=None,
        added_tokens=[(f"<|{escape}|>", 400, True, False, False, False, False)],
        facts=json.dumps({f"evil{escape}": escape, "nested": {escape: [escape]}}),
    )
    path = tmp_path / "hostile.superword"
    model.save(str(path))
    return path


@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_inspect_shows_no_control_characters_of_a_model(tmp_path: Path, extra: list[str]) -> None:
    result = CliRunner().invoke(cli, ["inspect", str(hostile(tmp_path)), *extra])
    assert result.exit_code == 0
    controls = {char for char in result.stdout if ord(char) < 32 or 127 <= ord(char) < 160}
    assert controls == {"\n"}
    assert "evil" in result.stdout


def test_errors_show_no_control_characters_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "\x1b[31mred.jsonl"
    path.write_text("not json\n")
    arguments = ["train", str(path), "--vocab-size", "300", "-o", str(tmp_path / "m"), "-q"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 1
    assert "\x1b" not in result.stderr
    assert "\\x1b[31mred.jsonl" in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("variable", "colored"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colors_are_for_terminals_and_respect_no_color(
    variable: dict[str, str], colored: bool, tmp_path: Path
) -> None:
    import pty

    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    environment |= {"TERM": "xterm", **variable}
    ours, theirs = pty.openpty()
    subprocess.run(
        [*COMMAND, "inspect", "missing"], cwd=tmp_path, stderr=theirs, env=environment, timeout=60
    )
    os.close(theirs)
    shown = os.read(ours, 10_000)
    os.close(ours)
    assert b"error:" in shown
    assert (b"\x1b[" in shown) == colored
    piped = subprocess.run([*COMMAND, "inspect", "missing"], cwd=tmp_path, capture_output=True)
    assert b"\x1b[" not in piped.stderr


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_completion_prints_the_script_of_a_shell(shell_name: str) -> None:
    result = CliRunner().invoke(cli, ["completion", shell_name], prog_name="superword")
    if result.exit_code == 2 and shell_name == "bash":
        pytest.skip(result.stderr)  # No bash, or one that is too old.
    assert result.exit_code == 0, result.stderr
    assert "_SUPERWORD_COMPLETE" in result.stdout


def complete(*words: str) -> list[str]:
    """The completions that bash would offer for the last word."""
    environment = os.environ | {
        "_SUPERWORD_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["superword", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(COMMAND, env=environment, capture_output=True, text=True, timeout=60)
    return done.stdout.split()


def test_completion_knows_commands_presets_and_files() -> None:
    assert "plain,train" in complete("tr")
    assert "plain,--vocab-size" in complete("train", "--vocab")
    presets = complete("train", "--pretokenizer", "gpt4o-")
    assert {"plain,gpt4o-script", "plain,gpt4o-export"} <= set(presets)
    assert complete("train", "--counts", "x") == ["file,x"]
    assert complete("inspect", "m") == ["file,m"]


def test_ctrl_c_while_importing_is_quiet() -> None:
    """The import of the commands is interrupted as Ctrl-C would do it."""
    code = (
        "import sys, superword.cli\n"
        "class Stop:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'superword.tokenizer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\n"
        "superword.cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 130
    assert done.stderr == ""


def test_importing_the_command_line_imports_nothing_that_takes_time() -> None:
    code = (
        "import sys, superword.cli; print(*[m for m in sys.modules if m.startswith('superword')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert set(done.stdout.split()) == {"superword", "superword.cli"}


def test_help_lists_options_in_sections() -> None:
    text = CliRunner().invoke(cli, ["train", "--help"]).stdout
    heads = [line for line in text.splitlines() if line.endswith(":") and line[0] != " "]
    wanted = ["Output", "Vocabulary", "Pretokenizer", "Deletions", "Superwords", "Input"]
    assert [head.rstrip(":") for head in heads][: len(wanted)] == wanted
    vocabulary = text.split("Vocabulary:")[1].split("\n\n")[0]
    assert "--vocab-size" in vocabulary
    assert "--text-field" not in vocabulary
    assert superword.__version__ in CliRunner().invoke(cli, ["--version"]).stdout

"""The command in a separate process: signals, pipes, terminals, exit codes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import superword
from superword.inputs import Texts
from support.systems import needs_signals

COMMAND = [sys.executable, "-m", "superword"]


def start(
    *arguments: str | Path, stdin: int | None = subprocess.PIPE, stderr: int = subprocess.PIPE
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
    )


@pytest.fixture
def endless_work(tmp_path: Path) -> Path:
    """A text whose training takes far longer than any test waits."""
    path = tmp_path / "a.txt"
    line = "".join(f"w{i:x} of{i * 7919 % 100_003:x} the " for i in range(20_000))
    path.write_text(line * 200)
    return path


@needs_signals
@pytest.mark.parametrize("delay", [0.0, 0.4])
def test_ctrl_c_stops_training_within_a_second_and_leaves_nothing(
    endless_work: Path, delay: float
) -> None:
    folder = endless_work.parent / "out"
    folder.mkdir()
    model = folder / "m.superword"
    took = []
    for _ in range(3):  # On a machine busy with other tests, one attempt may be late.
        process = start("train", endless_work, "--vocab-size", "1000000", "-o", model)
        assert process.stderr is not None
        process.stderr.readline()  # "reading 1 file": the command has started.
        time.sleep(delay)
        assert process.poll() is None
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=20)
        took.append(time.monotonic() - sent)
        assert process.returncode == 130
        assert told.decode().splitlines()[-1] == "stopped; nothing was saved"
        assert b"Traceback" not in told
        assert list(folder.iterdir()) == []
    assert min(took) < 1


@needs_signals
def test_ctrl_c_keeps_the_old_model(endless_work: Path) -> None:
    old = endless_work.parent / "m.superword"
    superword.train(Texts(["an old model"]), vocab_size=256).save(old)
    before = old.read_bytes()
    process = start("train", endless_work, "--vocab-size", "1000000", "-o", old)
    assert process.stderr is not None
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130
    assert old.read_bytes() == before


@needs_signals
def test_ctrl_c_stops_encoding(model_path: Path) -> None:
    process = start("encode", model_path)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"one\n")
    process.stdin.flush()
    assert process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=20)
    assert process.returncode == 130
    assert told == b"stopped\n"


def test_each_line_is_answered_at_once(model_path: Path, boundless: superword.Tokenizer) -> None:
    process = start("encode", model_path)
    assert process.stdin is not None
    assert process.stdout is not None
    for text in ("one of the", "words", ""):
        process.stdin.write(f"{text}\n".encode())
        process.stdin.flush()
        assert [int(i) for i in process.stdout.readline().split()] == boundless.encode(text)
    process.communicate(timeout=20)
    assert process.returncode == 0


def test_a_broken_pipe_is_quiet(model_path: Path) -> None:
    yes = subprocess.Popen(
        [sys.executable, "-c", "while True: print('one of the words')"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert yes.stdout is not None
    process = start("encode", model_path, stdin=yes.stdout.fileno())
    yes.stdout.close()
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=20) == 141
    assert process.stderr.read() == b""
    yes.wait(timeout=20)


def test_standard_input_is_trained_on_line_by_line(tmp_path: Path, texts: list[str]) -> None:
    lines = [line for text in texts for line in text.splitlines() if line]
    output = tmp_path / "m.superword"
    process = start("train", "-", "--vocab-size", "350", "-o", output)
    _, told = process.communicate("\n".join(lines).encode(), timeout=60)
    assert process.returncode == 0, told
    assert b"reading standard input" in told
    wanted = superword.train_from_iterator(lines, vocab_size=350)
    assert superword.Tokenizer.load(output).merges == wanted.merges


def test_a_terminal_gets_a_live_bar(jsonl: Path, tmp_path: Path) -> None:
    pty = pytest.importorskip("pty", reason="needs a pseudo-terminal")
    ours, theirs = pty.openpty()
    output = tmp_path / "m.superword"
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [*COMMAND, "train", str(jsonl), "--vocab-size", "400", "-o", str(output)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    told = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # Linux raises this once the other end is closed.
            break
        if not chunk:
            break
        told += chunk
    os.close(ours)
    stdout, _ = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert stdout == b""
    assert "━".encode() in told
    assert b"learning words" in told
    assert b"100%" in told


def test_no_terminal_gets_plain_lines(jsonl: Path, tmp_path: Path) -> None:
    process = start("train", jsonl, "--vocab-size", "400", "-o", tmp_path / "m.superword")
    stdout, told = process.communicate(timeout=60)
    assert process.returncode == 0
    assert stdout == b""
    assert b"\x1b" not in told
    assert b"\r" not in told
    assert b"learning words" in told

"""Ctrl-C stops training within a second, in every phase."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.seeded import common_words, sentences
from support.systems import needs_signals


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text that takes a while in every phase: many words in many combinations."""
    words = common_words(12_000, seed=3)
    path = tmp_path_factory.mktemp("text") / "a.txt"
    path.write_text("\n".join(sentences(words, 5_000, length=40, seed=4)))
    return path


@needs_signals
@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("phase", ["sample", "count", "merge", "candidates", "supermerge"])
def test_ctrl_c_stops_every_phase_within_a_second(
    text: Path, tmp_path: Path, phase: str, kept: bool
) -> None:
    output = tmp_path / "m.superword"
    options = ["--format", "lines", "--vocab-size", "500000", "--log-json", "--sample", "1GB"]
    if kept:
        options += ["--work-dir", str(tmp_path / "work")]
    process = subprocess.Popen(
        [sys.executable, "-m", "superword", "train", str(text), *options, "-o", str(output)],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        event = json.loads(line)
        if event["event"] == "phase" and event["phase"] == phase:
            break
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=30)
    assert time.monotonic() - sent < 1.5
    assert process.returncode == 130
    last = json.loads(rest.splitlines()[-1])
    assert last["event"] == "stopped"
    assert ("finished work is kept" in last["message"]) == kept
    assert not output.exists()


@needs_signals
@pytest.mark.parametrize("command", ["train", "count", "encode-files"])
def test_sigterm_leaves_no_temporary_files(
    text: Path, tmp_path: Path, model_path: Path, command: str
) -> None:
    scratch, out, large = tmp_path / "tmp", tmp_path / "out", tmp_path / "large.txt"
    scratch.mkdir()
    out.mkdir()
    large.write_bytes(text.read_bytes() * 60)
    options = {
        "train": ["--format", "lines", "--vocab-size", "500000", "--max-memory", "500MB"],
        "count": ["--format", "lines", "--max-memory", "500MB"],
        "encode-files": ["--input-format", "lines", "-m", str(model_path), "--no-eot"],
    }
    output = {"train": out / "m.superword", "count": out / "c.tsv", "encode-files": out}
    line = [sys.executable, "-m", "superword", command, str(large)]
    process = subprocess.Popen(
        [*line, *options[command], "-o", str(output[command])],
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    while not (any(scratch.iterdir()) or any(out.glob(".superword-*"))):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 143, told
    assert b"stopped; " in told
    assert b"Traceback" not in told
    assert list(scratch.iterdir()) == []
    assert {path.name for path in out.iterdir()} <= {"progress.json"}

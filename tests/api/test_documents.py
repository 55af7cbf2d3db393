"""`superword.inputs.documents`: every document, in order, streaming, and stopped cleanly."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import superword
from superword.errors import DocumentError, MissingInputError, OptionError, SkippedWarning
from superword.inputs import Texts, documents


def write(path: Path, texts: list[str]) -> Path:
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


def test_documents_come_in_order_from_all_kinds_of_inputs(tmp_path: Path) -> None:
    texts = [f"document {number}" for number in range(1000)]
    first = write(tmp_path / "a.jsonl", texts)
    (tmp_path / "b.txt").write_text("one file\nis one document\n")
    found = list(documents([first, tmp_path / "b.txt", Texts(["x", ""])]))
    assert found == [*texts, "one file\nis one document\n", "x", ""]
    assert list(documents(tmp_path / "b.txt", format="lines")) == ["one file", "is one document"]


def test_tables_are_read_too(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    assert list(documents(pa.table({"body": ["a", "b"]}), text_field="body")) == ["a", "b"]


def test_wrong_options_and_missing_files_raise_at_once(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError):
        documents(tmp_path / "missing.jsonl")
    with pytest.raises(OptionError):
        documents(tmp_path, on_error="ignore")  # type: ignore[arg-type]


def test_documents_before_an_error_are_returned(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n{"text": "b"}\nbroken\n{"text": "c"}\n')
    found = documents(path)
    assert next(found) == "a"
    assert next(found) == "b"
    with pytest.raises(DocumentError):
        next(found)
    with pytest.warns(SkippedWarning, match="skipped 1 document"):
        assert list(documents(path, on_error="skip")) == ["a", "b", "c"]


def test_a_sample_is_that_of_training(tmp_path: Path) -> None:
    texts = [f"text number {number} of the sample" for number in range(500)]
    path = write(tmp_path / "a.jsonl", texts)
    found = list(documents(path, sample=2000, seed=3))
    assert 0 < len(found) < 500
    assert found == list(documents(path, sample=2000, seed=3))
    assert found != list(documents(path, sample=2000, seed=4))
    trained = superword.train(path, vocab_size=300, sample=2000, seed=3)
    assert trained.facts["documents"] == len(found)


def open_files() -> set[str]:
    return {os.path.realpath(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd")}  # noqa: PTH208


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
def test_closing_stops_reading_and_closes_files(tmp_path: Path) -> None:
    path = write(tmp_path / "large.jsonl", ["some text " * 1000] * 2000)
    found = documents(path)
    next(found)
    assert str(path) in open_files()
    found.close()  # type: ignore[attr-defined]
    assert str(path) not in open_files()
    dropped = documents(path)
    next(dropped)
    del dropped
    gc.collect()
    assert str(path) not in open_files()
    assert threading.active_count() < 50


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_ctrl_c_ends_an_iteration_that_waits(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code = (
        "import sys; from superword.inputs import documents\n"
        "print('ready', flush=True)\n"
        "for text in documents(sys.argv[1], format='lines'): print(text, flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(pipe)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        with pipe.open("w"):  # Nothing is ever written.
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors

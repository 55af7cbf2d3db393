"""`superword encode-files` as a process: killed, stopped, out of disk space, two at once."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import superword
from superword.shards import FORMATS, ShardFormat
from support.systems import needs_signals

COMMAND = [sys.executable, "-m", "superword", "encode-files"]
SHARD = ["--shard-size", "250000"]


@pytest.fixture
def large(tmp_path: Path, texts: list[str]) -> Path:
    """Enough text that a run can be interrupted midway: it takes many ticks of 100 ms."""
    path = tmp_path / "large.jsonl"
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    path.write_text(lines * (96_000_000 // len(lines)))
    return path


def start(model: Path, source: Path, out: Path, *more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, str(source), "-m", str(model), "-o", str(out), *SHARD, *more],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def wait_for_shards(
    out: Path, count: int, process: subprocess.Popen[bytes], suffix: str = ".npy"
) -> None:
    for _ in range(6000):
        if len(list(out.glob(f"shard-?????{suffix}"))) >= count:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    raise AssertionError("no shard came")


def need(format: str) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("format", FORMATS)
def test_a_killed_run_goes_on_with_the_same_bytes(
    format: ShardFormat, large: Path, model_path: Path, tmp_path: Path
) -> None:
    need(format)
    out, whole = tmp_path / "out", tmp_path / "whole"
    tok = superword.Tokenizer.load(model_path)
    done = tok.encode_files(large, whole, shard_size=250_000, format=format)
    suffix = done.shards[0].tokens_file.removeprefix("shard-00000")
    for shards in (1, 4):
        process = start(model_path, large, out, "--format", format)
        wait_for_shards(out, shards, process, suffix)
        process.kill()
        process.communicate()
        assert not (out / "manifest.json").exists()
        # Once the ids of a shard are there, all its files are, and they are complete.
        for shard in done.shards[: len(list(out.glob(f"shard-?????{suffix}")))]:
            for name in shard.files:
                assert (out / name).read_bytes() == (whole / name).read_bytes()
    process = start(model_path, large, out, "--format", format)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 0, told
    assert b"of an earlier run" in told
    assert contents(out) == contents(whole)


@needs_signals
@pytest.mark.parametrize("format", ["npy", "parquet"])
def test_ctrl_c_stops_within_a_second_and_leaves_whole_shards(
    format: ShardFormat, large: Path, model_path: Path, tmp_path: Path
) -> None:
    need(format)
    out = tmp_path / "out"
    process = start(model_path, large, out, "--threads", "1", "--format", format)
    wait_for_shards(out, 2, process, f".{format}")
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert time.monotonic() - sent < 2
    assert process.returncode == 130
    assert told.decode().splitlines()[-1].startswith("stopped; finished shards are kept")
    assert b"Traceback" not in told
    assert b"Exception ignored" not in told
    assert list(out.glob(".superword-*")) == []
    shards = json.loads((out / "progress.json").read_text())["shards"]
    assert len(shards) == len(list(out.glob(f"shard-?????.{format}"))) >= 2


@pytest.mark.parametrize("format", FORMATS)
def test_a_full_disk_is_an_error_and_leaves_whole_shards(
    format: ShardFormat, large: Path, model_path: Path, tmp_path: Path
) -> None:
    need(format)
    resource = pytest.importorskip("resource", reason="no limits on file sizes here")
    # A limit on file sizes makes writes fail as a full disk does. Parquet files are compressed.
    limit = 20_000 if format == "parquet" else 1_000_000

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    out = tmp_path / "out"
    command = [*COMMAND, str(large), "-m", str(model_path), "-o", str(out)]
    done = subprocess.run(
        [*command, "--shard-size", "3000000", "--format", format],
        preexec_fn=small,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "no space left to write" in done.stderr
    assert "hint: free some space and run it again; finished shards are kept" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert [path.name for path in out.iterdir()] == ["progress.json"]


def test_two_runs_do_not_write_to_one_place(large: Path, model_path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    # Its input does not end, so it keeps running until the test stops it.
    command = [*COMMAND, "-", "-m", str(model_path), "-o", str(out)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as first:
        while not (out / "progress.json").exists():
            assert first.poll() is None
            time.sleep(0.005)
        second = start(model_path, large, out)
        _, told = second.communicate(timeout=60)
        first.kill()
    assert second.returncode == 1
    assert b"is in use by another run" in told


def test_standard_input_and_the_summary(model_path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [*COMMAND, "-", "-m", str(model_path), "-o", str(out), "--no-eot", "--threads", "1"]
    done = subprocess.run(command, input=b"one of the\n\ntwo\n", capture_output=True, check=True)
    assert done.stdout == b""
    assert b"2 documents, 13 B of text" in done.stderr
    tok = superword.Tokenizer.load(model_path)
    ids = np.load(out / "shard-00000.npy", mmap_mode="r")
    assert tok.decode(ids) == "one of thetwo"
    again = subprocess.run(command, input=b"three\n", capture_output=True, check=False)
    assert again.returncode == 1
    assert b"standard input cannot be read again" in again.stderr
    assert b"hint: " in again.stderr
    quiet = subprocess.run(
        [*command, "--overwrite", "-q"], input=b"3", capture_output=True, check=True
    )
    assert quiet.stderr == b""


def test_wrong_usage_is_said(model_path: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    both = subprocess.run(
        [*COMMAND, "a.txt", "-m", str(model_path), "-o", "out", "--eot", "<|pad|>", "--no-eot"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert both.returncode == 2
    assert b"cannot be combined" in both.stderr

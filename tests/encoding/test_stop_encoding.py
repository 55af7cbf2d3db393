"""Ctrl-C within a second, in the middle of a giant document too; nothing half-written is left."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

GIANT = 64_000_000  # bytes, on one line

CALLS = {
    "encode": "tok.encode(text)",
    "encode_ordinary": "tok.encode_ordinary(text)",
    "encode_batch": "tok.encode_batch([text, text])",
    "encode_to_numpy": "tok.encode_to_numpy(text)",
    "encode_batch_to_numpy": "tok.encode_batch_to_numpy([text] * 4, threads=2)",
    "encode_with_offsets": "tok.encode_with_offsets(text)",
    "encode_arrow": "tok.encode_arrow(column)",
    "count_tokens": "tok.count_tokens(text)",
    "count_tokens many": "tok.count_tokens([text] * 400, threads=1)",
}

PROGRAM = """
import sys, time
import superword
tok = superword.Tokenizer.load(sys.argv[1])
text = "e" * int(sys.argv[2])
if CALL == "encode_arrow":
    import pyarrow
    column = pyarrow.array([text])
assert len(tok.encode("e" * 3_000_000)) > 1  # The way of long texts, to its end.
print("ready", flush=True)
try:
    while True:  # Until it is stopped, however quick it is.
        CALLED
except KeyboardInterrupt:
    print("stopped", flush=True)
# The tokenizer is as good as before.
assert tok.decode(tok.encode("one of the")) == "one of the"
print("well", flush=True)
"""


@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_stops_every_call_within_a_second(model_path: Path, call: str) -> None:
    if call == "encode_arrow":
        pytest.importorskip("pyarrow", reason="superword[arrow] is not installed")
    program = PROGRAM.replace("CALLED", CALLS[call]).replace("CALL", repr(call))
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(model_path), str(GIANT)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "stopped\n"
    assert time.monotonic() - sent < 1.5
    assert process.stdout.read() == "well\n"
    assert process.wait(timeout=60) == 0


@pytest.fixture(scope="module")
def giant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A document that fills a shard, and one giant document behind it, on a line each."""
    path = tmp_path_factory.mktemp("giant") / "a.txt"
    with path.open("w") as file:
        file.write("of the name " * 400_000 + "\n")
        file.write("e" * GIANT + "\n")
    return path


def test_ctrl_c_stops_encode_files_in_a_giant_document(
    giant: Path, model_path: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "superword", "encode-files", str(giant), "--format", "lines"]
    command += ["-m", str(model_path), "-o", str(out), "--shard-size", "100000", "--threads", "1"]
    command += ["--no-eot"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    while not (out / "shard-00000.npy").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    time.sleep(0.3)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert time.monotonic() - sent < 1.5
    assert process.returncode == 130
    assert told.decode().splitlines()[-1].startswith("stopped; finished shards are kept")
    # The process ended while the engine still held the lock, so the lock file may be left.
    names = {path.name for path in out.iterdir()} - {"superword.lock"}
    assert names == {"progress.json", "shard-00000.documents.npy", "shard-00000.npy"}


IN_PYTHON = """
import signal, sys, threading, time
from pathlib import Path
import superword
from superword.errors import SaveError
tok = superword.Tokenizer.load(sys.argv[1])
giant, out = Path(sys.argv[2]), Path(sys.argv[3])
small = giant.with_name("small.txt")
small.write_text("one of the")

def stop():
    while not (out / "shard-00000.npy").exists():
        time.sleep(0.01)
    time.sleep(0.3)
    signal.raise_signal(signal.SIGINT)

threading.Thread(target=stop).start()
try:
    tok.encode_files(giant, out, format="lines", shard_size=100_000, eot=False, threads=1)
except KeyboardInterrupt:
    pass
else:
    raise SystemExit("not stopped")
assert list(out.glob(".superword-*")) == [], list(out.iterdir())
# The directory is not given to another run before the first has come to its end.
refused = 0
for _ in range(1200):
    try:
        tok.encode_files(small, out, eot=False, overwrite=True)
        break
    except SaveError as error:
        assert "is in use by another run" in str(error)
        refused += 1
        time.sleep(0.05)
else:
    raise SystemExit("never free")
time.sleep(0.2)
names = sorted(path.name for path in out.iterdir())
assert names == ["manifest.json", "shard-00000.documents.npy", "shard-00000.npy"], names
print("refused" if refused else "at once")
"""


def test_a_stopped_run_does_not_meddle_with_the_next(
    giant: Path, model_path: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", IN_PYTHON, str(model_path), str(giant), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout in ("refused\n", "at once\n")


def test_ctrl_c_stops_the_command_encode(giant: Path, model_path: Path) -> None:
    command = [sys.executable, "-m", "superword", "encode", str(model_path), str(giant)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.readline()  # The first document; the giant one is at work.
        time.sleep(0.3)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert time.monotonic() - sent < 1.5

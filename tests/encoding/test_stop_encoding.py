"""Ctrl-C stops encoding within a second, even in a giant document, and leaves no partial file."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.systems import needs_signals

GIANT = 64_000_000  # Bytes, on one line.

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
import numpy  # Before the signal: importing it takes long on a busy machine.
import superword
tok = superword.Tokenizer.load(sys.argv[1])
text = "e" * int(sys.argv[2])
if CALL == "encode_arrow":
    import pyarrow
    column = pyarrow.array([text])
assert len(tok.encode("e" * 3_000_000)) > 1  # Takes the path for long texts once, without a stop.
print("ready", flush=True)
try:
    while True:  # Repeat until stopped, however fast a call is.
        CALLED
except KeyboardInterrupt:
    print("stopped", flush=True)
# The tokenizer still works.
assert tok.decode(tok.encode("one of the")) == "one of the"
print("well", flush=True)
"""


@needs_signals
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


INTERRUPTED_IMPORT = """
import sys
import superword
tok = superword.Tokenizer.load(sys.argv[1])

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "numpy":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
try:
    tok.encode_to_numpy("of the")
except KeyboardInterrupt:
    print("stopped")
"""


def test_ctrl_c_during_the_import_of_numpy_is_a_keyboard_interrupt(model_path: Path) -> None:
    command = [sys.executable, "-c", INTERRUPTED_IMPORT, str(model_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "stopped\n", done.stderr
    assert "panicked" not in done.stderr


@pytest.fixture(scope="module")
def giant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two lines: a document that fills a shard, then a giant document."""
    path = tmp_path_factory.mktemp("giant") / "a.txt"
    with path.open("w") as file:
        file.write("of the name " * 400_000 + "\n")
        file.write("e" * GIANT + "\n")
    return path


@needs_signals
def test_ctrl_c_stops_encode_files_in_a_giant_document(
    giant: Path, model_path: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "superword", "encode-files", str(giant)]
    command += ["-m", str(model_path), "-o", str(out), "--shard-size", "100000", "--threads", "1"]
    command += ["--no-eot", "--input-format", "lines"]
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

def contents(directory):
    paths = (path for path in directory.iterdir() if path.name != "superword.lock")
    return {path.name: path.read_bytes() for path in paths}

def engine_threads():
    status = Path("/proc/self/status").read_text()
    return int(status.partition("Threads:")[2].split()[0]) - threading.active_count()

before = engine_threads()
threading.Thread(target=stop).start()
try:
    tok.encode_files(giant, out, input_format="lines", shard_size=100_000, eot=False, threads=1)
except KeyboardInterrupt:
    pass
else:
    raise SystemExit("not stopped")
stopped = contents(out)
assert set(stopped) == {"progress.json", "shard-00000.documents.npy", "shard-00000.npy"}
# The stopped run holds the directory until its last document is encoded. Until then the next run
# is refused and the directory does not change.
for _ in range(1200):
    held = contents(out)
    try:
        tok.encode_files(small, out, eot=False, overwrite=True)
        break
    except SaveError as error:
        assert "is in use by another run" in str(error)
        assert held == stopped, held.keys()
        time.sleep(0.05)
else:
    raise SystemExit("never free")
# Once no thread of the stopped run is left, the directory holds the next run's result and nothing
# else.
for _ in range(1200):
    if engine_threads() <= before:
        break
    time.sleep(0.05)
else:
    raise SystemExit("a thread of the stopped run never ended")
fresh = out.with_name("fresh")
tok.encode_files(small, fresh, eot=False)
assert contents(out) == contents(fresh), contents(out).keys()
print("same as in a new directory")
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc to count threads in")
def test_a_stopped_run_does_not_meddle_with_the_next(
    giant: Path, model_path: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", IN_PYTHON, str(model_path), str(giant), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "same as in a new directory\n"


@needs_signals
def test_ctrl_c_stops_the_command_encode(giant: Path, model_path: Path) -> None:
    command = [sys.executable, "-m", "superword", "encode", str(model_path), str(giant)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.readline()  # The first document is done; the giant one is being encoded.
        time.sleep(0.3)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert time.monotonic() - sent < 1.5

"""Long runs of the command: memory must not grow."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest


def resident_bytes(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4096


@pytest.mark.soak
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc here")
def test_encoding_an_endless_stream_takes_constant_memory(model_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "superword", "encode", str(model_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    stop = threading.Event()

    def feed() -> None:
        number = 0
        while not stop.is_set():
            # Every word is new, so an unbounded cache would show in the memory.
            lines = (f"word{i:x} of the list {i * i}\n" for i in range(number, number + 10_000))
            process.stdin.write("".join(lines).encode())  # type: ignore[union-attr]
            number += 10_000
        process.stdin.close()  # type: ignore[union-attr]

    feeder = threading.Thread(target=feed)
    feeder.start()
    try:
        time.sleep(20)
        early = resident_bytes(process.pid)
        time.sleep(60)
        late = resident_bytes(process.pid)
    finally:
        stop.set()
        feeder.join()
    assert process.wait(timeout=60) == 0
    assert late < early + 64_000_000

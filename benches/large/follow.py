"""Follows a training run from outside: its JSON log, and samples of its memory and CPU time."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from benches import ROOT

Event = dict[str, Any]
INTERVAL = 0.05  # seconds between two samples
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
REPORTED = ("pretokens", "unique_pretokens", "unique_candidates", "candidate_tokens", "cut_below")


class Sample(NamedTuple):
    """What a process used at some time, in seconds since its start."""

    time: float
    resident: int  # bytes
    peak: int  # the most bytes so far
    cpu_seconds: float


@dataclass
class Followed:
    """A finished run. Times are seconds since its start."""

    seconds: float
    cpu_seconds: float
    peak_memory: int
    events: list[Event]
    samples: list[Sample]
    report: dict[str, Any] = field(default_factory=dict)
    sha256: str | None = None
    code: int = 0

    @property
    def end(self) -> Event | None:
        """The last event of a run that succeeded."""
        return next((e for e in reversed(self.events) if e["event"] == "end"), None)

    @property
    def error(self) -> Event | None:
        """What a run that failed said."""
        return next((e for e in reversed(self.events) if e["event"] == "error"), None)

    def phases(self) -> dict[str, dict[str, float]]:
        """Seconds, CPU seconds and peak memory of each phase, from one start to the next.

        Work after the last progress of a phase belongs to it, and saving to the last phase.
        """
        starts = [
            (e["seen"], e["phase"])
            for e in self.events
            if e["event"] == "phase" and e["state"] == "start"
        ]
        found: dict[str, dict[str, float]] = {}
        for number, (begun, name) in enumerate(starts):
            until = starts[number + 1][0] if number + 1 < len(starts) else self.seconds
            inside = [s for s in self.samples if begun <= s.time <= until]
            spent = inside[-1].cpu_seconds - inside[0].cpu_seconds if inside else 0.0
            before = found.get(name, {"seconds": 0.0, "cpu_seconds": 0.0, "peak_memory": 0})
            found[name] = {
                "seconds": round(before["seconds"] + until - begun, 3),
                "cpu_seconds": round(before["cpu_seconds"] + spent, 2),
                "peak_memory": max([before["peak_memory"], *(s.resident for s in inside)]),
            }
        return found

    def estimates(self) -> dict[str, Any]:
        """The estimate of the time left against the truth, at several points of the run."""
        told = [e for e in self.events if e["event"] == "progress"]
        # Versions that do not tell the share of a phase estimate only the phase.
        whole = any("share" in event for event in told)
        found: dict[str, Any] = {"of": "run" if whole else "phase"}
        for share in (0.1, 0.2, 0.5, 0.8):
            for event in told:
                late = event["seen"] >= share * self.seconds
                if late and event.get("seconds_left") is not None:
                    left = self.seconds - event["seen"]
                    found[f"{share:g}"] = {
                        "at": round(event["seen"] / self.seconds, 3),
                        "phase": event["phase"],
                        "said": event["seconds_left"],
                        "truth": round(left, 3),
                    }
                    break
        return found


def sample(process: int, started: float) -> Sample | None:
    """What a process uses now, or None if it has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        sizes = dict(line.split(":", 1) for line in status.splitlines() if line.startswith("Vm"))
        resident, peak = (int(sizes[key].split()[0]) * 1024 for key in ("VmRSS", "VmHWM"))
    except (OSError, IndexError, KeyError):
        return None
    spent = (int(fields[11]) + int(fields[12])) / TICKS
    return Sample(time.monotonic() - started, resident, peak, spent)


def follow(arguments: list[str], model: Path) -> Followed:
    """Run `superword train ARGUMENTS --log-json -o MODEL`, and watch it."""
    model.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [sys.executable, "-m", "benches.large.child", str(report), "train"]
        command += [*arguments, "--log-json", "-o", str(model)]
        started = time.monotonic()
        process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        samples: list[Sample] = []
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(INTERVAL):
                if (seen := sample(process.pid, started)) is not None:
                    samples.append(seen)

        watcher = threading.Thread(target=watch)
        watcher.start()
        events: list[Event] = []
        assert process.stderr is not None
        for line in process.stderr:
            try:
                event = json.loads(line)
            except ValueError:
                event = {"event": "text", "text": line.rstrip()}
            events.append(event | {"seen": time.monotonic() - started})
        # Not `process.wait()`, which does not return what the process has used.
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.monotonic() - started
        ended.set()
        watcher.join()
        process.returncode = os.waitstatus_to_exitcode(status)
        kept = json.loads(report.read_text()) if report.is_file() else {}
    return Followed(
        seconds=seconds,
        cpu_seconds=used.ru_utime + used.ru_stime,
        # Not `ru_maxrss`, which includes the process that started this one.
        peak_memory=max((s.peak for s in samples), default=0),
        events=events,
        samples=samples,
        report={key: kept[key] for key in REPORTED if key in kept},
        sha256=digest(model) if model.is_file() else None,
        code=process.returncode,
    )


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()

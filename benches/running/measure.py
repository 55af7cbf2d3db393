"""Runs jobs in fresh processes: interleaved, best of several, within a time budget."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benches import ROOT, SCRATCH

# A job this much slower than the fastest of its group is not repeated.
NOT_REPEATED = 8.0
TOO_LATE = "left out: the time budget was used up"


@dataclass
class Measured:
    """A job and the results of its runs."""

    job: dict[str, Any]
    label: str
    results: list[dict[str, Any]] = field(default_factory=list)
    failed: str | None = None
    wall: float = 0.0  # The duration of the last run, including process start and checks.

    def best(self, key: str) -> float | None:
        """The smallest value of a measurement over the runs."""
        values = [r[key] for r in self.results if r.get(key) is not None]
        return min(values, default=None)


class Runner:
    """Runs jobs until a deadline. `log` lists the jobs that were left out, with the reason."""

    def __init__(self, seconds: float, repeat_seconds: float = 20.0) -> None:
        self.repeat_seconds = repeat_seconds  # Jobs that take less are always repeated.
        self.end = time.monotonic() + seconds
        self.log: list[str] = []
        self.late: list[str] = []
        # Seconds per byte of text, by kind and peer, to predict which jobs still fit.
        self.rates: dict[str, float] = {}

    def note(self, item: Measured, size: int, reason: str) -> None:
        """Log why a job has no time."""
        where = f", {size:,} bytes" if size > 1 else ""
        self.log.append(f"{item.label}{where}: {reason}")

    def left(self) -> float:
        """Seconds until the deadline."""
        return self.end - time.monotonic()

    def say(self, text: str) -> None:
        """Print a line of progress."""
        print(f"[{max(0.0, self.left()):5.0f} s left] {text}", file=sys.stderr, flush=True)

    def once(self, job: dict[str, Any], timeout: float) -> dict[str, Any]:
        """Run a job once in a fresh process. Failures of the process are part of the result."""
        environment = {
            **os.environ,
            "RAYON_NUM_THREADS": str(job["threads"]),
            "OMP_NUM_THREADS": str(job["threads"]),
            "PYTHONHASHSEED": "0",
            "HF_HUB_OFFLINE": "1",
        }
        if "import_from" in job:  # Use another build of superword than the installed one.
            environment["PYTHONPATH"] = job["import_from"]
        SCRATCH.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=SCRATCH, prefix="job-") as folder:
            asked, answer = Path(folder, "job.json"), Path(folder, "result.json")
            asked.write_text(json.dumps({"out": str(Path(folder, "out")), **job}))
            with Path(folder, "output").open("wb") as output:
                process = subprocess.Popen(
                    [sys.executable, "-m", "benches.running.child", str(asked), str(answer)],
                    cwd=ROOT,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
                try:
                    process.wait(timeout)
                except subprocess.TimeoutExpired:
                    stopped = f"stopped after {timeout:.0f} s"
                    if answer.is_file():  # A job with several texts may have finished some.
                        return {**json.loads(answer.read_text()), "stopped": stopped}
                    return {"failed": stopped}
                finally:
                    if process.poll() is None:
                        os.killpg(process.pid, signal.SIGKILL)
                        process.wait()
            if not answer.is_file():
                code = process.returncode
                name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
                return {"failed": f"crashed: {name}"}
            result: dict[str, Any] = json.loads(answer.read_text())
            return result

    def group(
        self,
        jobs: list[Measured],
        rounds: int,
        key: str,
        size: int,
        limit: float = 900.0,
        accept: Callable[[Measured], str | None] | None = None,
    ) -> list[Measured]:
        """Run all jobs once, then all of them again, and so on. `key` is the time that is compared.

        `accept` checks the first result of a job and returns what is wrong with it, if anything.
        Such a job gets no time.
        """
        for turn in range(rounds):
            for item in jobs:
                if item.failed or (turn and not self._worth(item, jobs, key)):
                    continue
                kind = f"{item.job['kind']} {item.job.get('peer')} {item.job['threads']}"
                expected = item.wall or self.rates.get(kind, 0.0) * size
                if self.left() < max(2.0, expected):
                    if turn == 0:
                        item.failed = TOO_LATE
                    continue
                started = time.monotonic()
                left = self.left()
                result = self.once(item.job, min(limit, left))
                item.wall = time.monotonic() - started
                if "failed" in result and left < limit and self.left() <= 0:
                    # Stopped by the time budget, which is not a failure of the job.
                    item.failed = None if item.results else TOO_LATE
                    continue
                self.rates[kind] = item.wall / max(1, size)
                if "failed" in result:
                    item.failed = result["failed"]
                    self.note(item, size, result["failed"])
                    self.say(f"{item.label}: {item.failed}")
                    continue
                item.results.append(result)
                wrong = accept(item) if accept and turn == 0 else None
                if wrong:
                    item.failed = wrong
                    self.note(item, size, wrong)
                self.say(f"{item.label}: {result.get(key, 0.0):.3f} s{f' ({wrong})' * bool(wrong)}")
        self.late += [item.label for item in jobs if item.failed == TOO_LATE]
        return jobs

    def summary(self) -> list[str]:
        """The log, with the jobs that ran out of time joined into one line."""
        short = (x.split(",")[0] if x.startswith("encode") else x for x in self.late)
        names = "; ".join(dict.fromkeys(short))
        return [*self.log, f"{TOO_LATE}: {names}"] if names else self.log

    def _worth(self, item: Measured, jobs: list[Measured], key: str) -> bool:
        fastest = min((best for job in jobs if (best := job.best(key)) is not None), default=0.0)
        own = item.best(key) or 0.0
        return own < self.repeat_seconds or own < NOT_REPEATED * fastest

"""Ray on this machine, for tests. Everything is bound to 127.0.0.1."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ray = pytest.importorskip("ray", reason="Ray is not installed: run make test-cluster")

# Tests take the package from here, so that they are skipped without Ray.
from superword.integrations import ray as superword_ray  # noqa: E402
from superword.integrations.ray.cluster import loopback  # noqa: E402

__all__ = [
    "Nodes",
    "Saboteur",
    "finished",
    "options_of",
    "ray",
    "ray_started",
    "stopped_worker",
    "superword_ray",
    "wait_for",
    "worker_pids",
    "write_files",
]

# Read when Ray is started. On a machine that stands still for long, Ray would take a node that does
# not answer for dead, and end the process of the tests. A process that was killed is noticed as
# early as before, because it refuses connections.
os.environ.update(
    RAY_AUTH_MODE="disabled",
    RAY_USAGE_STATS_ENABLED="0",
    RAY_health_check_timeout_ms="60000",
    RAY_agent_register_timeout_ms="180000",
)

LOCALHOST = "127.0.0.1"
NODE = {"num_cpus": 1, "node_ip_address": LOCALHOST, "object_store_memory": 100 << 20}


@contextmanager
def ray_started(cpus: int = 2) -> Iterator[None]:
    """Ray in this process, with workers on this machine."""
    with loopback():
        ray.init(
            address="local",
            num_cpus=cpus,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
            object_store_memory=200 << 20,
            _node_ip_address=LOCALHOST,
        )
    try:
        yield
    finally:
        ray.shutdown()


class Nodes:
    """A cluster of a head and two more nodes, with one CPU each."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        head = {**NODE, "include_dashboard": False}
        with loopback():
            self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.fill()

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def fill(self) -> None:
        """Replace the nodes that were lost."""
        while len(self.cluster.worker_nodes) < 2:
            with loopback():
                self.cluster.add_node(**NODE)

    def lose_one(self, saboteur: Saboteur) -> None:
        """Remove a node that runs a task, without grace: all of its processes are killed."""
        # Whichever runs a task first: a new node may get none before all are done.
        nodes = {n.all_processes["raylet"][0].process.pid: n for n in self.cluster.worker_nodes}
        with stopped_worker(nodes, saboteur.over) as (_, raylet):
            saboteur.note()
            self.cluster.remove_node(nodes[raylet], allow_graceful=False)

    def shutdown(self) -> None:
        self.cluster.shutdown()


def finished(work: Path, kind: str) -> list[Path]:
    """The receipts of the finished tasks of a kind: counts or candidates."""
    return sorted(work.glob(f"{kind}-*/tasks/*/receipt.json"))


def wait_for(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait until a condition holds. It is asked often, because it may hold only for a moment."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.002)


class TooLateError(Exception):
    """The work was done before it could be broken."""


class Saboteur(threading.Thread):
    """Breaks something as soon as the first tasks are finished.

    `break_it` is called with this object. It calls `note` at the moment when it breaks something.
    """

    def __init__(self, work: Path, kind: str, break_it: Callable[[Saboteur], object]) -> None:
        super().__init__(daemon=True)
        self.work, self.kind, self.break_it = work, kind, break_it
        self.over = threading.Event()
        self.done = 0
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            wait_for(lambda: finished(self.work, self.kind))
            self.break_it(self)
        except BaseException as error:
            self.failure = error

    def note(self) -> None:
        """Note how many tasks are finished now."""
        self.done = len(finished(self.work, self.kind))

    def came_in_the_middle(self, tasks: int) -> bool:
        """Whether some tasks were finished then, and others not. To be asked after the work."""
        self.over.set()
        self.join()
        if self.failure is not None and not isinstance(self.failure, TooLateError):
            raise self.failure
        return 1 <= self.done < tasks


def write_files(folder: Path, files: int, size: int) -> list[str]:
    """Files of random words, `size` bytes each, which take a moment to count."""
    folder.mkdir()
    chance = random.Random(12)
    words = [
        "".join(chance.choices("aeioulnrst", k=chance.randrange(2, 8))) for _ in range(3000)
    ] + ["of the"] * 300
    for number in range(files):
        with (folder / f"{number:03}.jsonl").open("w") as file:
            written = 0
            while written < size:
                text = " ".join(chance.choices(words, k=200))
                written += file.write(json.dumps({"text": text}) + "\n")
    return [str(folder)]


def worker_pids(raylets: Container[int] | None = None) -> dict[int, int]:
    """The processes that run tasks of ours at the moment, each with the raylet of its node.

    Those of all nodes, or of the nodes with these raylets.
    """
    found: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                busy = (entry / "cmdline").read_bytes().startswith(b"ray::_guarded")
                # The name of a process, in parentheses, may hold anything. Its parent is after it.
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if busy and (raylets is None or parent in raylets):
                found[int(entry.name)] = parent
    return found


@contextmanager
def stopped_worker(
    raylets: Container[int] | None = None, over: threading.Event | None = None
) -> Iterator[tuple[int, int]]:
    """A process that stands still in the middle of a task, and its raylet.

    It is killed at the end. Raises `TooLateError` if there is none until `over` is set.
    """
    stopped: list[tuple[int, int]] = []

    def stop_one() -> bool:
        if over is not None and over.is_set():
            raise TooLateError
        for pid, raylet in worker_pids(raylets).items():
            os.kill(pid, signal.SIGSTOP)
            if pid in worker_pids(raylets):
                stopped.append((pid, raylet))
                return True
            os.kill(pid, signal.SIGCONT)  # It had just finished.
        return False

    wait_for(stop_one)
    try:
        yield stopped[0]
    finally:
        os.kill(stopped[0][0], signal.SIGKILL)


def options_of(method: str) -> dict[str, Any]:
    """Options for a small vocabulary."""
    more = {"supermerges": 20} if method == "superbpe" else {}
    return {"vocab_size": 400, "method": method, **more}

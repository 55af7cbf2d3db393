"""Ray is started quietly and for this machine only, and leaves signal handlers alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from superword.errors import ClusterError
from support.ray_clusters import ray, ray_started, superword_ray

pytestmark = pytest.mark.cluster

# In a process of its own, without the variables of `support.ray_clusters`.
SCRIPT = """
import json, os, signal, sys
before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
from superword.integrations.ray.cluster import connected, ray
with connected("local"):
    import psutil
    inside = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    ray.get(ray.remote(lambda: 1).remote())
    pids = {process.pid for process in psutil.Process().children(recursive=True)} | {os.getpid()}
    heard = {c.laddr.ip for c in psutil.net_connections("tcp")
             if c.status == "LISTEN" and c.pid in pids}
after = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
print(json.dumps({"same": before == inside == after, "heard": sorted(heard),
                  "running": ray.is_initialized()}))
"""


def test_ray_is_started_for_this_machine_only_and_without_a_word() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=90
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["same"]
    assert found["heard"]
    assert {address.removeprefix("::ffff:") for address in found["heard"]} == {"127.0.0.1"}
    assert not found["running"]
    assert done.stderr == ""


def test_a_connection_that_exists_is_used_and_kept() -> None:
    with ray_started():
        with superword_ray.cluster.connected(None):
            pass
        with superword_ray.cluster.connected("auto"):
            pass
        assert ray.is_initialized()


def test_an_address_that_nobody_answers_at_is_an_error_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    with pytest.raises(ClusterError, match=r"no Ray cluster answers at 127\.0\.0\.1:1"):
        superword_ray.train(
            tmp_path / "a.txt", vocab_size=300, work_dir=tmp_path / "w", address="127.0.0.1:1"
        )


def test_a_directory_that_is_not_shared_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("some text")
    # A node that has another directory at that path.
    monkeypatch.setattr(superword_ray.counting, "_count", lambda *arguments: None)
    with ray_started(), pytest.raises(ClusterError, match="left nothing in") as raised:
        superword_ray.train(tmp_path / "a.txt", vocab_size=300, work_dir=tmp_path / "w")
    assert "all nodes share" in str(raised.value.hint)


@pytest.mark.parametrize(
    ("nodes", "tasks", "threads", "cpus"),
    [
        ([4, 4], 100, None, 1),
        ([4, 4], 8, None, 1),
        ([4, 4], 4, None, 2),
        ([4, 4], 1, None, 4),
        ([1, 16], 3, None, 5),
        ([0], 3, None, 1),
        ([], 3, None, 1),
        ([4, 8], 100, 8, 8),
        ([4, 8], 100, 0, 8),
    ],
)
def test_tasks_use_spare_cpus_and_never_more_than_a_node_has(
    nodes: list[int],
    tasks: int,
    threads: int | None,
    cpus: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alive = [{"Alive": True, "Resources": {"CPU": float(n)} if n else {}} for n in nodes]
    dead = {"Alive": False, "Resources": {"CPU": 64.0}}
    monkeypatch.setattr(ray, "nodes", lambda: [*alive, dead])
    assert superword_ray.cluster.cpus_for(tasks, threads) == cpus

"""Nodes, workers and drivers are lost for real in the middle of the work. The model is the same."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import superword
from support.ray_clusters import (
    Nodes,
    Saboteur,
    finished,
    options_of,
    stopped_worker,
    superword_ray,
    wait_for,
    worker_pids,
    write_files,
)

pytestmark = pytest.mark.cluster

FILES = 24
OPTIONS = options_of("boundless")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Nodes]:
    nodes = Nodes()
    yield nodes
    nodes.shutdown()


@pytest.fixture
def nodes(cluster: Nodes) -> Nodes:
    cluster.fill()
    return cluster


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_files(tmp_path_factory.mktemp("text") / "in", FILES, 300_000)


@pytest.fixture(scope="module")
def expected(inputs: list[str]) -> bytes:
    return superword.train(inputs, **OPTIONS).to_bytes()


def trained(inputs: list[str], work: Path, nodes: Nodes) -> bytes:
    """Train with one task for each file."""
    model = superword_ray.train(
        inputs, work_dir=work, task_size=1, partitions=3, address=nodes.address, **OPTIONS
    )
    return model.to_bytes()


def trained_and_broken(
    kind: str,
    break_it: Callable[[Saboteur], object],
    inputs: list[str],
    nodes: Nodes,
    folder: Path,
) -> bytes:
    """Train, and break something in the middle. Try again if all tasks were done too early."""
    for attempt in range(5):
        work = folder / f"work-{attempt}"
        saboteur = Saboteur(work, kind, break_it)
        saboteur.start()
        model = trained(inputs, work, nodes)
        if saboteur.came_in_the_middle(FILES):
            return model
        nodes.fill()
    pytest.fail("the tasks were always done before something broke")


@pytest.mark.parametrize("kind", ["counts", "candidates"])
def test_a_node_that_is_lost_changes_nothing(
    kind: str, nodes: Nodes, inputs: list[str], expected: bytes, tmp_path: Path
) -> None:
    assert trained_and_broken(kind, nodes.lose_one, inputs, nodes, tmp_path) == expected
    assert len(nodes.cluster.worker_nodes) == 1


def test_a_worker_that_is_killed_changes_nothing(
    nodes: Nodes, inputs: list[str], expected: bytes, tmp_path: Path
) -> None:
    killed: list[int] = []

    def kill(saboteur: Saboteur) -> None:
        with stopped_worker(over=saboteur.over) as (pid, _):
            saboteur.note()
            killed.append(pid)

    assert trained_and_broken("counts", kill, inputs, nodes, tmp_path) == expected
    assert killed


def test_a_worker_that_is_killed_while_it_encodes_changes_nothing(
    nodes: Nodes, inputs: list[str], boundless: superword.Tokenizer, tmp_path: Path
) -> None:
    killed: list[int] = []

    def kill() -> None:
        with stopped_worker() as (pid, _):
            killed.append(pid)

    saboteur = threading.Thread(target=kill)
    saboteur.start()
    got = superword_ray.encode_files(
        inputs, boundless, tmp_path / "out", task_size=1, address=nodes.address
    )
    saboteur.join()
    assert len(killed) == 1
    local = boundless.encode_files(inputs, tmp_path / "local")
    ids, expected = (
        np.concatenate([np.load(corpus.path / shard.tokens_file) for shard in corpus.shards])
        for corpus in (got, local)
    )
    assert np.array_equal(ids, expected)


DRIVER = """
import sys
from superword.integrations import ray
work, output, address, *inputs = sys.argv[1:]
model = ray.train(
    inputs, work_dir=work, task_size=1, partitions=3, address=address, vocab_size=400
)
model.save(output)
"""


@pytest.mark.parametrize("kind", ["counts", "candidates"])
def test_a_driver_that_is_killed_uses_its_receipts_when_it_is_started_again(
    kind: str, nodes: Nodes, inputs: list[str], expected: bytes, tmp_path: Path
) -> None:
    work, output = tmp_path / "work", tmp_path / "m.superword"
    command = [sys.executable, "-c", DRIVER, str(work), str(output), nodes.address, *inputs]
    with subprocess.Popen(command) as driver:
        wait_for(lambda: finished(work, kind))
        driver.kill()
    assert driver.returncode == -signal.SIGKILL
    # Ray ends the tasks of a driver that is gone.
    wait_for(lambda: not worker_pids())
    kept = {path: path.stat() for path in finished(work, kind)}
    assert 1 <= len(kept) < FILES
    assert not output.exists()
    restarted = time.time_ns()
    subprocess.run(command, check=True, timeout=120)
    assert superword.Tokenizer.load(output).to_bytes() == expected
    after = {path: path.stat() for path in finished(work, kind)}
    assert len(after) >= FILES
    for path, before in kept.items():
        assert (after[path].st_mtime_ns, after[path].st_ino) == (before.st_mtime_ns, before.st_ino)
    done_again = [path for path in after if after[path].st_mtime_ns > restarted]
    assert set(done_again) == set(after) - set(kept)

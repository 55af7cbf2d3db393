"""Spark with executors in separate processes: killing one changes nothing.

`local-cluster` starts a master, workers and executors. `local[N]` would prove nothing, because
there the driver is the only executor.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import superword
from superword.progress import Progress
from support.spark import sources_of_python, spark_session

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore:PySpark does not yet")]
pytest.importorskip("pyspark", reason="pip install 'superword[spark]'")

PARTITIONS = 6
OPTIONS: dict[str, Any] = {"vocab_size": 1200, "special_tokens": ["<|endoftext|>"]}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("spark")
    with spark_session("local-cluster[2,1,1024]", folder) as session:
        wait_for(lambda: len(executors(session)) == 2, "two executors")
        yield session


@pytest.fixture(scope="module")
def wanted() -> bytes:
    return superword.train_from_iterator(sources_of_python(), **OPTIONS).to_bytes()


def executors(session: Any) -> list[int]:
    """The process ids of the executors of a session."""
    application = session.sparkContext.applicationId.encode()
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                arguments = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:  # It has just ended.
                continue
            if application in arguments and any(b"ExecutorBackend" in part for part in arguments):
                found.append(int(folder.name))
    return found


def wait_for(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, f"waited too long for {what}"
        time.sleep(0.1)


def kill(session: Any, victim: int) -> None:
    """Kill an executor without warning, and wait until it is gone."""
    assert victim in executors(session)
    os.kill(victim, signal.SIGKILL)
    wait_for(lambda: victim not in executors(session), "the end of the executor")


def computed_by(folder: Path) -> list[int]:
    """The process id of the executor for each time that a partition was computed."""
    files = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    return [int(path.name.partition("-")[0]) for path in files]


def watched(session: Any, folder: Path, pause: float = 0.0) -> Any:
    """A DataFrame that leaves a file in `folder` whenever one of its partitions is computed.

    The name of the file starts with the process id of the executor.
    """
    name = str(folder)

    def watch(batches: Iterator[Any]) -> Iterator[Any]:
        import os
        import time
        import uuid
        from pathlib import Path

        # The executor starts a daemon, which starts this process.
        status = Path(f"/proc/{os.getppid()}/stat").read_text()
        executor = status.rpartition(")")[2].split()[1]
        Path(name, f"{executor}-{uuid.uuid4().hex}").touch()
        time.sleep(pause)
        yield from batches

    rows = [(text,) for text in sources_of_python()]
    df = session.createDataFrame(rows, "text string").repartition(PARTITIONS)
    return df.mapInArrow(watch, "text string")


def test_an_executor_killed_after_its_shuffle_files_exist_changes_nothing(
    session: Any, wanted: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from superword.integrations import spark
    from superword.integrations.spark import jobs, sums

    run_once = jobs.run
    killed: list[int] = []

    def run_kill_run(session: Any, job: Any, *rest: Any) -> Any:
        before = len(computed_by(tmp_path))
        first = run_once(session, job, *rest)
        executed = computed_by(tmp_path)
        # The bounds come from rows that the job before has left on the disks of the executors.
        adds_bounds = rest[-1] is None
        assert len(executed) == before + (0 if adds_bounds else PARTITIONS)
        # The same DataFrame again: Spark reads the shuffle files and computes no partition.
        run_once(session, job, *rest)
        assert computed_by(tmp_path) == executed
        wait_for(lambda: len(executors(session)) == 2, "two executors")
        victim = max(set(executed) & set(executors(session)), key=executed.count)
        kill(session, victim)
        killed.append(victim)
        # Now some of the shuffle files, and of the rows on disk, are gone.
        last = run_once(session, job, *rest)
        assert len(computed_by(tmp_path)) > len(executed)
        assert last.num_rows == first.num_rows
        return last

    monkeypatch.setattr(sums, "run", run_kill_run)
    model = spark.train(watched(session, tmp_path), **OPTIONS)
    assert model.to_bytes() == wanted
    # After counting pretokens, after adding up the bounds, and after counting candidates, which may
    # happen more than once.
    assert len(set(killed)) >= 3


def test_an_executor_killed_in_the_middle_of_counting_changes_nothing(
    session: Any, wanted: bytes, tmp_path: Path
) -> None:
    from superword.integrations import spark

    wait_for(lambda: len(executors(session)) == 2, "two executors")
    killed: dict[str, int] = {}
    seen: dict[str, int] = {}

    def kill_in_each_phase(progress: Progress) -> None:
        if progress.unit != "tasks" or progress.phase in killed:
            return
        computed = computed_by(tmp_path)
        before = seen.setdefault(progress.phase, len(computed))
        busy = set(computed[before:]) & set(executors(session))
        if len(computed) >= before + 3 and busy:
            killed[progress.phase] = min(busy)
            kill(session, min(busy))

    texts = watched(session, tmp_path, pause=1.0)
    model = spark.train(texts, progress=kill_in_each_phase, **OPTIONS)
    assert model.to_bytes() == wanted
    assert set(killed) == {"count", "candidates"}
    assert len(computed_by(tmp_path)) > 2 * PARTITIONS

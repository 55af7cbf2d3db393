"""One tokenizer in many threads and processes: forked, spawned, pickled."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
import sysconfig
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import superword
from support.systems import needs_fork
from support.texts import DOCUMENTS
from support.variants import engine

LONG = " ".join(DOCUMENTS)


class Dataset:
    """A tokenizer and texts, as a data loader passes them to its workers."""

    def __init__(self, tok: superword.Tokenizer, texts: list[str]) -> None:
        self.tok, self.texts = tok, texts

    def __getitem__(self, index: int) -> list[int]:
        ids, _ = self.tok.encode_batch_to_numpy([self.texts[index]], threads=2)
        return [int(id) for id in ids]


def work(dataset: Dataset, indices: list[int], results: multiprocessing.Queue[object]) -> None:
    results.put([(index, dataset[index]) for index in indices])


@pytest.mark.parametrize("method", [pytest.param("fork", marks=needs_fork), "spawn"])
def test_workers_of_a_data_loader(method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    context: Any = multiprocessing.get_context(method)
    dataset = Dataset(engine("boundless"), DOCUMENTS[:8])
    expected = [dataset[index] for index in range(8)]  # The parent encodes first.
    results = context.Queue()
    workers = [
        context.Process(target=work, args=(dataset, list(range(w, 8, 2)), results)) for w in (0, 1)
    ]
    for worker in workers:
        worker.start()
    got = dict(pair for _ in workers for pair in results.get(timeout=120))
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    assert [got[index] for index in range(8)] == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_forking_while_other_threads_encode_does_not_hang() -> None:
    # A lock that another thread holds during the fork is never released in the child.
    tok = engine("picky-boundless")
    texts = DOCUMENTS[:4]
    expected = tok.encode_batch(texts)
    stop = threading.Event()

    def busy() -> None:
        while not stop.is_set():
            tok.encode("of the")
            tok.encode_batch(texts, threads=2)

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(60):
            child = os.fork()
            if child == 0:
                same = tok.encode_batch(texts, threads=2) == expected
                os._exit(0 if same and tok.encode("of the") else 1)
            deadline = time.monotonic() + 60
            while True:
                pid, status = os.waitpid(child, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() > deadline:
                    os.kill(child, 9)
                    os.waitpid(child, 0)
                    raise AssertionError("the child hangs")
                time.sleep(0.002)
            assert status == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_threads_share_one_model() -> None:
    tok = engine("boundless")
    expected = tok.encode(LONG)
    with ThreadPoolExecutor(8) as pool:
        assert all(ids == expected for ids in pool.map(tok.encode, [LONG] * 64))


def test_the_interpreter_runs_on_while_the_engine_encodes() -> None:
    tok = engine("boundless")
    text = LONG * 150
    switched = 0
    finished = threading.Event()

    def encode() -> None:
        tok.encode_to_numpy(text)
        tok.count_tokens([text])
        tok.encode_batch_to_numpy([text])
        finished.set()

    worker = threading.Thread(target=encode)
    worker.start()
    longest, last = 0.0, time.perf_counter()
    start = last
    while not finished.wait(0.001):
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
        switched += 1
    worker.join()
    spent = time.perf_counter() - start
    # With the GIL held, this thread would stand still for at least a third of the time.
    assert switched > 5
    assert longest < max(0.3 * spent, 0.2)


def test_pickles_are_the_same_bytes_each_time() -> None:
    tok = engine("picky-greedy")
    data = pickle.dumps(tok)
    tok.encode(LONG)
    assert pickle.dumps(tok) == data
    again = pickle.loads(data)
    assert pickle.dumps(again) == data
    assert again == tok
    assert again.encode(LONG) == tok.encode(LONG)


def test_the_module_does_not_turn_the_gil_back_on() -> None:
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("this build of Python always has a GIL")
    # Checked in a new process, where no other module can have turned it on.
    code = "import sys, superword; sys.exit(sys._is_gil_enabled())"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

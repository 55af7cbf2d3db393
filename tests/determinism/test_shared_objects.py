"""Threads that share one object get the results of a single thread, with and without the GIL.

The threads start together and call different methods of the same object. In a free-threaded Python
they really run at the same time.
"""

from __future__ import annotations

import json
import sys
import sysconfig
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import superword
from superword import _core
from superword.inputs import Texts
from superword.options import ReadOptions
from superword.stages import count_candidates, count_pretokens, train_words
from support.texts import DOCUMENTS, TEXTS

ALL = [*DOCUMENTS, *TEXTS.values()]
THREADS = 12
ROUNDS = 25


def together(*works: Callable[[], object]) -> None:
    """Run every work on a few threads at once, and raise the first error."""
    gate = threading.Barrier(THREADS)
    failures: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        try:
            gate.wait(60)
            for _ in range(ROUNDS):
                work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(works[n % len(works)],)) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert not any(thread.is_alive() for thread in threads), "threads wait for each other"
    if failures:
        raise failures[0]


def test_the_gil_stays_disabled() -> None:
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("this Python always has a GIL")
    # Importing a module that is not made for free threading turns the GIL on.
    assert not sys._is_gil_enabled()  # type: ignore[attr-defined,unused-ignore]


def test_all_methods_of_a_tokenizer_at_once(superbpe: superword.Tokenizer) -> None:
    alone = superword.Tokenizer.from_bytes(superbpe.to_bytes())
    shared = superword.Tokenizer.from_bytes(superbpe.to_bytes())
    ids = [alone.encode_ordinary(text) for text in ALL]
    flat = np.concatenate([np.array(each, dtype=np.uint32) for each in ids])
    offsets = [alone.encode_with_offsets(text) for text in ALL]
    stored = alone.to_bytes()

    def encode() -> None:
        assert [shared.encode_ordinary(text) for text in ALL] == ids

    def batch() -> None:
        assert shared.encode_batch(ALL, threads=2) == ids
        assert (shared.encode_batch_to_numpy(ALL)[0] == flat).all()

    def decode() -> None:
        assert [shared.decode(each) for each in ids] == ALL
        assert [shared.encode_with_offsets(text) for text in ALL] == offsets

    def forget() -> None:
        shared.clear_cache()
        shared.set_cache_bytes("1MB")
        assert shared.to_bytes() == stored

    together(encode, batch, decode, forget)


def test_counts_and_candidates_at_once() -> None:
    counts = count_pretokens(Texts(ALL))
    words = train_words(counts, vocab_size=400)
    candidates = count_candidates(Texts(ALL), words)
    expected = dict(counts), dict(count_candidates(Texts(ALL), words)), words.to_bytes()

    def read() -> None:
        assert dict(counts) == expected[0]

    def read_candidates() -> None:
        assert dict(candidates) == expected[1]

    def learn() -> None:
        assert train_words(counts, vocab_size=400).to_bytes() == expected[2]

    together(read, read_candidates, learn)


def test_a_reader_gives_every_document_to_one_thread(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    texts = [f"{number} " + "text " * 5_000 for number in range(400)]
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    reader = _core.DocumentReader([(str(path), None)], ReadOptions().for_reading())
    seen: Counter[str] = Counter()
    lock = threading.Lock()

    def read() -> None:
        while (batch := reader.next()) is not None:
            with lock:
                seen.update(batch)

    together(read)
    assert seen == Counter(texts)
    assert reader.report()["documents"] == len(texts)


def test_a_buffer_keeps_every_document_of_every_thread() -> None:
    spool = _core.Spool()
    together(lambda: spool.add(ALL))
    reader = _core.DocumentReader([(spool, None)], ReadOptions().for_reading())
    seen: Counter[str] = Counter()
    while (batch := reader.next()) is not None:
        seen.update(batch)
    once = Counter(ALL)
    assert seen == Counter({text: count * THREADS * ROUNDS for text, count in once.items()})

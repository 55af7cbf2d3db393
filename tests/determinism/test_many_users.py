"""A tokenizer used by many threads and processes gives the same results as with one."""

from __future__ import annotations

import multiprocessing
import pickle
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
import superword
from support.systems import needs_fork
from support.texts import TEXTS

ALL = list(TEXTS.values())


@pytest.fixture(scope="module", params=["bpe", "boundless", "superbpe", "picky"])
def tok(request: pytest.FixtureRequest) -> superword.Tokenizer:
    if request.param == "superbpe":
        return superword.train_from_iterator(
            ALL * 2, vocab_size=600, method="superbpe", supermerges=20
        )
    if request.param == "picky":
        return superword.train_from_iterator(ALL * 2, vocab_size=600, picky=0.6)
    return superword.train_from_iterator(ALL * 2, vocab_size=600, method=request.param)


def test_eight_threads_at_once(tok: superword.Tokenizer) -> None:
    # The expected ids come from a tokenizer that no other thread has used.
    alone = superword.Tokenizer.from_bytes(tok.to_bytes())
    expected = {text: alone.encode(text) for text in ALL}

    def work(seed: int) -> int:
        rng = random.Random(seed)
        for _ in range(60):
            text = rng.choice(ALL)
            ids = tok.encode(text)
            assert ids == expected[text]
            assert tok.decode(ids) == text
            some = rng.sample(ALL, 3)
            assert tok.encode_batch(some, threads=2) == [expected[text] for text in some]
        return seed

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == list(range(8))


def test_eight_threads_train_at_once() -> None:
    expected = superword.train_from_iterator(ALL, vocab_size=500).to_bytes()

    def work(_: int) -> bytes:
        return superword.train_from_iterator(ALL, vocab_size=500, threads=2).to_bytes()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(work, range(8))) == {expected}


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_is_the_same(tok: superword.Tokenizer, protocol: int) -> None:
    again = pickle.loads(pickle.dumps(tok, protocol))
    assert again == tok
    assert again.to_bytes() == tok.to_bytes()
    assert again.encode_batch(ALL) == tok.encode_batch(ALL)


def encode_all(tok: superword.Tokenizer) -> list[list[int]]:
    """Encode in a child process: with one thread, then with several."""
    one_by_one = [tok.encode(text) for text in ALL]
    assert tok.encode_batch(ALL, threads=2) == one_by_one
    return one_by_one


@pytest.mark.parametrize("method", [pytest.param("fork", marks=needs_fork), "spawn"])
def test_other_processes(tok: superword.Tokenizer, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    # The parent has used threads before. They do not exist in a forked child.
    expected = tok.encode_batch(ALL, threads=2)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(encode_all, [tok] * 4).get(timeout=120) == [expected] * 4

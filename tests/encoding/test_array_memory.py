"""Arrays of ids belong to their caller: they outlive the tokenizer, and nothing leaks."""

from __future__ import annotations

import gc
import random
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import superword

WORDS = ["one", "of", "the", "words", "some", "time", "été", "中文", "x" * 80, "\n", "  "]


def tokenizer() -> superword.Tokenizer:
    return superword.train_from_iterator(
        ["one of the words, some of the time, été 中文 "] * 20, vocab_size=285
    )


def some_texts(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=chance.randrange(40))) for _ in range(count)]


def arrays_of(tok: superword.Tokenizer, texts: list[str]) -> list[np.ndarray]:
    """Every way to get ids as an array: in place (one thread, a megabyte) and from chunks."""
    long = [" ".join(texts)] * (1 + (1 << 20) // len(" ".join(texts)))
    arrays: list[np.ndarray] = []
    for given, threads in ((texts, 1), (texts, 2), (long, 1), (long, 2), ([""], 1), ([], 1)):
        arrays += tok.encode_batch_to_numpy(given, threads=threads)
    return [*arrays, tok.encode_to_numpy(texts[0]), tok.encode_to_numpy("")]


def test_arrays_outlive_the_tokenizer_and_can_be_written_to() -> None:
    tok = tokenizer()
    texts = some_texts(1, 50)
    expected = [array.tolist() for array in arrays_of(tok, texts)]
    arrays = arrays_of(tok, texts)
    gone = weakref.ref(tok)
    del tok
    gc.collect()
    assert gone() is None
    assert [array.tolist() for array in arrays] == expected
    for array in arrays:
        array[...] = 7
    for array in arrays:
        assert array.flags.writeable
        assert (array == 7).all()


def test_a_second_call_does_not_touch_the_first_arrays() -> None:
    tok = tokenizer()
    first = arrays_of(tok, some_texts(2, 50))
    copies = [array.copy() for array in first]
    for array in arrays_of(tok, some_texts(3, 50)):
        array[...] = 0
    assert all(np.array_equal(array, copy) for array, copy in zip(first, copies, strict=True))


def test_texts_are_released_after_encoding() -> None:
    tok = tokenizer()
    texts = ["".join(["one of ", str(n)]) for n in range(100)]
    before = [sys.getrefcount(text) for text in texts]
    arrays = arrays_of(tok, texts)
    tok.encode_batch(texts)
    tok.count_tokens(texts)
    assert len(arrays) == 14
    assert [sys.getrefcount(text) for text in texts] == before


@pytest.mark.skipif(sys.platform != "linux", reason="needs the peak memory in kilobytes")
def test_repeated_calls_take_no_more_memory() -> None:
    import resource

    tok = tokenizer()
    texts = some_texts(4, 200)

    def once() -> None:
        arrays_of(tok, texts)
        tok.decode(tok.encode("".join(texts)))
        superword.Tokenizer.from_bytes(tok.to_bytes()).encode(texts[0])

    def peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    for _ in range(5):
        once()
    gc.collect()
    before = peak()
    for _ in range(20):
        once()
    # One call makes about 8 MB of arrays. If they leaked, it would be hundreds.
    assert peak() - before < 60 << 10


def test_many_threads_share_one_encoder() -> None:
    tok = tokenizer()
    alone = superword.Tokenizer.from_bytes(tok.to_bytes())
    texts = some_texts(5, 400)
    expected = {text: alone.encode(text) for text in texts}

    def work(seed: int) -> int:
        chance = random.Random(seed)
        for _ in range(60):
            chosen = chance.sample(texts, 20)
            kind = chance.randrange(5)
            if kind == 0:
                assert [tok.encode(text) for text in chosen] == [expected[t] for t in chosen]
            elif kind == 1:
                assert tok.encode_batch(chosen, threads=2) == [expected[t] for t in chosen]
            elif kind == 2:
                assert tok.count_tokens(chosen) == [len(expected[t]) for t in chosen]
            elif kind == 3:
                assert tok.decode(expected[chosen[0]]) == chosen[0]
            elif chance.random() < 0.5:
                tok.clear_cache()
            else:
                tok.set_cache_bytes(chance.choice([0, 1000, 1 << 20]))
        return seed

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == list(range(8))

"""The encoding cache stays within its size and never changes the ids."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import superword
from superword.errors import OptionError
from support.seeded import LATIN, common_words
from support.texts import DOCUMENTS
from support.variants import engine

MODELS = ["bpe-gpt2", "boundless", "superbpe", "picky", "greedy"]


def rare_words(count: int) -> str:
    words = common_words(count, seed=11, lengths=(2, 14), alphabet=LATIN + "éжд語")
    return " ".join(words)


@pytest.mark.parametrize("model", MODELS)
def test_ids_are_the_same_for_every_size(model: str) -> None:
    texts = [*DOCUMENTS, rare_words(4000)]
    expected = engine(model).encode_batch(texts)
    tok = superword.Tokenizer.from_bytes(engine(model).to_bytes())
    before = tok.cache_bytes
    for size in (0, 1, 100, 5000, 1 << 20, 1 << 26, before):
        tok.set_cache_bytes(size)
        assert tok.cache_bytes == size
        for threads in (1, 3):
            for _ in range(2):  # First with an empty cache, then from the cache.
                assert tok.encode_batch(texts, threads=threads) == expected
        tok.clear_cache()
        assert tok.encode_batch(texts) == expected


def test_it_is_set_where_a_model_is_loaded_and_is_no_part_of_it(model_path: Path) -> None:
    tok = superword.Tokenizer.load(model_path, cache_bytes="2MiB")
    assert tok.cache_bytes == 2 << 20
    plain = superword.Tokenizer.load(model_path)
    assert plain.cache_bytes not in (0, 2 << 20)
    assert tok == plain
    assert hash(tok) == hash(plain)
    assert pickle.dumps(tok) == pickle.dumps(plain)
    assert pickle.loads(pickle.dumps(tok)).cache_bytes == plain.cache_bytes
    assert copy.copy(tok).cache_bytes == 2 << 20
    tok.set_cache_bytes(10**30)  # Allowed, but limited to 1 GiB.
    assert tok.cache_bytes == 1 << 30
    with pytest.raises(AttributeError):
        tok.cache_bytes = 7  # type: ignore[misc]


def test_what_is_no_size_is_said(model_path: Path) -> None:
    tok = superword.Tokenizer.load(model_path)
    for wrong in (-1, 1.5, True, None, "much", "-3MB"):
        with pytest.raises(OptionError) as caught:
            tok.set_cache_bytes(wrong)  # type: ignore[arg-type]
        assert caught.value.hint is not None
    with pytest.raises(OptionError):
        superword.Tokenizer.load(model_path, cache_bytes="-1")


# Prints by how much the peak memory of the process grew, in kB.
GROWTH = """
import random, resource, sys
import superword
tok = superword.Tokenizer.load(sys.argv[1], cache_bytes=int(sys.argv[2]))
source = random.Random(5)
letters = "abcdefghijklmnopqrstuvwxyz"
def text():
    return " ".join("".join(source.choices(letters, k=9)) for _ in range(3000))
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
first = text()
tok.set_cache_bytes(0)
for _ in range(20):
    tok.encode_to_numpy(first)
before = peak()
tok.set_cache_bytes(int(sys.argv[2]))
for _ in range(int(sys.argv[3])):
    tok.encode_to_numpy(text())
print(peak() - before)
"""


def growth(model: Path, cache_bytes: int, rounds: int) -> int:
    command = [sys.executable, "-c", GROWTH, str(model), str(cache_bytes), str(rounds)]
    return int(subprocess.run(command, capture_output=True, check=True, text=True).stdout) * 1024


def test_memory_stays_within_the_size(model_path: Path) -> None:
    noise = 4 << 20
    # 240,000 words that are all different.
    small = growth(model_path, 1 << 20, 80)
    assert small < (1 << 20) + noise
    large = growth(model_path, 32 << 20, 80)
    assert large < (32 << 20) + noise
    assert growth(model_path, 0, 80) < noise


def test_the_command_takes_a_size(model_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(rare_words(500))
    command = [sys.executable, "-m", "superword", "encode-files", str(path), "--no-eot"]
    command += ["-m", str(model_path), "-o"]
    for size in ("0", "1MB", "64MiB"):
        subprocess.run([*command, str(tmp_path / size), "--cache-bytes", size], check=True)
    made = {(tmp_path / size / "shard-00000.npy").read_bytes() for size in ("0", "1MB", "64MiB")}
    assert len(made) == 1
    wrong = [*command, str(tmp_path / "wrong"), "--cache-bytes", "much"]
    told = subprocess.run(wrong, capture_output=True, check=False, text=True)
    assert told.returncode != 0
    assert "must be a number of bytes" in told.stderr
    assert "hint: " in told.stderr

"""The same documents give the same model file, byte for byte, however they are stored and read."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import superword
import zstandard
from support.texts import TEXTS

METHODS: list[dict[str, Any]] = [
    {"method": "bpe"},
    {"method": "boundless"},
    {"method": "superbpe", "supermerges": 60},
    {"method": "boundless", "picky": 0.7, "greedy_split": "encode", "max_words": 3},
]


def documents() -> list[str]:
    """Return pieces of all texts, some empty or repeated, enough to fill several blocks."""
    rng = random.Random(5)
    pieces = ["", " ", "\n"]
    for text in TEXTS.values():
        for _ in range(60):
            start = rng.randrange(len(text))
            pieces += [text[start : start + rng.randrange(1, 300)]] * rng.choice([1, 1, 4])
    rng.shuffle(pieces)
    return pieces


DOCUMENTS = documents()


def lines(texts: Sequence[str]) -> bytes:
    return "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def write(folder: Path, name: str, data: bytes) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(data)
    return folder / name


def in_twenty(folder: Path, pack: Callable[[bytes], bytes], suffix: str) -> list[Path]:
    size = -(-len(DOCUMENTS) // 20)
    return [
        write(folder, f"{i:02}.jsonl{suffix}", pack(lines(DOCUMENTS[i * size : (i + 1) * size])))
        for i in range(20)
    ]


@pytest.mark.parametrize("options", METHODS, ids=lambda o: "-".join(map(str, o.values())))
def test_file_depends_on_the_documents_alone(options: dict[str, Any], tmp_path: Path) -> None:
    def model(inputs: Any, threads: int) -> bytes:
        path = tmp_path / "model.superword"
        tok = superword.train(inputs, vocab_size=700, threads=threads, **options)
        tok.save(path)
        return path.read_bytes()

    one = write(tmp_path / "one", "all.jsonl", lines(DOCUMENTS))
    expected = model(one, 1)
    for threads in (2, 8):
        assert model(one, threads) == expected
    assert model(one, 1) == expected  # again

    parts = in_twenty(tmp_path / "parts", bytes, "")
    assert model(parts, 2) == expected
    assert model(parts[::-1], 8) == expected
    assert model(random.Random(1).sample(parts, len(parts)), 1) == expected
    assert model(tmp_path / "parts", 2) == expected  # as a directory
    assert model(str(tmp_path / "parts" / "*.jsonl"), 2) == expected  # as a glob

    packed = in_twenty(tmp_path / "gz", gzip.compress, ".gz")
    assert model(packed, 2) == expected
    packed = in_twenty(tmp_path / "zst", zstd, ".zst")
    assert model(packed, 2) == expected
    assert model([*packed[:10], *parts[10:]], 8) == expected

    as_iterator = superword.train_from_iterator(iter(DOCUMENTS), vocab_size=700, **options)
    assert as_iterator.to_bytes() == expected


@pytest.mark.parametrize("options", METHODS[:3], ids=lambda o: str(o["method"]))
def test_plain_text_depends_on_its_documents_alone(options: dict[str, Any], tmp_path: Path) -> None:
    # A byte order mark is not text at the start of a file, but it is in a Python string.
    texts = [text for text in DOCUMENTS if text and not text.startswith("\ufeff")][::6]
    expected = superword.train_from_iterator(texts, vocab_size=500, **options).to_bytes()
    packers: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".zst": zstd}
    for suffix, pack in packers.items():
        folder = tmp_path / f"plain{suffix}"
        for i, text in enumerate(texts):
            write(folder, f"{i:04}.txt{suffix}", pack(text.encode()))
        for threads in (1, 8):
            tok = superword.train(folder, vocab_size=500, threads=threads, **options)
            assert tok.to_bytes() == expected

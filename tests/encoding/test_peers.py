"""Word models give the ids of tiktoken and HF tokenizers built from the same merges."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import superword
from support.texts import DOCUMENTS

SLICE = 120_000  # Bytes of text per language.


def byte_alphabet() -> dict[int, str]:
    """Return GPT-2's printable character for each byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {byte: chr(byte) for byte in printable}
    others = (byte for byte in range(256) if byte not in table)
    table.update({byte: chr(256 + place) for place, byte in enumerate(others)})
    return table


def as_huggingface(tok: superword.Tokenizer) -> Any:
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    table = byte_alphabet()

    def spelled(token: bytes) -> str:
        return "".join(table[byte] for byte in token)

    vocabulary = {spelled(tok.token_bytes(id)): id for id in range(tok.n_vocab)}
    merges = [(spelled(left), spelled(right)) for left, right, _ in tok.merges]
    twin = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, merges))
    split = tokenizers.pre_tokenizers.Split(
        tokenizers.Regex(tok.pretokenizer.pattern), behavior="isolated"
    )
    bytes_ = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    twin.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([split, bytes_])
    return twin


def as_tiktoken(tok: superword.Tokenizer) -> Any:
    tiktoken = pytest.importorskip("tiktoken", reason="tiktoken is not installed")
    ranks = {tok.token_bytes(id): id for id in range(tok.n_vocab)}
    return tiktoken.Encoding(
        "twin", pat_str=tok.pretokenizer.pattern, mergeable_ranks=ranks, special_tokens={}
    )


@pytest.mark.parametrize("preset", ["gpt4o", "gpt2", "gpt4"])
def test_small_models_equal_their_peers(preset: str) -> None:
    tok = superword.train_from_iterator(
        DOCUMENTS, vocab_size=480, method="bpe", pretokenizer=preset
    )
    huggingface, tiktoken = as_huggingface(tok), as_tiktoken(tok)
    for text in [*DOCUMENTS[:8], "a" * 200, "  \n\n x\t\r\n", "12345 ١٢٣ ⅷ", "🙂‍↔️ é e\u0301"]:
        ids = tok.encode(text)
        assert huggingface.encode(text, add_special_tokens=False).ids == ids
        assert tiktoken.encode_ordinary(text) == ids


class EnoughError(Exception):
    """Stops the run once the first shard is written."""


def beginning(path: Path, folder: Path) -> list[str]:
    """Return the first documents of a file, read from shards of a model whose tokens are bytes."""
    tok = superword.train_from_iterator(["a"], vocab_size=256, method="bpe")

    def enough(_: object) -> None:
        if (folder / "shard-00000.npy").exists():
            raise EnoughError

    with suppress(EnoughError):
        tok.encode_files(path, folder, eot=False, shard_size=SLICE, progress=enough)
    data = np.load(folder / "shard-00000.npy").astype(np.uint8).tobytes()
    ends = np.load(folder / "shard-00000.documents.npy").tolist()
    return [data[start:end].decode() for start, end in pairwise(ends)][:40]


@pytest.mark.parametrize("preset", ["gpt4o", "gpt2"])
def test_every_language_equals_its_peers(preset: str, corpus_dir: Path, tmp_path: Path) -> None:
    files = [
        corpus_dir / "en-1.jsonl.zst",
        corpus_dir / "code.jsonl.zst",
        *sorted((corpus_dir / "multi").glob("*.jsonl.zst")),
    ]
    assert len(files) > 10
    texts = {path.name: beginning(path, tmp_path / path.name) for path in files}
    tok = superword.train_from_iterator(
        [text for documents in texts.values() for text in documents],
        vocab_size=8000,
        method="bpe",
        pretokenizer=preset,
    )
    huggingface, tiktoken = as_huggingface(tok), as_tiktoken(tok)
    for name, documents in texts.items():
        assert documents, name
        ids = tok.encode_batch(documents)
        assert tiktoken.encode_ordinary_batch(documents) == ids, name
        twins = huggingface.encode_batch(documents, add_special_tokens=False)
        assert [twin.ids for twin in twins] == ids, name

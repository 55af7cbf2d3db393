"""tiktoken: encoding only."""

from __future__ import annotations

from typing import Any

from benches.peers import Exported


def load(exported: Exported) -> Any:
    """From the file of ranks."""
    import base64

    import tiktoken

    # Read here, because its own loader would put a copy into its download cache.
    lines = exported.tiktoken.read_bytes().splitlines()
    pairs = (line.split() for line in lines)
    ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
    return tiktoken.Encoding(
        "bench", pat_str=exported.pattern, mergeable_ranks=ranks, special_tokens={}
    )


def prepare(texts: list[str]) -> list[str]:
    """Strings as they are."""
    return texts


def encode(tokenizer: Any, texts: list[str], threads: int) -> Any:
    """One after another on one thread; on more, its batch call."""
    if threads == 1:
        return [tokenizer.encode_ordinary(text) for text in texts]
    return tokenizer.encode_ordinary_batch(texts, num_threads=threads)


def ids(encoded: Any) -> list[Any]:
    """Ids of each text."""
    return list(encoded)

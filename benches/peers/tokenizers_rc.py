"""Hugging Face tokenizers 1.0, a release candidate, which has no trainers yet: encoding only."""

from __future__ import annotations

from typing import Any

from benches.peers import Exported


def load(exported: Exported) -> Any:
    """From `tokenizer.json`."""
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(exported.tokenizer_json))


def prepare(texts: list[str]) -> list[str]:
    """Strings as they are."""
    return texts


def encode(tokenizer: Any, texts: list[str], threads: int) -> Any:
    """Its batch call."""
    return tokenizer.encode_batch(texts, add_special_tokens=False)


def ids(encoded: Any) -> list[Any]:
    """Ids of each text."""
    return [encoding.ids for encoding in encoded]

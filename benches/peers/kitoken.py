"""kitoken: encoding only."""

from __future__ import annotations

from typing import Any

from benches.peers import Exported

SLOW = True


def load(exported: Exported) -> Any:
    """From `tokenizer.json`."""
    from kitoken import Kitoken

    return Kitoken.from_tokenizers_file(str(exported.tokenizer_json))


def prepare(texts: list[str]) -> list[str]:
    """Strings as they are."""
    return texts


def encode(tokenizer: Any, texts: list[str], threads: int) -> Any:
    """Its batch call, which runs on one thread."""
    return tokenizer.encode_all(texts)


def ids(encoded: Any) -> list[Any]:
    """Ids of each text."""
    return list(encoded)

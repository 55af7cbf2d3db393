"""Import ranks of tiktoken, with their pattern and special tokens."""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from superword._files.read import read_file
from superword.errors import ConversionError, OptionError
from superword.export.tiktoken import read_sidecar, sidecar_of
from superword.imports.build import Added, build, pretokenizer_for
from superword.imports.rules import check_alphabet, rules_of
from superword.pretokenizer import Pretokenizer, preset_names
from superword.tokenizer import Tokenizer

__all__ = ["from_ranks", "from_tiktoken", "read_ranks"]


def from_tiktoken(
    ranks: str | os.PathLike[str] | Mapping[bytes, int] | Any,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> Tokenizer:
    """Import a `.tiktoken` file, the ranks themselves, or an `Encoding`. See `Tokenizer`."""
    if isinstance(ranks, str | os.PathLike):
        path = Path(ranks)
        table = read_ranks(path)
        if sidecar_of(path).is_file() and (pattern is None or special_tokens is None):
            sidecar = read_sidecar(path)
            pattern = pattern if pattern is not None else sidecar["pat_str"]
            if special_tokens is None:
                special_tokens = sidecar["special_tokens"]
    elif isinstance(ranks, Mapping):
        table = dict(ranks)
    else:
        table, known_pattern, known_special = _parts_of(ranks)
        pattern = pattern if pattern is not None else known_pattern
        special_tokens = special_tokens if special_tokens is not None else known_special
    if pattern is None:
        raise OptionError(
            "the ranks of tiktoken do not include the pattern: give `pattern`",
            hint="it is in the program that loads the ranks, as pat_str; the name of a preset that "
            "splits in the same way will do, such as gpt4o, or llama3 for Llama 3",
            option="pattern",
        )
    if pattern in preset_names():
        pattern = Pretokenizer(pattern).pattern
    special = [Added(text, id) for text, id in (special_tokens or {}).items()]
    return from_ranks(table, pattern, special, {"format": "tiktoken"})


def from_ranks(
    ranks: Mapping[bytes, int],
    pattern: str,
    added: list[Added],
    facts: dict[str, Any],
    *,
    first_id: int = 0,
    settings: Mapping[str, Any] | None = None,
) -> Tokenizer:
    """The tokenizer that joins neighbours whose bytes together have the lowest rank.

    The id of a token is its rank plus `first_id`. A pretoken that is a token is never merged.
    """
    for token, rank in ranks.items():
        if not isinstance(token, bytes) or not isinstance(rank, int) or rank < 0:
            raise ConversionError(
                f"a rank must be a number for some bytes, not {rank!r} for {token!r}"
            )
    rules = rules_of(ranks, lambda left, right: ranks.get(left + right))
    return build(
        method="bpe",
        pretokenizer=pretokenizer_for(pattern),
        alphabet=check_alphabet(ranks),
        rules=rules,
        ids={token: rank + first_id for token, rank in ranks.items()},
        added=added,
        whole_pieces=True,
        facts=facts,
        settings=settings,
    )


def _parts_of(encoding: Any) -> tuple[dict[bytes, int], str, dict[str, int]]:
    try:
        return (
            dict(encoding._mergeable_ranks),
            str(encoding._pat_str),
            dict(encoding._special_tokens),
        )
    except (AttributeError, TypeError):
        raise OptionError(
            "ranks are given as a path, a mapping from bytes to numbers, or a tiktoken.Encoding, "
            f"not as {type(encoding).__name__}",
            option="ranks",
        ) from None


def read_ranks(path: Path) -> dict[bytes, int]:
    """The ranks of a `.tiktoken` file: a token in base64 and its rank per line."""
    lines = read_file(path, "give a .tiktoken file").splitlines()
    table: dict[bytes, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            token, rank = line.split()
            # Whisper writes its empty token as "=", which is not valid base64.
            table[b"" if token == b"=" else base64.b64decode(token, validate=True)] = int(rank)
        except (ValueError, binascii.Error):
            raise ConversionError(
                f"{path}:{number}: not a token in base64 and its rank: {line[:60]!r}",
                hint="check that this is a .tiktoken file",
                path=str(path),
            ) from None
    return table

"""Import ranks of tiktoken, with their pattern and special tokens."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from superword import _core
from superword._files.read import read_file
from superword.errors import ConversionError, OptionError
from superword.export.tiktoken import sidecar_content, sidecar_of
from superword.imports.contents import content_of
from superword.tokenizer import Tokenizer

__all__ = ["from_tiktoken"]


def from_tiktoken(
    ranks: str | os.PathLike[str] | Mapping[bytes, int] | Any,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> Tokenizer:
    """Import a `.tiktoken` file, the ranks themselves, or an `Encoding`. See `Tokenizer`."""
    special = None if special_tokens is None else list(special_tokens.items())
    if isinstance(ranks, str | os.PathLike):
        file = Path(ranks)
        content = content_of(file, read_file(file, "give a .tiktoken file"))
        sidecar = sidecar_content(file) if sidecar_of(file).is_file() else None
        return Tokenizer._wrap(_core.import_tiktoken(content, sidecar, pattern, special))
    if isinstance(ranks, Mapping):
        table = dict(ranks)
    else:
        table, known_pattern, known_special = _parts_of(ranks)
        pattern = pattern if pattern is not None else known_pattern
        special = special if special is not None else list(known_special.items())
    for token, rank in table.items():
        if not isinstance(token, bytes) or not isinstance(rank, int) or not 0 <= rank < 1 << 32:
            raise ConversionError(
                f"a rank must be a number for some bytes, not {rank!r} for {token!r}"
            )
    return Tokenizer._wrap(_core.import_ranks(table, pattern, special))


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

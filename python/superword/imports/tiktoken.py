"""Ranks of tiktoken, with the pattern and the special tokens that go with them."""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping
from pathlib import Path

from superword._files.read import read_file
from superword.errors import ConversionError, OptionError
from superword.export.tiktoken import read_sidecar, sidecar_of
from superword.imports.build import build, pretokenizer_for
from superword.imports.rules import check_alphabet, rules_of
from superword.tokenizer import Tokenizer

__all__ = ["from_tiktoken"]


def from_tiktoken(
    ranks: str | os.PathLike[str] | Mapping[bytes, int],
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> Tokenizer:
    """The model of a `.tiktoken` file, or of the ranks themselves; see `Tokenizer`."""
    path = None
    if isinstance(ranks, str | os.PathLike):
        path = Path(ranks)
        table = _read(path)
        if pattern is None and sidecar_of(path).is_file():
            sidecar = read_sidecar(path)
            pattern = sidecar["pat_str"]
            if special_tokens is None:
                special_tokens = sidecar["special_tokens"]
    else:
        table = dict(ranks)
    if pattern is None:
        raise OptionError(
            "the ranks of tiktoken do not include the pattern: give `pattern`",
            hint="for example Pretokenizer('gpt4o').pattern; an Encoding has it as _pat_str",
            option="pattern",
        )
    for token, rank in table.items():
        if not isinstance(token, bytes) or not isinstance(rank, int) or not token or rank < 0:
            raise ConversionError(
                f"a rank must be a number for some bytes, not {rank!r} for {token!r}"
            )
    rules = rules_of(table, lambda left, right: table.get(left + right))
    facts = {"format": "tiktoken"}
    return build(
        method="bpe",
        pretokenizer=pretokenizer_for(pattern),
        alphabet=check_alphabet(table),
        merges=rules,
        ids=table,
        special_tokens=special_tokens or {},
        facts=facts,
    )


def _read(path: Path) -> dict[bytes, int]:
    lines = read_file(path, "give a .tiktoken file").splitlines()
    table: dict[bytes, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            token, rank = line.split()
            table[base64.b64decode(token, validate=True)] = int(rank)
        except (ValueError, binascii.Error):
            raise ConversionError(
                f"{path}:{number}: not a token in base64 and its rank: {line[:60]!r}",
                hint="check that this is a .tiktoken file",
                path=str(path),
            ) from None
    return table

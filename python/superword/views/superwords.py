"""The superwords of a model, and whether its counts are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from superword.tokenizer import Tokenizer

__all__ = ["Superword", "merge_counts_known", "superwords"]


@dataclass(frozen=True)
class Superword:
    """A superword of a model."""

    token: bytes
    id: int
    count: int
    """How often its two parts were adjacent when it was created."""


def superwords(tokenizer: Tokenizer) -> list[Superword]:
    """All superwords of a model, in the order in which they were made."""
    found: dict[bytes, Superword] = {}
    for left, right, count in tokenizer.supermerges:
        token = left + right
        id = tokenizer.token_to_id(token)
        # If two supermerges make the same token, the first one created it.
        if token not in found and id is not None and tokenizer.is_superword(id):
            found[token] = Superword(token, id, count)
    return list(found.values())


def merge_counts_known(tokenizer: Tokenizer) -> bool:
    """Whether the counts of merges are real. Most imported models have none, and store 1.

    The superwords that were added to such a model do have counts.
    """
    facts = tokenizer.facts
    imported = facts.get("imported")
    if isinstance(imported, dict):
        return "counts" not in imported
    # A model with superwords of its own records its base, but not where that came from.
    return "base" not in facts or any(count != 1 for _, _, count in tokenizer.merges)

"""Added tokens of Hugging Face, with the ids that they get there.

A `tokenizer.json` states an id for each added token, but Hugging Face does not use it. A token that
the vocabulary lists has the id from there. All others are numbered in the order of the list,
beginning with the size of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from superword.imports.build import Added

__all__ = ["added_of", "added_tokens"]


def added_tokens(data: dict[str, Any], more: Iterable[Added]) -> tuple[list[Added], int]:
    """The added tokens, and how many have another id than the one that is stated.

    `more` are those that `tokenizer_config.json` names. transformers adds them if they are missing.
    """
    vocabulary: dict[str, int] = data["model"]["vocab"]
    stated = [added_of(token, token["id"]) for token in data.get("added_tokens") or []]
    found: dict[str, Added] = {}
    last = -1
    renumbered = 0
    for token in [*stated, *more]:
        if not token.content or token.content in found:
            continue
        id = vocabulary.get(token.content)
        if id is None:
            id = last = max(last + 1, len(vocabulary))
        renumbered += id != token.id
        found[token.content] = token._replace(id=id)
    return list(found.values()), renumbered


def added_of(token: dict[str, Any], id: int) -> Added:
    """An added token from a JSON object. Flags that are missing have their defaults."""
    special = bool(token.get("special", False))
    return Added(
        content=token["content"],
        id=id,
        special=special,
        lstrip=bool(token.get("lstrip", False)),
        rstrip=bool(token.get("rstrip", False)),
        single_word=bool(token.get("single_word", False)),
        normalized=bool(token.get("normalized", not special)),
    )

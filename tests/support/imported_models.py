"""Models as importers make them: with added tokens that have flags, and with settings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from superword import AddedToken, Tokenizer, _core

TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}{% endfor %}"


def rebuilt(
    model: Tokenizer, added: Sequence[AddedToken], settings: Mapping[str, Any], **parts: Any
) -> Tokenizer:
    """The same words and superwords, with other added tokens and settings.

    `added` gives contents and flags. The ids are the next free ones.
    """
    inner = model._model
    old = {token.id for token in model.added_tokens}
    ids = {inner.token_bytes(id): id for id in range(inner.n_vocab) if id not in old}
    first = max(ids.values()) + 1
    listed = [
        (
            token.content,
            token.id if token.id >= 0 else first + place,
            token.special,
            token.lstrip,
            token.rstrip,
            token.single_word,
            token.normalized,
        )
        for place, token in enumerate(added)
    ]
    return Tokenizer._wrap(
        _core.Model.from_parts(
            inner.method,
            inner.pretokenizer,
            inner.alphabet,
            inner.events(),
            ids,
            listed,
            inner.facts,
            settings=json.dumps(settings),
            **parts,
        )
    )

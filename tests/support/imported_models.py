"""Models as importers make them: with added tokens that have flags, and with settings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from superword import AddedToken, Tokenizer, _core

from support.export_models import superwords

TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}{% endfor %}"


def rebuilt(
    model: Tokenizer,
    added: Sequence[AddedToken],
    settings: Mapping[str, Any] | None = None,
    **parts: Any,
) -> Tokenizer:
    """The same words and superwords, with other added tokens and settings."""
    inner = model._model
    old = {token.id for token in model.added_tokens}
    ids = {inner.token_bytes(id): id for id in range(inner.n_vocab) if id not in old}
    listed = [
        (
            token.content,
            token.id,
            token.special,
            token.lstrip,
            token.rstrip,
            token.single_word,
            token.normalized,
        )
        for token in added
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
            settings=json.dumps(settings or {}),
            **parts,
        )
    )


# The ids leave holes: some are without a token.
BOS, END, THINK, EXTRA, ALIAS = 900, 905, 906, 907, 910


@cache
def chat_model() -> Tokenizer:
    """A model with roles, a chat template, and an added token that is not special."""
    return rebuilt(
        superwords(),
        [
            AddedToken("<s>", BOS, special=True),
            AddedToken("<|end|>", END, special=True),
            AddedToken("<think>", THINK),
            AddedToken("<|extra|>", EXTRA, special=True, rstrip=True),
            AddedToken("<|call|>", ALIAS, special=True),
            AddedToken("<|same as call|>", ALIAS, special=True),
        ],
        {
            "bos_token": "<s>",
            "eos_token": "<|end|>",
            "single": ["<s>", "$A"],
            "pair": ["<s>", "$A", "<|end|>", "$B", "<|end|>"],
            "chat_template": TEMPLATE,
            "model_max_length": 64,
            "padding_side": "left",
            "truncation_side": "left",
        },
    )

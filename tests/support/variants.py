"""Models of every kind, trained by the engine and by the reference on the same documents."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import superword
from superword import reference
from superword.errors import ShortfallWarning

from support.texts import DOCUMENTS

# Options of `superword.train`; `oracle` translates them for the reference.
VARIANTS: dict[str, dict[str, Any]] = {
    "bpe": {"method": "bpe"},
    "bpe-gpt2": {"method": "bpe", "pretokenizer": "gpt2"},
    "bpe-gpt4": {"method": "bpe", "pretokenizer": "gpt4"},
    "boundless": {"special_tokens": ["<|endoftext|>", "<|pad|>"]},
    "boundless-gpt4o": {"pretokenizer": "gpt4o"},
    "boundless-export": {"pretokenizer": "gpt4o-export"},
    "superbpe": {"method": "superbpe", "supermerges": 60},
    "superbpe-gpt2": {"method": "superbpe", "supermerges": 60, "pretokenizer": "gpt2"},
    "utf8": {"alphabet": "utf8"},
    "picky": {"method": "bpe", "picky": 0.6},
    "picky-bytes": {"picky": 0.5, "picky_split": "bytes"},
    "picky-boundless": {"picky": 0.6},
    "greedy": {"greedy_split": "encode"},
    "picky-greedy": {"picky": 0.7, "greedy_split": "encode"},
}
SIZE = 560


@cache
def engine(variant: str) -> superword.Tokenizer:
    """Return the engine's model of a variant."""
    with warnings.catch_warnings():
        # The documents are small on purpose, so some variants run out of pairs.
        warnings.simplefilter("ignore", ShortfallWarning)
        # The reference follows the paper by default.
        options = {"pretokenizer": "gpt4o-script"} | VARIANTS[variant]
        return superword.train_from_iterator(DOCUMENTS, vocab_size=SIZE, **options)


@cache
def oracle(variant: str) -> reference.Tokenizer:
    """Return the reference's model of the same variant."""
    options = dict(VARIANTS[variant])
    if options.get("greedy_split") == "encode":
        options |= {"greedy_split": True, "greedy_encode": True}
    return reference.train(DOCUMENTS, SIZE, options.pop("method", "boundless"), **options)

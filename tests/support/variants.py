"""Models of every kind, by the engine and by the reference, trained on the same texts."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import superword
from conftest import SENTENCES
from superword import reference
from superword.errors import ShortfallWarning

# Options of the engine; those of the reference follow from them.
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
TEXTS = [" ".join(SENTENCES[i:] + SENTENCES[:i]) for i in range(len(SENTENCES))] * 4


@cache
def engine(variant: str) -> superword.Tokenizer:
    """The model of a variant."""
    with warnings.catch_warnings():
        # The texts are small on purpose: some kinds run out of pairs.
        warnings.simplefilter("ignore", ShortfallWarning)
        return superword.train_from_iterator(TEXTS, vocab_size=SIZE, **VARIANTS[variant])


@cache
def oracle(variant: str) -> reference.Tokenizer:
    """The same by the reference."""
    options = dict(VARIANTS[variant])
    if options.get("greedy_split") == "encode":
        options |= {"greedy_split": True, "greedy_encode": True}
    return reference.train(TEXTS, SIZE, options.pop("method", "boundless"), **options)

"""Our word model in the forms that peers load, written from its merges."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from benches.peers import byte_characters

# Our encoders that are measured: name -> how it is trained.
OURS: dict[str, dict[str, str]] = {
    "words": {"method": "bpe"},
    "boundless": {"method": "boundless"},
    "superbpe": {"method": "superbpe"},
    "script": {"method": "boundless", "pretokenizer": "gpt4o-script"},
}


def tokenizer_json(tokenizer: Any) -> dict[str, Any]:
    """A `tokenizer.json` for byte-level BPE with the pattern, vocabulary and merges of a model."""
    table = byte_characters()

    def shown(token: bytes) -> str:
        return "".join(table[byte] for byte in token)

    merges = [[shown(left), shown(right)] for left, right, _ in tokenizer.merges]
    split = {
        "type": "Split",
        "pattern": {"Regex": tokenizer.pretokenizer.pattern},
        "behavior": "Isolated",
        "invert": False,
    }
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [split, {**byte_level, "use_regex": False}],
        },
        "post_processor": None,
        "decoder": {**byte_level, "use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {shown(tokenizer.token_bytes(id)): id for id in range(tokenizer.n_vocab)},
            "merges": merges,
        },
    }


def export(folder: Path) -> dict[str, Any]:
    """Write `tokenizer.json` and `words.tiktoken` of the word model, and the other word models.

    For each superword model, the word model is truncated to the same number of words, which equals
    training at that size.
    """
    import superword

    models = {name: superword.Tokenizer.load(folder / f"{name}.superword") for name in OURS}
    words = models["words"]
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_json(words), ensure_ascii=False))
    ranks = [base64.b64encode(words.token_bytes(id)) + b" %d\n" % id for id in range(words.n_vocab)]
    (folder / "words.tiktoken").write_bytes(b"".join(ranks))
    facts: dict[str, Any] = {}
    for name, model in models.items():
        superwords = sum(map(model.is_superword, range(model.n_vocab)))
        facts[name] = {"vocabulary": model.n_vocab, "superwords": superwords}
        if superwords and name != "script":
            own = words.truncate(min(words.n_vocab, model.n_vocab - superwords))
            own.save(folder / f"{name}-words.superword")
            facts[f"{name}-words"] = {"vocabulary": own.n_vocab, "superwords": 0}
    facts["pattern"] = words.pretokenizer.pattern
    return facts

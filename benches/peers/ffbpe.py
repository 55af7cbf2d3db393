"""ffbpe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benches.peers import SAME_BUT_TIES, Check, Corpus, Exported, Trained, as_bytes, byte_characters

RULES = SAME_BUT_TIES
SLOW = True


def train(corpus: Corpus, vocab_size: int, threads: int, out: Path) -> Check:
    """Its counter with our pattern, fed from an iterator, then its trainer."""
    from ffbpe import BpeTrainer, PreTokenizer

    counter = PreTokenizer([], pat_str=corpus.pattern).word_counter()
    counter.add_source(corpus.documents())
    trainer = BpeTrainer([])
    trainer.add_word_counter(counter)
    trainer.train(vocab_size)
    model = trainer.validate_model()
    model.save_pretrained(out)

    def check() -> Trained:
        vocab = model.vocab
        tokens = sorted(vocab, key=vocab.__getitem__)
        return Trained(len(vocab), [token for token in tokens if len(token) > 1])

    return check


def load(exported: Exported) -> Any:
    """From vocabulary and merges in memory: it has no reader for `tokenizer.json`."""
    from ffbpe import BpeEncoder

    back = {shown: byte for byte, shown in byte_characters().items()}
    model = json.loads(exported.tokenizer_json.read_text())["model"]
    return BpeEncoder(
        vocab={as_bytes(token, back): rank for token, rank in model["vocab"].items()},
        merges=[(as_bytes(left, back), as_bytes(right, back)) for left, right in model["merges"]],
        pat_str=exported.pattern,
        special_tokens=[],
    )


def prepare(texts: list[str]) -> list[str]:
    """Strings as they are."""
    return texts


def encode(tokenizer: Any, texts: list[str], threads: int) -> Any:
    """One text after another; it has no batch call for strings."""
    return [tokenizer.encode_to_numpy(text) for text in texts]


def ids(encoded: Any) -> list[Any]:
    """Ids of each text."""
    return list(encoded)

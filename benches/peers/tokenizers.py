"""Hugging Face tokenizers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from benches.peers import SAME_BUT_TIES, Check, Corpus, Exported, Trained, as_bytes, byte_characters

RULES = SAME_BUT_TIES
SLOW = True


def train(corpus: Corpus, vocab_size: int, threads: int, out: Path) -> Check:
    """Byte-level BPE with our pattern, fed from an iterator."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(corpus.pattern), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=1,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(corpus.documents(), trainer)
    tokenizer.save(str(out / "tokenizer.json"))

    def check() -> Trained:
        vocab = tokenizer.get_vocab(with_added_tokens=False)
        back = {shown: byte for byte, shown in byte_characters().items()}
        tokens = [as_bytes(token, back) for token in sorted(vocab, key=vocab.__getitem__)]
        return Trained(len(vocab), [token for token in tokens if len(token) > 1])

    return check


def load(exported: Exported) -> Any:
    """From `tokenizer.json`."""
    from tokenizers import Tokenizer

    os.environ["TOKENIZERS_PARALLELISM"] = "true"  # Else it warns. We set the pool's size.
    return Tokenizer.from_file(str(exported.tokenizer_json))


def prepare(texts: list[str]) -> list[str]:
    """Strings as they are."""
    return texts


def encode(tokenizer: Any, texts: list[str], threads: int) -> Any:
    """Its fast batch call, which leaves offsets out."""
    return tokenizer.encode_batch_fast(texts, add_special_tokens=False)


def ids(encoded: Any) -> list[Any]:
    """Ids of each text."""
    return [encoding.ids for encoding in encoded]

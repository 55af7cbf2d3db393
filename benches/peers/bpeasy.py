"""bpeasy."""

from __future__ import annotations

from pathlib import Path

from benches.peers import SAME_BUT_TIES, Check, Corpus, Trained

RULES = SAME_BUT_TIES


def train(corpus: Corpus, vocab_size: int, threads: int, out: Path) -> Check:
    """Fed from an iterator; saved in the format of tiktoken by its own function."""
    import bpeasy

    # The required maximum token length: 1,024 bytes, and no token of ours is longer.
    vocab = bpeasy.train_bpe(corpus.documents(), corpus.pattern, 1024, vocab_size)
    bpeasy.save_vocab_to_tiktoken(vocab, str(out / "ranks.tiktoken"))

    def check() -> Trained:
        tokens = sorted(vocab, key=vocab.__getitem__)
        return Trained(len(vocab), [bytes(token) for token in tokens if len(token) > 1])

    return check

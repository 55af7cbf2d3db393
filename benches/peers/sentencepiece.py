"""sentencepiece: BPE over characters, words by its own whitespace rule."""

from __future__ import annotations

from pathlib import Path

from benches.peers import CHARACTERS, Check, Corpus, Trained

RULES = CHARACTERS


def train(corpus: Corpus, vocab_size: int, threads: int, out: Path) -> Check:
    """From the text file, a sentence per line, with byte fallback for rare characters."""
    import sentencepiece

    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus.txt),
        model_prefix=str(out / "model"),
        model_type="bpe",
        vocab_size=vocab_size,
        byte_fallback=True,
        character_coverage=0.9995,
        num_threads=threads,
        hard_vocab_limit=True,
        max_sentence_length=1 << 24,
        train_extremely_large_corpus=True,
        minloglevel=2,
    )

    def check() -> Trained:
        model = sentencepiece.SentencePieceProcessor(model_file=str(out / "model.model"))
        return Trained(model.vocab_size())

    return check

"""YouTokenToMe: BPE over characters, words at spaces."""

from __future__ import annotations

from pathlib import Path

from benches.peers import CHARACTERS, Check, Corpus, Trained

RULES = CHARACTERS


def train(corpus: Corpus, vocab_size: int, threads: int, out: Path) -> Check:
    """From the text file."""
    import youtokentome

    model = youtokentome.BPE.train(
        data=str(corpus.txt),
        model=str(out / "model.yttm"),
        vocab_size=vocab_size,
        coverage=0.9995,
        n_threads=threads,
    )
    return lambda: Trained(model.vocab_size())

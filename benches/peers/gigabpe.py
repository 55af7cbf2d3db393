"""gigabpe: trains with GPT-2's pattern, from text files."""

from __future__ import annotations

import json
from pathlib import Path

from benches.peers import GPT2_PATTERN, Check, Corpus, Trained, as_bytes, byte_characters

RULES = GPT2_PATTERN
PATTERN = "gpt2"


def train(corpus: Corpus, vocab_size: int, threads: int, out: Path) -> Check:
    """From the text file to its `tokenizer.json`."""
    import gigabpe

    saved = out / "tokenizer.json"
    gigabpe.train_tokenizer(
        [str(corpus.txt)],
        vocab_size,
        str(saved),
        special_tokens=[],
        pretokenizer="bytelevel",
        threads=threads,
    )

    def check() -> Trained:
        vocab = json.loads(saved.read_text())["model"]["vocab"]
        back = {shown: byte for byte, shown in byte_characters().items()}
        tokens = [as_bytes(token, back) for token in sorted(vocab, key=vocab.__getitem__)]
        return Trained(len(vocab), [token for token in tokens if len(token) > 1])

    return check

"""rustbpe: training only; its tokenizers run in tiktoken."""

from __future__ import annotations

import base64
from pathlib import Path

from benches.peers import SAME_BUT_TIES, Check, Corpus, Trained

RULES = SAME_BUT_TIES


def train(corpus: Corpus, vocab_size: int, threads: int, out: Path) -> Check:
    """Fed from an iterator; saved as ranks of tiktoken, since it has no file format."""
    import rustbpe

    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(corpus.documents(), vocab_size, pattern=corpus.pattern)
    ranks = sorted((rank, bytes(token)) for token, rank in tokenizer.get_mergeable_ranks())
    lines = [base64.b64encode(token) + b" %d\n" % rank for rank, token in ranks]
    (out / "ranks.tiktoken").write_bytes(b"".join(lines))
    return lambda: Trained(len(ranks), [token for _, token in ranks if len(token) > 1])

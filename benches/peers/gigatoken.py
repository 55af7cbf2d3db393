"""gigatoken: reads JSONL itself; trains with GPT-2's pattern only, encodes with many patterns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benches.peers import GPT2_PATTERN, Check, Corpus, Exported, Trained

RULES = GPT2_PATTERN
PATTERN = "gpt2"


def train(corpus: Corpus, vocab_size: int, threads: int, out: Path) -> Check:
    """From the JSONL file. `train_bpe` takes no pattern."""
    import gigatoken

    source = gigatoken.JsonlFileSource([corpus.jsonl])
    vocab, merges = gigatoken.train_bpe(source, vocab_size, [])
    saved = {"vocab": [token.hex() for token in vocab.values()], "merges": len(merges)}
    (out / "model.json").write_text(json.dumps(saved))
    return lambda: Trained(len(vocab), [left + right for left, right in merges])


def load(exported: Exported) -> Any:
    """From `tokenizer.json`; it knows the GPT-4o pattern and scans instead of matching."""
    import gigatoken

    return gigatoken.Tokenizer(exported.tokenizer_json)


def prepare(texts: list[str]) -> Any:
    """One buffer of bytes with separators: the fastest in-memory form that it accepts."""
    import gigatoken

    data = "\0".join(texts).encode()
    return gigatoken.BytesSource(data, separator=b"\0" if len(texts) > 1 else None)


def encode(tokenizer: Any, prepared: Any, threads: int) -> Any:
    """To its arrays."""
    return tokenizer.encode_batch(prepared, parallel=threads > 1)


def ids(encoded: Any) -> list[Any]:
    """Ids of each text, as arrays."""
    import numpy

    return [numpy.asarray(row) for row in encoded]

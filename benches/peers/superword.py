"""superword itself, through the same interface as the peers."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path
from typing import Any

from benches.peers import Check, Corpus, Exported, Trained

RULES = "ours"
# SuperBPE needs the number of supermerges: a quarter of the vocabulary, as in `make demo`.
SUPERBPE_SHARE = 4


def train(
    corpus: Corpus,
    vocab_size: int,
    threads: int,
    out: Path,
    method: str = "bpe",
    cutting: bool = True,
    pretokenizer: str = "gpt4o",
) -> Check:
    """From the JSONL file to a saved model by the public call, with the engine's own report."""
    import superword
    from superword import _core

    way: Any = {"method": method}
    if method == "superbpe":
        way["supermerges"] = vocab_size // SUPERBPE_SHARE
    report: dict[str, Any] = {}
    engine = _core.train

    # The engine reports more than the public call, and has an option to turn cutting off.
    def listened(sources: Any, options: Any, *more: Any, **named: Any) -> Any:
        if not cutting:
            options = {**options, "cutting": False}
        result = engine(sources, options, *more, **named)
        report.update(result[1])
        return result

    _core.train = listened
    try:
        tokenizer = superword.train(
            [corpus.jsonl],
            vocab_size=vocab_size,
            pretokenizer=pretokenizer,
            threads=threads,
            **way,
        )
    finally:
        _core.train = engine
    path = out / "model.superword"
    tokenizer.save(path)

    def check() -> Trained:
        tokens = list(dict.fromkeys(left + right for left, right, _ in tokenizer.merges))
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return Trained(tokenizer.n_vocab, tokens, report, digest)

    return check


def load(exported: Exported) -> Any:
    """From our own file."""
    import superword

    return superword.Tokenizer.load(exported.superword)


def prepare(texts: list[str]) -> list[str]:
    """Strings as they are."""
    return texts


def prepare_bytes(texts: list[str]) -> list[bytes]:
    """UTF-8, for versions that take it."""
    return [text.encode() for text in texts]


def encode(tokenizer: Any, texts: list[str] | list[bytes], threads: int) -> Any:
    """To one flat array with offsets if this version has that call, else to lists."""
    flat = getattr(tokenizer, "encode_batch_to_numpy", None)
    if flat is not None:
        return flat(texts, threads=threads)
    return tokenizer.encode_batch(texts, threads=threads)


def ids(encoded: Any) -> list[Any]:
    """Ids of each text."""
    if isinstance(encoded, tuple):
        flat, offsets = encoded
        return [flat[start:end] for start, end in itertools.pairwise(offsets.tolist())]
    return list(encoded)

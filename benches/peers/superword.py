"""superword itself: what is measured, through the same interface as the peers."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path
from typing import Any

from benches.peers import Check, Corpus, Exported, Trained

RULES = "ours"
# SuperBPE must be told how many supermerges to learn; a quarter, as in `make demo`.
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
    """From the JSONL file to a saved model, with the engine's own report."""
    from superword import _core
    from superword.inputs import expand
    from superword.options import TrainOptions
    from superword.tokenizer import Tokenizer
    from superword.training import open_sources

    way: Any = {"method": method}
    if method == "superbpe":
        way["supermerges"] = vocab_size // SUPERBPE_SHARE
    options = TrainOptions(
        vocab_size=vocab_size, pretokenizer=pretokenizer, threads=threads, **way
    ).for_engine()
    if not cutting:
        options["cutting"] = False
    model, report = _core.train(open_sources(expand([corpus.jsonl], None)), options, None)
    tokenizer = Tokenizer._wrap(model)
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


def encode(tokenizer: Any, texts: list[str], threads: int) -> Any:
    """To one flat array with offsets where the engine has that call, else to lists."""
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

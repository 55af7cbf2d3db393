"""fastokens: encoding only."""

from __future__ import annotations

import itertools
from typing import Any

from benches.peers import Exported


def load(exported: Exported) -> Any:
    """From `tokenizer.json`."""
    import fastokens

    return fastokens.Tokenizer.from_file(str(exported.tokenizer_json))


def prepare(texts: list[str]) -> list[str]:
    """Strings as they are."""
    return texts


def encode(tokenizer: Any, texts: list[str], threads: int) -> Any:
    """Its batch call for bulk work: one buffer of ids with offsets."""
    return tokenizer.encode_batch_flat(texts)


def ids(encoded: Any) -> list[Any]:
    """Ids of each text."""
    import numpy

    flat = numpy.frombuffer(encoded[0], numpy.uint32)
    offsets = numpy.frombuffer(encoded[1], numpy.uint64).tolist()
    return [flat[start:end] for start, end in itertools.pairwise(offsets)]

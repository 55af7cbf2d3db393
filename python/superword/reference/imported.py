"""A model file as a tokenizer, with everything that imported tokenizers have.

`superword.reference.model` is the tokenizer that training makes. This one reads any file without
deletions, and shows what versions 1 and 2 of the format mean for encoding::

    tok = Imported(read_model("qwen.superword"))
    tok.encode("<think> e\u0301")
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from superword.reference.encode import Encoder, Whole
from superword.reference.file import Delete, ModelFile, tokens, vocabulary
from superword.reference.file import Merge as FileMerge
from superword.reference.pairs import Pair
from superword.reference.prepare import AddedToken, prepare
from superword.reference.pretokenize import Pretokenizer
from superword.reference.steps import Merge, Step, Supermerge


class Imported:
    """Encodes and decodes with the content of a model file.

    >>> think = {"id": 300, "lstrip": True, "normalized": False, "rstrip": False}
    >>> think |= {"single_word": False, "special": False, "text": "<think>"}
    >>> split = {"eligible": "x", "name": None, "pattern": " ?[^ ]+| +", "script": None}
    >>> header = {"alphabet": "bytes", "added_tokens": [think], "pretokenizer": split}
    >>> header |= {"normalizer": "nfc", "whole_pieces": True}
    >>> model = ModelFile(header, [FileMerge(32, 97, 1)], None, [], unmade=[b" the"])
    >>> tok = Imported(model)  # 256 is " the", 257 is " a"
    >>> tok.encode(" the e\u0301 a <think>")
    [256, 32, 195, 169, 257, 300]
    """

    def __init__(self, model: ModelFile) -> None:
        header = model.header
        self.bytes_of = vocabulary(model)
        symbols, alive = tokens(model)
        numbers = enumerate(alive) if model.ids is None else ((model.ids[s], s) for s in alive)
        self.id_of: dict[bytes, int] = {}
        size = 243 if header["alphabet"] == "utf8" else 256
        unmade = range(size, size + len(model.unmade))
        for id, symbol in numbers:
            # If an unmade token has the bytes of another one, the other one is found.
            if symbol not in unmade or symbols[symbol] not in self.id_of:
                self.id_of[symbols[symbol]] = id
        self.added = added_tokens(model)
        self.normalizer: str | None = header.get("normalizer")
        steps = steps_of(model, symbols)
        ranks: dict[Pair, int] | None = None
        if model.order is not None:
            merges = [step for step in steps if isinstance(step, Merge)]
            by_rank = sorted(zip(model.order, merges, strict=True), key=lambda pair: pair[0])
            ranks = {}
            for rank, merge in by_rank:
                ranks.setdefault(merge.pair, rank)
        whole: Whole = frozenset()
        if header.get("whole_pieces"):
            made = [step.left + step.right for step in steps if isinstance(step, Merge)]
            whole = frozenset([*made, *model.unmade]) - {b""}
        self.encoder = Encoder(
            steps, pretokenizer_of(model), ngrams_of(model, symbols), ranks, whole
        )

    def encode(self, text: str, allowed_special: Collection[str] = ()) -> list[int]:
        """Encode a text. Special tokens are found only if they are allowed."""
        ids: list[int] = []
        for part in prepare(text, self.added, self.normalizer, allowed_special):
            if isinstance(part, AddedToken):
                ids.append(part.id)
            else:
                ids += (self.id_of[token] for token in self.encoder.encode(part))
        return ids

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Join the bytes of the ids."""
        return b"".join(self.bytes_of[id] for id in ids)


def added_tokens(model: ModelFile) -> list[AddedToken]:
    """Return the added tokens of a file of either version."""
    if "special_tokens" in model.header:
        return [AddedToken(**token) for token in model.header["special_tokens"]]
    return [AddedToken(**token) for token in model.header["added_tokens"]]


def steps_of(model: ModelFile, symbols: list[bytes]) -> list[Step]:
    """Return the events with the bytes of their tokens."""
    steps: list[Step] = []
    for event in model.events:
        if isinstance(event, Delete):
            raise ValueError("this tokenizer reads models without deletions")
        kind = Merge if isinstance(event, FileMerge) else Supermerge
        steps.append(kind(symbols[event.left], symbols[event.right], event.count))
    return steps


def pretokenizer_of(model: ModelFile) -> Pretokenizer:
    """Return the pretokenizer that the header describes."""
    described = model.header["pretokenizer"]
    script = described["script"] or {"pattern": None, "scripts": []}
    return Pretokenizer(
        pattern=described["pattern"],
        script_pattern=script["pattern"],
        scripts=tuple(script["scripts"]),
        eligible=described["eligible"],
    )


def ngrams_of(model: ModelFile, symbols: list[bytes]) -> list[tuple[bytes, ...]] | None:
    """Return the n-grams of greedy splitting, or None if there are none."""
    return [tuple(symbols[s] for s in ngram) for ngram in model.ngrams] or None

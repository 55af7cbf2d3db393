"""Encodes text that is already split into pretokens, and bytes that are not UTF-8.

The engine splits every text itself, and takes only text. tiktoken's `_encode_single_piece`,
`_encode_bytes` and `encode_with_unstable` need more. They are for debugging and for short texts,
so plain Python is fast enough.
"""

from __future__ import annotations

from heapq import heappop, heappush

from superword.errors import TextError
from superword.tokenizer import Tokenizer

__all__ = ["Pieces"]


class Pieces:
    """Encodes pieces of text that are already split. `TextError` for models with deletions."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        model = tokenizer._model
        if model.has_deletions:
            raise TextError(
                "a model with deleted tokens can encode text, but not single pieces or bytes that "
                "are not UTF-8",
                hint="use encode_ordinary",
            )
        self._tokenizer = tokenizer
        self._ranks = _ranks(model.merges(), model.order)
        self._super_ranks = _ranks(model.supermerges(), None)

    def encode(self, piece: bytes) -> list[int]:
        """The ids of one pretoken. None of them is a superword, which spans several pretokens."""
        if self._tokenizer.whole_pieces:
            whole = self._tokenizer.token_to_id(piece)
            if whole is not None:
                return [whole]
        return [self._id(token) for token in self.merge(piece)]

    def merge(self, piece: bytes) -> list[bytes]:
        """The tokens that ordinary merges make of a piece."""
        return _merge([piece[at : at + 1] for at in range(len(piece))], self._ranks)

    def encode_pretokens(self, pretokens: list[str]) -> list[int]:
        """The ids of a text that is split into these pretokens, with superwords."""
        is_eligible = self._tokenizer.pretokenizer.is_eligible
        ids: list[int] = []
        run: list[bytes] = []
        for pretoken in [*pretokens, ""]:
            piece = pretoken.encode()
            found = self.encode(piece)
            if len(found) == 1 and is_eligible(pretoken):
                run.append(piece)
                continue
            ids += [self._id(token) for token in _merge(run, self._super_ranks)]
            ids += found
            run = []
        return ids

    def _id(self, token: bytes) -> int:
        id = self._tokenizer.token_to_id(token)
        if id is None:
            raise TextError(
                f"the byte 0x{token.hex()} is not in the alphabet of the model",
                hint='train with `alphabet="bytes"` to encode any bytes',
            )
        return id


def _ranks(
    merges: list[tuple[bytes, bytes, int]], order: list[int] | None
) -> dict[tuple[bytes, bytes], int]:
    ranks = range(len(merges)) if order is None else order
    return {(left, right): rank for (left, right, _), rank in zip(merges, ranks, strict=True)}


def _merge(tokens: list[bytes], ranks: dict[tuple[bytes, bytes], int]) -> list[bytes]:
    """Apply merges until none applies: always one of the lowest rank, leftmost first."""
    parts: list[bytes | None] = list(tokens)  # None: merged into another part.
    before = list(range(-1, len(parts) - 1))
    after = list(range(1, len(parts) + 1))
    pending: list[tuple[int, int, bytes, bytes]] = []

    def consider(at: int, second: int) -> None:
        if at >= 0 and second < len(parts):
            left, right = parts[at], parts[second]
            assert left is not None
            assert right is not None
            rank = ranks.get((left, right))
            if rank is not None:
                heappush(pending, (rank, at, left, right))

    for at in range(len(parts) - 1):
        consider(at, at + 1)
    while pending:
        _, at, left, right = heappop(pending)
        second = after[at]
        if parts[at] != left or second >= len(parts) or parts[second] != right:
            continue  # Another merge has changed the place since then.
        parts[at], parts[second] = left + right, None
        after[at] = after[second]
        if after[at] < len(parts):
            before[after[at]] = at
        consider(before[at], at)
        consider(at, after[at])
    return [part for part in parts if part is not None]

"""One text as one tokenizer encodes it, token by token."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from superword._encoding.specials import Allowed, one_text

if TYPE_CHECKING:
    from numpy import uint32, uint64
    from numpy.typing import NDArray

    from superword.tokenizer import Tokenizer

__all__ = ["Encoded", "Kind", "Piece"]

Kind = Literal["ordinary", "superword", "special", "added"]


class Piece(NamedTuple):
    """A token of a text."""

    id: int
    content: bytes
    """The bytes of the token. For an added token, the part of the text that it stands for."""
    kind: Kind


class Encoded:
    """A text as a tokenizer encodes it. Iterate over it for its tokens.

    With a `normalizer`, the contents of the tokens are those of the normalized text.
    """

    name: str
    tokenizer: Tokenizer
    bytes: int
    """The size of the text in UTF-8."""

    def __init__(
        self, tokenizer: Tokenizer, text: str, name: str, allowed_special: Allowed = frozenset()
    ) -> None:
        model = tokenizer._model
        self.name = name
        self.tokenizer = tokenizer
        ids: NDArray[uint32]
        starts: NDArray[uint64]
        ends: NDArray[uint64]
        ids, _, starts, ends = one_text(
            model,
            text,
            allowed_special,
            (),
            lambda text, allowed: model.encode_offsets_flat([text], allowed, 1, False),
        )
        self._ids, self._starts, self._ends = ids, starts, ends
        self._text = text.encode()
        self.bytes = len(self._text)

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[Piece]:
        kinds: dict[int, Kind] = {
            token.id: "special" if token.special else "added"
            for token in self.tokenizer.added_tokens
        }
        known: dict[int, Piece] = {}
        for place, id in enumerate(self._ids.tolist()):
            kind = kinds.get(id)
            if kind is not None:
                start, end = int(self._starts[place]), int(self._ends[place])
                yield Piece(id, self._text[start:end], kind)
                continue
            piece = known.get(id)
            if piece is None:
                superword = self.tokenizer.is_superword(id)
                kind = "superword" if superword else "ordinary"
                piece = known[id] = Piece(id, self.tokenizer.token_bytes(id), kind)
            yield piece

    @property
    def ids(self) -> list[int]:
        """The ids of the tokens, as `Tokenizer.encode` returns them."""
        ids: list[int] = self._ids.tolist()
        return ids

    @property
    def bytes_per_token(self) -> float | None:
        """The size of the text divided by the number of tokens. None if there is no token."""
        return self.bytes / len(self) if len(self) else None

    @cached_property
    def superwords(self) -> int:
        """How many of the tokens are superwords."""
        import numpy as np

        ids, counts = np.unique(self._ids, return_counts=True)
        added = {token.id for token in self.tokenizer.added_tokens}
        return sum(
            count
            for id, count in zip(ids.tolist(), counts.tolist(), strict=True)
            if id not in added and self.tokenizer.is_superword(id)
        )

"""PickyBPE: delete the tokens that were only a step on the way to a longer one.

`Kentuck` occurs nearly always inside ` Kentucky`. Once that merge is made, `Kentuck` is a
waste of a place in the vocabulary: it is deleted, and the few that are left fall apart.
"""

from __future__ import annotations

from superword.reference.pairs import Token, split_bytes
from superword.reference.steps import Delete, Merge


class Deleter:
    """Decides after each merge which of its parts goes, and into what it falls.

    >>> d = Deleter(0.9)
    >>> d.after(Merge(b"a", b"b", 100), (200, 300))
    []
    >>> d.after(Merge(b"ab", b"c", 95), (100, 300))  # 95 of the 100 `ab` are now `abc`
    [Delete(token=b'ab', parts=(b'a', b'b'))]
    """

    def __init__(self, threshold: float, split: str = "parts") -> None:
        if not 0 < threshold <= 1:
            raise ValueError(f"the threshold must be in (0, 1], not {threshold}")
        if split not in ("parts", "bytes"):
            raise ValueError(f"a deleted token falls into 'parts' or 'bytes', not {split!r}")
        self.threshold = threshold
        self.split = split
        self.made_of: dict[Token, tuple[Token, Token]] = {}  # by the merge that added the token
        self.alive: set[Token] = set()  # the tokens longer than a byte that are there now

    def after(self, merge: Merge, before: tuple[int, int]) -> list[Delete]:
        """Give the deletions after a merge; `before`: how often each part occurred before it."""
        joined = merge.left + merge.right
        if joined not in self.alive:
            self.alive.add(joined)
            self.made_of[joined] = merge.pair
        deletions = []
        for token, count in zip(merge.pair, before, strict=True):
            # Single bytes are never in `alive`; and no token goes twice, as in (a, a).
            if token in self.alive and merge.count / count >= self.threshold:
                self.alive.remove(token)
                deletions.append(Delete(token, self.pieces(token)))
        return deletions

    def pieces(self, token: Token) -> tuple[Token, ...]:
        """Say what a deleted token falls into: only tokens that are there now.

        A part that was deleted before falls into bytes at once. Into its own parts would be the
        other reading; the results of the paper's program rule it out.
        """
        if self.split == "bytes":
            return tuple(split_bytes(token))
        return tuple(
            piece
            for part in self.made_of[token]
            for piece in ((part,) if part in self.alive else split_bytes(part))
        )

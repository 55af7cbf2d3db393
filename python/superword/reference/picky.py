"""PickyBPE: delete the tokens that were only a step on the way to a longer one.

`Kentuck` occurs almost only inside ` Kentucky`. Once the longer token exists, `Kentuck` wastes a
place in the vocabulary. So it is deleted, and its few other occurrences are split again.
"""

from __future__ import annotations

from superword.reference.pairs import Token, split_bytes
from superword.reference.steps import Delete, Merge


class Deleter:
    """Decides after each merge which of its parts to delete, and what replaces them.

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
            raise ValueError(f"a deleted token is split into 'parts' or 'bytes', not {split!r}")
        self.threshold = threshold
        self.split = split
        self.made_of: dict[Token, tuple[Token, Token]] = {}  # by the merge that added the token
        self.alive: set[Token] = set()  # the tokens longer than a byte in the vocabulary now

    def after(self, merge: Merge, before: tuple[int, int]) -> list[Delete]:
        """Return the deletions after a merge; `before` is how often each part occurred before."""
        joined = merge.left + merge.right
        if joined not in self.alive:
            self.alive.add(joined)
            self.made_of[joined] = merge.pair
        deletions = []
        for token, count in zip(merge.pair, before, strict=True):
            # Single bytes are never in `alive`. In a merge (a, a) the token is deleted once.
            if token in self.alive and merge.count / count >= self.threshold:
                self.alive.remove(token)
                deletions.append(Delete(token, self.replacement(token)))
        return deletions

    def replacement(self, token: Token) -> tuple[Token, ...]:
        """Return the tokens that replace a deleted token. All of them are in the vocabulary.

        With "parts" these are the two tokens it was made of. A part that was deleted before is
        replaced in the same way, so the result is the nearest parts that still exist.

        >>> d = Deleter(0.9)
        >>> d.made_of = {b"ab": (b"a", b"b"), b"cd": (b"c", b"d"), b"abcd": (b"ab", b"cd")}
        >>> d.made_of[b"abcde"] = (b"abcd", b"e")
        >>> d.alive = {b"cd"}
        >>> d.replacement(b"abcde")
        (b'a', b'b', b'cd', b'e')
        """
        if self.split == "bytes":
            return tuple(split_bytes(token))
        replacement: tuple[Token, ...] = ()
        for part in self.made_of[token]:
            exists = len(part) == 1 or part in self.alive
            replacement += (part,) if exists else self.replacement(part)
        return replacement

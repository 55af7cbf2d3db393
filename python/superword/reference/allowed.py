"""Optional limits on superwords, all off by default. A pair that breaks one is never chosen."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import regex

from superword.reference.exportable import ExportableSeams, Shapes
from superword.reference.pairs import Pair, Token
from superword.reference.scripts import real_scripts
from superword.reference.steps import Event


@dataclass(frozen=True)
class Allowed:
    """Which superwords are allowed.

    - `max_words`: the largest number of pretokens in a superword.
    - `same_script`: both sides together contain at most one real script. Common, Inherited and
      unassigned code points do not count.
    - `boundary="space"`: the right side must start with a space. `boundary="exportable"`: other
      programs can make the superword (see `exportable.py`). It needs `exportable_shapes`,
      the words whose end is known.
    - `veto`: a pattern that must not match anywhere in the joined text.

    >>> Allowed(boundary="space").allow((b" of", b" the"), 2)
    True
    >>> Allowed(boundary="space").allow((b"camel", b"Case"), 2)
    False
    >>> Allowed(veto=r"\\bnot\\b").allow((b" do", b" not"), 2)
    False
    """

    max_words: int | None = None
    same_script: bool = False
    boundary: str = "any"
    veto: str | None = None
    exportable_shapes: Shapes | None = None

    def __post_init__(self) -> None:
        if self.max_words is not None and self.max_words < 2:
            raise ValueError(
                "max_words must be at least 2, because a superword has at least two words"
            )
        if self.boundary not in ("any", "space", "exportable"):
            raise ValueError(
                f"boundary must be 'any', 'space' or 'exportable', not {self.boundary!r}"
            )
        if (self.boundary == "exportable") != (self.exportable_shapes is not None):
            raise ValueError("exportable_shapes must be given for 'exportable', and only for it")
        if self.veto is not None:
            regex.compile(self.veto)  # reports a bad pattern now instead of during training

    def allow(self, pair: Pair, n_words: int) -> bool:
        """Return whether a pair with this number of pretokens may be joined."""
        left, right = pair
        if self.max_words is not None and n_words > self.max_words:
            return False
        if self.boundary == "space" and not right.startswith(b" "):
            return False
        # Both sides are made of whole pretokens, so they are text.
        if self.same_script and len(real_scripts((left + right).decode())) > 1:
            return False
        return self.veto is None or regex.search(self.veto, (left + right).decode()) is None


class Limits:
    """What the limits need to know about each token: above all, its number of pretokens.

    A token of phase 1 has one. A superword has the sum of its parts. If another pair makes the same
    bytes later, the first number stays.
    """

    def __init__(
        self, word_tokens: Collection[Token], allowed: Allowed, events: Sequence[Event]
    ) -> None:
        self._one = word_tokens
        self._more: dict[Token, int] = {}
        self._allowed = allowed
        self._seams = None
        if allowed.exportable_shapes is not None:
            self._seams = ExportableSeams(allowed.exportable_shapes, events, word_tokens)

    def n_words(self, token: Token) -> int:
        """Return the number of pretokens in a token."""
        return self._more.get(token, 1)

    def join(self, pair: Pair) -> None:
        """Record a supermerge."""
        left, right = pair
        if left + right not in self._one:
            self._more.setdefault(left + right, self.n_words(left) + self.n_words(right))
        if self._seams is not None:
            self._seams.join(pair)

    def allow(self, pair: Pair) -> bool:
        """Return whether a pair may be joined."""
        n_words = self.n_words(pair[0]) + self.n_words(pair[1])
        return self._allowed.allow(pair, n_words) and (
            self._seams is None or self._seams.allow(pair)
        )

"""Optional limits on superwords, all off by default. A pair that breaks one is never chosen."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import regex

from superword.reference.pairs import Pair, Token
from superword.reference.scripts import real_scripts


@dataclass(frozen=True)
class Allowed:
    """Which superwords are allowed.

    - `max_words`: the largest number of pretokens in a superword.
    - `same_script`: both sides together contain at most one real script. Common, Inherited and
      unassigned code points do not count.
    - `boundary="space"`: the right side must start with a space.
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

    def __post_init__(self) -> None:
        if self.max_words is not None and self.max_words < 2:
            raise ValueError(
                "max_words must be at least 2, because a superword has at least two words"
            )
        if self.boundary not in ("any", "space"):
            raise ValueError(f"boundary must be 'any' or 'space', not {self.boundary!r}")
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


class WordCount:
    """The number of pretokens in each token.

    A token of phase 1 has one. A superword has the sum of its parts. If another pair makes the same
    bytes later, the first number stays.
    """

    def __init__(self, word_tokens: Collection[Token], allowed: Allowed) -> None:
        self._one = word_tokens
        self._more: dict[Token, int] = {}
        self._allowed = allowed

    def of(self, token: Token) -> int:
        """Return the number of pretokens in a token."""
        return self._more.get(token, 1)

    def join(self, pair: Pair) -> None:
        """Record a supermerge."""
        left, right = pair
        if left + right not in self._one:
            self._more.setdefault(left + right, self.of(left) + self.of(right))

    @property
    def allow(self) -> Callable[[Pair], bool]:
        """The limits as a function of the pair only."""
        return lambda pair: self._allowed.allow(pair, self.of(pair[0]) + self.of(pair[1]))

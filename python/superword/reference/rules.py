"""Optional rules on supermerges; all off by default. A pair that breaks a rule is never chosen."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import regex

from superword.reference.pairs import Pair, Token
from superword.reference.scripts import real_scripts


@dataclass(frozen=True)
class Rules:
    """What a superword may look like.

    - `max_words`: at most so many pretokens.
    - `same_script`: both sides together hold at most one real script (Common, Inherited and
      unassigned code points count for nothing).
    - `boundary="space"`: the right-hand side starts with the byte of a space.
    - `veto`: a pattern that must not be found anywhere in the joined text.

    >>> Rules(boundary="space").allow((b" of", b" the"), 2)
    True
    >>> Rules(boundary="space").allow((b"camel", b"Case"), 2)
    False
    >>> Rules(veto=r"\\bnot\\b").allow((b" do", b" not"), 2)
    False
    """

    max_words: int | None = None
    same_script: bool = False
    boundary: str = "any"
    veto: str | None = None

    def __post_init__(self) -> None:
        if self.max_words is not None and self.max_words < 2:
            raise ValueError("a superword has at least two words: max_words must be 2 or more")
        if self.boundary not in ("any", "space"):
            raise ValueError(f"boundary is 'any' or 'space', not {self.boundary!r}")
        if self.veto is not None:
            regex.compile(self.veto)  # a bad pattern is an error now, not in the middle of training

    def allow(self, pair: Pair, n_words: int) -> bool:
        """Say whether a pair of that many pretokens may be joined."""
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
    """How many pretokens a token is made of.

    A token of the word model is 1. A new superword is the sum of its parts, and keeps its number
    should another pair give the same bytes.
    """

    def __init__(self, word_tokens: Collection[Token], rules: Rules) -> None:
        self._one = word_tokens
        self._more: dict[Token, int] = {}
        self._rules = rules

    def of(self, token: Token) -> int:
        """Give the number of pretokens of a token."""
        return self._more.get(token, 1)

    def join(self, pair: Pair) -> None:
        """Take note of a supermerge."""
        left, right = pair
        if left + right not in self._one:
            self._more.setdefault(left + right, self.of(left) + self.of(right))

    @property
    def allow(self) -> Callable[[Pair], bool]:
        """The rules as a function of the pair alone."""
        return lambda pair: self._rules.allow(pair, self.of(pair[0]) + self.of(pair[1]))

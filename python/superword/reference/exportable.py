"""The limit `boundary="exportable"`: superwords that other programs can make in one pass.

Other programs apply ordinary merges and supermerges to a run of words in one go. The result is the
same if it is known where each word ends, and if no ordinary merge crosses the *seam* between two
words. docs/concepts-exact-export.md has the proof.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import regex

from superword.reference.encode import Words
from superword.reference.pairs import Pair, Token
from superword.reference.steps import Event

Shapes = Sequence[tuple[str, str]]


class ExportableSeams:
    """Decides which pairs an export can join, and keeps the words at the ends of superwords.

    `shapes` are the words whose end is known: pairs of a pattern for the words, and a pattern for
    the beginnings of words that may not follow them in a superword (see below).

    >>> from superword.reference.steps import Merge
    >>> seams = ExportableSeams([(r"^ ?\\p{L}+$", "")], [Merge(b"a", b"b", 9)], {b"ab"})
    >>> seams.allow((b"c", b"d"))
    True
    >>> seams.allow((b"a", b"b"))  # the ordinary merge would join them first
    False
    """

    def __init__(
        self, shapes: Shapes, events: Sequence[Event], word_tokens: Collection[Token]
    ) -> None:
        # Version 1 of the patterns of `regex` has intersections of classes, like our own engine.
        self._shapes = [
            (regex.compile(word, regex.VERSION1), regex.compile(never or "(?!)", regex.VERSION1))
            for word, never in shapes
        ]
        self._words = Words(events)
        self._word_tokens = word_tokens
        self._first: dict[Token, Token] = {}
        self._last: dict[Token, Token] = {}

    def allow(self, pair: Pair) -> bool:
        """Return whether an export can join the pair."""
        left, right = pair
        if left + right in self._word_tokens:
            return False
        before = self._last.get(left, left)
        after = self._first.get(right, right)
        shape, after_shape = self._shape(before), self._shape(after)
        if shape is None or after_shape is None:
            return False
        # Some neighbours are two words here, and parts of one longer word elsewhere: א and A are,
        # because GPT-4o makes one word of אAb. Elsewhere the supermerge would be applied too.
        if self._shapes[shape][1].match(after.decode()):
            return False
        return self._words.encode(before + after) == (before, after)

    def _shape(self, word: Token) -> int | None:
        text = word.decode()
        return next((i for i, (known, _) in enumerate(self._shapes) if known.search(text)), None)

    def join(self, pair: Pair) -> None:
        """Record a supermerge."""
        left, right = pair
        self._first[left + right] = self._first.get(left, left)
        self._last[left + right] = self._last.get(right, right)

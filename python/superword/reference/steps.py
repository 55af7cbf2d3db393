"""What training writes down, and the vocabulary that follows from it.

Training is a list of steps in order. Everything else (vocabulary, ids, how to encode, smaller
models) follows from that list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from superword.reference.pairs import Pair, Token

# C0, C1 and F5..FF occur in no UTF-8 text.
ALPHABETS: dict[str, tuple[Token, ...]] = {
    "bytes": tuple(bytes([b]) for b in range(256)),
    "utf8": tuple(bytes([b]) for b in range(256) if b not in (0xC0, 0xC1) and b < 0xF5),
}


@dataclass(frozen=True)
class Merge:
    """An ordinary merge, inside a pretoken, with the count at which it was chosen."""

    left: Token
    right: Token
    count: int

    @property
    def pair(self) -> Pair:
        """Both parts."""
        return self.left, self.right


@dataclass(frozen=True)
class Delete:
    """A PickyBPE deletion: the token leaves the vocabulary and falls into parts."""

    token: Token
    parts: tuple[Token, ...]


@dataclass(frozen=True)
class Supermerge:
    """A merge of neighbouring pretokens, with the count at which it was chosen."""

    left: Token
    right: Token
    count: int

    @property
    def pair(self) -> Pair:
        """Both parts."""
        return self.left, self.right


Event: TypeAlias = Merge | Delete  # what phase 1 makes
Step: TypeAlias = Merge | Delete | Supermerge


class Vocabulary:
    """The tokens in the order in which they entered: the id is the place.

    A merge that gives a token that is already there adds nothing. A deleted token that is made
    again enters again, at the end.

    >>> v = Vocabulary("bytes")
    >>> for step in [Merge(b"a", b"b", 9), Merge(b"ab", b"c", 8), Delete(b"ab", (b"a", b"b"))]:
    ...     v.apply(step)
    >>> v.apply(Merge(b"a", b"b", 1))
    >>> len(v), list(v)[256:]
    (258, [b'abc', b'ab'])
    """

    def __init__(self, alphabet: str = "bytes") -> None:
        if alphabet not in ALPHABETS:
            raise ValueError(f"no alphabet {alphabet!r}; there are {', '.join(ALPHABETS)}")
        # A dict keeps the order of insertion. The value: did a supermerge add it?
        self._tokens: dict[Token, bool] = dict.fromkeys(ALPHABETS[alphabet], False)
        self._joined_by_supermerge: set[Token] = set()

    def apply(self, step: Step) -> None:
        """Do one step."""
        if isinstance(step, Delete):
            # A superword with the same bytes is still made by its supermerge: it stays.
            if step.token not in self._joined_by_supermerge:
                self._tokens.pop(step.token, None)
            return
        token = step.left + step.right
        if isinstance(step, Supermerge):
            self._joined_by_supermerge.add(token)
        self._tokens.setdefault(token, isinstance(step, Supermerge))

    def is_superword(self, token: Token) -> bool:
        """Say whether a supermerge brought the token into the vocabulary."""
        return self._tokens[token]

    def __len__(self) -> int:
        return len(self._tokens)

    def __iter__(self) -> Iterator[Token]:
        return iter(self._tokens)

    def __contains__(self, token: Token) -> bool:
        return token in self._tokens


def vocabulary_of(steps: Iterable[Step], alphabet: str = "bytes") -> Vocabulary:
    """Give the vocabulary after all steps."""
    vocabulary = Vocabulary(alphabet)
    for step in steps:
        vocabulary.apply(step)
    return vocabulary


def truncate(steps: Sequence[Step], vocab_size: int, alphabet: str = "bytes") -> list[Step]:
    """Give the steps that training to a smaller vocabulary would have made.

    Training looks at the size before each merge, never between a merge and its deletions.

    >>> truncate([Merge(b"a", b"b", 9), Merge(b"c", b"d", 8)], 257)
    [Merge(left=b'a', right=b'b', count=9)]
    """
    vocabulary = Vocabulary(alphabet)
    check_size(vocab_size, vocabulary)
    kept: list[Step] = []
    for step in steps:
        if not isinstance(step, Delete) and len(vocabulary) >= vocab_size:
            break
        vocabulary.apply(step)
        kept.append(step)
    return kept


def check_size(vocab_size: int, alphabet: Vocabulary) -> None:
    """Refuse a vocabulary that cannot even hold the alphabet."""
    if vocab_size < len(alphabet):
        raise ValueError(
            f"vocabulary size {vocab_size} is smaller than the alphabet ({len(alphabet)})"
        )

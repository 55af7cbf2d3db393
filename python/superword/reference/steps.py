"""What training records, and the vocabulary that results from it.

Training produces an ordered list of steps. Everything else follows from this list: the vocabulary,
the ids, how to encode, and smaller models.
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
    """A PickyBPE deletion: a token is removed from the vocabulary and replaced by parts."""

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


Event: TypeAlias = Merge | Delete  # the steps of phase 1
Step: TypeAlias = Merge | Delete | Supermerge


class Vocabulary:
    """The tokens in the order in which they were added. The id of a token is its position.

    A merge that makes an existing token adds nothing. A deleted token that is made again is added
    at the end.

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
        # A dict preserves the order of insertion. The value tells whether a supermerge added it.
        self._tokens: dict[Token, bool] = dict.fromkeys(ALPHABETS[alphabet], False)
        self._joined_by_supermerge: set[Token] = set()

    def apply(self, step: Step) -> None:
        """Apply one step."""
        if isinstance(step, Delete):
            # A superword with the same bytes stays, because its supermerge still makes it.
            if step.token not in self._joined_by_supermerge:
                self._tokens.pop(step.token, None)
            return
        token = step.left + step.right
        if isinstance(step, Supermerge):
            self._joined_by_supermerge.add(token)
        self._tokens.setdefault(token, isinstance(step, Supermerge))

    def is_superword(self, token: Token) -> bool:
        """Return whether a supermerge added the token."""
        return self._tokens[token]

    def __len__(self) -> int:
        return len(self._tokens)

    def __iter__(self) -> Iterator[Token]:
        return iter(self._tokens)

    def __contains__(self, token: Token) -> bool:
        return token in self._tokens


def vocabulary_of(steps: Iterable[Step], alphabet: str = "bytes") -> Vocabulary:
    """Return the vocabulary after all steps."""
    vocabulary = Vocabulary(alphabet)
    for step in steps:
        vocabulary.apply(step)
    return vocabulary


def truncate(steps: Sequence[Step], vocab_size: int, alphabet: str = "bytes") -> list[Step]:
    """Return the steps that training with a smaller vocabulary would have made.

    Training checks the size before each merge, never between a merge and its deletions.

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
    """Raise an error if the vocabulary is too small for the alphabet."""
    if vocab_size < len(alphabet):
        raise ValueError(
            f"vocabulary size {vocab_size} is smaller than the alphabet ({len(alphabet)})"
        )

"""A trained model as a tokenizer: the steps, the vocabulary with ids, encoding and decoding."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import regex

from superword.reference.encode import Encoder
from superword.reference.greedy import Ngram
from superword.reference.pairs import Token
from superword.reference.pretokenize import Pretokenizer
from superword.reference.steps import (
    Event,
    Merge,
    Step,
    Supermerge,
    Vocabulary,
    truncate,
    vocabulary_of,
)

Specials = Collection[str] | Literal["all"]


@dataclass(frozen=True)
class Tokenizer:
    """A model that encodes and decodes. Names are the same as in `superword.Tokenizer`.

    >>> steps = [Merge(b" ", b"a", 9), Merge(b" ", b"b", 8), Supermerge(b" a", b" b", 7)]
    >>> tok = Tokenizer("boundless", Pretokenizer(), steps, special_tokens=("<|end|>",))
    >>> tok.encode(" a b<|end|>", allowed_special="all")
    [258, 259]
    >>> tok.decode([258, 259])
    ' a b<|end|>'
    >>> tok.is_superword(258), tok.n_vocab
    (True, 260)
    """

    method: str
    pretokenizer: Pretokenizer
    steps: Sequence[Step]
    alphabet: str = "bytes"
    special_tokens: Sequence[str] = ()
    ngrams: Collection[Ngram] | None = field(default=None, repr=False)  # greedy encoding

    def __post_init__(self) -> None:
        if len(set(self.special_tokens)) < len(self.special_tokens) or "" in self.special_tokens:
            raise ValueError("special tokens must be distinct and not empty")

    # What training did.

    @property
    def events(self) -> list[Event]:
        """The ordinary merges and deletions, in order."""
        return [step for step in self.steps if not isinstance(step, Supermerge)]

    @property
    def merges(self) -> list[tuple[Token, Token, int]]:
        """The ordinary merges, in order."""
        return [(s.left, s.right, s.count) for s in self.steps if isinstance(s, Merge)]

    @property
    def supermerges(self) -> list[tuple[Token, Token, int]]:
        """The supermerges, in order."""
        return [(s.left, s.right, s.count) for s in self.steps if isinstance(s, Supermerge)]

    def truncate(self, vocab_size: int) -> Tokenizer:
        """Return the model with a smaller vocabulary. `vocab_size` includes the special tokens."""
        if vocab_size == self.n_vocab:
            return self
        learned = vocab_size - len(self.special_tokens)
        return replace(self, steps=truncate(self.steps, learned, self.alphabet))

    # The vocabulary.

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The tokens without the special tokens, in the order of their ids."""
        return vocabulary_of(self.steps, self.alphabet)

    @cached_property
    def _bytes_of(self) -> list[Token]:
        return [*self.vocabulary, *(special.encode("utf-8") for special in self.special_tokens)]

    @cached_property
    def _id_of(self) -> dict[Token, int]:
        return {token: i for i, token in enumerate(self.vocabulary)}

    @cached_property
    def _id_of_special(self) -> dict[str, int]:
        return {s: len(self.vocabulary) + i for i, s in enumerate(self.special_tokens)}

    @property
    def n_vocab(self) -> int:
        """The number of ids, including special tokens."""
        return len(self._bytes_of)

    def token_bytes(self, token_id: int) -> Token:
        """Return the bytes of an id."""
        if not 0 <= token_id < self.n_vocab:
            raise ValueError(f"no token has the id {token_id}; ids are 0 to {self.n_vocab - 1}")
        return self._bytes_of[token_id]

    def token_to_id(self, token: Token) -> int | None:
        """Return the id of a token that is not special, or None if there is no such token."""
        return self._id_of.get(token)

    def is_superword(self, token_id: int) -> bool:
        """Return whether a supermerge added the token."""
        return token_id < len(self.vocabulary) and self.vocabulary.is_superword(
            self.token_bytes(token_id)
        )

    # Text to ids and back.

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.steps, self.pretokenizer, self.ngrams)

    def encode_ordinary(self, text: str) -> list[int]:
        """Encode a text, treating special tokens as plain text."""
        return [self._id_of[token] for token in self._encoder.encode(text)]

    def encode(
        self, text: str, *, allowed_special: Specials = (), disallowed_special: Specials = ()
    ) -> list[int]:
        """Encode a text. Special tokens are plain text unless they are allowed.

        A special token in `disallowed_special` raises an error; "all" means all that are not
        allowed. If two special tokens start at the same position, the longer one is used.
        """
        every = set(self.special_tokens)
        allowed = every if allowed_special == "all" else every & set(allowed_special)
        disallowed = every - allowed if disallowed_special == "all" else set(disallowed_special)
        if found := first_of(disallowed, text):
            raise ValueError(
                f"the text contains the special token {found!r}, which is not allowed here; "
                "allow it with allowed_special, or do not list it in disallowed_special"
            )
        ids: list[int] = []
        for part in split_at_specials(text, allowed):
            if part in allowed:
                ids.append(self._id_of_special[part])
            else:
                ids += self.encode_ordinary(part)
        return ids

    def encode_batch(self, texts: Iterable[str]) -> list[list[int]]:
        """Encode several texts."""
        return [self.encode(text) for text in texts]

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Join the bytes of the ids."""
        return b"".join(self.token_bytes(token_id) for token_id in ids)

    def decode(self, ids: Iterable[int]) -> str:
        """Decode ids to text. Invalid UTF-8 becomes U+FFFD."""
        return self.decode_bytes(ids).decode("utf-8", errors="replace")

    def decode_batch(self, batch: Iterable[Iterable[int]]) -> list[str]:
        """Decode several lists of ids."""
        return [self.decode(ids) for ids in batch]


def _any_of(specials: Collection[str]) -> regex.Pattern[str]:
    longest_first = sorted(specials, key=len, reverse=True)
    return regex.compile("|".join(regex.escape(s, special_only=True) for s in longest_first))


def first_of(specials: Collection[str], text: str) -> str | None:
    """Return the first special token in a text, or None."""
    match = _any_of(specials).search(text) if specials else None
    return None if match is None else match.group()


def split_at_specials(text: str, specials: Collection[str]) -> list[str]:
    """Split a text before and after each special token.

    >>> split_at_specials("a<|x|>b", {"<|x|>"})
    ['a', '<|x|>', 'b']
    """
    if not specials:
        return [text]
    parts: list[str] = []
    end = 0
    for match in _any_of(specials).finditer(text):
        parts += [text[end : match.start()], match.group()]
        end = match.end()
    return [part for part in [*parts, text[end:]] if part]

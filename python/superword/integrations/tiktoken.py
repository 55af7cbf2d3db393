"""A tokenizer with the interface of `tiktoken.Encoding`, for code that expects one.

>>> enc = tok.as_tiktoken()
>>> enc.decode(enc.encode("as well as"))
'as well as'

As in tiktoken, and unlike `Tokenizer.encode`, special tokens in a text are an error unless they are
allowed. tiktoken itself is not needed.

Some code reads the private attributes of tiktoken: `_special_tokens`, `_mergeable_ranks`,
`_pat_str`, `_encode_bytes` and `_encode_single_piece` are here too. There is no `_core_bpe`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from superword.errors import TextError, TokenError
from superword.tokenizer import END_OF_TEXT, Tokenizer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from superword.integrations._pieces import Pieces
    from superword.integrations._unstable import Unstable

__all__ = ["Encoding"]

Allowed = Literal["all"] | AbstractSet[str]
Disallowed = Literal["all"] | Collection[str]


class Encoding:
    """The result of `Tokenizer.as_tiktoken()`. Names and defaults are those of tiktoken."""

    def __init__(self, tokenizer: Tokenizer, name: str = "superword") -> None:
        self.name = name
        self.superword = tokenizer
        self._special_tokens = tokenizer.special_tokens
        self._special_token_values = set(self._special_tokens.values())
        self.max_token_value = tokenizer.n_vocab - 1

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    # Text to ids.

    def encode_ordinary(self, text: str) -> list[int]:
        """The ids of a text, with special tokens treated as plain text."""
        return self.superword.encode_ordinary(_clean(text))

    def encode(
        self,
        text: str,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = "all",
    ) -> list[int]:
        """The ids of a text. `ValueError` for a special token that is not allowed."""
        return self.superword.encode(
            _clean(text),
            allowed_special=self._known(allowed_special),
            disallowed_special=self._disallowed(disallowed_special, allowed_special),
        )

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = "all",
    ) -> npt.NDArray[np.uint32]:
        """As `encode`, but as a numpy array, without a Python object for each id."""
        return self.superword.encode_to_numpy(
            _clean(text),
            allowed_special=self._known(allowed_special),
            disallowed_special=self._disallowed(disallowed_special, allowed_special),
        )

    def encode_ordinary_batch(self, text: list[str], *, num_threads: int = 8) -> list[list[int]]:
        """As `encode_ordinary`, for several texts."""
        return _cleaned_if_needed(
            text, lambda texts: self.superword.encode_batch(texts, threads=num_threads)
        )

    def encode_batch(
        self,
        text: list[str],
        *,
        num_threads: int = 8,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = "all",
    ) -> list[list[int]]:
        """As `encode`, for several texts."""
        return _cleaned_if_needed(
            text,
            lambda texts: self.superword.encode_batch(
                texts,
                allowed_special=self._known(allowed_special),
                disallowed_special=self._disallowed(disallowed_special, allowed_special),
                threads=num_threads,
            ),
        )

    def encode_with_unstable(
        self,
        text: str,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = "all",
    ) -> tuple[list[int], list[list[int]]]:
        """The ids that stay the same whatever text follows, and all possible continuations.

        >>> stable, completions = enc.encode_with_unstable("as well a")
        >>> ids = enc.encode("as well as the rest")
        >>> ids[: len(stable)] == stable
        True
        >>> any(ids[len(stable) :][: len(ids_after)] == ids_after for ids_after in completions)
        True

        Each completion ends with the token that reaches the end of the text or goes beyond it.
        Superwords reach across words, so the ids of several words may change. Not every completion
        has to occur. If the text ends with a special token, all ids are stable, and there are no
        completions.

        `TextError` if the model does not allow an exact answer: it has a custom pattern, a
        normalizer, deleted tokens, n-grams, or added tokens that depend on the text beside them.
        """
        text = _clean(text)
        allowed = self._known(allowed_special)
        # For the error about special tokens that are not allowed.
        self.superword.encode(
            text,
            allowed_special=allowed,
            disallowed_special=self._disallowed(disallowed_special, allowed_special),
        )
        return self._unstable.encode(
            text, frozenset(self._special_tokens) if allowed == "all" else frozenset(allowed)
        )

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """The id of one token, special or not. `KeyError` if there is none."""
        id = self.superword.token_to_id(text_or_bytes)
        if id is None and isinstance(text_or_bytes, bytes):
            # tiktoken finds special tokens by their bytes too.
            id = self.superword.token_to_id(text_or_bytes.decode(errors="replace"))
        if id is None:
            raise KeyError(text_or_bytes)
        return id

    def _encode_single_piece(self, text_or_bytes: str | bytes) -> list[int]:
        """The ids of a text that is not split: one pretoken, and so without superwords."""
        if isinstance(text_or_bytes, str):
            text_or_bytes = text_or_bytes.encode()
        return self._pieces.encode(text_or_bytes)

    def _encode_bytes(self, text: bytes) -> list[int]:
        """The ids of bytes that need not be UTF-8. Special tokens are plain text.

        As in tiktoken, everything from the first byte that is not UTF-8, and the pretoken before
        it, is one piece. It contains no superwords.
        """
        try:
            return self.superword.encode_ordinary(text.decode())
        except UnicodeDecodeError as error:
            end = error.start
        valid = text[:end].decode()
        ids, spans = self.superword.encode_with_offsets(valid, unit="byte")
        # Pretokens are between added tokens. Those that are not special are found in all text.
        hard = {token.id for token in self.superword.added_tokens if not token.special}
        first = max((at + 1 for at, id in enumerate(ids) if id in hard), default=0)
        between = text[spans[first - 1][1] if first else 0 : end].decode()
        last = self.superword.pretokenizer.split(between)[-1:]
        start = end - sum(len(pretoken.encode()) for pretoken in last)
        kept = sum(stop <= start for _, stop in spans)
        # A run of spaces may be split in another way if something follows it.
        if kept < len(ids) and _is_space(self.superword.token_bytes(ids[kept])):
            while kept > first and _is_space(self.superword.token_bytes(ids[kept - 1])):
                kept -= 1
                start = spans[kept][0]
        if kept < len(ids) and spans[kept][0] < start:
            # The pretoken is part of a superword.
            ids = self.superword.encode_ordinary(text[:start].decode())
            kept = len(ids)
        return ids[:kept] + self._pieces.encode(text[start:])

    # Ids to text.

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """The bytes of the tokens, joined. `KeyError` for an unknown id."""
        try:
            return self.superword.decode_bytes(tokens)
        except TokenError as error:
            raise _no_such(error) from error

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """The text of the tokens."""
        return self.decode_bytes(tokens).decode("utf-8", errors=errors)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """The bytes of one token. `KeyError` if there is none."""
        try:
            return self.superword.token_bytes(token)
        except TokenError as error:
            raise _no_such(error) from error

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """The bytes of each token."""
        return [self.decode_single_token_bytes(token) for token in tokens]

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """The text, and the character offset at which each token starts.

        A token that starts within a character has the offset of that character.
        """
        pieces = self.decode_tokens_bytes(tokens)
        offsets = []
        length = 0
        for piece in pieces:
            inside = bool(piece) and 0x80 <= piece[0] < 0xC0
            offsets.append(max(0, length - inside))
            length += sum(1 for byte in piece if not 0x80 <= byte < 0xC0)
        return b"".join(pieces).decode("utf-8", errors="strict"), offsets

    def decode_batch(
        self, batch: Sequence[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """The text of each list of ids. Uses one thread, which is fast enough."""
        return [self.decode(tokens, errors) for tokens in batch]

    def decode_bytes_batch(
        self, batch: Sequence[Sequence[int]], *, num_threads: int = 8
    ) -> list[bytes]:
        """The bytes of each list of ids."""
        return [self.decode_bytes(tokens) for tokens in batch]

    # Properties.

    def token_byte_values(self) -> list[bytes]:
        """The bytes of all tokens except added tokens, sorted."""
        return sorted(self._mergeable_ranks)

    @cached_property
    def _mergeable_ranks(self) -> dict[bytes, int]:
        """All tokens except added tokens, and their ids.

        tiktoken needs no more than these and the pattern to encode. That is not enough for models
        with superwords or deleted tokens: use `Tokenizer.export_tiktoken` for an encoding that
        tiktoken itself runs.
        """
        added = {token.id for token in self.superword.added_tokens}
        found = {}
        for id in range(self.n_vocab):
            if id not in added:
                try:
                    found[self.superword.token_bytes(id)] = id
                except TokenError:
                    continue  # An imported model may have ids without a token.
        return found

    @property
    def _pat_str(self) -> str:
        """The pattern. `AttributeError` if some scripts have a pattern of their own."""
        if self.superword.pretokenizer.script_pattern is not None:
            raise AttributeError  # `__getattr__` says why.
        return self.superword.pretokenizer.pattern

    @property
    def eot_token(self) -> int:
        """The id of `<|endoftext|>`. `KeyError` if the model has no such token."""
        return self._special_tokens[END_OF_TEXT]

    @property
    def special_tokens_set(self) -> set[str]:
        """The special tokens."""
        return set(self._special_tokens)

    def is_special_token(self, token: int) -> bool:
        """Whether the id is that of a special token."""
        return token in self._special_token_values

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return self.max_token_value + 1

    def __getattr__(self, name: str) -> NoReturn:
        hint = ""
        if name == "_core_bpe":
            hint = "; for an encoding that tiktoken itself runs, use Tokenizer.export_tiktoken"
        elif name == "_pat_str":
            hint = "; this model splits text with more than one pattern"
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Encoding, (self.superword, self.name)

    # Helpers.

    @cached_property
    def _pieces(self) -> Pieces:
        from superword.integrations._pieces import Pieces

        return Pieces(self.superword)

    @cached_property
    def _unstable(self) -> Unstable:
        from superword.integrations._unstable import Unstable

        return Unstable(self.superword, lambda: self._pieces, self._mergeable_ranks)

    def _known(self, allowed: Allowed) -> Allowed:
        # Like tiktoken, accept names that are not special tokens.
        return allowed if allowed == "all" else frozenset(allowed) & self.special_tokens_set

    def _disallowed(self, disallowed: Disallowed, allowed: Allowed) -> Disallowed:
        if disallowed != "all":
            return disallowed
        return self.special_tokens_set - (
            self.special_tokens_set if allowed == "all" else frozenset(allowed)
        )


def _clean(text: str) -> str:
    """Replace surrogate pairs by the character they encode, and lone surrogates by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _cleaned_if_needed(
    texts: list[str], encode: Callable[[list[str]], list[list[int]]]
) -> list[list[int]]:
    """Encode texts as they are, and clean them only if one has a surrogate: that takes long."""
    try:
        return encode(texts)
    except TextError:
        return encode([_clean(text) for text in texts])


def _is_space(token: bytes) -> bool:
    return not token.strip(b" \n\t")


def _no_such(error: TokenError) -> KeyError:
    return KeyError(error.message)

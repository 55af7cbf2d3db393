"""The vocabulary of a tokenizer, decoding, and how it was trained."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from superword import _core
from superword._encoding.decoding import DecodeStream, id_list
from superword._support.text import lone_surrogate, surrogate_in
from superword.errors import TokenError
from superword.pretokenizer import Pretokenizer

if TYPE_CHECKING:
    from superword.options import Method

__all__ = ["END_OF_TEXT", "AddedToken", "Vocabulary"]

END_OF_TEXT = "<|endoftext|>"

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class AddedToken:
    """A string that is found in texts before they are split, and becomes one token.

    The flags mean what they mean in Hugging Face's `tokenizers.AddedToken`.
    """

    content: str
    id: int
    special: bool = False
    """Found only if it is in `allowed_special`. Other added tokens are found in every text."""
    lstrip: bool = False
    """The token includes the white space before it."""
    rstrip: bool = False
    """The token includes the white space after it."""
    single_word: bool = False
    """Found only if no word character is beside it."""
    normalized: bool = False
    """Found in the normalized text. Other added tokens are found before normalization."""


class Vocabulary:
    """Everything about a tokenizer except encoding and files. Immutable.

    `superword.Tokenizer` is the only class that derives from this one.
    """

    __slots__ = ("__weakref__", "_content", "_model")

    _model: _core.Model
    _content: bytes | None  # A digest of the model, computed when it is first needed.

    def __init__(self) -> None:
        raise TypeError("use superword.train(...) or superword.Tokenizer.load(path)")

    @property
    def n_vocab(self) -> int:
        """The number of tokens, including special tokens."""
        return self._model.n_vocab

    @property
    def method(self) -> Method:
        """`"bpe"`, `"boundless"` or `"superbpe"`."""
        method: Any = self._model.method
        return method  # type: ignore[no-any-return]

    @property
    def alphabet(self) -> str:
        """The initial vocabulary: `"bytes"` (256 bytes) or `"utf8"` (243 bytes)."""
        return self._model.alphabet

    @property
    def pretokenizer(self) -> Pretokenizer:
        """How text is split before it is encoded."""
        return Pretokenizer._wrap(self._model.pretokenizer)

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens and their ids. They are the special ones of `added_tokens`."""
        return dict(self._model.special_tokens)

    @property
    def added_tokens(self) -> list[AddedToken]:
        """All added tokens: special tokens, and those that are found in every text.

        Training adds special tokens only. Imported tokenizers may have others.
        """
        return [AddedToken(*added) for added in self._model.added_tokens]

    @property
    def normalizer(self) -> str | None:
        """How texts are normalized before they are split: `"nfc"`, `"nfkc"` or None."""
        return self._model.normalizer

    @property
    def whole_pieces(self) -> bool:
        """Whether a pretoken that is a token is always encoded as that token.

        Hugging Face calls this `ignore_merges`; tiktoken always does it.
        """
        return self._model.whole_pieces

    @property
    def unmade_tokens(self) -> dict[bytes, int]:
        """The tokens that no merge makes, and their ids. Only imported tokenizers have some."""
        return dict(self._model.unmade)

    @property
    def settings(self) -> dict[str, Any]:
        """What other programs need besides the ids, e.g. `bos_token` and `chat_template`."""
        settings: dict[str, Any] = json.loads(self._model.settings)
        return settings

    @property
    def eot_token(self) -> int | None:
        """The id of `<|endoftext|>` if it is a special token, else None."""
        return self._model.special_tokens.get(END_OF_TEXT)

    @property
    def facts(self) -> dict[str, Any]:
        """What the model records about its training: options, bytes, documents, version."""
        facts: dict[str, Any] = json.loads(self._model.facts)
        return facts

    @property
    def merges(self) -> list[tuple[bytes, bytes, int]]:
        """The merges in order: `(left, right, count)`. Every access makes a new list."""
        return self._model.merges()

    @property
    def supermerges(self) -> list[tuple[bytes, bytes, int]]:
        """The supermerges in order: `(left, right, count)`. Every access makes a new list."""
        return self._model.supermerges()

    def token_bytes(self, id: int) -> bytes:
        """The bytes of a token: `tok.token_bytes(97) == b"a"`. `TokenError` if there is none."""
        return self._with_ids(lambda: self._model.token_bytes(id), (id,))

    def token_to_id(self, token: bytes | str) -> int | None:
        """The id of a token, or None if it is not in the vocabulary.

        Bytes refer to an ordinary token. A str refers to the added token with that text if there
        is one, else to the ordinary token with its UTF-8 bytes.
        """
        if isinstance(token, str):
            error = surrogate_in(token)
            if error is not None:
                raise lone_surrogate(error, "the token")
            added = self._model.added_to_id(token)
            if added is not None:
                return added
            token = token.encode()
        return self._model.token_to_id(token)

    def is_superword(self, id: int) -> bool:
        """Whether a supermerge made the token. `TokenError` if there is no such id."""
        return self._with_ids(lambda: self._model.is_superword(id), (id,))

    # Ids to text.

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes of the tokens, joined."""
        listed = id_list(ids)
        return self._with_ids(lambda: self._model.decode_bytes(listed), listed)

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """The text of the tokens: `decode(encode(text)) == text` for every text.

        With a `normalizer` it is the normalized text.

        Part of an encoding may start or end within a character. `errors` says what to do then, as
        in `bytes.decode`.
        """
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decode_batch(self, batch: Iterable[Iterable[int]], errors: str = "replace") -> list[str]:
        """The text of each list of ids, as `decode` returns it."""
        return [self.decode(ids, errors) for ids in batch]

    def decode_stream(self, errors: str = "replace") -> DecodeStream:
        """A decoder that takes one id at a time and returns text as soon as it is complete.

        >>> stream = tok.decode_stream()
        >>> "".join([*map(stream.feed, ids), stream.finish()]) == tok.decode(ids)
        True
        """
        return DecodeStream(self.token_bytes, errors)

    def to_bytes(self) -> bytes:
        """The content of the model file."""
        return self._model.to_bytes()

    def _with_ids(self, call: Callable[[], _Result], ids: Sequence[int]) -> _Result:
        """Call the engine, and report the first id that is too large for it."""
        try:
            return call()
        except OverflowError:
            for position, id in enumerate(ids):
                if not 0 <= id < self.n_vocab:
                    raise TokenError(
                        f"there is no token with id {id} (position {position})",
                        hint=f"the ids of this tokenizer are 0 to {self.n_vocab - 1}",
                        id=id,
                        position=position,
                    ) from None
            raise

    def _digest(self) -> bytes:
        if self._content is None:
            import hashlib

            # Two threads may both do this; they write the same bytes.
            object.__setattr__(self, "_content", hashlib.sha256(self.to_bytes()).digest())
        assert self._content is not None
        return self._content

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return self is other or self._digest() == other._digest()

    def __hash__(self) -> int:
        return hash(self._digest())

    def __repr__(self) -> str:
        name = self._model.pretokenizer.name or "custom pattern"
        return f"<superword.Tokenizer: {self.method}, {self.n_vocab:,} tokens, {name}>"

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError("a Tokenizer is immutable")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a Tokenizer is immutable")

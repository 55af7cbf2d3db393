"""The trained tokenizer: text to ids and back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, TypeVar

from superword import _core
from superword._encoding.decoding import DecodeStream
from superword._interop import Interop
from superword._support.text import lone_surrogate, surrogate_in
from superword.encoding import Encodes
from superword.errors import OptionError, TokenError
from superword.options import Method
from superword.pretokenizer import Pretokenizer

__all__ = ["Tokenizer"]

END_OF_TEXT = "<|endoftext|>"

_Result = TypeVar("_Result")


class Tokenizer(Encodes, Interop):
    """A trained tokenizer. Made by `superword.train`, `Tokenizer.load` or `truncate`.

    >>> tok = superword.train(["docs/*.jsonl"], vocab_size=32_768)
    >>> tok.decode(tok.encode("as well as the rest")) == "as well as the rest"
    True

    What it computes cannot be changed. It may be used from many threads at once, can be pickled,
    and is equal to another if all that it holds is. Ids are `0 .. n_vocab - 1`; special tokens
    have the last ones.
    """

    __slots__ = ("__weakref__", "_content", "_model")

    _model: _core.Model
    _content: bytes | None  # A digest of all that the model holds, made when first needed.

    def __init__(self) -> None:
        raise TypeError("use superword.train(...) or superword.Tokenizer.load(path)")

    @classmethod
    def _wrap(cls, model: _core.Model) -> Tokenizer:
        self = cls.__new__(cls)
        object.__setattr__(self, "_model", model)
        object.__setattr__(self, "_content", None)
        return self

    # Files.

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, cache_bytes: int | str | None = None
    ) -> Tokenizer:
        """Read a model file. `MissingInputError`, `ModelFileError` say what is wrong with it.

        `cache_bytes`, such as `"16MB"`, is what `set_cache_bytes` sets.
        """
        tokenizer = cls._wrap(_core.Model.load(os.fspath(path)))
        if cache_bytes is not None:
            tokenizer.set_cache_bytes(cache_bytes)
        return tokenizer

    @classmethod
    def from_bytes(cls, data: bytes) -> Tokenizer:
        """The tokenizer of which `data` is the file: `from_bytes(tok.to_bytes()) == tok`."""
        return cls._wrap(_core.Model.from_bytes(data))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, whole or not at all: what was there stays if saving fails."""
        self._model.save(os.fspath(path))

    def to_bytes(self) -> bytes:
        """What `save` would write."""
        return self._model.to_bytes()

    # What it is.

    @property
    def n_vocab(self) -> int:
        """The number of tokens, special ones included."""
        return self._model.n_vocab

    @property
    def method(self) -> Method:
        """`"bpe"`, `"boundless"` or `"superbpe"`."""
        method: Any = self._model.method
        return method  # type: ignore[no-any-return]

    @property
    def alphabet(self) -> str:
        """The bytes that the vocabulary starts from: `"bytes"` (256) or `"utf8"` (243)."""
        return self._model.alphabet

    @property
    def pretokenizer(self) -> Pretokenizer:
        """How text is cut before it is encoded."""
        return Pretokenizer._wrap(self._model.pretokenizer)

    @property
    def special_tokens(self) -> dict[str, int]:
        """Special tokens and their ids."""
        return dict(self._model.special_tokens)

    @property
    def eot_token(self) -> int | None:
        """The id of `<|endoftext|>` if that is a special token, else None."""
        return self._model.special_tokens.get(END_OF_TEXT)

    @property
    def facts(self) -> dict[str, Any]:
        """What is recorded about the training: options, bytes, documents, version."""
        facts: dict[str, Any] = json.loads(self._model.facts)
        return facts

    @property
    def merges(self) -> list[tuple[bytes, bytes, int]]:
        """Ordinary merges in order, `(left, right, count)`. A new list each time: keep it."""
        return self._model.merges()

    @property
    def supermerges(self) -> list[tuple[bytes, bytes, int]]:
        """Supermerges in order, `(left, right, count)`. A new list each time: keep it."""
        return self._model.supermerges()

    def token_bytes(self, id: int) -> bytes:
        """The bytes of a token: `tok.token_bytes(97) == b"a"`. `TokenError` if there is none."""
        return self._with_ids(lambda: self._model.token_bytes(id), (id,))

    def token_to_id(self, token: bytes | str) -> int | None:
        """The id of a token, or None if the vocabulary does not have it.

        Bytes name an ordinary token. A str names a special token if there is one so called, else
        the ordinary token with its UTF-8 bytes.
        """
        if isinstance(token, str):
            special = self._model.special_tokens.get(token)
            if special is not None:
                return special
            error = surrogate_in(token)
            if error is not None:
                raise lone_surrogate(error, "the token")
            token = token.encode()
        return self._model.token_to_id(token)

    def is_superword(self, id: int) -> bool:
        """Whether the token was made by a supermerge. `TokenError` if there is no such id."""
        return self._with_ids(lambda: self._model.is_superword(id), (id,))

    def truncate(self, n_vocab: int) -> Tokenizer:
        """The tokenizer cut to a smaller vocabulary, special tokens kept.

        Without deletions the result has the tokens and merges of a training at that size.
        """
        try:
            return Tokenizer._wrap(self._model.truncate(n_vocab))
        except OverflowError:
            raise OptionError(
                f"a vocabulary cannot have {n_vocab} tokens",
                hint=f"give a size between that of the alphabet and {self.n_vocab}",
                option="n_vocab",
                value=n_vocab,
            ) from None

    # Ids to text.

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes of the tokens, joined."""
        listed = _ids(ids)
        return self._with_ids(lambda: self._model.decode_bytes(listed), listed)

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """The text of the tokens: `decode(encode(text)) == text` for every text.

        Ids cut out of the middle of an encoding may hold a part of a character; `errors` says
        what to do with it, as in `bytes.decode`.
        """
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decode_batch(self, batch: Iterable[Iterable[int]], errors: str = "replace") -> list[str]:
        """The text of each list of ids, as `decode` gives it."""
        return [self.decode(ids, errors) for ids in batch]

    def decode_stream(self, errors: str = "replace") -> DecodeStream:
        """A decoder that takes ids one at a time and gives text as soon as it is whole.

        >>> stream = tok.decode_stream()
        >>> "".join([*map(stream.feed, ids), stream.finish()]) == tok.decode(ids)
        True
        """
        return DecodeStream(self.token_bytes, errors)

    # Python's own.

    def _digest(self) -> bytes:
        if self._content is None:
            import hashlib

            # Two threads may both do this; they write the same bytes.
            object.__setattr__(self, "_content", hashlib.sha256(self.to_bytes()).digest())
        assert self._content is not None
        return self._content

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tokenizer):
            return NotImplemented
        return self is other or self._digest() == other._digest()

    def __hash__(self) -> int:
        return hash(self._digest())

    def __repr__(self) -> str:
        name = self._model.pretokenizer.name or "its own pattern"
        return f"<superword.Tokenizer: {self.method}, {self.n_vocab:,} tokens, {name}>"

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError("a Tokenizer cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a Tokenizer cannot be changed")

    def __copy__(self) -> Tokenizer:
        return self

    def __deepcopy__(self, memo: object) -> Tokenizer:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Tokenizer.from_bytes, (self.to_bytes(),)

    # Helpers.

    def _with_ids(self, call: Callable[[], _Result], ids: Sequence[int]) -> _Result:
        try:
            return call()
        except OverflowError:
            for position, id in enumerate(ids):
                if not 0 <= id < self.n_vocab:
                    raise TokenError(
                        f"there is no token with id {id} (position {position})",
                        hint=f"ids of this tokenizer are 0 to {self.n_vocab - 1}",
                        id=id,
                        position=position,
                    ) from None
            raise


def _ids(ids: Iterable[int]) -> Sequence[int]:
    """Ids as a list or tuple; arrays of numpy and others say `tolist` for it."""
    if isinstance(ids, list | tuple):
        return ids
    if isinstance(ids, int):
        raise TypeError("ids must be a list; for one id use token_bytes")
    tolist = getattr(ids, "tolist", None)
    return tolist() if tolist is not None else list(ids)

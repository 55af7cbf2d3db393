"""Ids to text, one at a time: for text that is shown while a model still writes it."""

from __future__ import annotations

import codecs
from collections.abc import Callable

__all__ = ["DecodeStream"]


class DecodeStream:
    """Decodes ids as they come. Made by `Tokenizer.decode_stream`.

    >>> stream = tok.decode_stream()
    >>> for id in model.generate(prompt):
    ...     print(stream.feed(id), end="", flush=True)
    >>> print(stream.finish())

    A token may end within a character. Its bytes wait until the character is whole; all else is
    given at once. What `feed` and `finish` gave, joined, is what `decode` gives for all ids.
    """

    __slots__ = ("_decoder", "_token_bytes")

    def __init__(self, token_bytes: Callable[[int], bytes], errors: str = "replace") -> None:
        self._token_bytes = token_bytes
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)

    def feed(self, id: int) -> str:
        """The text that is whole now: that of this token and what waited, or `""`.

        `TokenError` if there is no such id; the stream goes on as if it had not been fed.
        """
        return self._decoder.decode(self._token_bytes(id))

    @property
    def pending(self) -> bytes:
        """The bytes that wait for the rest of their character."""
        return self._decoder.getstate()[0]

    def finish(self) -> str:
        """What is left at the end, as `errors` says; after that a new text may begin."""
        rest = self._decoder.decode(b"", final=True)
        self._decoder.reset()
        return rest

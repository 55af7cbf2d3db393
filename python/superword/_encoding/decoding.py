"""Decode ids one at a time, to show text while a model is still generating it."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Sequence

__all__ = ["DecodeStream", "id_list"]


def id_list(ids: Iterable[int]) -> Sequence[int]:
    """The ids as a list or tuple. Arrays are converted by their `tolist` method."""
    if isinstance(ids, list | tuple):
        return ids
    if isinstance(ids, int):
        raise TypeError("ids must be a list; for one id use token_bytes")
    tolist = getattr(ids, "tolist", None)
    return tolist() if tolist is not None else list(ids)


class DecodeStream:
    """Decodes a stream of ids. Made by `Tokenizer.decode_stream`.

    >>> stream = tok.decode_stream()
    >>> for id in model.generate(prompt):
    ...     print(stream.feed(id), end="", flush=True)
    >>> print(stream.finish())

    A token may end within a character. Its bytes are kept until the character is complete. The
    results of `feed` and `finish`, joined, are what `decode` returns for all ids.
    """

    __slots__ = ("_decoder", "_token_bytes")

    def __init__(self, token_bytes: Callable[[int], bytes], errors: str = "replace") -> None:
        self._token_bytes = token_bytes
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)

    def feed(self, id: int) -> str:
        """The text that this token completes, or `""`.

        Raises `TokenError` if there is no such id; the stream is unchanged then.
        """
        return self._decoder.decode(self._token_bytes(id))

    @property
    def pending(self) -> bytes:
        """The bytes of an incomplete character."""
        return self._decoder.getstate()[0]

    def finish(self) -> str:
        """The remaining text, decoded as `errors` says. The stream is empty afterwards."""
        rest = self._decoder.decode(b"", final=True)
        self._decoder.reset()
        return rest

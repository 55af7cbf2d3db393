"""A tokenizer on its way to other processes: sent as bytes, loaded once in each process."""

from __future__ import annotations

from functools import lru_cache

from superword.tokenizer import Tokenizer

__all__ = ["Shipped"]


class Shipped:
    """A tokenizer to send to other processes.

    >>> shipped = Shipped(tokenizer)          # in the driver
    >>> shipped.tokenizer().encode("text")    # in every task

    All tasks of a process share one tokenizer, so its tables are built once.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.data = tokenizer.to_bytes()

    def tokenizer(self) -> Tokenizer:
        """The tokenizer, loaded by the first task of a process that asks for it."""
        return _load(self.data)


@lru_cache(maxsize=4)
def _load(data: bytes) -> Tokenizer:
    return Tokenizer.from_bytes(data)

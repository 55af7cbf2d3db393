"""Models and bounds on their way to other processes: sent as bytes, loaded once in each process."""

from __future__ import annotations

from functools import lru_cache

from superword.counts import BigramBounds
from superword.tokenizer import Tokenizer

__all__ = ["Cut", "Shipped"]


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


class Cut:
    """Where candidates are cut in all parts of a text, to send to other processes.

    Only what matters for `below` is sent: a megabyte at most.
    """

    def __init__(self, below: int, bounds: BigramBounds) -> None:
        self.below = below
        self.data = bounds.above(below).slice(0, 1)

    def bounds(self) -> BigramBounds:
        """The bounds, loaded by the first task of a process that asks for them."""
        return _load_bounds(self.data)


@lru_cache(maxsize=4)
def _load(data: bytes) -> Tokenizer:
    return Tokenizer.from_bytes(data)


@lru_cache(maxsize=2)
def _load_bounds(data: bytes) -> BigramBounds:
    return BigramBounds.from_slices([(0, data)], 1)

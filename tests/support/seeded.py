"""Random text for tests, made from a seed so that every run sees the same text."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

LATIN = "abcdefghijklmnopqrstuvwxyz"
# Turns hexadecimal digits into letters, so that a number becomes one pretoken.
_LETTERS = str.maketrans("0123456789", "ghijklmnop")


def letters(count: int, *, seed: int, alphabet: str = LATIN) -> str:
    """Return `count` random letters without any space."""
    return "".join(Random(seed).choices(alphabet, k=count))


def unique_words(count: int, *, seed: int, bits: int = 44) -> list[str]:
    """Return words that almost never repeat.

    >>> unique_words(2, seed=5)
    ['khmpfnmnckl', 'lbcbdelcgpp']
    """
    rng = Random(seed)
    return [f"{rng.getrandbits(bits):x}".translate(_LETTERS) for _ in range(count)]


def common_words(
    count: int, *, seed: int, lengths: tuple[int, int] = (3, 9), alphabet: str = LATIN
) -> list[str]:
    """Return `count` words of random letters, to build text from with `sentences`."""
    rng = Random(seed)
    return ["".join(rng.choices(alphabet, k=rng.randint(*lengths))) for _ in range(count)]


def sentences(words: Sequence[str], count: int, *, length: int, seed: int) -> list[str]:
    """Return `count` sentences, each of `length` words chosen independently."""
    rng = Random(seed)
    return [" ".join(rng.choices(words, k=length)) for _ in range(count)]


def in_lines(words: Sequence[str], length: int) -> list[str]:
    """Join words into lines of `length` words."""
    return [" ".join(words[start : start + length]) for start in range(0, len(words), length)]

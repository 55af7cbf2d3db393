"""The byte alphabet of GPT-2: each byte as one printable character.

Hugging Face's byte-level tokenizers and the paper's model files write tokens in it:

>>> to_chars(b" the\\n")
'ĠtheĊ'
>>> to_bytes("ĠtheĊ")
b' the\\n'
"""

from __future__ import annotations

from superword import _core

__all__ = ["CHAR_OF", "to_bytes", "to_chars"]

CHAR_OF = dict(enumerate(_core.byte_chars()))
_BYTE_OF = {char: byte for byte, char in CHAR_OF.items()}


def to_chars(token: bytes) -> str:
    """A token in the alphabet, a character per byte."""
    return "".join([CHAR_OF[byte] for byte in token])


def to_bytes(token: str) -> bytes:
    """The inverse of `to_chars`. `KeyError` for a character that is not in the alphabet."""
    return bytes([_BYTE_OF[char] for char in token])

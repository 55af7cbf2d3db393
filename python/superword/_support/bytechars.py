"""The byte alphabet of GPT-2: each byte as one printable character.

Hugging Face's byte-level tokenizers and the paper's model files write tokens in it:

>>> to_chars(b" the\\n")
'ĠtheĊ'
>>> to_bytes("ĠtheĊ")
b' the\\n'
"""

from __future__ import annotations

__all__ = ["CHAR_OF", "to_bytes", "to_chars"]

_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]

# Printable bytes stand for themselves; the others, in order, for U+0100 and on.
CHAR_OF = {byte: chr(byte) for byte in _PRINTABLE}
CHAR_OF |= {byte: chr(0x100 + place) for place, byte in enumerate(_OTHERS)}
_BYTE_OF = {char: byte for byte, char in CHAR_OF.items()}


def to_chars(token: bytes) -> str:
    """A token in the alphabet, a character per byte."""
    return "".join([CHAR_OF[byte] for byte in token])


def to_bytes(token: str) -> bytes:
    """The inverse of `to_chars`. `KeyError` for a character that is not in the alphabet."""
    return bytes([_BYTE_OF[char] for char in token])

r"""Tokens as text that people can read: visible white space, escaped bytes and control characters.

Texts and models are untrusted data. Nothing that these functions return can move the cursor,
change colors, reorder the text or hide in it.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["parse_token", "quoted", "token_text", "visible"]

_DOTTED_CIRCLE = "◌"
_JOINERS = "\u200c\u200d"  # Emoji and Indic scripts need them between two characters.
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"'}
_SYMBOLS = {"\n": "⏎\n", "\r": "␍", "\t": "⇥"}
_ESCAPE = re.compile(r"""\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([nrt\\"]))""")
_UNESCAPED = {escape[1]: char.encode() for char, escape in _ESCAPES.items()}


def token_text(token: bytes) -> str:
    r"""A token as text. Bytes that are only part of a character are escaped.

    >>> token_text(b"a\xe2")
    'a\\xe2'

    Other characters are unchanged, so the text is not safe for a terminal.
    """
    return token.decode(errors="backslashreplace")


def visible(token: bytes) -> str:
    r"""A token for people to look at. A line break is `⏎` with the break, a tab is `⇥`.

    >>> visible(b"a\tb\n\xe2")
    'a⇥b⏎\n\\xe2'

    Spaces stay spaces. Other characters that cannot be seen are escaped, such as `\u00a0`. A
    combining character at the start gets a dotted circle, which keeps it in its own token.
    """
    text = token_text(token)
    if text.isascii() and text.isprintable():
        return text
    shown = [_SYMBOLS.get(char) or (_escaped(char) if _is_hidden(char) else char) for char in text]
    if text[0] in _JOINERS:
        shown[0] = _escaped(text[0])
    elif unicodedata.category(text[0]).startswith("M"):
        shown.insert(0, _DOTTED_CIRCLE)
    return "".join(shown)


def quoted(token: bytes) -> str:
    r"""A token in quotes, on one line, with escapes that `parse_token` reads.

    >>> quoted(b' of\n')
    '" of\\n"'
    """
    shown = []
    for part in _decoded(token):
        if isinstance(part, bytes):
            shown.append("".join(f"\\x{byte:02x}" for byte in part))
        else:
            shown += [_ESCAPES.get(c) or (_escaped(c) if _is_hidden(c) else c) for c in part]
    return '"' + "".join(shown) + '"'


def parse_token(text: str) -> bytes:
    r"""The bytes that a person wrote: `\n`, `\t`, `\r`, `\\`, `\"`, `\xe2`, `\u00a0`, `\U0001f600`.

    >>> parse_token(r"a\xe2")
    b'a\xe2'

    `\xe2` is a byte, `\u00e2` a character. A backslash before anything else is a backslash.
    """
    out, end = b"", 0
    for found in _ESCAPE.finditer(text):
        byte, four, eight, letter = found.groups()
        meant = (
            bytes.fromhex(byte)
            if byte
            else _UNESCAPED[letter]
            if letter
            else _character(int(four or eight, 16))
        )
        if meant is not None:
            out += _raw(text[end : found.start()]) + meant
            end = found.end()
    return out + _raw(text[end:])


def _character(code: int) -> bytes | None:
    """The UTF-8 of a code point, or None if it is not a character."""
    return None if code > 0x10FFFF or 0xD800 <= code < 0xE000 else chr(code).encode()


def _raw(text: str) -> bytes:
    """The bytes of an argument. Bytes that are not UTF-8 arrive as surrogates."""
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return text.encode(errors="replace")


def _decoded(token: bytes) -> list[str | bytes]:
    """The characters of a token, and between them the bytes that are not whole characters."""
    parts: list[str | bytes] = []
    while token:
        try:
            return [*parts, token.decode()]
        except UnicodeDecodeError as error:
            parts += [token[: error.start].decode(), token[error.start : error.end]]
            token = token[error.end :]
    return parts


def _is_hidden(char: str) -> bool:
    category = unicodedata.category(char)
    if category == "Zs":
        return char not in " \u3000"
    return category in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in _JOINERS


def _escaped(char: str) -> str:
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

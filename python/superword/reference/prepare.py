"""What happens to a text before it is split: added tokens are found, and the rest is normalized.

The steps are those of Hugging Face's tokenizers:

1. Added tokens that are not `normalized` are found in the text.
2. The pieces between them are normalized.
3. Added tokens that are `normalized` are found in the normalized pieces.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import regex

WORD = regex.compile(r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]")
SPACE_BEFORE = regex.compile(r"\p{White_Space}*$")
SPACE_AFTER = regex.compile(r"\p{White_Space}*")


@dataclass(frozen=True)
class AddedToken:
    """A string that becomes one token. The flags are those of Hugging Face."""

    text: str
    id: int
    special: bool = True
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False
    normalized: bool = False


def normalize(text: str, form: str | None) -> str:
    """Normalize a text: `form` is "nfc", "nfkc" or None.

    >>> normalize("e\u0301", "nfc") == "\u00e9"
    True
    """
    if form == "nfc":
        return unicodedata.normalize("NFC", text)
    if form == "nfkc":
        return unicodedata.normalize("NFKC", text)
    return text


def prepare(
    text: str, added: Sequence[AddedToken], form: str | None, allowed: Collection[str]
) -> Iterator[str | AddedToken]:
    """Yield the added tokens of a text and the normalized text between them.

    Special tokens are found only if they are `allowed`.

    >>> end, think = AddedToken("<end>", 300), AddedToken("<think>", 301, special=False)
    >>> parts = prepare("a<think>b<end>", [end, think], None, ())
    >>> [part if isinstance(part, str) else part.id for part in parts]
    ['a', 301, 'b<end>']
    """
    if all(token == AddedToken(token.text, token.id) for token in added):
        # Trained models: a special token that is not allowed does not exist.
        added = [token for token in added if token.text in allowed]
    in_text = {token.text: token for token in added if not token.normalized}
    in_normalized: dict[str, AddedToken] = {}
    # If two texts are the same once they are normalized, special tokens come first.
    for token in sorted(added, key=lambda token: not token.special):
        if token.normalized:
            in_normalized.setdefault(normalize(token.text, form), token)
    for part in find(text, in_text, allowed):
        if isinstance(part, AddedToken):
            yield part
        else:
            yield from find(normalize(part, form), in_normalized, allowed)


def find(
    text: str, tokens: dict[str, AddedToken], allowed: Collection[str]
) -> Iterator[str | AddedToken]:
    """Yield the tokens that are found in a text and the pieces between them.

    A token that is not found because of its flags still hides the tokens inside it.

    >>> word = AddedToken("a", 300, special=False, single_word=True, rstrip=True)
    >>> [part if isinstance(part, str) else part.id for part in find("ba a  b", {"a": word}, ())]
    ['ba ', 300, 'b']
    """
    done = 0
    for match in any_of(tokens)(text):
        token = tokens[match.group()]
        start, end = match.span()
        if token.special and token.text not in allowed:
            continue
        if token.single_word and (is_word(text[:start][-1:]) or is_word(text[end : end + 1])):
            continue
        if token.lstrip:
            space = SPACE_BEFORE.search(text[:start])
            assert space is not None  # It may be empty.
            start = max(space.start(), done)
        if token.rstrip:
            space = SPACE_AFTER.match(text, end)
            assert space is not None
            end = space.end()
        if start >= end:
            continue  # White space that belongs to the token before.
        if done < start:
            yield text[done:start]
        yield token
        done = end
    if done < len(text):
        yield text[done:]


def any_of(tokens: Collection[str]) -> Callable[[str], Iterator[regex.Match[str]]]:
    """Return a function that finds the tokens in a text, the longest of those that start there."""
    if not tokens:
        return lambda text: iter(())
    longest_first = sorted(tokens, key=len, reverse=True)
    return regex.compile("|".join(map(regex.escape, longest_first))).finditer


def is_word(char: str) -> bool:
    """Return whether this is a word character and not empty."""
    return WORD.match(char) is not None

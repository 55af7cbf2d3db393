"""A `tiktoken.Encoding` that also does what the model does before merging.

tiktoken does not normalize texts. It encodes special tokens only where they are allowed, and of two
that start at the same place it takes any, where the model takes the longest.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, Literal

import tiktoken

__all__ = ["prepared"]

Allowed = Literal["all"] | AbstractSet[str]
Disallowed = Literal["all"] | Collection[str]


class _Prepared(tiktoken.Encoding):  # type: ignore[misc]
    """Normalizes texts, and finds added tokens as the model does."""

    _normalizer: str | None
    _always: frozenset[str]
    _after: frozenset[str]

    def encode(
        self,
        text: str,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = "all",
    ) -> list[int]:
        special = self.special_tokens_set
        allowed = special if allowed_special == "all" else special & allowed_special
        found = allowed | self._always
        refused = special - found if disallowed_special == "all" else set(disallowed_special)
        for _, token in _parts(text, refused - self._always):
            if token is not None:
                raise ValueError(
                    f"the text has the special token {token!r}, which is not allowed: add it to "
                    "allowed_special, or pass disallowed_special=()"
                )
        ids: list[int] = []
        for part, token in _parts(text, found - self._after):
            ids += self._ids(part, found & self._after)
            if token is not None:
                ids.append(self._special_tokens[token])
        return ids

    def _ids(self, text: str, found: AbstractSet[str]) -> list[int]:
        names = {self._normalized(name): name for name in found}
        ids: list[int] = []
        for part, token in _parts(self._normalized(text), names.keys()):
            ids += super().encode_ordinary(part)
            if token is not None:
                ids.append(self._special_tokens[names[token]])
        return ids

    def encode_ordinary(self, text: str) -> list[int]:
        return self.encode(text, disallowed_special=())

    def encode_to_numpy(self, text: str, **options: Any) -> Any:
        import numpy as np

        return np.array(self.encode(text, **options), dtype=np.uint32)

    def encode_with_unstable(self, text: str, **options: Any) -> Any:
        raise ValueError(
            "encode_with_unstable does not normalize texts: use Tokenizer.as_tiktoken()"
        )

    def _normalized(self, text: str) -> str:
        if self._normalizer is None:
            return text
        form: Any = self._normalizer.upper()
        return unicodedata.normalize(form, text)


def _parts(text: str, tokens: Collection[str]) -> Iterator[tuple[str, str | None]]:
    """The text between tokens, each with the token after it. The longest token at a place wins."""
    if not tokens:
        yield text, None
        return
    longest_first = sorted(tokens, key=len, reverse=True)
    start = 0
    for found in re.finditer("|".join(map(re.escape, longest_first)), text):
        yield text[start : found.start()], found[0]
        start = found.end()
    yield text[start:], None


def prepared(
    encoding: Any, normalizer: str | None, always: frozenset[str], after: frozenset[str]
) -> Any:
    """The encoding with a normalizer, and with special tokens that are `always` encoded.

    Those in `after` are looked for in the normalized text.
    """
    made = _Prepared(
        encoding.name,
        pat_str=encoding._pat_str,
        mergeable_ranks=encoding._mergeable_ranks,
        special_tokens=encoding._special_tokens,
    )
    made._normalizer = normalizer
    made._always = always
    made._after = after
    return made

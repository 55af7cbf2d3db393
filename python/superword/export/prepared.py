"""A `tiktoken.Encoding` that also does what the model does before merging.

tiktoken does not normalize texts, and it encodes its special tokens only where they are allowed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from collections.abc import Set as AbstractSet
from typing import Any, Literal

import tiktoken

__all__ = ["prepared"]


class _Prepared(tiktoken.Encoding):  # type: ignore[misc]
    """Normalizes texts, and encodes some of the special tokens in every text."""

    _normalizer: str | None
    _always: frozenset[str]

    def encode(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | AbstractSet[str] = frozenset(),
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> list[int]:
        if allowed_special != "all":
            allowed_special = frozenset(allowed_special) | self._always
        if disallowed_special != "all":
            disallowed_special = frozenset(disallowed_special) - self._always
        ids: list[int] = super().encode(
            self._prepare(text),
            allowed_special=allowed_special,
            disallowed_special=disallowed_special,
        )
        return ids

    def encode_ordinary(self, text: str) -> list[int]:
        return self.encode(text, disallowed_special=())

    def encode_to_numpy(self, text: str, **options: Any) -> Any:
        import numpy as np

        return np.array(self.encode(text, **options), dtype=np.uint32)

    def encode_with_unstable(self, text: str, **options: Any) -> Any:
        return super().encode_with_unstable(self._prepare(text), **options)

    def _prepare(self, text: str) -> str:
        if self._normalizer is None:
            return text
        form: Any = self._normalizer.upper()
        return unicodedata.normalize(form, text)


def prepared(encoding: Any, normalizer: str | None, always: frozenset[str]) -> Any:
    """The encoding with a normalizer, and with special tokens that are `always` encoded."""
    made = _Prepared(
        encoding.name,
        pat_str=encoding._pat_str,
        mergeable_ranks=encoding._mergeable_ranks,
        special_tokens=encoding._special_tokens,
    )
    made._normalizer = normalizer
    made._always = always
    return made

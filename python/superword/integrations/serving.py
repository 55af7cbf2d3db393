"""The tokenizer class behind inference servers. Needs transformers, which the servers bring along.

`superword.integrations.vllm` and `superword.integrations.sglang` register it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from superword._support.extras import need

need("transformers", "transformers", "superword.integrations.serving")

from transformers import AddedToken  # noqa: E402

from superword.errors import MissingModelError  # noqa: E402
from superword.integrations.tokenization_superword import SuperwordTokenizer  # noqa: E402

__all__ = ["ServedTokenizer", "find_model"]

_STANDARD_NAME = SuperwordTokenizer.vocab_files_names["vocab_file"]
_CONFIG = "tokenizer_config.json"


def find_model(path: str | os.PathLike[str]) -> Path | None:
    """The model file that a path means, or None if it means something else.

    That is the file itself, or in a directory `tokenizer.superword`, or the only file there whose
    name ends in `.superword`.
    """
    place = Path(path)
    if place.is_file():
        return place if place.suffix == ".superword" else None
    if (place / _STANDARD_NAME).is_file():
        return place / _STANDARD_NAME
    found = sorted(place.glob("*.superword")) if place.is_dir() else []
    return found[0] if len(found) == 1 else None


class ServedTokenizer(SuperwordTokenizer):
    """A `SuperwordTokenizer` as servers want it: it has vLLM's protocol `TokenizerLike`.

    Texts are decoded one token at a time with `convert_ids_to_tokens` and
    `convert_tokens_to_string`. Joined, the results are what `decode` returns for all ids.
    """

    @classmethod
    def from_pretrained(
        cls,
        path_or_repo_id: str | os.PathLike[str],
        *args: Any,
        trust_remote_code: bool = False,
        revision: str | None = None,
        download_dir: str | None = None,
        **kwargs: Any,
    ) -> ServedTokenizer:
        """Load a model file, a directory with one, or a repository of the Hugging Face Hub.

        `trust_remote_code` is not needed, because the code is this package.
        """
        model = find_model(path_or_repo_id)
        if model is not None:
            if model.name != _STANDARD_NAME or not (model.parent / _CONFIG).is_file():
                return cls(model, **kwargs)
            path_or_repo_id = model.parent
        elif Path(path_or_repo_id).exists():
            raise MissingModelError(
                f"there is no superword model in {os.fspath(path_or_repo_id)}",
                hint=f"put one there as {_STANDARD_NAME}, or give the path of the model file",
                path=os.fspath(path_or_repo_id),
            )
        loaded: ServedTokenizer = super().from_pretrained(
            path_or_repo_id, *args, revision=revision or "main", cache_dir=download_dir, **kwargs
        )
        return loaded

    @property
    def is_fast(self) -> bool:
        """True: servers take slow detours for tokenizers that are not."""
        return True

    @property
    def max_token_id(self) -> int:
        """The largest id."""
        return len(self) - 1

    @property
    def max_chars_per_token(self) -> int:
        """The most characters that a token stands for."""
        return max(map(len, self.get_vocab()))

    # Servers ask for these with every token, and they change only when tokens are added.

    @cached_property
    def _kept(self) -> tuple[dict[str, int], list[str], list[int]]:
        special = super().all_special_tokens
        return super().get_vocab(), special, self.convert_tokens_to_ids(special)

    def get_vocab(self) -> dict[str, int]:
        """All tokens and their ids. Do not change the result."""
        return self._kept[0]

    @property
    def all_special_tokens(self) -> list[str]:
        """All special tokens."""
        return self._kept[1]

    @property
    def all_special_ids(self) -> list[int]:
        """The ids of all special tokens."""
        return self._kept[2]

    def _add_tokens(
        self, new_tokens: Iterable[str | AddedToken], special_tokens: bool = False
    ) -> int:
        self.__dict__.pop("_kept", None)
        added = super()._add_tokens(new_tokens, special_tokens)
        self.__dict__.pop("_kept", None)
        return added

    def __setattr__(self, name: str, value: Any) -> None:
        # A role may be given to another token.
        self.__dict__.pop("_kept", None)
        super().__setattr__(name, value)

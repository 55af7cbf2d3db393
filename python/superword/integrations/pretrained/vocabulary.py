"""The vocabulary of a model in transformers: names of tokens, special tokens, decoding."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from transformers import AddedToken, PreTrainedTokenizer

from superword import Tokenizer
from superword._support.bytechars import to_bytes, to_chars
from superword.errors import SpecialTokenError, TokenError
from superword.export.huggingface import roles_of

__all__ = ["Vocabulary"]

# What `Tokenizer.settings` may say besides the roles, by the names of transformers.
_SETTINGS = (
    "chat_template",
    "clean_up_tokenization_spaces",
    "model_max_length",
    "padding_side",
    "truncation_side",
)


class Vocabulary(PreTrainedTokenizer):  # type: ignore[misc]
    """Everything about a tokenizer except encoding; see `SuperwordTokenizer`."""

    vocab_files_names = {"vocab_file": "tokenizer.superword"}  # noqa: RUF012 - transformers' way.
    model_input_names = ["input_ids", "attention_mask"]  # noqa: RUF012
    add_prefix_space = False

    def __init__(self, vocab_file: str | os.PathLike[str] | Tokenizer, **kwargs: Any) -> None:
        self.superword = (
            vocab_file if isinstance(vocab_file, Tokenizer) else Tokenizer.load(vocab_file)
        )
        model = self.superword
        # Two added tokens may have the same id. Decoding shows the first.
        self._added_tokens_decoder: dict[int, AddedToken] = {}
        for token in model.added_tokens:
            self._added_tokens_decoder.setdefault(
                token.id,
                AddedToken(
                    token.content,
                    single_word=token.single_word,
                    lstrip=token.lstrip,
                    rstrip=token.rstrip,
                    normalized=token.normalized,
                    special=token.special,
                ),
            )
        self._names = [self._name(id) for id in range(model.n_vocab)]
        self._ids = {name: id for id, name in enumerate(self._names) if name is not None}
        self._ids |= {token.content: token.id for token in reversed(model.added_tokens)}
        settings = model.settings
        roles = {
            role: settings[role] for role in self.SPECIAL_TOKENS_ATTRIBUTES if role in settings
        }
        for role, content in (roles or roles_of(model)).items():
            kwargs.setdefault(role, content)
        for name in _SETTINGS:
            if name in settings:
                kwargs.setdefault(name, settings[name])
        if "add_bos_token" in kwargs or "add_eos_token" in kwargs:
            given = [kwargs.pop(f"add_{role}_token", False) for role in ("bos", "eos")]
            pattern = {(0, 0): "none", (1, 0): "bos", (0, 1): "eos", (1, 1): "bos_eos"}
            kwargs.setdefault("special_tokens_pattern", pattern[bool(given[0]), bool(given[1])])
        # As in transformers, a token with a role is special, whatever the model says.
        for role in self.SPECIAL_TOKENS_ATTRIBUTES:
            named = self._added_tokens_decoder.get(self._ids.get(str(kwargs.get(role)), -1))
            if named is not None:
                named.__setstate__({"special": True, "normalized": named.normalized})
        super().__init__(**kwargs)
        if self.special_tokens_pattern is not None:
            # transformers does not save it otherwise.
            self.init_kwargs["special_tokens_pattern"] = self.special_tokens_pattern
        self._single = self._surroundings(settings.get("single", ["$A"]))
        self._pair = self._surroundings(settings.get("pair", ["$A", "$B"]))

    def _name(self, id: int) -> str | None:
        if id in self._added_tokens_decoder:
            return str(self._added_tokens_decoder[id].content)
        try:
            return to_chars(self.superword.token_bytes(id))
        except TokenError:
            return None  # An imported model may have ids without a token.

    # The vocabulary. Tokens are written in the byte alphabet of GPT-2, added tokens unchanged.

    @property
    def vocab_size(self) -> int:
        """The size of the model's vocabulary, special tokens included."""
        return self.superword.n_vocab

    def get_vocab(self) -> dict[str, int]:
        """All tokens and their ids, including tokens that were added later."""
        return self._ids | {token.content: id for id, token in self._added_tokens_decoder.items()}

    def _update_total_vocab_size(self) -> None:
        # One more than the largest id, also if there are ids without a token.
        self.total_vocab_size = max(
            [self.vocab_size, *(id + 1 for id in self._added_tokens_decoder)]
        )

    def _add_tokens(
        self, new_tokens: Iterable[str | AddedToken], special_tokens: bool = False
    ) -> int:
        """Add tokens that are not in the vocabulary yet, with new ids. Return their number."""
        vocabulary = self.get_vocab()
        size = start = len(self)
        for token in new_tokens:
            if not isinstance(token, str | AddedToken):
                raise TypeError(f"a token is a str or an AddedToken, not {type(token).__name__}")
            if isinstance(token, str):
                special = special_tokens or token in self.all_special_tokens
                token = AddedToken(token, special=special, normalized=not special)
            elif special_tokens:
                token.__setstate__({"special": True, "normalized": token.normalized})
            if not token.content or token.content in self._added_tokens_encoder:
                continue
            id = vocabulary.get(token.content, size)
            size = max(size, id + 1)
            vocabulary[token.content] = id
            if token.special and token.content not in self.all_special_tokens:
                self._extra_special_tokens.append(token)
            self._added_tokens_decoder[id] = token
            self._added_tokens_encoder[token.content] = id
        self._update_total_vocab_size()
        return size - start

    @property
    def all_special_tokens(self) -> list[str]:
        """The special tokens of the model, those with a role, and those that were added later."""
        special = [token.content for token in self._added_tokens_decoder.values() if token.special]
        return list(dict.fromkeys([*super().all_special_tokens, *special]))

    def _convert_token_to_id(self, token: str) -> int | None:
        id = self._ids.get(token)
        if id is None and token != self.unk_token:
            id = self.unk_token_id
        return id

    def _convert_id_to_token(self, index: int) -> str | None:
        return self._names[index] if 0 <= index < len(self._names) else None

    def convert_ids_to_tokens(
        self, ids: int | Iterable[int], skip_special_tokens: bool = False
    ) -> str | list[str | None] | None:
        """The tokens as text, in the byte alphabet of GPT-2. None for an id without a token."""
        added = self._added_tokens_decoder
        if isinstance(ids, int):
            return added[ids].content if ids in added else self._convert_id_to_token(ids)
        if skip_special_tokens:
            ids = self._without_special(ids)
        return [
            added[id].content if id in added else self._convert_id_to_token(id)
            for id in map(int, ids)
        ]

    def _without_special(self, ids: Iterable[int]) -> list[int]:
        added = self._added_tokens_decoder
        return [id for id in map(int, ids) if id not in added or not added[id].special]

    def save_vocabulary(
        self, save_directory: str, filename_prefix: str | None = None
    ) -> tuple[str, ...]:
        """Write the model file into a directory."""
        name = self.vocab_files_names["vocab_file"]
        path = Path(save_directory) / (f"{filename_prefix}-{name}" if filename_prefix else name)
        self.superword.save(path)
        return (str(path),)

    # Special tokens around a text, from the settings of the model.

    def _surroundings(self, parts: list[str]) -> list[int | str]:
        for part in parts:
            if part not in ("$A", "$B") and part not in self._ids:
                raise SpecialTokenError(
                    f"the model's settings put {part!r} around a text, but it has no such token",
                    hint="import the model again",
                    token=part,
                )
        return [part if part in ("$A", "$B") else self._ids[part] for part in parts]

    def build_inputs_with_special_tokens(
        self, token_ids_0: list[int], token_ids_1: list[int] | None = None
    ) -> list[int]:
        """The ids of a text or of a pair of texts, with the special tokens that belong to it."""
        if self.special_tokens_pattern is not None:
            ids: list[int] = super().build_inputs_with_special_tokens(token_ids_0, token_ids_1)
            return ids
        given = {"$A": token_ids_0, "$B": token_ids_1}
        parts = self._single if token_ids_1 is None else self._pair
        found: list[int] = []
        for part in parts:
            found += (given[part] or []) if isinstance(part, str) else [part]
        return found

    def get_special_tokens_mask(
        self,
        token_ids_0: list[int],
        token_ids_1: list[int] | None = None,
        already_has_special_tokens: bool = False,
    ) -> list[int]:
        """1 for each special token that was added to the text, 0 for all other tokens."""
        if already_has_special_tokens or self.special_tokens_pattern is not None:
            mask: list[int] = super().get_special_tokens_mask(
                token_ids_0, token_ids_1, already_has_special_tokens
            )
            return mask
        given = {"$A": len(token_ids_0), "$B": len(token_ids_1 or ())}
        parts = self._single if token_ids_1 is None else self._pair
        return [
            bit for part in parts for bit in ([0] * given[part] if isinstance(part, str) else [1])
        ]

    # Ids to text.

    def _bytes_of(self, id: int) -> bytes:
        """The bytes of a token, or none: a language model may have more ids than its tokenizer."""
        if id in self._added_tokens_decoder and id >= self.superword.n_vocab:
            content: str = self._added_tokens_decoder[id].content
            return content.encode()
        return b"" if self._convert_id_to_token(id) is None else self.superword.token_bytes(id)

    def _joined(self, ids: list[int]) -> str:
        try:
            data = self.superword.decode_bytes(ids)
        except TokenError:
            data = b"".join(map(self._bytes_of, ids))
        return data.decode("utf-8", errors="replace")

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """The text of tokens. Their bytes are joined first, then decoded as UTF-8."""
        joined = []
        for token in tokens:
            if token in self._added_tokens_encoder:
                joined.append(self._bytes_of(self._added_tokens_encoder[token]))
                continue
            try:
                joined.append(to_bytes(token))
            except KeyError:
                joined.append(token.encode())  # Not a token, but the text of one.
        return b"".join(joined).decode("utf-8", errors="replace")

    def _decode(
        self,
        token_ids: int | list[int],
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        **kwargs: Any,
    ) -> str:
        ids = [token_ids] if isinstance(token_ids, int) else list(map(int, token_ids))
        text = self._joined(self._without_special(ids) if skip_special_tokens else ids)
        clean = clean_up_tokenization_spaces
        # As transformers does for all BPE tokenizers: removing spaces makes another text.
        if (self.clean_up_tokenization_spaces if clean is None else clean) and getattr(
            self, "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output", False
        ):
            text = self.clean_up_tokenization(text)
        return text

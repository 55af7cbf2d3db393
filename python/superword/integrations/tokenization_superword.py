"""The tokenizer class. Import it from `superword.integrations.transformers`.

`save_pretrained` copies this file into the saved directory as remote code. So it may only import
installed packages, and from superword only public names, which stay where they are.
"""

from __future__ import annotations

import os
import shutil
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path
from typing import Any

from transformers import AddedToken, BatchEncoding, PreTrainedTokenizer

from superword import Tokenizer
from superword.errors import OptionError
from superword.export.huggingface import roles_of, to_bytes, to_chars

__all__ = ["SuperwordTokenizer"]

Offsets = list[tuple[int, int]]


class SuperwordTokenizer(PreTrainedTokenizer):  # type: ignore[misc]
    """A superword model as a tokenizer of transformers. Every model is supported.

    Special tokens in a text become their ids, as with other tokenizers of transformers, unless
    `split_special_tokens=True`. None is added to a text unless `special_tokens_pattern` is
    `"bos"`, `"eos"` or `"bos_eos"`.
    """

    vocab_files_names = {"vocab_file": "tokenizer.superword"}  # noqa: RUF012 - transformers' way.
    model_input_names = ["input_ids", "attention_mask"]  # noqa: RUF012

    def __init__(self, vocab_file: str | os.PathLike[str], **kwargs: Any) -> None:
        self._load(vocab_file)
        special = self.superword.special_tokens
        self._added_tokens_decoder = {
            id: AddedToken(token, special=True, normalized=False) for token, id in special.items()
        }
        kwargs.setdefault("clean_up_tokenization_spaces", False)
        for role, token in roles_of(self.superword).items():
            kwargs.setdefault(role, token)
        super().__init__(**kwargs)

    def _load(self, vocab_file: str | os.PathLike[str]) -> None:
        self.vocab_file: str | None = os.fspath(vocab_file)
        self.superword = Tokenizer.load(vocab_file)
        self._names = [
            self._name(id) if id is not None else None for id in _used_ids(self.superword)
        ]
        self._ids = {name: id for id, name in enumerate(self._names) if name is not None}

    def _name(self, id: int) -> str:
        token = self.superword.token_bytes(id)
        text = token.decode(errors="replace")
        return text if self.superword.special_tokens.get(text) == id else to_chars(token)

    @classmethod
    def from_superword(
        cls, model: Tokenizer | str | os.PathLike[str], **kwargs: Any
    ) -> SuperwordTokenizer:
        """Wrap a model, or load one from a path. `kwargs` are those of transformers."""
        if not isinstance(model, Tokenizer):
            return cls(model, **kwargs)
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / cls.vocab_files_names["vocab_file"]
            model.save(path)
            made = cls(path, **kwargs)
        made.vocab_file = None  # The file is gone; `save_vocabulary` writes the model again.
        return made

    # The vocabulary. Tokens are written in the byte alphabet of GPT-2, special tokens unchanged.

    @property
    def vocab_size(self) -> int:
        """The size of the model's vocabulary, special tokens included."""
        return self.superword.n_vocab

    def get_vocab(self) -> dict[str, int]:
        """All tokens and their ids, including tokens that were added later."""
        return self._ids | {token.content: id for id, token in self._added_tokens_decoder.items()}

    def _convert_token_to_id(self, token: str) -> int | None:
        return self._ids.get(token, self.unk_token_id)

    def _convert_id_to_token(self, index: int) -> str | None:
        return self._names[index] if 0 <= index < len(self._names) else None

    def save_vocabulary(
        self, save_directory: str, filename_prefix: str | None = None
    ) -> tuple[str, ...]:
        """Write the model file into a directory."""
        name = self.vocab_files_names["vocab_file"]
        path = Path(save_directory) / (f"{filename_prefix}-{name}" if filename_prefix else name)
        if self.vocab_file is None or not Path(self.vocab_file).is_file():
            self.superword.save(path)
        elif Path(self.vocab_file).resolve() != path.resolve():
            shutil.copyfile(self.vocab_file, path)
        return (str(path),)

    # Text to ids.

    def _added_later(self) -> list[str]:
        """Tokens that were added to those of the model, longest first."""
        extra = [
            token.content
            for id, token in self._added_tokens_decoder.items()
            if id >= self.superword.n_vocab
        ]
        return sorted(extra, key=len, reverse=True)

    def _ids_of(self, texts: list[str], split_special_tokens: bool) -> list[list[int]]:
        allowed: Any = frozenset() if split_special_tokens else "all"
        extra = [] if split_special_tokens else self._added_later()
        if not extra:
            return self.superword.encode_batch(texts, allowed_special=allowed)
        import re

        found: list[list[int]] = []
        cut = re.compile("(" + "|".join(map(re.escape, extra)) + ")")
        for text in texts:
            # Every other piece is one of the tokens.
            pieces = cut.split(text)
            encoded = self.superword.encode_batch(pieces[::2], allowed_special=allowed)
            ids = encoded[0]
            for token, after in zip(pieces[1::2], encoded[1:], strict=True):
                ids += [self._added_tokens_encoder[token], *after]
            found.append(ids)
        return found

    def tokenize(self, text: str, pair: str | None = None, **kwargs: Any) -> list[str]:
        """The tokens of a text, as `convert_ids_to_tokens` shows them."""
        split = bool(kwargs.get("split_special_tokens", self.split_special_tokens))
        texts = [text] if pair is None else [text, pair]
        tokens = self.convert_ids_to_tokens(
            [id for ids in self._ids_of(texts, split) for id in ids]
        )
        return list(tokens)

    def _tokenize(self, text: str, **kwargs: Any) -> list[str]:
        return self.tokenize(text, **kwargs)

    def _bytes_of(self, id: int) -> bytes:
        if id < self.superword.n_vocab:
            return self.superword.token_bytes(id)
        content: str = self._added_tokens_decoder[id].content
        return content.encode()

    def _offsets(self, text: str, ids: list[int]) -> Offsets:
        """The span of each token in characters. Part of a character counts as all of it."""
        starts = [0, *accumulate(len(char.encode()) for char in text)]
        found: Offsets = []
        at = 0
        for id in ids:
            end = at + len(self._bytes_of(id))
            found.append((bisect_right(starts, at) - 1, bisect_right(starts, end - 1)))
            at = end
        return found

    def _encode_plus(
        self,
        text: Any,
        text_pair: Any = None,
        add_special_tokens: bool = True,
        padding_strategy: Any = None,
        truncation_strategy: Any = None,
        max_length: int | None = None,
        stride: int = 0,
        is_split_into_words: bool = False,
        pad_to_multiple_of: int | None = None,
        padding_side: str | None = None,
        return_tensors: Any = None,
        return_token_type_ids: bool | None = None,
        return_attention_mask: bool | None = None,
        return_overflowing_tokens: bool = False,
        return_special_tokens_mask: bool = False,
        return_offsets_mapping: bool = False,
        return_length: bool = False,
        verbose: bool = True,
        split_special_tokens: bool = False,
        **kwargs: Any,
    ) -> BatchEncoding:
        if is_split_into_words:
            raise OptionError(
                "`is_split_into_words` is not supported, because superwords span several words",
                hint="join the words into a text",
                option="is_split_into_words",
            )
        if return_overflowing_tokens and return_offsets_mapping:
            raise OptionError(
                "`return_overflowing_tokens` and `return_offsets_mapping` cannot be combined",
                hint="leave one of them out",
                option="return_offsets_mapping",
            )
        single = isinstance(text, str) or bool(text and isinstance(text[0], int))
        firsts, pairs = _batch(text, text_pair, single)
        first_ids = self._all_ids(firsts, split_special_tokens)
        pair_ids: list[Any] = [None] * len(firsts)
        if any(pair is not None for pair in pairs):
            pair_ids = list(self._all_ids(pairs, split_special_tokens))
        outputs: dict[str, list[Any]] = {}
        offsets: list[Offsets] = []
        for at, (ids, other) in enumerate(zip(first_ids, pair_ids, strict=True)):
            if return_offsets_mapping:
                own = [(firsts[at], ids)] + ([] if other is None else [(pairs[at], other)])
                left, places = self._cut_with_offsets(
                    own, add_special_tokens, max_length, truncation_strategy, stride
                )
                offsets.append(places)
                ids, other = left[0], left[1] if other is not None else None
            made = self.prepare_for_model(
                ids,
                pair_ids=other,
                add_special_tokens=add_special_tokens,
                padding=False,
                truncation=truncation_strategy.value,
                max_length=max_length,
                stride=stride,
                return_token_type_ids=return_token_type_ids,
                return_attention_mask=False,
                return_overflowing_tokens=return_overflowing_tokens,
                return_special_tokens_mask=return_special_tokens_mask,
                return_length=return_length,
                verbose=verbose,
            )
            for key, value in made.items():
                outputs.setdefault(key, []).append(value)
        if return_tensors is not None:
            for key in ("overflowing_tokens", "num_truncated_tokens"):
                outputs.pop(key, None)  # They have unequal lengths; other tokenizers do the same.
        outputs.setdefault("input_ids", [])
        if outputs["input_ids"]:
            outputs = dict(
                self.pad(
                    outputs,
                    padding=padding_strategy.value,
                    max_length=max_length,
                    pad_to_multiple_of=pad_to_multiple_of,
                    padding_side=padding_side,
                    return_attention_mask=return_attention_mask,
                )
            )
        if return_offsets_mapping:
            on_left = (padding_side or self.padding_side) == "left"
            outputs["offset_mapping"] = [
                _padded(places, len(ids), on_left)
                for places, ids in zip(offsets, outputs["input_ids"], strict=True)
            ]
        if single and return_tensors is None:
            outputs = {key: value[0] for key, value in outputs.items()}
        return BatchEncoding(outputs, tensor_type=return_tensors)

    def _all_ids(self, texts: list[Any], split_special_tokens: bool) -> list[list[int]]:
        strings = [text for text in texts if isinstance(text, str)]
        encoded = iter(self._ids_of(strings, split_special_tokens))
        # Lists of ids are used unchanged.
        return [next(encoded) if isinstance(text, str) else list(text) for text in texts]

    def _cut_with_offsets(
        self,
        own: list[tuple[str, list[int]]],
        add_special_tokens: bool,
        max_length: int | None,
        strategy: Any,
        stride: int,
    ) -> tuple[list[list[int]], Offsets]:
        """The ids after truncation, and the offsets of the whole input.

        The offset of a special token that was added is (0, 0).
        """
        both = [list(zip(ids, self._offsets(text, ids), strict=True)) for text, ids in own]
        special = self.num_special_tokens_to_add(pair=len(own) > 1) if add_special_tokens else 0
        too_many = sum(map(len, both)) + special - max_length if max_length else 0
        if too_many > 0 and strategy.value != "do_not_truncate":
            first, second, _ = self.truncate_sequences(
                both[0],
                pair_ids=both[1] if len(both) > 1 else None,
                num_tokens_to_remove=too_many,
                truncation_strategy=strategy,
                stride=stride,
            )
            both = [first] if second is None else [first, second]
        ids = [[id for id, _ in part] for part in both]
        places = iter([place for part in both for _, place in part])
        if not special:
            return ids, list(places)
        mask = self.get_special_tokens_mask(*ids)
        return ids, [(0, 0) if is_special else next(places) for is_special in mask]

    # Ids to text.

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """The text of tokens. Their bytes are joined first, then decoded as UTF-8."""
        joined = []
        for token in tokens:
            added = token in self._added_tokens_encoder
            joined.append(token.encode() if added else to_bytes(token))
        return b"".join(joined).decode("utf-8", errors="replace")

    def _decode(
        self,
        token_ids: int | list[int],
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        **kwargs: Any,
    ) -> str:
        ids = [token_ids] if isinstance(token_ids, int) else [int(id) for id in token_ids]
        if skip_special_tokens:
            special = set(self.all_special_ids) | set(self.superword.special_tokens.values())
            ids = [id for id in ids if id not in special]
        text = b"".join(self._bytes_of(id) for id in ids).decode("utf-8", errors="replace")
        clean = clean_up_tokenization_spaces
        if self.clean_up_tokenization_spaces if clean is None else clean:
            text = self.clean_up_tokenization(text)
        return text


def _used_ids(model: Tokenizer) -> list[int | None]:
    """All ids below the size of the vocabulary, with None for ids without a token."""
    from superword.errors import TokenError

    found: list[int | None] = []
    for id in range(model.n_vocab):
        try:
            model.token_bytes(id)
            found.append(id)
        except TokenError:
            found.append(None)
    return found


def _batch(text: Any, text_pair: Any, single: bool) -> tuple[list[Any], list[Any]]:
    """The texts and the second texts of pairs (None if there is none), as equally long lists."""
    if single:
        return [text], [text_pair]
    firsts = list(text)
    pairs = [None] * len(firsts) if text_pair is None else list(text_pair)
    if len(pairs) != len(firsts):
        raise OptionError(
            f"{len(firsts)} texts and {len(pairs)} second texts",
            hint="give as many second texts as texts",
            option="text_pair",
        )
    if text_pair is None:
        for at, item in enumerate(firsts):
            # ("a text", "and its pair")
            if not isinstance(item, str) and len(item) == 2 and isinstance(item[0], str):
                firsts[at], pairs[at] = item
        if any(pair is not None for pair in pairs) and None in pairs:
            raise OptionError(
                "some texts have a pair and others do not",
                hint="give pairs for all of them, or for none",
                option="text",
            )
    return firsts, pairs


def _padded(offsets: Offsets, length: int, left: bool) -> Offsets:
    fill: Offsets = [(0, 0)] * (length - len(offsets))
    return fill + offsets if left else offsets + fill

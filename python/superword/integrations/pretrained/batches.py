"""Encoding in transformers: texts and pairs of texts, as padded and truncated batches."""

from __future__ import annotations

import re
from typing import Any

from transformers import BatchEncoding

from superword.errors import OptionError
from superword.integrations.pretrained.vocabulary import Vocabulary

__all__ = ["Batches"]

Offsets = list[tuple[int, int]]
Encoded = tuple[list[int], Offsets]


class Batches(Vocabulary):
    """The vocabulary, and encoding; see `SuperwordTokenizer`."""

    def _later(self, split_special_tokens: bool) -> tuple[re.Pattern[str] | None, list[int]]:
        """The tokens that were added to those of the model: a pattern with a group for each, and
        their ids.
        """
        own = {token.content for token in self.superword.added_tokens}
        found = [
            (token, id)
            for id, token in self._added_tokens_decoder.items()
            if token.content not in own and not (split_special_tokens and token.special)
        ]
        found.sort(key=lambda item: len(item[0].content), reverse=True)
        groups = []
        for token, _ in found:
            pattern = re.escape(token.content)
            if token.single_word:
                pattern = rf"(?<!\w){pattern}(?!\w)"
            before, after = r"\s*" * token.lstrip, r"\s*" * token.rstrip
            groups.append(f"({before}{pattern}{after})")
        return re.compile("|".join(groups)) if groups else None, [id for _, id in found]

    def _encode(
        self, texts: list[str], split_special_tokens: bool, offsets: bool = False
    ) -> list[Encoded]:
        """The ids of each text, and the span of each token if `offsets` is set."""
        later, later_ids = self._later(split_special_tokens)
        # Each text is cut at the tokens that the model does not know: (start, end, id or None).
        cut: list[list[tuple[int, int, int | None]]] = []
        for text in texts:
            parts: list[tuple[int, int, int | None]] = []
            at = 0
            for match in later.finditer(text) if later is not None else ():
                assert match.lastindex is not None
                parts.append((at, match.start(), None))
                parts.append((match.start(), match.end(), later_ids[match.lastindex - 1]))
                at = match.end()
            parts.append((at, len(text), None))
            cut.append(parts)
        pieces = [
            text[start:end]
            for text, parts in zip(texts, cut, strict=True)
            for start, end, id in parts
            if id is None
        ]
        encoded = iter(self._engine(pieces, split_special_tokens, offsets))
        found = []
        for parts in cut:
            ids: list[int] = []
            spans: Offsets = []
            for start, end, id in parts:
                if id is not None:
                    ids.append(id)
                    spans.append((start, end))
                    continue
                more, places = next(encoded)
                ids += more
                spans += places if start == 0 else [(a + start, b + start) for a, b in places]
            found.append((ids, spans))
        return found

    def _engine(self, texts: list[str], split_special_tokens: bool, offsets: bool) -> list[Encoded]:
        allowed: Any = frozenset() if split_special_tokens else "all"
        if offsets:
            return [
                self.superword.encode_with_offsets(text, allowed_special=allowed) for text in texts
            ]
        return [(ids, []) for ids in self.superword.encode_batch(texts, allowed_special=allowed)]

    def tokenize(self, text: str, pair: str | None = None, **kwargs: Any) -> list[str]:
        """The tokens of a text, as `convert_ids_to_tokens` shows them."""
        split = bool(kwargs.get("split_special_tokens", self.split_special_tokens))
        texts = [text] if pair is None else [text, pair]
        tokens = self.convert_ids_to_tokens(
            [id for ids, _ in self._encode(texts, split) for id in ids]
        )
        return list(tokens)  # type: ignore[arg-type]

    def _tokenize(self, text: str, **kwargs: Any) -> list[str]:
        return self.tokenize(text, **kwargs)

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
        given = [firsts, pairs] if any(pair is not None for pair in pairs) else [firsts]
        encoded = [
            self._all_ids(texts, split_special_tokens, return_offsets_mapping) for texts in given
        ]
        outputs: dict[str, list[Any]] = {}
        offsets: list[Offsets] = []
        for parts in zip(*encoded, strict=True):
            ids = [part for part, _ in parts]
            if return_offsets_mapping:
                ids, places = self._cut_with_offsets(
                    parts, add_special_tokens, max_length, truncation_strategy, stride
                )
                offsets.append(places)
            made = self.prepare_for_model(
                ids[0],
                pair_ids=ids[1] if len(ids) > 1 else None,
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

    def _all_ids(
        self, texts: list[Any], split_special_tokens: bool, offsets: bool
    ) -> list[Encoded]:
        strings = [text for text in texts if isinstance(text, str)]
        if offsets and len(strings) < len(texts):
            raise OptionError(
                "`return_offsets_mapping` needs texts, not lists of ids",
                hint="leave it out, or give the texts",
                option="return_offsets_mapping",
            )
        encoded = iter(self._encode(strings, split_special_tokens, offsets))
        # Lists of ids are used unchanged.
        return [next(encoded) if isinstance(text, str) else (list(text), []) for text in texts]

    def _cut_with_offsets(
        self,
        parts: tuple[Encoded, ...],
        add_special_tokens: bool,
        max_length: int | None,
        strategy: Any,
        stride: int,
    ) -> tuple[list[list[int]], Offsets]:
        """The ids after truncation, and the offsets of the whole input.

        The offset of a special token that was added is (0, 0).
        """
        ids = [part for part, _ in parts]
        offsets = [place for _, places in parts for place in places]
        special = self.num_special_tokens_to_add(pair=len(parts) > 1) if add_special_tokens else 0
        too_many = len(offsets) + special - max_length if max_length else 0
        if too_many > 0 and strategy.value != "do_not_truncate":
            both = [list(zip(*part, strict=True)) for part in parts]
            first, second, _ = self.truncate_sequences(
                both[0],
                pair_ids=both[1] if len(both) > 1 else None,
                num_tokens_to_remove=too_many,
                truncation_strategy=strategy,
                stride=stride,
            )
            both = [first] if second is None else [first, second]
            ids = [[id for id, _ in part] for part in both]
            offsets = [place for part in both for _, place in part]
        if special:
            places = iter(offsets)
            mask = self.get_special_tokens_mask(ids[0], ids[1] if len(ids) > 1 else None)
            offsets = [(0, 0) if is_special else next(places) for is_special in mask]
        return ids, offsets


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

"""Tokenizers like published ones, built twice: with Hugging Face's `tokenizers` and as a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from typing import Any

import superword
from superword import Pretokenizer, _core
from superword._support.bytechars import to_chars

Rule = tuple[bytes, bytes]


@dataclass(frozen=True)
class Added:
    """An added token without its id."""

    content: str
    special: bool = False
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False
    normalized: bool = False


@dataclass(frozen=True)
class Published:
    """What a published tokenizer consists of. `merges` are in the order of their ranks."""

    merges: Sequence[Rule] = ()
    added: Sequence[Added] = ()
    normalizer: str | None = None
    whole_pieces: bool = False
    unmade: Sequence[bytes] = ()
    settings: str = "{}"
    supermerges: Sequence[Rule] = field(default=())

    def ids(self) -> dict[bytes, int]:
        """The ids of all tokens that are not added: bytes, merges, unmade, supermerges."""
        tokens = [bytes([byte]) for byte in range(256)]
        tokens += [left + right for left, right in self.merges]
        tokens += self.unmade
        tokens += [left + right for left, right in self.supermerges]
        return {token: id for id, token in enumerate(dict.fromkeys(tokens))}

    def huggingface(self, *, find_special: bool = True) -> Any:
        """The tokenizer as an object of `tokenizers`."""
        import tokenizers

        spelled = {token: to_chars(token) for token in self.ids()}
        twin = tokenizers.Tokenizer(
            tokenizers.models.BPE(
                {spelled[token]: id for token, id in self.ids().items()},
                [(spelled[left], spelled[right]) for left, right in self.merges],
                ignore_merges=self.whole_pieces,
            )
        )
        twin.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        if self.normalizer is not None:
            twin.normalizer = getattr(tokenizers.normalizers, self.normalizer.upper())()
        for token in self.added:
            content, special, *flags = astuple(token)
            names = ("lstrip", "rstrip", "single_word", "normalized")
            given = tokenizers.AddedToken(content, special=special, **dict(zip(names, flags)))
            (twin.add_special_tokens if special else twin.add_tokens)([given])
        twin.encode_special_tokens = not find_special
        return twin

    def superword(self) -> superword.Tokenizer:
        """The tokenizer as a model. Merges are events in the order of their lengths."""
        ids = self.ids()
        # An added token that is spelled like a token of the vocabulary has its id.
        spelled = {to_chars(token): id for token, id in ids.items()}
        added = []
        free = len(ids)
        for token in self.added:
            id = spelled.get(token.content, free)
            free += id == free
            content, *flags = astuple(token)
            added.append((content, id, *flags))
        ranked = sorted(enumerate(self.merges), key=lambda item: len(b"".join(item[1])))
        unmade = [(token, ids.pop(token)) for token in self.unmade]
        model = _core.Model.from_parts(
            "superbpe" if self.supermerges else "bpe",
            Pretokenizer("gpt2")._engine,
            "bytes",
            [
                *(("merge", *rule, 1) for _, rule in ranked),
                *(("supermerge", *rule, 1) for rule in self.supermerges),
            ],
            ids,
            added,
            "{}",
            normalizer=self.normalizer,
            whole_pieces=self.whole_pieces,
            order=[rank for rank, _ in ranked],
            unmade=unmade,
            settings=self.settings,
        )
        return superword.Tokenizer._wrap(model)

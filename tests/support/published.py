"""Tokenizers like published ones, built twice: with Hugging Face's `tokenizers` and as a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from typing import Any

import superword
from hypothesis import strategies as st
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
            given = tokenizers.AddedToken(
                content, special=special, **dict(zip(names, flags, strict=True))
            )
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


# Letters, marks that combine, white space of several kinds, word and other characters.
PIECES = [
    "a",
    "b",
    "ab",
    "e",
    "e\u0301",
    "\u00e9",
    "\u0301",
    "\u0323",
    " ",
    "  ",
    "\u00a0",
    "\u3000",
]
PIECES += [
    "\n",
    "\t",
    "_",
    "1",
    ".",
    "<",
    ">",
    "<a>",
    "\ufb01",
    "\u212b",
    "\u1100\u1161",
    "\u200d",
    "漢",
]
# As text of an added token: no character that is the spelling of another byte in a vocabulary.
CONTENTS = [
    "<a>",
    "<a",
    "a>",
    "ab",
    "a",
    " ",
    "  ",
    "   ",
    "e\u0301",
    "x\u0323",
    "\u212b<",
    "<\ufb01>",
]
CONTENTS += [" <a> ", "\n", "b ", "漢a", "\u1100\u1161", "<b>"]

texts = st.lists(st.sampled_from(PIECES + CONTENTS), max_size=14).map("".join)
flag = st.booleans()
added_token = st.builds(
    Added,
    content=st.sampled_from(CONTENTS),
    special=flag,
    lstrip=flag,
    rstrip=flag,
    single_word=flag,
    normalized=flag,
)
added_tokens = st.lists(added_token, max_size=6, unique_by=lambda token: token.content)
normalizers = st.sampled_from([None, "nfc", "nfkc"])


@st.composite
def merge_lists(draw: st.DrawFn) -> list[Rule]:
    """Merges in any order: one may come before the merges that make its parts."""
    tokens = [b"a", b"b", b"e", b" ", b"\xcc", b"\x81"]
    merges: list[Rule] = []
    for _ in range(draw(st.integers(0, 12))):
        rule = (draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens)))
        joined = b"".join(rule)
        if rule not in merges and joined not in tokens and len(joined) <= 12:
            merges.append(rule)
            tokens.append(joined)
    return draw(st.permutations(merges))


@st.composite
def published(draw: st.DrawFn) -> Published:
    """A small tokenizer with any of the features of published ones, and some supermerges."""
    merges = draw(merge_lists())
    words = [left + right for left, right in merges] + [b"a", b"b", b"e"]
    unmade = [
        token
        for token in draw(
            st.lists(st.sampled_from([b" a", b" be", b"abe", b" aba", b""]), unique=True)
        )
        if token not in words
    ]
    parts = [*words, *filter(None, unmade)]
    supermerges: list[Rule] = []
    for _ in range(draw(st.integers(0, 5))):
        rule = (draw(st.sampled_from(parts)), draw(st.sampled_from(parts)))
        if rule not in supermerges and rule not in merges and len(b"".join(rule)) <= 20:
            supermerges.append(rule)
            parts.append(b"".join(rule))
    return Published(
        merges=merges,
        added=draw(added_tokens),
        normalizer=draw(normalizers),
        whole_pieces=draw(flag),
        unmade=unmade,
        supermerges=supermerges,
    )

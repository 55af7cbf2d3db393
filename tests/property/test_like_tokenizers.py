"""Models with everything that published tokenizers have encode like Hugging Face's `tokenizers`."""

from __future__ import annotations

import random
from typing import Any, Literal
from unicodedata import normalize

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.published import (
    Added,
    Published,
    Rule,
    added_tokens,
    flag,
    merge_lists,
    normalizers,
    texts,
)

pytest.importorskip("tokenizers", reason="tokenizers is not installed")


def encoded(twin: Any, text: str) -> Any:
    """What `tokenizers` makes of a text. It panics on some tokens that consist of white space."""
    try:
        return twin.encode(text, add_special_tokens=False)
    except BaseException as error:
        assume("bad split" not in str(error))
        raise


@settings(max_examples=examples(300), deadline=None)
@given(added=added_tokens, normalizer=normalizers, special=flag, batch=st.lists(texts, max_size=4))
def test_added_tokens_are_found_as_in_tokenizers(
    added: list[Added], normalizer: str | None, special: bool, batch: list[str]
) -> None:
    published = Published(merges=[(b"a", b"b")], added=added, normalizer=normalizer)
    twin, tok = published.huggingface(find_special=special), published.superword()
    for text in batch:
        ids = encoded(twin, text).ids
        assert tok.encode(text, allowed_special="all" if special else frozenset()) == ids
        if not special:
            assert tok.encode_ordinary(text) == ids


@settings(max_examples=examples(300), deadline=None)
@given(
    merges=merge_lists(),
    whole_pieces=flag,
    unmade=st.lists(
        st.text("ab e", min_size=2, max_size=5).map(str.encode), max_size=4, unique=True
    ),
    text=st.text("ab e\u0301", max_size=30),
)
def test_merges_in_any_order_and_whole_pieces_are_those_of_tokenizers(
    merges: list[Rule], whole_pieces: bool, unmade: list[bytes], text: str
) -> None:
    made = {b"".join(rule) for rule in merges}
    unmade = [token for token in unmade if token not in made]
    published = Published(merges=merges, whole_pieces=whole_pieces, unmade=unmade)
    twin, tok = published.huggingface(), published.superword()
    assert tok.encode(text) == twin.encode(text).ids
    assert tok.decode(tok.encode(text)) == text


def test_a_very_long_pretoken_is_merged_in_any_order() -> None:
    merges = [(b"abab", b"abab"), (b"ab", b"ab"), (b"b", b"a"), (b"a", b"b"), (b"abab", b"ab")]
    published = Published(merges=merges)
    rng = random.Random(3)
    text = "".join(rng.choice(["ab", "ab", "ab", "a", "b"]) for _ in range(100_000))
    assert published.superword().encode(text) == published.huggingface().encode(text).ids


@settings(max_examples=examples(200), deadline=None)
@given(added=added_tokens, normalizer=normalizers, text=texts)
def test_offsets_cover_those_of_tokenizers(
    added: list[Added], normalizer: str | None, text: str
) -> None:
    """A composed character comes from all its parts; `tokenizers` names only the first.

    Where normalization also sorts marks, `tokenizers` names marks that a token does not come from.
    """
    form: Literal["NFD", "NFKD"] = "NFKD" if normalizer == "nfkc" else "NFD"
    sorted_marks = normalize(form, text) == "".join(normalize(form, char) for char in text)
    assume(normalizer is None or sorted_marks)
    published = Published(merges=[(b"a", b"b")], added=added, normalizer=normalizer)
    theirs = encoded(published.huggingface(), text)
    ids, offsets = published.superword().encode_with_offsets(text, allowed_special="all")
    assert ids == theirs.ids
    if normalizer is None:
        assert offsets == theirs.offsets
        return
    for (start, end), (first, last) in zip(offsets, theirs.offsets, strict=True):
        assert start <= first
        assert end >= last

"""The engine gives the same ids as the reference for every kind of model, and decodes them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from support.strategies import texts as random_texts
from support.texts import DOCUMENTS
from support.variants import VARIANTS, engine, oracle


@pytest.mark.parametrize("variant", VARIANTS)
def test_variants_show_what_they_are_for(variant: str) -> None:
    tok = engine(variant)
    assert tok.merges == oracle(variant).merges
    assert tok.supermerges == oracle(variant).supermerges
    assert tok._model.has_deletions == variant.startswith("picky")
    assert bool(tok.supermerges) == (tok.method != "bpe")
    # Otherwise greedy splitting would have no effect.
    assert bool(oracle(variant).ngrams) == ("greedy" in variant)


@pytest.mark.parametrize("variant", VARIANTS)
def test_engine_gives_the_ids_of_the_reference(variant: str) -> None:
    tok, twin = engine(variant), oracle(variant)
    for text in DOCUMENTS[:8]:
        assert tok.encode(text) == twin.encode(text)

    @settings(max_examples=60, deadline=None)
    @given(random_texts)
    def check(text: str) -> None:
        ids = tok.encode(text)
        assert ids == twin.encode(text)
        assert tok.decode(ids) == text

    check()


def test_long_pretokens_with_deletions_are_those_of_the_reference() -> None:
    # Longer than the sequences that are replayed event by event.
    for variant in ("picky", "picky-bytes", "picky-greedy"):
        tok, twin = engine(variant), oracle(variant)
        long = ["thename" * 40, "ofthe" * 50, "oneofthefirstthings" * 9, "a" * 300, "что" * 60]
        for text in long:
            assert tok.encode(text) == twin.encode(text), (variant, text[:10])


def test_special_tokens_are_those_of_the_reference() -> None:
    tok, twin = engine("boundless"), oracle("boundless")
    for text in ["<|pad|>", "of the<|endoftext|> of the", "<|pad|><|pad|>|>", "<|<|pad|>"]:
        for allowed in ("all", {"<|pad|>"}, set()):
            ids = tok.encode(text, allowed_special=allowed)
            assert ids == twin.encode(text, allowed_special=allowed)
            assert tok.decode(ids) == text

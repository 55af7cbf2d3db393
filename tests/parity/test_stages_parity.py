"""Engine and reference agree stage by stage, so that no stage can hide a fault of another.

Compares counts, phase-1 events, candidates, cut candidates, supermerges, ids and the model file, on
texts in many languages and on random text. Pretokens are compared in test_pretokens.py.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from superword import reference
from superword.errors import ShortfallWarning
from superword.inputs import Texts
from superword.stages import count_candidates, count_pretokens, train_superwords, train_words
from support.parity import (
    assert_agree,
    assert_same_encodings,
    assert_same_model,
    engine_rows,
    reference_rows,
)
from support.texts import CHARACTERS, TEXTS

METHODS: list[dict[str, Any]] = [
    {"method": "boundless"},
    {"method": "boundless", "greedy_split": "encode"},
    {"method": "superbpe", "supermerges": 12},
    {"method": "superbpe", "supermerges": 12, "same_script": True, "boundary": "space"},
]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        yield


def assert_stages_agree(
    texts: list[str], vocab_size: int, preset: str, picky: float | None = None
) -> None:
    """Compare each stage; the next one starts from the common result."""
    own = reference.Pretokenizer(preset)
    counts = reference.count_pretokens(texts, own)
    our_counts = count_pretokens(Texts(texts), pretokenizer=preset, threads=2)
    assert dict(our_counts) == counts

    for method in METHODS:
        method = dict(method)
        n_words = vocab_size - method.get("supermerges", 0)
        events = reference.learn_words(counts, n_words, picky=picky)
        words = train_words(our_counts, vocab_size=n_words, picky=picky)
        assert engine_rows(words) == reference_rows(events)

        candidates = reference.count_candidates(texts, events, own)
        our_candidates = count_candidates(Texts(texts), words, threads=2)
        assert dict(our_candidates) == candidates
        for c in (2, 3, 5):
            cut = count_candidates(Texts(texts), words, cut_below=c, threads=2)
            assert dict(cut) == reference.cut(candidates, c)

        greedy = method.pop("greedy_split", False)
        theirs = reference.train(
            texts,
            vocab_size,
            pretokenizer=own,
            picky=picky,
            greedy_split=bool(greedy),
            greedy_encode=greedy == "encode",
            **method,
        )
        any_boundary = {"boundary": "any"} | method
        ours = train_superwords(
            words, our_candidates, vocab_size=vocab_size, greedy_split=greedy, **any_boundary
        )
        assert_same_model(ours, theirs)
        assert_same_encodings(ours, theirs, texts[:3])


def documents(text: str) -> list[str]:
    """Return a text as several documents: whole, in halves, and by sentence."""
    half = len(text) // 2
    return [text, text[:half], text[half:], *text.split(". "), ""]


@pytest.mark.parametrize("name", TEXTS)
def test_every_stage_on_one_text(name: str) -> None:
    assert_stages_agree(documents(TEXTS[name]), 330, "gpt4o-script")


@pytest.mark.parametrize("name", TEXTS)
def test_every_stage_with_deletions(name: str) -> None:
    assert_stages_agree(documents(TEXTS[name]), 310, "gpt4o-script", picky=0.6)


@pytest.mark.parametrize("preset", reference.PRESETS)
def test_every_stage_on_all_texts(preset: str) -> None:
    assert_stages_agree(list(TEXTS.values()), 600, preset)


@pytest.mark.parametrize("name", TEXTS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_random_text_of_every_kind(name: str, data: st.DataObject) -> None:
    chars = st.text(CHARACTERS[name], min_size=1, max_size=120)
    words = st.lists(st.sampled_from(TEXTS[name].split() or [" "]), max_size=30).map(" ".join)
    texts = data.draw(st.lists(chars | words, min_size=1, max_size=5).filter(any))
    preset = data.draw(st.sampled_from(list(reference.PRESETS)))
    method = data.draw(st.sampled_from(["bpe", "boundless"]))
    size = data.draw(st.integers(256, 340))
    assert_agree(texts, vocab_size=size, method=method, pretokenizer=preset)

"""Lemma 1 of docs/concepts-exact-export.md: where words end, for every preset."""

from __future__ import annotations

import itertools
import random

import pytest
from superword import Pretokenizer
from superword.export.runs.pattern import Shapes
from superword.pretokenizer import preset_names

PRESETS = [name for name in preset_names() if Pretokenizer(name)._engine.word_shapes() is not None]

# One character of every class that some pattern distinguishes, and the letters of contractions.
KINDS = "aAǅʰא̂์電ーก゠・ 1.(\t\n's’reS"


def follows(pattern: str) -> Pretokenizer:
    return Pretokenizer("gpt2", eligible=f"^(?:{pattern})")


@pytest.mark.parametrize("name", PRESETS)
def test_a_word_ends_exactly_where_its_check_passes(name: str) -> None:
    """All words of up to three characters, before all texts of up to two."""
    preset, shapes = Pretokenizer(name), Shapes(Pretokenizer(name))
    checks = {
        shape: follows(not_before) if not_before else None
        for shape, _, not_before, _ in Pretokenizer(name)._engine.word_shapes() or []
    }
    texts = ["".join(chars) for n in range(3) for chars in itertools.product(KINDS, repeat=n)]
    goes_on = {
        shape: {text for text in texts if check is not None and check.is_eligible(text)}
        for shape, check in checks.items()
    }
    seen = set()
    for n in (1, 2, 3):
        for chars in itertools.product(KINDS, repeat=n):
            word = "".join(chars)
            shape = shapes.of(word)
            if shape is None or preset.split(word) != [word] or not preset.is_eligible(word):
                continue
            seen.add(shape)
            for text in texts if n < 3 else texts[:: 1 + len(texts) // 60]:
                pretoken = preset.split(word + text)[0]
                if text in goes_on[shape]:
                    assert len(pretoken) > len(word), (word, text)
                else:
                    assert pretoken == word, (word, text)
    assert seen == set(checks)


@pytest.mark.parametrize("name", PRESETS)
def test_words_that_may_be_joined_are_never_inside_a_longer_word(name: str) -> None:
    """Otherwise a supermerge would be applied there, too."""
    preset, shapes = Pretokenizer(name), Shapes(Pretokenizer(name))
    chance = random.Random(name)
    words = [
        word
        for n in (1, 2, 3)
        for chars in itertools.product(KINDS, repeat=n)
        if preset.is_eligible(word := "".join(chars))
        and (n < 3 or chance.random() < 0.1)
        and preset.split(word) == [word]
        and shapes.of(word) is not None
    ]
    joined = refused = 0
    for _ in range(30_000):
        left, right = chance.choice(words), chance.choice(words)
        if preset.split(left + right) != [left, right]:
            continue
        if not shapes.may_join(left, right):
            refused += 1
            continue
        joined += 1
        before = "".join(chance.choices(KINDS, k=chance.randrange(3)))
        after = "".join(chance.choices(KINDS, k=chance.randrange(3)))
        assert not any(
            left + right in pretoken for pretoken in preset.split(before + left + right + after)
        )
    assert joined > 1_000
    cased = ("gpt4o", "tekken", "kimi-k2", "gpt4o-portable", "gpt4o-export")
    assert bool(refused) == (name in cased)


@pytest.mark.parametrize("name", PRESETS)
def test_every_word_of_letters_has_a_shape(name: str) -> None:
    """Otherwise superwords could not be exported that training makes every day."""
    preset, shapes = Pretokenizer(name), Shapes(Pretokenizer(name))
    text = "The quick it's HTTPServer getName don't ФичаДля 電磁 これは กำลัง नमस्ते (foo .join ÉCOLE"
    for pretoken in preset.split(text):
        if preset.is_eligible(pretoken):
            assert shapes.of(pretoken) is not None, pretoken


def test_presets_with_scripts_have_no_shapes() -> None:
    assert Pretokenizer("gpt4o-script")._engine.word_shapes() is None
    assert not Shapes(Pretokenizer("gpt4o-script")).known

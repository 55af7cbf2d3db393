"""Texts that make naive encoders slow are encoded correctly, in time close to linear."""

from __future__ import annotations

import random
import time

import pytest
import superword
from superword import reference
from support.seeded import letters
from support.texts import DOCUMENTS
from support.variants import engine, oracle

MB = 1_000_000
LONG = MB // 4
# Far above what is needed, and far below what quadratic work would take.
SECONDS_PER_MB = 20.0


CASES = {
    "a": lambda: "a" * 524_288,
    "dashes": lambda: "-" * MB,
    "carets": lambda: "^" * MB,
    "underscores": lambda: "_" * 50_000,
    "one letter": lambda: "e" * MB,
    "random letters": lambda: letters(MB, seed=7),
    "alternating": lambda: "th" * (MB // 2),
    "spaces": lambda: " " * MB,
    "newlines": lambda: "\n" * MB,
    "words": lambda: " of the name" * (MB // 3),
    "han": lambda: "言葉" * (MB // 6),
    "emoji": lambda: "👩‍👩‍👧" * (MB // 18),
    "marks": lambda: "e" + "\u0301" * (MB // 2),
}
MODELS = ["bpe-gpt2", "boundless", "superbpe", "picky", "picky-boundless", "greedy"]


def check(tok: superword.Tokenizer, text: str) -> None:
    start = time.perf_counter()
    ids = tok.encode(text)
    spent = time.perf_counter() - start
    assert spent < SECONDS_PER_MB * max(len(text.encode()) / MB, 0.5)
    assert tok.decode(ids) == text
    assert tok.encode(text) == ids  # Now with a warm cache.


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("model", MODELS)
def test_worst_cases_are_quick_and_come_back(model: str, case: str) -> None:
    check(engine(model), CASES[case]())


@pytest.mark.parametrize("model", MODELS)
def test_short_worst_cases_are_those_of_the_reference(model: str) -> None:
    tok, twin = engine(model), oracle(model)
    for case in ("aaaa", "----", "eeee", "thth", "    ", "\n\n", " of the name", "言葉"):
        for count in (1, 7, 40, 120):
            assert tok.encode(case * count) == twin.encode(case * count), (case, count)
    text = letters(400, seed=7)
    assert tok.encode(text) == twin.encode(text)


@pytest.mark.parametrize("model", ["boundless", "superbpe"])
def test_a_million_words_without_a_stop(model: str) -> None:
    tok = engine(model)
    words = [" of", " the", " name", " is", " one", " word"]
    source = random.Random(3)
    text = "".join(source.choices(words, k=MB))
    check(tok, text)
    whole = tok.encode(text)
    assert len(whole) < MB  # Superwords were found.
    # A run is encoded as a whole, but its start does not depend on text far behind it.
    assert whole[:1000] == tok.encode(text[:20_000])[:1000]


@pytest.mark.soak
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("case", ["one letter", "random letters", "alternating", "dashes"])
def test_sixteen_megabytes(model: str, case: str) -> None:
    text = {
        "one letter": lambda: "e" * (16 * MB),
        "random letters": lambda: letters(16 * MB, seed=7),
        "alternating": lambda: "th" * (8 * MB),
        "dashes": lambda: "-" * (16 * MB),
    }[case]()
    check(engine(model), text)


def test_ordinary_text_is_quick_and_comes_back() -> None:
    check(engine("boundless"), " ".join(DOCUMENTS * 20))


@pytest.mark.filterwarnings("ignore::superword.errors.ShortfallWarning")
def test_deletions_all_along_a_long_pretoken() -> None:
    # Trained on runs of letters, nearly every merge deletes one of its parts.
    runs = ["a" * 64, "th" * 40, "abab" * 16, "e" * 50 + "th" * 9, "xyzxyz" * 12]
    options = {"method": "bpe", "picky": 0.5}
    tok = superword.train_from_iterator(runs * 3, vocab_size=275, **options)  # type: ignore[arg-type]
    twin = reference.train(runs * 3, 275, **options)  # type: ignore[arg-type]
    assert sum(kind == "delete" for kind, *_ in tok._model.events()) > 5
    source = random.Random(5)
    for case in ("a", "th", "ab", "e", "xyz", "aab"):
        for count in (11, 33, 64, 201):
            assert tok.encode(case * count) == twin.encode(case * count)
        check(tok, case * (LONG // len(case)))
    for alphabet in ("ab", "the", "xyzab"):
        text = "".join(source.choices(alphabet, k=300))
        assert tok.encode(text) == twin.encode(text)
        check(tok, "".join(source.choices(alphabet, k=LONG)))

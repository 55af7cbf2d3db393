"""The stages of training, called one by one, give the same result as `train`."""

from __future__ import annotations

import random
from typing import Any

import pytest
import superword
from superword import _core
from superword._reading.sources import gather
from superword.errors import CountsError, OptionError
from superword.inputs import Texts, expand
from superword.options import TrainOptions
from superword.stages import (
    Candidates,
    Counts,
    count_candidates,
    count_pretokens,
    train_superwords,
    train_words,
)


def test_counts_are_those_of_the_pretokens(texts: list[str]) -> None:
    counts = count_pretokens(Texts(texts))
    wanted: dict[bytes, int] = {}
    for text in texts:
        for pretoken in superword.Pretokenizer().split(text):
            wanted[pretoken.encode()] = wanted.get(pretoken.encode(), 0) + 1
    assert dict(counts) == wanted
    assert counts.facts["documents"] == len(texts)
    assert counts.facts["pretokens"] == sum(wanted.values())
    assert counts[b" the"] == wanted[b" the"]
    assert b"never" not in counts


OPTIONS: list[dict[str, Any]] = [
    {"method": "bpe"},
    {"method": "boundless"},
    {"method": "boundless", "special_tokens": ["<|x|>", "<|y|>"]},
    {"method": "boundless", "picky": 0.8, "picky_split": "bytes"},
    {"method": "boundless", "greedy_split": True},
    {"method": "superbpe", "supermerges": 30, "greedy_split": "encode"},
    {"method": "superbpe", "supermerges": 30, "alphabet": "utf8", "min_count": 2},
    {"method": "superbpe", "supermerges": 30, "max_words": 2, "boundary": "space"},
]


@pytest.mark.parametrize("given", OPTIONS)
def test_stage_by_stage_gives_the_model_of_training(
    texts: list[str], given: dict[str, Any]
) -> None:
    size = 430
    wanted = superword.train_from_iterator(texts, vocab_size=size, **given)
    counts = count_pretokens(Texts(texts))
    special = given.pop("special_tokens", ()) if "special_tokens" in given else ()
    word_options = {"alphabet", "min_count", "picky", "picky_split"}
    words = train_words(
        counts,
        vocab_size=size - given.get("supermerges", 0) - len(special),
        **{name: value for name, value in given.items() if name in word_options},
    )
    if given["method"] == "bpe":
        assert words.to_bytes() == wanted.to_bytes()
        return
    candidates = count_candidates(Texts(texts), words)
    left = {n: v for n, v in given.items() if n not in word_options - {"min_count"}}
    got = train_superwords(words, candidates, vocab_size=size, special_tokens=special, **left)
    assert got.to_bytes() == wanted.to_bytes()


def test_cut_candidates_give_the_same_or_are_refused(texts: list[str]) -> None:
    words = train_words(count_pretokens(Texts(texts)), vocab_size=400)
    whole = train_superwords(
        words,
        count_candidates(Texts(texts), words),
        vocab_size=420,
        method="superbpe",
        supermerges=20,
    )
    least = min(count for _, _, count in whole.supermerges)
    for cut_below in (1, 2, least - 1, least, least + 1, 2 * least, 3 * least):
        candidates = count_candidates(Texts(texts), words, cut_below=cut_below)
        assert candidates.cut_below == cut_below
        options: dict[str, Any] = {"vocab_size": 420, "method": "superbpe", "supermerges": 20}
        if cut_below <= least:
            assert train_superwords(words, candidates, **options) == whole
        else:
            with pytest.raises(CountsError, match="rarer bigrams are needed"):
                train_superwords(words, candidates, **options)


@pytest.mark.filterwarnings("ignore::superword.errors.ShortfallWarning")
def test_cutting_at_a_guess_never_changes_the_model() -> None:
    seed = random.Random(7)
    vocabulary = [f"{a}{b}" for a in "abcde" for b in ("", "x", "yz")]
    for _ in range(12):
        texts = [
            " ".join(seed.choices(vocabulary[: seed.randint(2, 15)], k=seed.randint(1, 60)))
            for _ in range(seed.randint(1, 12))
        ]
        size = 256 + seed.randint(1, 60)
        words = train_words(count_pretokens(Texts(texts)), vocab_size=size)
        whole = count_candidates(Texts(texts), words)
        wanted = train_superwords(words, whole, vocab_size=size) if whole else None
        assert superword.train_from_iterator(texts, vocab_size=size).merges
        for cut_below in (2, 3, 5, 9):
            cut = count_candidates(Texts(texts), words, cut_below=cut_below)
            try:
                got = train_superwords(words, cut, vocab_size=size)
            except CountsError:
                continue
            if wanted is not None:
                assert got.to_bytes() == wanted.to_bytes()


@pytest.mark.filterwarnings("ignore::superword.errors.ShortfallWarning")
def test_cutting_on_equals_cutting_off() -> None:
    seed = random.Random(11)
    vocabulary = [f"{a}{b}" for a in "abcdefgh" for b in ("", "x", "yz")]
    for _ in range(25):
        weights = [1 / (1 + rank) for rank in range(len(vocabulary))]
        texts = [
            " ".join(seed.choices(vocabulary, weights, k=seed.randint(1, 200)))
            for _ in range(seed.randint(1, 30))
        ]
        options = TrainOptions(
            vocab_size=256 + seed.randint(1, 90),
            special_tokens=["<|x|>"] if seed.random() < 0.3 else [],
            picky=0.9 if seed.random() < 0.3 else None,
            max_words=seed.choice([None, 2, 3]),
        )
        models = []
        for cutting in (True, False):
            sources = gather(expand(Texts(texts)), options)
            given = {**options.for_engine(), "groups": None, "cutting": cutting}
            models.append(_core.train(sources.sources, given, None)[0].to_bytes())
        assert models[0] == models[1]


def test_counts_of_any_engine_are_taken(texts: list[str]) -> None:
    counts = count_pretokens(Texts(texts))
    again = Counts(dict(counts), facts=counts.facts)
    assert again == counts
    assert (
        train_words(again, vocab_size=400).to_bytes()
        == train_words(counts, vocab_size=400).to_bytes()
    )
    words = train_words(counts, vocab_size=400)
    candidates = count_candidates(Texts(texts), words)
    copied = Candidates(dict(candidates))
    assert dict(copied) == dict(candidates)
    assert train_superwords(words, copied, vocab_size=400) == train_superwords(
        words, candidates, vocab_size=400
    )


def test_large_counts_work_and_overflow_is_an_error() -> None:
    tok = train_words({b"ab": 2**40, b"abc": 2**33}, vocab_size=258)
    assert tok.merges == [(b"a", b"b", 2**40 + 2**33), (b"ab", b"c", 2**33)]
    largest = train_words({b"ab": 2**62}, vocab_size=257)
    assert largest.merges == [(b"a", b"b", 2**62)]
    with pytest.raises(CountsError, match="64 bits"):
        train_words({b"ab": 2**63, b"abc": 2**63}, vocab_size=258)
    for wrong in (2**64, -1, 1.5, True, "3"):
        with pytest.raises(CountsError, match="whole number"):
            Counts({b"a": wrong})  # type: ignore[dict-item]
    with pytest.raises(CountsError, match="not empty"):
        Counts({b"": 1})


def test_what_does_not_belong_together_is_refused(texts: list[str]) -> None:
    words = train_words(count_pretokens(Texts(texts)), vocab_size=300)
    with pytest.raises(CountsError, match="not a token of the words"):
        train_superwords(words, {(b"nonsense", b" words"): 3}, vocab_size=320)
    with pytest.raises(CountsError, match="fewer than two"):
        train_superwords(words, {(b"a",): 3}, vocab_size=320)
    with pytest.raises(OptionError, match="cut_below"):
        count_candidates(Texts(texts), words, cut_below=0)
    super_model = superword.train_from_iterator(texts, vocab_size=400)
    with pytest.raises(CountsError, match="superwords already"):
        count_candidates(Texts(texts), super_model)

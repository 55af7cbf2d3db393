"""One pass tells how long the text is for every size of the vocabulary."""

from __future__ import annotations

import pytest
import superword
from superword import Tokenizer
from superword.evaluation import Curves
from superword.inputs import Texts
from support.imported_models import chat_model, rebuilt
from support.texts import TEXTS
from support.variants import VARIANTS, engine

SAMPLE = [*TEXTS.values(), "", "<|endoftext|> of the <|pad|>"]
EXACT = [name for name in VARIANTS if "picky" not in name and "greedy" not in name]


def curves_of(model: Tokenizer) -> Curves:
    return (
        superword.evaluate(model, {"a": Texts(SAMPLE[:3]), "b": Texts(SAMPLE[3:])}).models[0].curves
    )


@pytest.mark.parametrize("variant", EXACT)
def test_points_are_the_tokens_of_truncated_models(variant: str) -> None:
    model = engine(variant)
    curves = curves_of(model)
    assert curves.vocabulary_sizes is not None
    assert curves.why_not is None
    points = curves.vocabulary_sizes["all"]
    smallest = model.n_vocab - len(model.merges) - len(model.supermerges)
    # Every size, because there are fewer than 1,000.
    assert [size for size, _ in points] == list(range(smallest, model.n_vocab + 1))
    for size, tokens in points[::7]:
        assert sum(model.truncate(size).count_tokens(SAMPLE)) == tokens, size
    first, second = (dict(curves.vocabulary_sizes[group]) for group in "ab")
    assert all(first[size] + second[size] == tokens for size, tokens in points)


@pytest.mark.parametrize("variant", [*EXACT, "picky-bytes", "picky-boundless"])
def test_without_supermerges_every_pretoken_is_encoded_alone(variant: str) -> None:
    model = engine(variant)
    result = superword.evaluate(model, Texts(SAMPLE)).models[0]
    pretokens = [part for text in SAMPLE for part in model.pretokenizer.split(text)]
    alone = sum(model.count_tokens(pretokens))
    assert result.numbers["text"].superwords.tokens_without == alone
    if model.supermerges:
        assert result.curves.supermerges is not None
        points = dict(result.curves.supermerges["text"])
        assert points[0] == alone
        assert points[len(model.supermerges)] == result.numbers["text"].size.tokens
    else:
        assert result.curves.supermerges is None


def test_points_of_supermerges_are_those_of_models_with_fewer_of_them() -> None:
    model = engine("superbpe")
    curves = curves_of(model)
    assert curves.supermerges is not None
    # SuperBPE learns all supermerges last, so truncation removes nothing else.
    for supermerges, tokens in curves.supermerges["all"]:
        smaller = model.truncate(model.n_vocab - len(model.supermerges) + supermerges)
        assert len(smaller.supermerges) == supermerges
        assert sum(smaller.count_tokens(SAMPLE)) == tokens


def test_long_curves_have_a_thousand_points_with_both_ends() -> None:
    documents = [f"{n} words of {n * n} kinds {n**3} " * 3 for n in range(400)]
    model = superword.train_from_iterator(
        documents, vocab_size=1700, method="bpe", pretokenizer="gpt2"
    )
    found = superword.evaluate(model, Texts(documents)).models[0].curves
    assert found.vocabulary_sizes is not None
    points = found.vocabulary_sizes["all"]
    assert len(points) == 1000
    assert (points[0][0], points[-1][0]) == (256, model.n_vocab)
    assert points[0][1] == sum(map(len, documents))
    assert len(found.merge_counts) == 1000


@pytest.mark.parametrize(
    ("variant", "reason"),
    [("picky", "deletions"), ("picky-boundless", "deletions"), ("greedy", "n-grams")],
)
def test_models_that_cannot_be_truncated_exactly_say_why(variant: str, reason: str) -> None:
    curves = curves_of(engine(variant))
    assert curves.vocabulary_sizes is None
    assert curves.why_not is not None
    assert reason in curves.why_not


def test_imported_models_with_their_own_rules_say_why() -> None:
    model = engine("bpe")
    whole = rebuilt(model, [], whole_pieces=True)
    assert "whole pretokens" in str(curves_of(whole).why_not)
    merges = len(model.merges)
    ranked = rebuilt(model, [], order=list(range(merges))[::-1])
    assert "another order" in str(curves_of(ranked).why_not)


def test_an_imported_model_with_ids_and_added_tokens_has_a_curve() -> None:
    model = chat_model()
    curves = curves_of(model)
    assert curves.vocabulary_sizes is not None
    points = dict(curves.vocabulary_sizes["all"])
    assert points[model.n_vocab] == sum(model.count_tokens(SAMPLE))


def test_a_token_that_two_merges_make_has_no_exact_curve() -> None:
    from superword import _core

    events = [
        ("merge", b"a", b"b", 9),
        ("merge", b"b", b"c", 8),
        ("merge", b"ab", b"c", 7),
        ("merge", b"a", b"bc", 6),
    ]
    gpt2 = _core.Pretokenizer.preset("gpt2")
    model = Tokenizer._wrap(_core.Model.from_parts("bpe", gpt2, "bytes", events, None, [], "{}"))
    found = superword.evaluate(model, Texts(["abc"])).models[0]
    assert "several merges" in str(found.curves.why_not)


def test_a_token_that_is_word_and_superword_is_counted_as_what_it_is() -> None:
    from superword import _core

    # `xy` is a pretoken and a word, except before `z`: there `x` and `y` make a superword.
    pattern = _core.Pretokenizer.custom(r"xy(?!z)|.", None, None, r"[xy]")
    events = [("merge", b"x", b"y", 5), ("supermerge", b"x", b"y", 5)]
    model = Tokenizer._wrap(
        _core.Model.from_parts("superbpe", pattern, "bytes", events, None, [], "{}")
    )
    assert model.pretokenizer.split("xyz xy") == ["x", "y", "z", " ", "xy"]
    numbers = superword.evaluate(model, Texts(["xyz xy", "xyz"])).models[0].numbers["text"]
    assert numbers.size.tokens == 4 + 2
    assert numbers.superwords.tokens_without == 5 + 3

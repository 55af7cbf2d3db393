"""Conditions on results."""

from __future__ import annotations

import pytest
import superword
from superword.errors import OptionError
from superword.evaluation import Check, Evaluation, check
from superword.evaluation.checks import values
from superword.inputs import Texts
from support.toy_models import toy


@pytest.fixture(scope="module")
def result() -> Evaluation:
    models = {"toy": toy(), "words": toy(supermerge=False)}
    # 6 bytes in 1 and 2 tokens; 2 bytes in 2 tokens.
    return superword.evaluate(models, {"en": Texts(["of the"]), "x": Texts(["ab"])})


@pytest.mark.parametrize(
    ("condition", "failed"),
    [
        ("bytes_per_token>=2", []),
        ("bytes_per_token>2", ["words on all text: size.bytes_per_token is 2, not > 2"]),
        ("toy@bytes_per_token<2", ["toy on all text: size.bytes_per_token is 2.66667, not < 2"]),
        ("words@bytes_per_token == 2", []),
        ("en:size.tokens<=1", ["words on en: size.tokens is 2, not <= 1"]),
        ("toy@*:bytes_per_token>=2", ["toy on x: size.bytes_per_token is 1, not >= 2"]),
        ("toy@all:superwords.saved>0.2", []),
        ("en:continued>0", ["toy on en: words.continued is 0, not > 0"] * 1
         + ["words on en: words.continued is 0, not > 0"]),
        ("toy@words.continued.total==3", []),
        ("toy@distribution.entropy.2.5>=1", []),
        ("entropy.2.5>=1", []),
        ("vocabulary.by_length.77==0", []),
        ("vocabulary.superwords>=1", ["words: vocabulary.superwords is 0, not >= 1"]),
        ("words@words_per_superword>=0",
         ["words on all text: superwords.words_per_superword cannot be computed, not >= 0"]),
    ],
)  # fmt: skip
def test_conditions(result: Evaluation, condition: str, failed: list[str]) -> None:
    assert [str(failure) for failure in check(result, [condition])] == failed


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("bytes_per_token", "is not a condition"),
        ("bytes_per_token>=many", "is not a condition"),
        ("bytes_per_token>=nan", "is not a condition"),
        ("bytes_per_tokn>=4", "did you mean 'bytes_per_token'"),
        ("xyz>=4", "docs/how-to/evaluate.md"),
        ("vocabulary.by_lenght.2>4", "did you mean 'vocabulary.by_length'"),
        ("listed>=4", "no number named listed"),
    ],
)
def test_what_is_no_condition_is_found_before_anything_is_read(
    condition: str, message: str
) -> None:
    with pytest.raises(OptionError, match=message) as error:
        Check.parse(condition)
    assert error.value.option == "check"


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("tokens>=4", "write vocabulary.tokens or size.tokens"),
        ("entropy.7>=4", "the result has no number named"),
        ("pairs.bridged<0.1", "the result has no number named"),
        ("tpy@bytes_per_token>1", "did you mean 'toy'"),
        ("e:bytes_per_token>1", "the group 'e', which was not evaluated"),
    ],
)
def test_what_a_result_does_not_have_is_an_error(
    result: Evaluation, condition: str, message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        check(result, [condition])


def test_every_number_of_a_result_can_be_checked(result: Evaluation) -> None:
    for model in result.models:
        for name in values(model, "en"):
            assert check(result, [f"{model.name}@en:{name}>=1e30"])

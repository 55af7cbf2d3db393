"""The public Pretokenizer: names, patterns, and combinations that are refused."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from superword import Pretokenizer
from superword.errors import OptionError, PatternError, UnknownScriptError
from superword.pretokenizer import preset_names, script_names


def test_presets_are_known_and_lose_nothing() -> None:
    assert preset_names() == [
        *("gpt4o-script", "gpt4o-portable", "gpt4o", "gpt4o-export", "gpt4", "llama3", "cl100k"),
        *("qwen2", "qwen3.5", "tekken", "kimi-k2", "deepseek-v3", "command-r", "gpt2"),
    ]
    text = "Of the 12 words, don't 言葉 \r\n\t x\u0301 👩‍👩‍👧 \0"
    for name in preset_names():
        pretokenizer = Pretokenizer(name)
        assert pretokenizer.name == name
        assert "".join(pretokenizer.split(text)) == text


def test_default_is_gpt4o_portable() -> None:
    assert Pretokenizer() == Pretokenizer("gpt4o-portable")
    assert Pretokenizer().split("Of the 12 words") == ["Of", " the", " ", "12", " words"]


def test_text_that_no_branch_matches_is_kept() -> None:
    own = Pretokenizer(pattern=r"\w+|\s+")
    assert own.split("a b!?c") == ["a", " ", "b", "!?", "c"]
    assert own.name is None
    assert own.is_eligible("!a")
    assert not own.is_eligible("!?")


def test_script_runs_use_their_own_pattern() -> None:
    own = Pretokenizer(pattern=r"\p{L}+|.", script_pattern=r".", scripts=["Han"])
    assert own.scripts == ["Han"]
    assert own.split("ab漢字cd") == ["ab", "漢", "字", "cd"]
    assert "Han" in script_names()


def test_eligible_may_change_alone() -> None:
    digits = Pretokenizer("gpt4o", eligible=r"\p{N}")
    assert digits.pattern == Pretokenizer("gpt4o").pattern
    assert digits != Pretokenizer("gpt4o")
    assert digits.is_eligible("12")


@pytest.mark.parametrize(
    "pretokenizer",
    [
        Pretokenizer(),
        Pretokenizer("gpt2"),
        Pretokenizer(pattern=r"\S+|\s+"),
        Pretokenizer(pattern=r"\S+|\s", script_pattern=".", scripts=["Han", "Thai"], eligible="a"),
    ],
    ids=str,
)
def test_pickles_are_equal(pretokenizer: Pretokenizer) -> None:
    same = pickle.loads(pickle.dumps(pretokenizer))
    assert same == pretokenizer
    assert hash(same) == hash(pretokenizer)
    assert repr(same) == repr(pretokenizer)
    assert same.split("a b 漢字") == pretokenizer.split("a b 漢字")


@pytest.mark.parametrize(
    ("given", "kind", "says"),
    [
        ({"name": "gpt4-o"}, OptionError, "did you mean 'gpt4o'"),
        ({"name": "gpt4o", "pattern": "x"}, OptionError, "both given"),
        ({"script_pattern": "x", "scripts": ["Han"]}, OptionError, "need a pattern"),
        ({"pattern": "x", "script_pattern": "x"}, OptionError, "without scripts"),
        ({"pattern": "x", "scripts": ["Han"]}, OptionError, "without script_pattern"),
        ({"pattern": "(a"}, PatternError, ""),
        ({"pattern": "a", "eligible": "[z"}, PatternError, ""),
        ({"pattern": "a*"}, PatternError, "empty"),
        ({"pattern": "a|"}, PatternError, "empty"),
        (
            {"pattern": "a", "script_pattern": "x*", "scripts": ["Han"]},
            PatternError,
            "empty",
        ),
        (
            {"pattern": "a", "script_pattern": ".", "scripts": ["Hann"]},
            UnknownScriptError,
            "Han",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(
    given: dict[str, Any], kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind) as caught:
        Pretokenizer(**given)
    assert says in str(caught.value)
    assert isinstance(caught.value, OptionError)
    assert caught.value.hint


def test_the_place_of_a_wrong_pattern_is_said() -> None:
    with pytest.raises(PatternError) as caught:
        Pretokenizer(pattern=r"abc|(d")
    assert caught.value.position is not None
    assert 0 <= caught.value.position <= len(r"abc|(d")


@pytest.mark.parametrize("name", ["pattern", "script_pattern", "eligible"])
def test_a_pattern_that_is_not_valid_unicode_is_refused(name: str) -> None:
    given = {"pattern": ".", "script_pattern": ".", "eligible": ".", name: "\udcff"}
    with pytest.raises(OptionError, match=f"{name} is .* not valid Unicode"):
        Pretokenizer(scripts=["Han"], **given)

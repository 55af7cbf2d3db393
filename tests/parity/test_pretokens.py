"""The engine splits every text into the same pretokens as the reference and loses nothing."""

from __future__ import annotations

import pytest
import regex
import superword
from hypothesis import given, settings
from hypothesis import strategies as st
from superword import reference
from superword.inputs import Texts
from superword.stages import count_pretokens
from support.parity import engine_pretokenizer
from support.texts import CHARACTERS, CORNERS, TEXTS

Own = reference.Pretokenizer
CUSTOM = {
    "words": Own(pattern=r"\w+|[^\w\s]+|\s+"),
    "letters by script": Own(
        pattern=r"\p{L}+|\P{L}+",
        script_pattern=r"\p{L}\p{M}*|\P{L}",
        scripts=["Greek", "Cyrillic", "Hangul", "Han", "Arabic"],
    ),
    "gaps": Own(pattern=r"[a-z]+|\p{Han}", script_pattern="ー|カ+", scripts=["Katakana", "Thai"]),
    "lookahead": Own(pattern=r"\s+(?!\S)|\s?\S(?=\S)|\s?\S+"),
    "digits from the right": Own(pattern=r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))|\P{N}+"),
    "no case": Own(pattern=r"(?i:the|straße|'s)|."),
    "other eligibility": Own("gpt4o", eligible=r"^ ?\p{Lu}"),
}
ALL = {name: Own(name) for name in reference.PRESETS} | CUSTOM
ENGINE = {name: engine_pretokenizer(own) for name, own in ALL.items()}


def random_text(max_size: int) -> st.SearchStrategy[str]:
    """Random text from the characters of one text, of several texts, or of corner cases."""
    alphabets = [*CHARACTERS.values(), CORNERS, "".join(CHARACTERS.values())]
    one = st.sampled_from(alphabets).flatmap(lambda chars: st.text(chars, max_size=max_size))
    return st.one_of(one, st.lists(one, max_size=3).map("".join))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("name", ALL)
def test_texts_are_cut_as_by_the_reference(name: str, text: str) -> None:
    ours, theirs = ENGINE[name], ALL[name]
    # Every prefix, so that the text also ends inside every kind of pretoken.
    for end in range(len(text) + 1):
        pretokens = theirs.split(text[:end])
        assert ours.split(text[:end]) == pretokens
    assert "".join(pretokens) == text
    eligible = [theirs.is_eligible(pretoken) for pretoken in pretokens]
    assert [ours.is_eligible(pretoken) for pretoken in pretokens] == eligible


@pytest.mark.parametrize("name", [name for name in reference.PRESETS if name != "gpt4o-script"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_texts_are_cut_as_by_the_pattern_alone(name: str, text: str) -> None:
    ours = superword.Pretokenizer(name)
    version = regex.V1 if "&&" in ours.pattern else regex.V0
    assert ours.split(text) == regex.findall(ours.pattern, text, version)


def test_engine_and_reference_have_the_same_presets() -> None:
    for name in superword.pretokenizer.preset_names():
        ours, theirs = superword.Pretokenizer(name), Own(name)
        assert ours.pattern == theirs.pattern
        assert ours.script_pattern == theirs.script_pattern


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=300, deadline=None)
@given(text=random_text(60))
def test_random_text_is_cut_as_by_the_reference(name: str, text: str) -> None:
    pretokens = ENGINE[name].split(text)
    assert pretokens == ALL[name].split(text)
    assert "".join(pretokens) == text
    assert "" not in pretokens


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=50, deadline=None)
@given(texts=st.lists(random_text(30), max_size=8).filter(any))
def test_counts_are_those_of_the_reference(name: str, texts: list[str]) -> None:
    ours = count_pretokens(Texts(texts), pretokenizer=ENGINE[name], threads=2)
    assert dict(ours) == reference.count_pretokens(texts, ALL[name])


@settings(max_examples=300, deadline=None)
@given(text=st.text(max_size=60))
def test_any_text_at_all_is_cut_without_loss(text: str) -> None:
    for ours in ENGINE.values():
        assert "".join(ours.split(text)) == text

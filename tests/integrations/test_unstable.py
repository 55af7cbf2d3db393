"""`encode_with_unstable`: what stays the same, and what may follow, whatever text comes next."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from superword import Pretokenizer, _core
from superword.errors import TextError
from superword.integrations.tiktoken import Encoding
from support.export_models import boundless, scripts, superwords, texts, train, words
from support.imported_models import THINK, chat_model, rebuilt


@cache
def encodings() -> list[Encoding]:
    models = [words(), superwords(), boundless()]
    for preset in _core.preset_names():
        models.append(
            train(method="boundless", supermerges=None, boundary=None, pretokenizer=preset)
        )
    return [model.as_tiktoken() for model in models]


ANY = st.text(
    st.sampled_from("aAǅʰא的のカกー\u0301'’ \n\r\t\u3000\u00a012!-/。・゛\u3099\u3040\u200d😀slve"),
    max_size=6,
)
ENDS = ("", "'", "'l", "I'v", "  ", "\n \n", " 12", "<|endo", "<|endoftext|>", "<")
MORE = ("", "s", "l", "ll", "e", "'s", " ", "\n", " a", "text|>", "1", "的")


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    data=st.data(),
    text=st.one_of(texts(), ANY),
    end=st.sampled_from(ENDS),
    following=st.lists(st.one_of(texts(), ANY), min_size=1, max_size=5),
    special=st.booleans(),
)
def test_whatever_follows_the_ids_are_stable_and_then_a_completion(
    data: st.DataObject, text: str, end: str, following: list[str], special: bool
) -> None:
    encoding = data.draw(st.sampled_from(encodings()))
    allowed = {"<|endoftext|>"} if special else set()
    text += end
    stable, completions = encoding.encode_with_unstable(
        text, allowed_special=allowed, disallowed_special=()
    )
    start = text.encode()
    assert start.startswith(encoding.decode_bytes(stable))
    for completion in completions:
        assert encoding.decode_bytes([*stable, *completion]).startswith(start)
    known = {tuple(completion) for completion in completions}
    sizes = {len(completion) for completion in known}
    for more in (*following, *MORE):
        ids = encoding.encode(text + more, allowed_special=allowed, disallowed_special=())
        assert ids[: len(stable)] == stable
        rest = ids[len(stable) :]
        assert not known or any(tuple(rest[:size]) in known for size in sizes), (text, more)


@settings(max_examples=100, deadline=None)
@given(text=texts())
def test_pretokens_are_encoded_as_the_engine_encodes_their_text(text: str) -> None:
    for encoding in encodings():
        model = encoding.superword
        pretokens = model.pretokenizer.split(text)
        assert encoding._pieces.encode_pretokens(pretokens) == model.encode_ordinary(text)


def test_a_superword_may_still_swallow_several_words() -> None:
    encoding = superwords().as_tiktoken()
    (superword,) = encoding.encode(" of the")
    stable, completions = encoding.encode_with_unstable("這 of t")
    assert stable == encoding.encode("這")
    assert [superword] in completions
    assert encoding.encode(" of") + encoding.encode(" t") in completions


def test_a_part_of_a_special_token_may_become_one() -> None:
    encoding = superwords().as_tiktoken()
    eot = encoding.eot_token
    _, completions = encoding.encode_with_unstable("the<|endof", allowed_special="all")
    assert any(completion[-1] == eot for completion in completions)
    _, completions = encoding.encode_with_unstable("the<|endof", disallowed_special=())
    assert not any(completion[-1] == eot for completion in completions)


def test_a_part_of_an_added_token_may_become_one_in_every_text() -> None:
    encoding = chat_model().as_tiktoken()
    stable, completions = encoding.encode_with_unstable("the <thi")
    ids = encoding.encode("the <think> of")
    assert ids[: len(stable)] == stable
    assert [*ids[len(stable) : ids.index(THINK)], THINK] in completions
    with pytest.raises(TextError, match="depend on the text beside them"):
        encoding.encode_with_unstable("the", allowed_special="all")


def test_normalizers_are_refused() -> None:
    nfc = rebuilt(superwords(), [], normalizer="nfc")
    with pytest.raises(TextError, match="it normalizes text"):
        nfc.as_tiktoken().encode_with_unstable("the")


def test_nothing_changes_after_a_special_token() -> None:
    encoding = superwords().as_tiktoken()
    text = "the<|endoftext|>"
    ids = encoding.encode(text, allowed_special="all")
    assert encoding.encode_with_unstable(text, allowed_special="all") == (ids, [])
    assert encoding.encode_with_unstable("") == ([], [])
    with pytest.raises(ValueError, match="disallowed special token"):
        encoding.encode_with_unstable(text)


def test_models_without_an_exact_answer_are_refused() -> None:
    with pytest.raises(TextError, match="it has deleted tokens"):
        scripts().as_tiktoken().encode_with_unstable("the")
    custom = train(
        method="bpe",
        supermerges=None,
        boundary=None,
        pretokenizer=Pretokenizer(pattern=r"\w+(?=.*z)|\s|\S"),
    )
    with pytest.raises(TextError, match="custom pattern"):
        custom.as_tiktoken().encode_with_unstable("the")
    greedy = train(method="boundless", supermerges=None, greedy_split="encode")
    with pytest.raises(TextError, match="greedily"):
        greedy.as_tiktoken().encode_with_unstable("the")

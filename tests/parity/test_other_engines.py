"""Presets split as the programs do that their patterns come from.

The other programs may use an older Unicode, so these texts have no characters that are new in 17.0.
"""

from __future__ import annotations

import random
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from superword import Pretokenizer
from superword.pretokenizer import preset_names
from support.texts import TEXTS

tokenizers = pytest.importorskip("tokenizers", reason="pip install 'superword[huggingface]'")
tiktoken = pytest.importorskip("tiktoken", reason="pip install 'superword[tiktoken]'")

KINDS = {
    "digits": "12٣५Ⅷ½²〇",
    "han and kana": "一龥龦々⺀\U00016ff0ぁひカヿー・゛゠\u3099\u3040\u3097\u3098",
    "letters": "aZsSdéßſǅʰжЖا한กမខກ",
    "marks": "\u0301\u0e34\u20e3\ufe0f",
    "white space": " \t\n\r\v\u00a0\u3000\u2028\u0085",
    "signs": ".,'’\"-_/$€।。´👩",
    "others": "\0\x01\x7f\u200b\u200d\ue000\u0378",
}
PIECES = [*"".join(KINDS.values()), " ", " ", "\r\n", "'s", "'LL", "'re", "12345", "  "]
nasty = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    # Few kinds at a time, so that they meet often.
    st.lists(st.sampled_from(list(KINDS.values())), min_size=1, max_size=3).flatmap(
        lambda kinds: st.text("".join(kinds), max_size=12)
    ),
)


def isolated(pattern: str) -> Any:
    return tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")


# The pre-tokenizers in the published files.
SEQUENCES = {
    "deepseek-v3": [
        isolated(r"\p{N}{1,3}"),
        isolated("[一-龥぀-ゟ゠-ヿ]+"),
        isolated(
            "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
            "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*"
            "|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
        ),
    ],
    "command-r": [
        tokenizers.pre_tokenizers.Digits(individual_digits=True),
        tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
    ],
}


def cut_by(split: Any, text: str) -> list[str]:
    return [text[start:end] for _, (start, end) in split.pre_tokenize_str(text)]


@pytest.mark.parametrize("name", SEQUENCES)
def test_composed_patterns_equal_the_sequence_on_texts(name: str) -> None:
    ours, theirs = Pretokenizer(name), tokenizers.pre_tokenizers.Sequence(SEQUENCES[name])
    for text in TEXTS.values():
        assert ours.split(text) == cut_by(theirs, text)


@pytest.mark.parametrize("name", SEQUENCES)
@settings(max_examples=2000, deadline=None)
@given(text=nasty)
def test_composed_patterns_equal_the_sequence(name: str, text: str) -> None:
    ours, theirs = Pretokenizer(name), tokenizers.pre_tokenizers.Sequence(SEQUENCES[name])
    assert ours.split(text) == cut_by(theirs, text)


# A pattern alone cannot express script runs.
SINGLE_PATTERNS = [name for name in preset_names() if name != "gpt4o-script"]


@pytest.mark.parametrize("name", SINGLE_PATTERNS)
@settings(max_examples=300, deadline=None)
@given(text=nasty)
def test_hugging_face_reads_every_preset_alike(name: str, text: str) -> None:
    ours = Pretokenizer(name)
    assert cut_by(isolated(ours.pattern), text) == ours.split(text)


@pytest.mark.parametrize("name", SINGLE_PATTERNS)
def test_tiktoken_reads_every_preset_alike(name: str) -> None:
    """Every run of pretokens is a token here, so ids show where tiktoken splits."""
    ours = Pretokenizer(name)
    chance = random.Random(name)
    texts = ["".join(chance.choices(PIECES, k=chance.randint(1, 10))) for _ in range(300)]
    tokens = {bytes([byte]) for byte in range(256)}
    for text in texts:
        places = [0, *accumulate(map(len, ours.split(text)))]
        tokens |= {text[i:j].encode() for i in places for j in places if i < j}
    ranks = {token: rank for rank, token in enumerate(sorted(tokens))}
    encoding = tiktoken.Encoding(
        "m", pat_str=ours.pattern, mergeable_ranks=ranks, special_tokens={}
    )
    for text in texts:
        ids = [ranks[pretoken.encode()] for pretoken in ours.split(text)]
        assert encoding.encode_ordinary(text) == ids, text


def test_patterns_of_tiktoken_are_those_of_presets(monkeypatch: pytest.MonkeyPatch) -> None:
    public = pytest.importorskip("tiktoken_ext.openai_public")
    for load in ("load_tiktoken_bpe", "data_gym_to_mergeable_bpe_ranks"):
        monkeypatch.setattr(public, load, lambda *_, **__: {})
    found = {
        name: Pretokenizer(pattern=encoding()["pat_str"]).meaning
        for name, encoding in public.ENCODING_CONSTRUCTORS.items()
    }
    assert found == {
        **dict.fromkeys(["gpt2", "r50k_base", "p50k_base", "p50k_edit"], "gpt2"),
        "cl100k_base": "cl100k",
        **dict.fromkeys(["o200k_base", "o200k_harmony"], "gpt4o"),
    }

"""Random corpora and random learning options, for tests of equalities that always hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from superword.reference import Pretokenizer

from support.texts import CORNERS, TINY

PRETOKENIZERS = (
    Pretokenizer(),
    Pretokenizer("gpt4o"),
    Pretokenizer("gpt4o-export"),
    Pretokenizer("gpt2"),
    Pretokenizer("gpt4"),
    Pretokenizer(pattern=r" ?\w"),
    Pretokenizer(pattern=r" ?\w+", eligible="."),
    Pretokenizer(pattern=r"a{1,2}|b ?| "),
    Pretokenizer(pattern=r"\w+|\W", script_pattern=r"\w|\W", scripts=["Han", "Greek"]),
    # Lookahead splits the same letters in two ways: "abc" is ab c, but "abb" is a b b.
    Pretokenizer(pattern=r"ab(?=c)|[abc]"),
)
ALPHABET_SIZES = {"bytes": 256, "utf8": 243}


@dataclass(frozen=True)
class Case:
    """Documents to train on, other texts to encode, and options of `superword.train`."""

    texts: list[str]
    others: list[str]
    options: dict[str, Any]


@st.composite
def corpora(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Draw an alphabet and documents over it, some of them empty or repeated."""
    alphabet = draw(st.sampled_from([*TINY, *TINY, CORNERS]))
    lengths = st.sampled_from([0, 4, 12, 25, 60])
    document = lengths.flatmap(lambda n: st.text(alphabet, min_size=n // 2, max_size=n))
    times = st.sampled_from([1, 1, 1, 2, 3, 16])
    documents = draw(st.lists(st.tuples(document, times), min_size=1, max_size=5))
    texts = [text for text, number in documents for _ in range(number)]
    return alphabet, texts if any(texts) else [*texts, draw(st.text(alphabet, min_size=1))]


@st.composite
def superword_rules(draw: st.DrawFn) -> dict[str, Any]:
    """Draw options that restrict superwords, usually only a few of them."""
    rules: dict[str, Any] = {}
    choices: dict[str, list[Any]] = {
        "max_words": [2, 3, 4],
        "same_script": [True],
        "boundary": ["space"],
        "veto": ["b$", "a a", "^ a", "ー"],
    }
    for name, values in choices.items():
        if draw(st.integers(0, 3)) == 0:
            rules[name] = draw(st.sampled_from(values))
    return rules


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    methods: tuple[str, ...] = ("bpe", "boundless", "boundless", "superbpe"),
    deletions: bool = True,
    greedy: bool = True,
    min_counts: tuple[int, ...] = (1, 1, 1, 2, 3, 15),
    learned: tuple[int, int] = (0, 30),
) -> Case:
    """Draw a corpus together with options that are valid for it.

    `learned` limits how many tokens there may be besides the alphabet and the supermerges.
    """
    alphabet, texts = draw(corpora())
    method = draw(st.sampled_from(methods))
    options: dict[str, Any] = {
        "method": method,
        "alphabet": draw(st.sampled_from(["bytes", "utf8"])),
        "special_tokens": draw(st.sampled_from([(), (), ("<|end|>",), ("a", "ab", " a")])),
        "pretokenizer": draw(st.sampled_from(PRETOKENIZERS)),
        "min_count": draw(st.sampled_from(min_counts)),
    }
    size = ALPHABET_SIZES[options["alphabet"]] + len(options["special_tokens"])
    if method == "superbpe":
        options["supermerges"] = draw(st.integers(1, 12))
        size += options["supermerges"]
    options["vocab_size"] = size + draw(st.integers(*learned))
    if deletions and draw(st.booleans()):
        options["picky"] = draw(st.sampled_from([0.2, 0.3, 0.5, 0.6, 0.9, 1.0]))
        options["picky_split"] = draw(st.sampled_from(["parts", "bytes"]))
    if method != "bpe":
        options |= draw(superword_rules())
        if greedy:
            options["greedy_split"] = draw(st.sampled_from([False, False, True, "encode"]))
    others = draw(st.lists(st.text(alphabet, max_size=90), max_size=2))
    return Case(texts, others, options)

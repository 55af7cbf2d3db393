"""Models to export, trained on a made-up text in many scripts, and texts to compare them on."""

from __future__ import annotations

import random
import warnings
from functools import cache
from pathlib import Path

import superword
from hypothesis import strategies as st
from superword import Tokenizer
from superword.inputs import documents

# A few words of each kind: cased, caseless, with marks, with apostrophes, mixed.
# fmt: off
WORDS = [
    "the", "of", "and", "that", "THE", "of", "I", "A", "it's", "don’t", "l’eau", "rock'n'roll",
    "Straße", "ÉCOLE", "naïve", "ǅep", "ʰa", "the", "это", "и", "не", "что", "В", "СССР",
    "ФичаДля", "και", "το", "Η", "της", "של", "את", "זה", "אAb", "אA", "בית", "هذا", "من", "في",
    "التي", "مِنْ", "है", "में", "से", "की", "क्या", "हूँ", "นี้", "เป็น", "ของ", "这", "是", "的",
    "の", "は", "です", "이것", "은", "것들", "ა", "და", "რომ", "է", "եւ", "դա",
    "x̂y", "ŷ", "ꙮ", "ᏣᎳ", "ꮳꮃ", "ⴰⵣ", "ⵜⴰ", "ߊߟߊ",
]
# fmt: on
SEPARATORS = (
    " ",
    " ",
    " ",
    " ",
    " ",
    " ",
    ", ",
    ". ",
    "\n",
    "  ",
    "'",
    "’",
    "-",
    " 12 ",
    "\u3000 ",
)

# One character of every kind that a pattern tells apart.
KINDS = "aбAЖǅʰ々א的ְ̂'’ 1-\n\t\u3000"


def training_text(seed: int = 0, documents: int = 300) -> list[str]:
    chance = random.Random(seed)
    made = []
    for _ in range(documents):
        text = ""
        for _ in range(chance.randrange(5, 40)):
            # Low numbers more often, so that some pairs of words are frequent.
            word = WORDS[min(chance.randrange(len(WORDS)), chance.randrange(len(WORDS)))]
            text += word + chance.choice(SEPARATORS)
        made.append(text)
    return made


def texts() -> st.SearchStrategy[str]:
    """Texts in which words, parts of words, odd characters and separators meet."""
    word = st.sampled_from(WORDS)
    piece = st.one_of(
        word.map(lambda word: " " + word),
        word.map(lambda word: " " + word),
        word,
        word.map(lambda word: word[:-1]),
        st.sampled_from(SEPARATORS),
        st.text(st.sampled_from(KINDS), max_size=4),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
    )
    return st.lists(piece, max_size=14).map("".join)


def train(**options: object) -> Tokenizer:
    settings: dict[str, object] = {
        "vocab_size": 900,
        "method": "superbpe",
        "supermerges": 250,
        "pretokenizer": "gpt4o-export",
        "boundary": "space",
        "special_tokens": ["<|endoftext|>", "<|pad|>"],
        "threads": 1,
    }
    settings |= options
    settings = {name: value for name, value in settings.items() if value is not None}
    with warnings.catch_warnings():
        # The text is small; some kinds of models run out of pairs.
        warnings.simplefilter("ignore", superword.errors.ShortfallWarning)
        return superword.train_from_iterator(training_text(), **settings)  # type: ignore[arg-type]


@cache
def superwords() -> Tokenizer:
    """A SuperBPE model that can be exported exactly."""
    return train()


@cache
def boundless() -> Tokenizer:
    """A BoundlessBPE model that can be exported exactly."""
    return train(method="boundless", supermerges=None)


@cache
def words() -> Tokenizer:
    """A model without superwords."""
    return train(method="bpe", supermerges=None, boundary=None, pretokenizer="gpt4o")


@cache
def scripts() -> Tokenizer:
    """A model that only the engine itself can run: script runs and deletions."""
    return train(
        method="boundless", supermerges=None, boundary=None, pretokenizer="gpt4o-script", picky=0.9
    )


def some_documents(file: Path, characters: int) -> list[str]:
    """The first documents of a file, with at least this many characters if there are."""
    found: list[str] = []
    size = 0
    for text in documents(file):
        found.append(text)
        size += len(text)
        if size > characters:
            break
    return found

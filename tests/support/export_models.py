"""Models to export, trained on made-up text in many scripts, and texts to compare them on."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from random import Random

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

# One character of every class that the patterns distinguish.
KINDS = "aбAЖǅʰ々א的ְ̂'’ 1-\n\t\u3000"


def training_text(seed: int = 0, documents: int = 300) -> list[str]:
    """Make documents from `WORDS` and `SEPARATORS`."""
    rng = Random(seed)
    made = []
    for _ in range(documents):
        text = ""
        for _ in range(rng.randrange(5, 40)):
            # Early words are chosen more often, so that some pairs of words are frequent.
            word = WORDS[min(rng.randrange(len(WORDS)), rng.randrange(len(WORDS)))]
            text += word + rng.choice(SEPARATORS)
        made.append(text)
    return made


def texts() -> st.SearchStrategy[str]:
    """Texts that mix words, parts of words, unusual characters and separators."""
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
    """Train on `training_text()`. An option set to None is left out."""
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
        # The text is small, so some kinds of model run out of pairs.
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
    """A model that cannot be exported exactly: it has script runs and deletions."""
    return train(
        method="boundless", supermerges=None, boundary=None, pretokenizer="gpt4o-script", picky=0.9
    )


def some_documents(file: Path, characters: int) -> list[str]:
    """Return the first documents of a file, about `characters` characters in total."""
    found: list[str] = []
    size = 0
    for text in documents(file):
        found.append(text)
        size += len(text)
        if size > characters:
            break
    return found

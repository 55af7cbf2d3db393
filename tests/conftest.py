"""What many tests share: small texts, models trained on them once, and where real text is."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
import superword

ROOT = Path(__file__).resolve().parent.parent

# A shell that runs the tests in the background ignores Ctrl-C for them and for every command that
# they start; with a handler of our own, those commands get the default again.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SENTENCES = (
    "The name of the file is the name of the module, as well as the name of the test.",
    "One of the first things that one of the people in the house said was not to be said.",
    "It is one of the most common words in the language, and it is in the list of the words.",
    "Она сказала, что это одно из слов, и это одно из слов на русском языке.",
    "これは言葉です。これは言葉の一つです。言葉は大切です。",
    "En el nombre de la casa, en el nombre de la ciudad; de la casa a la ciudad.",
    "def name_of_the_file(path: str) -> str:\n    return path.rsplit('/', 1)[-1]\n",
    "Don't say that it can't be done 👩‍👩‍👧 in 2026, or 12 345 times!\r\n\r\n",
)


def shared(variable: str, folder: str) -> Path:
    """A folder of real text: named by an environment variable, or beside the repository."""
    path = Path(os.environ.get(variable) or ROOT.parent / "shared" / folder)
    if not path.is_dir():
        pytest.skip(f"no {folder} at {path}; set {variable} to run this test")
    return path


@pytest.fixture(scope="session")
def corpus_dir() -> Path:
    return shared("SUPERWORD_CORPUS", "corpus")


@pytest.fixture(scope="session")
def golden_dir() -> Path:
    return shared("SUPERWORD_GOLDEN", "golden")


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """Some documents in several languages, with phrases that come back."""
    return [" ".join(SENTENCES[i:] + SENTENCES[:i]) for i in range(len(SENTENCES))] * 4


@pytest.fixture(scope="session")
def words(texts: list[str]) -> superword.Tokenizer:
    """Plain BPE."""
    return superword.train_from_iterator(texts, vocab_size=360, method="bpe")


@pytest.fixture(scope="session")
def boundless(texts: list[str]) -> superword.Tokenizer:
    """BoundlessBPE with two special tokens."""
    return superword.train_from_iterator(
        texts,
        vocab_size=440,
        method="boundless",
        special_tokens=["<|endoftext|>", "<|pad|>"],
    )


@pytest.fixture(scope="session")
def superbpe(texts: list[str]) -> superword.Tokenizer:
    """SuperBPE with twenty supermerges."""
    return superword.train_from_iterator(texts, vocab_size=440, method="superbpe", supermerges=20)


@pytest.fixture(scope="session")
def model_path(boundless: superword.Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The boundless model as a file. Not to be changed by a test."""
    path = tmp_path_factory.mktemp("model") / "boundless.superword"
    boundless.save(path)
    return path


@pytest.fixture
def jsonl(tmp_path: Path, texts: list[str]) -> Path:
    """The texts as a JSONL file."""
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path

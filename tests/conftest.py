"""Fixtures for many tests: a small corpus, models trained on it once, and the outside corpora."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest
import superword
from support.lost_ray import pytest_handlecrashitem, pytest_runtest_makereport  # noqa: F401
from support.texts import DOCUMENTS

ROOT = Path(__file__).resolve().parent.parent

# A shell that runs the tests in the background makes them ignore Ctrl-C, and every command they
# start inherits that. Installing a handler gives those commands the default back.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


if sys.platform == "win32":
    # Text files have the same bytes on every system: Python would write the line ends and the
    # encoding of Windows. How commands behave there is tested with bytes and processes.
    _read, _write = Path.read_text, Path.write_text

    def _read_text(self: Path, encoding: str = "utf-8", errors: str | None = None) -> str:
        return _read(self, encoding, errors)

    def _write_text(self: Path, data: str, encoding: str = "utf-8", **more: str | None) -> int:
        return _write(self, data, encoding, **{"newline": "\n", **more})

    Path.read_text, Path.write_text = _read_text, _write_text  # type: ignore[assignment,method-assign]


def shared(variable: str, folder: str) -> Path:
    """Return a directory of outside data, or skip the test if there is none.

    The environment variable names it; the default is `../shared/FOLDER` beside the repository.
    """
    path = Path(os.environ.get(variable) or ROOT.parent / "shared" / folder)
    if not path.is_dir():
        pytest.skip(f"no {folder} at {path}; set {variable} to run this test")
    return path


@pytest.fixture(scope="session")
def corpus_dir() -> Path:
    return shared("SUPERWORD_CORPUS", "corpus")


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """Documents in several languages with repeated phrases."""
    return list(DOCUMENTS)


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
    """SuperBPE with 20 supermerges."""
    return superword.train_from_iterator(texts, vocab_size=440, method="superbpe", supermerges=20)


@pytest.fixture(scope="session")
def model_path(boundless: superword.Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The boundless model as a file. Tests must not change it."""
    path = tmp_path_factory.mktemp("model") / "boundless.superword"
    boundless.save(path)
    return path


@pytest.fixture
def jsonl(tmp_path: Path, texts: list[str]) -> Path:
    """The texts as a JSONL file."""
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path

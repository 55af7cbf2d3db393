"""The interface of a peer: train plain BPE, load our word model, encode with it.

A peer is a module of this folder, named in `PEERS`, with some of these functions:

    train(corpus: Corpus, vocab_size: int, threads: int, out: Path) -> Check
    load(exported: Exported) -> object          # the peer's tokenizer, ready to encode
    prepare(texts: list[str]) -> object         # the texts in the fastest form the peer takes
    encode(tokenizer, prepared, threads: int) -> object   # ids in the fastest form it gives
    ids(encoded) -> list of ids per text, untimed, to check them

`train` ends when the model is saved. The `Check` that it returns is called when the clock has
stopped, and returns the result. A constant `RULES` says how the peer's training differs from ours,
and `PATTERN` names the pretokenizer that ours uses to be compared with it (default: `gpt4o`).
`SLOW = True` means that it gets only a slice of large texts. Only the functions import the package,
so that a missing package can be recorded instead of failing the run.

The peers share one environment. Those in `APART` cannot, and are installed in separate folders.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from benches import VENV

# name here -> (package in the registry, with a version if it must be that one; what is measured)
PEERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "tokenizers": ("tokenizers", ("train", "encode")),
    "rustbpe": ("rustbpe", ("train",)),
    "gigatoken": ("gigatoken", ("train", "encode")),
    "sentencepiece": ("sentencepiece", ("train",)),
    "bpeasy": ("bpeasy", ("train",)),
    "ffbpe": ("ffbpe", ("train", "encode")),
    "youtokentome": ("youtokentome", ("train",)),
    "gigabpe": ("gigabpe", ("train",)),
    "tiktoken": ("tiktoken", ("encode",)),
    "fastokens": ("fastokens", ("encode",)),
    "tokenizers_rc": ("tokenizers==1.0.0rc3", ("encode",)),
    "tokie": ("tokie", ("encode",)),
    "kitoken": ("kitoken", ("encode",)),
    "wordchipper": ("wordchipper", ("encode",)),
    "quicktok": ("quicktok", ("encode",)),
}
# Two versions of one package cannot share an environment.
APART = ("tokenizers_rc",)

# Training rules, as the tables show them.
SAME_BUT_TIES = "same pattern; ties by id"
GPT2_PATTERN = "GPT-2's pattern; ties by id"
CHARACTERS = "characters, its own splitting"


class CannotHoldError(Exception):
    """The peer cannot load the tokenizer that the others run. The message says why."""


@dataclass
class Corpus:
    """The same documents in the forms that trainers read. `read_seconds` adds up reading time."""

    jsonl: Path  # {"text": ...}, a document a line
    nul: Path  # UTF-8, documents divided by a zero byte: the cheapest form to read in Python
    txt: Path  # UTF-8, documents divided by line ends, for trainers that read lines
    pattern: str
    read_seconds: float = 0.0

    def documents(self, chunk: int = 1 << 24) -> Iterator[str]:
        """The documents, read in chunks, so that memory measures only the trainer."""
        rest = b""
        with self.nul.open("rb", buffering=0) as file:
            while True:
                started = time.perf_counter()
                data = file.read(chunk)
                whole, _, tail = (rest + data).rpartition(b"\0") if data else (rest, b"", b"")
                texts = whole.decode().split("\0") if whole else []
                rest = tail
                self.read_seconds += time.perf_counter() - started
                yield from texts
                if not data:
                    return


@dataclass
class Trained:
    """The result of a trainer: tokens in the order of their ids or merges, for the check."""

    vocab_size: int
    tokens: list[bytes] | None = None  # merged tokens in order, single bytes left out
    report: dict[str, Any] = field(default_factory=dict)
    digest: str | None = None  # of the model file, where equal models have equal files


Check = Callable[[], Trained]


@dataclass
class Exported:
    """Our word model in the forms that peers load."""

    tokenizer_json: Path
    tiktoken: Path
    superword: Path
    pattern: str


def package(name: str) -> str:
    """The package of a peer, or `superword`, as it is imported."""
    return PEERS.get(name, (name,))[0].split("==")[0]


def folder_apart(name: str) -> Path:
    """Where a peer of `APART` is installed."""
    return VENV / "apart" / name


def find_apart(name: str) -> None:
    """Import a peer of `APART` from its own folder from now on, in this process."""
    if name in APART:
        sys.path.insert(0, str(folder_apart(name)))


def peer(name: str) -> ModuleType:
    """The module of a peer, or of ours (`superword`)."""
    return importlib.import_module(f"benches.peers.{name}")


def byte_characters() -> dict[int, str]:
    """Each byte as the printable character that `tokenizer.json` files use for it."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {byte: chr(byte) for byte in shown}
    for byte in range(256):
        if byte not in table:
            table[byte] = chr(256 + len(table) - len(shown))
    return table


def as_bytes(token: str, back: dict[str, int]) -> bytes:
    """A token of `tokenizer.json` as bytes; `back` is the inverse of `byte_characters()`."""
    return bytes(back[character] for character in token)

"""Recorded results of the paper's program, for the tests that compare with it.

There are two sets in the same format. One is part of the repository (`tests/data/golden`, see its
README). The other is outside: the environment variable SUPERWORD_GOLDEN names its directory, and
the default is `../shared/golden` beside the repository. Its tests are skipped where it is absent.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import zstandard

TESTS = Path(__file__).resolve().parents[1]
OUTSIDE = Path(os.environ.get("SUPERWORD_GOLDEN") or TESTS.parents[1] / "shared" / "golden")
FILES = ("golden.json.gz", "train.jsonl.zst", "hold.jsonl.zst")

# The options of each kind of model. Its name in a set is PRESET/KIND/VOCABULARY[/SUPERMERGES].
KINDS: dict[str, dict[str, Any]] = {
    "bpe": {"method": "bpe"},
    "boundless": {"method": "boundless"},
    "boundless-greedy": {"method": "boundless", "greedy_split": True},
    "superbpe": {"method": "superbpe"},
    "picky-0.9-parts": {"method": "bpe", "picky": 0.9},
    "picky-boundless-0.9-parts": {"method": "boundless", "picky": 0.9},
    "picky-0.9-bytes": {"method": "bpe", "picky": 0.9, "picky_split": "bytes"},
    "picky-boundless-0.9-bytes": {"method": "boundless", "picky": 0.9, "picky_split": "bytes"},
}


@dataclass(frozen=True)
class GoldenSet:
    """One set of recorded results. Its contents are listed here so that none goes untested."""

    name: str
    directory: Path
    presets: tuple[str, ...]
    models: tuple[str, ...]

    @property
    def train_file(self) -> Path:
        """The file of the training documents."""
        return self.directory / "train.jsonl.zst"

    @property
    def recorded(self) -> dict[str, Any]:
        """Everything that was recorded: `pretokens` and `models`."""
        return _load_results(self.directory)

    def documents(self, part: str) -> list[str]:
        """Return the documents of `train` or `hold`."""
        return _load_documents(self.directory / f"{part}.jsonl.zst")

    def marks(self) -> list[pytest.MarkDecorator]:
        """Skip the tests of a set that is absent. The committed set is never absent."""
        absent = not all((self.directory / name).exists() for name in FILES)
        reason = (
            f"no recorded results in {self.directory}; "
            "set SUPERWORD_GOLDEN to the directory that has them"
        )
        return [pytest.mark.skipif(absent and self is not COMMITTED_SET, reason=reason)]


COMMITTED_SET = GoldenSet(
    name="committed",
    directory=TESTS / "data" / "golden",
    presets=("gpt4o-script", "gpt4o"),
    models=(
        "gpt4o-script/bpe/3000",
        "gpt4o-script/boundless/3000",
        "gpt4o-script/boundless-greedy/3000",
        "gpt4o-script/superbpe/3000/250",
        "gpt4o/bpe/3000",
        "gpt4o/boundless/3000",
        "gpt4o-script/picky-0.9-bytes/2500",
        "gpt4o-script/picky-boundless-0.9-bytes/2500",
    ),
)
OUTSIDE_SET = GoldenSet(
    name="outside",
    directory=OUTSIDE,
    presets=("gpt4o-script", "gpt4o", "gpt4o-export"),
    models=(
        "gpt4o-script/bpe/5000",
        "gpt4o-script/boundless/5000",
        "gpt4o-script/boundless-greedy/5000",
        "gpt4o-script/superbpe/5000/323",
        "gpt4o/bpe/5000",
        "gpt4o/boundless/5000",
        "gpt4o-export/bpe/5000",
        "gpt4o-export/boundless/5000",
        "gpt4o-script/picky-0.9-parts/3000",
        "gpt4o-script/picky-boundless-0.9-parts/3000",
        "gpt4o-script/picky-0.9-bytes/3000",
        "gpt4o-script/picky-boundless-0.9-bytes/3000",
    ),
)
SETS = (COMMITTED_SET, OUTSIDE_SET)


def each_set() -> pytest.MarkDecorator:
    """Run a test for each set, as `golden`."""
    sets = [pytest.param(golden, marks=golden.marks(), id=golden.name) for golden in SETS]
    return pytest.mark.parametrize("golden", sets)


def each_preset() -> pytest.MarkDecorator:
    """Run a test for each recorded preset of each set, as `golden` and `preset`."""
    return _each("preset", lambda golden: golden.presets)


def each_model() -> pytest.MarkDecorator:
    """Run a test for each recorded model of each set, as `golden` and `name`."""
    return _each("name", lambda golden: golden.models)


def _each(argument: str, items: Callable[[GoldenSet], Iterable[str]]) -> pytest.MarkDecorator:
    cases = [
        pytest.param(golden, item, marks=golden.marks(), id=f"{golden.name}-{item}")
        for golden in SETS
        for item in items(golden)
    ]
    return pytest.mark.parametrize(("golden", argument), cases)


def options_of(name: str) -> dict[str, Any]:
    """Return the options of `superword.train` with which a recorded model was trained."""
    preset, kind, size, *supermerges = name.split("/")
    options = {"vocab_size": int(size), "pretokenizer": preset, "alphabet": "utf8", **KINDS[kind]}
    if supermerges:
        options["supermerges"] = int(supermerges[0])
    return options


def comparable(name: str, recorded: list[list[Any]]) -> int:
    """Return how many of the recorded events ours must equal, counted from the start.

    All of them, with one exception. With `picky_split="parts"` the paper's program and superword
    treat a deleted token differently if one of its parts was deleted before. The program leaves the
    deleted part in its sequences. superword replaces it by its own nearest parts that still exist
    (see "PickyBPE" in docs/concepts.md). So counts, and with them the order of events, may differ
    after the first deletion of this kind. Vocabulary and encodings are still compared in full.
    """
    if not name.split("/")[1].endswith("-parts"):
        return len(recorded)
    made_of: dict[bytes, tuple[bytes, bytes]] = {}
    deleted: set[bytes] = set()
    for number, (kind, *tokens) in enumerate(recorded):
        if kind == "m":
            left, right = (base64.b64decode(token) for token in tokens[:2])
            if left + right not in made_of or left + right in deleted:
                made_of[left + right] = left, right
            deleted.discard(left + right)
        else:
            token = base64.b64decode(tokens[0])
            deleted.add(token)
            if not deleted.isdisjoint(made_of[token]):
                return number + 1
    return len(recorded)


def as_recorded(token: bytes) -> str:
    """Return a token in the notation of the recorded results."""
    return base64.b64encode(token).decode("ascii")


@cache
def _load_results(directory: Path) -> dict[str, Any]:
    with gzip.open(directory / "golden.json.gz", "rt", encoding="utf-8") as file:
        data: dict[str, Any] = json.load(file)
    return data


@cache
def _load_documents(path: Path) -> list[str]:
    with path.open("rb") as file:
        raw = zstandard.ZstdDecompressor().stream_reader(file).read()
    return [json.loads(line)["text"] for line in raw.decode().split("\n") if line]

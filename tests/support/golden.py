"""What the paper's own program computed, for the tests that compare with it.

The recorded results are no part of this repository. They are looked for in the folder that the
environment variable SUPERWORD_GOLDEN names, else in ../shared/golden beside the repository.
"""

from __future__ import annotations

import base64
import functools
import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
import zstandard

REPOSITORY = Path(__file__).resolve().parents[2]
GOLDEN = Path(os.environ.get("SUPERWORD_GOLDEN") or REPOSITORY.parent / "shared" / "golden")
FILES = ("golden.json.gz", "train.jsonl.zst", "hold.jsonl.zst")

needs_golden = pytest.mark.skipif(
    not all((GOLDEN / name).exists() for name in FILES),
    reason=f"no recorded results in {GOLDEN} (set SUPERWORD_GOLDEN to the folder that has them)",
)

PRESETS = ["gpt4o-script", "gpt4o", "gpt4o-export"]
MODELS: dict[str, dict[str, Any]] = {
    "gpt4o-script/bpe/5000": {"method": "bpe"},
    "gpt4o-script/boundless/5000": {"method": "boundless"},
    "gpt4o-script/boundless-greedy/5000": {"method": "boundless", "greedy_split": True},
    "gpt4o-script/superbpe/5000/323": {"method": "superbpe", "supermerges": 323},
    "gpt4o/bpe/5000": {"method": "bpe"},
    "gpt4o/boundless/5000": {"method": "boundless"},
    "gpt4o-export/bpe/5000": {"method": "bpe"},
    "gpt4o-export/boundless/5000": {"method": "boundless"},
    "gpt4o-script/picky-0.9-parts/3000": {"method": "bpe", "picky": 0.9},
    "gpt4o-script/picky-boundless-0.9-parts/3000": {"method": "boundless", "picky": 0.9},
    "gpt4o-script/picky-0.9-bytes/3000": {
        "method": "bpe",
        "picky": 0.9,
        "picky_split": "bytes",
    },
    "gpt4o-script/picky-boundless-0.9-bytes/3000": {
        "method": "boundless",
        "picky": 0.9,
        "picky_split": "bytes",
    },
}


def options_of(name: str) -> dict[str, Any]:
    """The options with which a recorded model was trained."""
    preset, _, size, *_ = name.split("/")
    return {
        "vocab_size": int(size),
        "pretokenizer": preset,
        "alphabet": "utf8",
        **MODELS[name],
    }


@functools.cache
def golden() -> dict[str, Any]:
    """All that was recorded."""
    with gzip.open(GOLDEN / "golden.json.gz", "rt", encoding="utf-8") as file:
        data: dict[str, Any] = json.load(file)
    return data


@functools.cache
def documents(name: str) -> list[str]:
    """The documents of `train` or `hold`."""
    with (GOLDEN / f"{name}.jsonl.zst").open("rb") as file:
        raw = zstandard.ZstdDecompressor().stream_reader(file).read()
    return [json.loads(line)["text"] for line in raw.decode().split("\n") if line]


def written(token: bytes) -> str:
    """A token as it is written in the records."""
    return base64.b64encode(token).decode("ascii")

"""The reference computes what the paper's own program computed, in everything it recorded.

The recorded results are no part of this repository. They are looked for in the folder that the
environment variable SUPERWORD_GOLDEN names, else in ../shared/golden beside the repository.
"""

import base64
import functools
import gzip
import importlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from superword import reference

REPOSITORY = Path(__file__).resolve().parents[2]
GOLDEN = Path(os.environ.get("SUPERWORD_GOLDEN", REPOSITORY.parent / "shared" / "golden"))
FILES = ("golden.json.gz", "train.jsonl.zst", "hold.jsonl.zst")

pytestmark = pytest.mark.skipif(
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


@functools.cache
def golden() -> dict[str, Any]:
    with gzip.open(GOLDEN / "golden.json.gz", "rt", encoding="utf-8") as file:
        data: dict[str, Any] = json.load(file)
    return data


@functools.cache
def documents(name: str) -> list[str]:
    raw = decompress(GOLDEN / f"{name}.jsonl.zst").decode("utf-8")
    return [json.loads(line)["text"] for line in raw.split("\n") if line]


def decompress(path: Path) -> bytes:
    for module in ("compression.zstd", "zstandard"):
        try:
            zstd: Any = importlib.import_module(module)
        except ImportError:
            continue
        if module == "zstandard":
            with path.open("rb") as file:
                data: bytes = zstd.ZstdDecompressor().stream_reader(file).read()
        else:
            data = zstd.decompress(path.read_bytes())
        return data
    if shutil.which("zstd") is None:
        pytest.skip("nothing here reads zstd: neither Python 3.14, zstandard nor the zstd command")
    return subprocess.run(["zstd", "-dc", str(path)], capture_output=True, check=True).stdout


def test_every_recorded_result_is_tested() -> None:
    assert set(golden()["models"]) == set(MODELS)
    assert set(golden()["pretokens"]) == set(PRESETS)


@pytest.mark.parametrize("preset", PRESETS)
def test_pretokens_are_the_recorded_ones(preset: str) -> None:
    ours = [reference.split(text, preset) for text in documents("hold")]
    assert ours == golden()["pretokens"][preset]


@pytest.mark.parametrize("name", MODELS)
def test_model_and_encodings_are_the_recorded_ones(name: str) -> None:
    preset, _, size, *_ = name.split("/")
    recorded = golden()["models"][name]
    tok = reference.train(
        documents("train"), int(size), pretokenizer=preset, alphabet="utf8", **MODELS[name]
    )
    events = [
        ["d", text(event.token)]
        if isinstance(event, reference.Delete)
        else ["m", text(event.left), text(event.right), event.count]
        for event in tok.events
    ]
    assert events == recorded["events"]
    supermerges = [[text(left), text(right), count] for left, right, count in tok.supermerges]
    assert supermerges == recorded["supermerges"]
    assert tok.n_vocab == recorded["vocab"]
    for document, expected in zip(documents("hold"), recorded["encodings"], strict=True):
        ids = tok.encode(document)
        assert [text(tok.token_bytes(i)) for i in ids] == expected
        assert tok.decode(ids) == document


def text(token: bytes) -> str:
    return base64.b64encode(token).decode("ascii")

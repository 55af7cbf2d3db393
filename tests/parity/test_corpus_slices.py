"""Engine and reference agree on real text: a slice of every file of the outside corpus."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import zstandard
from superword import Pretokenizer, reference
from support.parity import assert_agree

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(os.environ.get("SUPERWORD_CORPUS") or ROOT.parent / "shared" / "corpus")
FILES = sorted(CORPUS.rglob("*.jsonl.zst")) if CORPUS.is_dir() else []
CHARACTERS = 8_000  # Per file: 63 files should take at most a minute and a half.

pytestmark = pytest.mark.skipif(
    not FILES, reason=f"no corpus in {CORPUS} (set SUPERWORD_CORPUS to the folder that has one)"
)


def beginning(path: Path) -> list[str]:
    """Return the first documents of a file, each cut to a third of the slice."""
    texts: list[str] = []
    with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as reader:
        data = reader.read(1_000_000)
    for line in data.split(b"\n")[:-1]:
        left = CHARACTERS - sum(map(len, texts))
        if left <= 0:
            break
        texts.append(json.loads(line)["text"][: min(left, CHARACTERS // 3)])
    return texts


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.name).split(".")[0])
def test_slice_of_a_file(path: Path) -> None:
    texts = beginning(path)
    assert sum(map(len, texts)) > 1_000
    # Every file has the default presets and two others, so that each preset meets many languages.
    names = list(reference.PRESETS)
    place = FILES.index(path)
    for preset in {"gpt4o-script", "gpt4o-portable", *(names * 2)[place % len(names) :][:2]}:
        ours, theirs = Pretokenizer(preset), reference.Pretokenizer(preset)
        for text in texts:
            assert ours.split(text) == theirs.split(text)
    assert_agree(texts, vocab_size=500, method="boundless")

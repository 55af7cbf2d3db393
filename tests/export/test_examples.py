"""The scripts in examples/ run and do what they promise."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.export_models import scripts, training_text

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TEXTS = training_text(11, 60)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "m.superword"
    scripts().save(path)
    return path


def run(name: str, *arguments: object) -> str:
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def jsonl(folder: Path) -> Path:
    path = folder / "texts.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    return path


def test_arrow_map(model: Path, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"text": TEXTS}), tmp_path / "texts.parquet")
    said = run("arrow_map.py", model, tmp_path / "texts.parquet", tmp_path / "ids.parquet")
    written = pq.read_table(tmp_path / "ids.parquet").to_pydict()
    assert written["input_ids"] == scripts().encode_batch(TEXTS)
    assert said == f"{sum(written['length'])} tokens\n"


def test_data_loader(model: Path, tmp_path: Path) -> None:
    tokens = sum(len(scripts().encode(text)) + 1 for text in TEXTS)
    said = run("data_loader.py", model, jsonl(tmp_path))
    assert said == f"{(tokens - 1) // 64 // 4} batches\n"


def test_prepare_nanogpt(model: Path, tmp_path: Path) -> None:
    run("prepare_nanogpt.py", model, tmp_path / "data", jsonl(tmp_path))
    meta = json.loads((tmp_path / "data" / "meta.json").read_text())
    tok = scripts()
    assert meta["dtype"] == "uint16"
    assert meta["vocab_size"] == tok.n_vocab
    for split, chosen in (("val", [0, 20, 40]), ("train", [n for n in range(60) if n % 20])):
        ids = np.memmap(tmp_path / "data" / f"{split}.bin", dtype=np.uint16, mode="r")
        expected = [id for n in chosen for id in [*tok.encode(TEXTS[n]), tok.eot_token]]
        assert ids.tolist() == expected
        assert meta["tokens"][split] == len(expected)

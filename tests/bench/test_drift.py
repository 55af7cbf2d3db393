"""The nightly comparison finds work that became slower, and nothing else."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def trained(trainer: str, seconds: float, method: str = "bpe") -> dict[str, Any]:
    return {
        "trainer": trainer,
        "method": method,
        "cutting": True,
        "bytes": 10_000_000,
        "vocab_size": 32768,
        "threads": 2,
        "failed": None,
        "seconds": seconds,
    }


def encoded(encoder: str, first: float) -> dict[str, Any]:
    where = {"text": "english", "threads": 1, "failed": None, "bytes": 1_000_000}
    return {"encoder": encoder, "first": first, **where}


@pytest.fixture
def before() -> dict[str, Any]:
    return {
        "peers": {name: {"version": "1"} for name in ("a", "b", "c", "superword")},
        "training": {
            "results": [
                trained("superword", 1.0),
                trained("superword", 2.0, "boundless"),
                trained("a", 4.0),
                trained("b", 10.0),
                trained("c", 5.0),
            ]
        },
        "encoding": {
            "models": {"words": {}, "boundless": {}},
            "results": [encoded("words", 1.0), encoded("boundless", 2.0), encoded("a", 8.0)],
        },
    }


def slowed(result: dict[str, Any], factor: float) -> dict[str, Any]:
    """The same run on a machine that takes `factor` times as long."""
    result = copy.deepcopy(result)
    for record in result["training"]["results"]:
        record["seconds"] *= factor
    for record in result["encoding"]["results"]:
        record["first"] *= factor
    return result


def compare(
    tmp_path: Path, new: dict[str, Any], before: dict[str, Any], *options: str
) -> subprocess.CompletedProcess[str]:
    for name, result in (("new", new), ("before", before)):
        (tmp_path / f"{name}.json").write_text(json.dumps(result), encoding="utf-8")
    files = [str(tmp_path / "new.json"), str(tmp_path / "before.json")]
    command = [sys.executable, "-m", "benches.drift", *files, *options]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )


def test_a_slower_machine_is_no_drift(tmp_path: Path, before: dict[str, Any]) -> None:
    done = compare(tmp_path, slowed(before, 3.0), before)
    assert done.returncode == 0, done.stderr
    assert "slower" not in done.stdout
    assert "| train boundless, 10 MB, 32,768 tokens | 1.00 × | 3 |  |" in done.stdout
    assert "| encode english with words | 1.00 × | 1 |  |" in done.stdout


def test_work_that_became_slower_is_found(tmp_path: Path, before: dict[str, Any]) -> None:
    new = slowed(before, 0.5)
    new["training"]["results"][1]["seconds"] *= 2
    done = compare(tmp_path, new, before)
    assert done.returncode == 1
    slower = [line for line in done.stdout.splitlines() if "| slower |" in line]
    assert slower == ["| train boundless, 10 MB, 32,768 tokens | 0.50 × | 3 | slower |"]
    assert "::warning::train boundless" in done.stdout
    assert compare(tmp_path, new, before, "--warn").returncode == 0
    assert compare(tmp_path, new, before, "--tolerance", "0.6").returncode == 0


def test_one_peer_that_became_faster_is_no_drift(tmp_path: Path, before: dict[str, Any]) -> None:
    new = copy.deepcopy(before)
    new["training"]["results"][2]["seconds"] /= 10
    assert compare(tmp_path, new, before).returncode == 0


def test_another_version_of_a_peer_does_not_count(tmp_path: Path, before: dict[str, Any]) -> None:
    new = copy.deepcopy(before)
    new["peers"]["a"]["version"] = "2"
    new["encoding"]["results"][2]["first"] /= 10
    done = compare(tmp_path, new, before)
    assert done.returncode == 0
    assert "encode" not in done.stdout
    assert "| 2 |  |" in done.stdout


def test_failed_measurements_do_not_count(tmp_path: Path, before: dict[str, Any]) -> None:
    new = copy.deepcopy(before)
    for record in new["training"]["results"] + new["encoding"]["results"]:
        record["failed"] = "the ids differ"
    done = compare(tmp_path, new, before)
    assert done.returncode == 2
    assert "no work in common" in done.stderr


def test_the_recorded_run_can_be_compared(tmp_path: Path) -> None:
    recorded = sorted((ROOT / "benches" / "results").glob("*.json"))[-1]
    command = [sys.executable, "-m", "benches.drift", str(recorded)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    assert "train boundless" in done.stdout
    assert "encode english with boundless" in done.stdout

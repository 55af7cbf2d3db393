"""The record of how runs in a work directory went."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import superword
from superword._files.timeline import TIMELINE, Timeline, runs_in

pytestmark = pytest.mark.filterwarnings("ignore::superword.errors.ShortfallWarning")


def train(jsonl: Path, work: Path, **options: Any) -> superword.Tokenizer:
    return superword.train(jsonl, vocab_size=400, work_dir=work, **options)


def test_a_run_is_recorded_and_the_model_is_the_same(jsonl: Path, tmp_path: Path) -> None:
    seen: list[superword.training.Progress] = []
    model = train(jsonl, tmp_path / "work", progress=seen.append)
    assert model == superword.train(jsonl, vocab_size=400)
    assert seen  # The callback of the caller is called too.
    (run,) = runs_in(tmp_path / "work")
    assert run["complete"]
    assert (run["method"], run["vocab_size"]) == ("boundless", 400)
    assert run["documents"] == model.facts["documents"]
    assert run["bytes"] == model.facts["bytes"]
    assert list(run["phases"]) == ["count", "merge", "candidates", "supermerge"]
    for phase in run["phases"].values():
        seconds = [point[0] for point in phase["points"]]
        assert seconds == sorted(seconds)
        assert seconds[-1] <= run["seconds"]
        assert phase["points"][-1][1] == phase["total"]
    assert set(run["peak_memory_by_phase"]) <= set(run["phases"])
    assert run["counts"]["unique_pretokens"] == model.facts["unique_pretokens"]
    assert run["counts"]["attempts"] >= 1
    assert run["found"] == dict.fromkeys(run["phases"], 0)
    assert all(run["added"].values())


def test_a_resumed_run_says_what_was_there(jsonl: Path, tmp_path: Path) -> None:
    train(jsonl, tmp_path)
    train(jsonl, tmp_path)
    first, second = runs_in(tmp_path)
    assert second["found"] == first["added"]
    assert not any(second["added"].values())


def test_a_stopped_run_is_recorded_as_incomplete(jsonl: Path, tmp_path: Path) -> None:
    def stop(progress: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(jsonl, tmp_path, progress=stop)
    (run,) = runs_in(tmp_path)
    assert not run["complete"]


def test_groups_are_recorded(jsonl: Path, tmp_path: Path) -> None:
    superword.train({"en": jsonl}, vocab_size=300, work_dir=tmp_path / "work")
    (run,) = runs_in(tmp_path / "work")
    assert run["groups"] == {str(jsonl): "en"}


def test_a_record_that_cannot_be_written_does_not_stop_training(
    jsonl: Path, tmp_path: Path
) -> None:
    (tmp_path / TIMELINE).mkdir()
    assert train(jsonl, tmp_path) == superword.train(jsonl, vocab_size=400)
    assert runs_in(tmp_path) == []


@pytest.mark.parametrize(
    "content", ["", "[]", '{"format": 99}', '{"format": 1, "runs": 5}', "\xff"]
)
def test_a_damaged_record_is_replaced(jsonl: Path, tmp_path: Path, content: str) -> None:
    (tmp_path / TIMELINE).write_text(content, encoding="latin-1")
    train(jsonl, tmp_path)
    assert len(runs_in(tmp_path)) == 1


def test_without_a_work_directory_nothing_is_recorded(
    jsonl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    superword.train(jsonl, vocab_size=300)
    assert sorted(tmp_path.rglob("*")) == before


def test_long_runs_are_thinned_and_keep_their_end() -> None:
    timeline = Timeline()
    record = timeline.watching(None)
    for done in range(50_000):
        record("count", "bytes", done, 50_000)
    phase = timeline.described()["phases"]["count"]
    assert 2 <= len(phase["points"]) <= 402
    assert phase["points"][0][1] == 0
    assert phase["points"][-1][1] == 49_999
    json.dumps(phase)

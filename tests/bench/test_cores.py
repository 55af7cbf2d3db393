"""The benchmark by number of threads: what is compared, and when a time counts."""

from __future__ import annotations

import importlib
import json
import lzma
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
RECORDED = sorted((ROOT / "benches" / "results" / "cores").glob("*.json"))


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    return lambda name: importlib.import_module(f"benches.{name}")


def result(counts: list[int], **seconds: list[float]) -> dict[str, Any]:
    """Make results of 100 bytes each, given seconds by `work__who__form__key`."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for name, values in seconds.items():
        work, who, form, key = name.split("__")
        for count, value in zip(counts, values, strict=True):
            one = found.setdefault(
                (work, who, form, count),
                {"work": work, "who": who, "form": form, "threads": count, "bytes": 100},
            )
            one |= {key: value, "failed": None, "digest": "d"}
    return {"counts": counts, "results": list(found.values())}


def verdicts(module: Any, given: dict[str, Any]) -> dict[str, bool | None]:
    return {bar.work: bar.met for bar in module("cores.bars").bars(given)}


def test_sixteen_threads_are_compared_with_one(module: Any) -> None:
    good = verdicts(module, result([1, 16], train__bpe__jsonl__seconds=[10.0, 2.0]))
    bad = verdicts(module, result([1, 16], train__bpe__jsonl__seconds=[10.0, 2.1]))
    assert good["whole BPE run, 16 threads"] is True
    assert bad["whole BPE run, 16 threads"] is False
    assert bad["whole BoundlessBPE run, 16 threads"] is None
    files = verdicts(module, result([1, 16], encode_files__words__jsonl__seconds=[11.0, 1.0]))
    assert files["encode_files, words, 16 threads"] is False
    # Fewer cores cannot meet a bar for sixteen.
    assert verdicts(module, result([1, 2], train__bpe__jsonl__seconds=[9.0, 1.0])) | {
        "whole BPE run, 2 threads": None
    } == verdicts(module, result([1, 2], train__bpe__jsonl__seconds=[9.0, 1.0]))


def test_one_number_of_threads_below_the_bar_misses_it(module: Any) -> None:
    peer = {"encode__gigatoken__bytes__first": [12.0, 6.0, 3.0]}
    good = result([1, 4, 16], **peer, encode__words__str__first=[10.0, 5.0, 2.5])
    bad = result([1, 4, 16], **peer, encode__words__str__first=[5.0, 5.1, 1.0])
    assert verdicts(module, good)["words, list of str, first pass"] is True
    missed = next(
        bar
        for bar in module("cores.bars").bars(bad)
        if bar.work == "words, list of str, first pass"
    )
    assert missed.met is False
    assert missed.verdict == "**missed** by 2%"
    assert "1.18 × on 4" in missed.measured
    # A number of threads without a result leaves the bar open.
    lacking = good | {"results": [r for r in good["results"] if r["threads"] != 4]}
    assert verdicts(module, lacking)["words, list of str, first pass"] is None


def test_cpu_time_is_compared_with_gigabpe(module: Any) -> None:
    times = {"train__gpt2__jsonl__cpu_seconds": [1.0, 1.0]}
    good = result([1, 16], **times, train__gigabpe__txt__cpu_seconds=[3.0, 2.9])
    found = verdicts(module, good)
    assert found["BPE, GPT-2's pattern, CPU time, 1 thread"] is True
    assert found["BPE, GPT-2's pattern, CPU time, 16 threads"] is False


def test_another_model_on_more_threads_is_a_bar_missed(module: Any) -> None:
    given = result([1, 16], train__bpe__jsonl__seconds=[10.0, 2.0])
    assert verdicts(module, given)["the models"] is True
    given["results"][1]["failed"] = "another model"
    assert verdicts(module, given)["the models"] is False


def test_a_small_run_checks_records_and_renders(
    module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    workloads, main = module("cores.workloads"), module("cores.__main__")
    monkeypatch.setattr(workloads, "SCRATCH", tmp_path)
    monkeypatch.setattr(workloads, "MORE_THREADS", ())
    monkeypatch.setattr(main, "PEERS", ())
    monkeypatch.setattr(main, "versions", lambda: {"superword": "1"})
    text = tmp_path / "en.jsonl.xz"
    lines = [json.dumps({"text": f"as well as the rest of part {n} of it"}) for n in range(400)]
    text.write_bytes(lzma.compress("\n".join(lines).encode()))
    arguments = ["--corpus", str(text), "--output", str(tmp_path / "out"), "--threads", "1,2"]
    monkeypatch.setenv("CORPUS", "")
    arguments += ["--train", "0.01", "--encode", "0.004", "--vocab-size", "300", "--rounds", "1"]
    main.main(arguments)
    assert "# Many cores" in capsys.readouterr().out
    (path,) = (tmp_path / "out").glob("*.json")
    recorded = json.loads(path.read_text())
    done = {
        (r["work"], r["who"], r["form"], r["threads"]): r
        for r in recorded["results"]
        if not r["failed"]
    }
    for count in (1, 2):
        assert done["train", "boundless", "jsonl", count]["seconds"] > 0
        assert done["encode", "superwords", "str", count]["first"] > 0
        assert done["encode_files", "words", "jsonl", count]["digest"]
        assert done["compress", "zlib", "bytes", count]["seconds"] > 0
    assert module("cores.report").page(recorded) == path.with_suffix(".md").read_text()
    assert str(tmp_path) not in path.read_text()


@pytest.mark.skipif(not RECORDED, reason="no results are recorded yet")
def test_recorded_pages_are_rendered_from_their_json(module: Any) -> None:
    for path in RECORDED:
        page = module("cores.report").page(json.loads(path.read_text()))
        assert path.with_suffix(".md").read_text() == page, path.name

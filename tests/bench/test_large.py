"""The benchmark on a large corpus: how the corpus is made, and what is measured."""

from __future__ import annotations

import importlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
RECORDED = sorted((ROOT / "benches" / "results" / "large").glob("*.json"))


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    return lambda name: importlib.import_module(f"benches.{name}")


def archive(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as made:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            made.addfile(member, io.BytesIO(data))
    return path


def test_text_files_are_taken_and_data_is_left_out(module: Any, tmp_path: Path) -> None:
    text = b"int main(void) { return 0; } /* an example */\n" * 3
    path = archive(
        tmp_path / "a.tar.gz",
        {
            "a/main.c": text,
            "a/short": b"x",
            "a/image.png": b"\x89PNG\0\0" * 50,
            "a/table": b"0123456789 " * 50,
        },
    )
    assert list(module("large.corpus").text_files(path)) == [text]
    damaged = tmp_path / "b.tar.gz"
    damaged.write_bytes(path.read_bytes()[:60])
    assert list(module("large.corpus").text_files(damaged)) == []


def test_an_interrupted_corpus_continues_after_the_last_package(
    module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = module("large.corpus")
    monkeypatch.setattr(corpus, "PART_BYTES", 100)
    whole = corpus.Output(tmp_path / "whole")
    killed = corpus.Output(tmp_path / "killed")
    packages = [[b"a" * 60, b"b" * 60], [b"a" * 60, b"\xff\xff", "é".encode() * 30], [b"c" * 60]]
    for number, files in enumerate(packages[:2]):
        for output in (whole, killed):
            for data in files:
                output.add(data)
            output.finished(f"p{number}")
    killed.add(b"never finished " * 20)
    killed.close()
    again = corpus.Output(tmp_path / "killed")
    assert again.done == {"p0", "p1"}
    for output in (whole, again):
        assert output.add(b"a" * 60) == 0  # seen before
        assert output.add(packages[2][0]) == 60
        output.finished("p2")
        output.close()
    parts = [sorted((tmp_path / name).glob("part-*.jsonl")) for name in ("whole", "killed")]
    assert [p.read_bytes() for p in parts[0]] == [p.read_bytes() for p in parts[1]]
    assert len(parts[0]) > 1
    texts = [json.loads(line)["text"] for p in parts[0] for line in p.open(encoding="utf-8")]
    assert texts == ["a" * 60, "b" * 60, "é" * 30, "c" * 60]


def test_an_index_gives_each_archive_once(module: Any) -> None:
    def stanza(package: str, *files: tuple[str, int, str]) -> str:
        lines = "".join(f" {digest} {size} {name}\n" for digest, size, name in files)
        return f"Package: {package}\nDirectory: pool/{package}\nChecksums-Sha256:\n{lines}"

    index = "\n".join(
        [
            stanza("a", ("1", 10, "a_1.orig.tar.gz"), ("2", 5, "a_1.debian.tar.xz")),
            stanza("b", ("1", 10, "b_1.orig.tar.gz"), ("3", 5, "b_1.dsc")),
            stanza("c", ("4", 10**9, "c_1.tar.xz")),
            stanza("d", ("5", 10, "d_1.tar.xz")),
        ]
    )
    found = module("large.corpus").archives(index)
    assert [(a.package, a.path, a.sha256) for a in found] == [
        ("b", "pool/b/b_1.orig.tar.gz", "1"),
        ("d", "pool/d/d_1.tar.xz", "5"),
    ]


@pytest.mark.parametrize(
    ("hint", "limit"),
    [
        ("give --max-memory of 100663296 or more, or use fewer --threads", "100663296"),
        ("give --max-memory of more than 101203968, or train on a --sample", "101203968"),
        ("give --max-memory 2.1GB or more", "2.1GB"),
        ("use fewer --threads", None),
    ],
)
def test_the_number_in_a_refusal_is_tried(module: Any, hint: str, limit: str | None) -> None:
    assert module("large.measure").wanted(hint) == limit


def run(**changes: Any) -> dict[str, Any]:
    return {
        "seconds": 100.0,
        "cpu_seconds": 30.0,
        "peak_memory": 1_300_000_000,
        "sampled_peak": 1_300_000_000,
        "bytes": 5_000_000_000,
        "phases": {},
        "estimates": {"of": "run", "0.2": {"at": 0.2, "phase": "count"}},
        "report": {"unique_pretokens": 10_000_000},
        "sha256": "a",
        "refused": None,
    } | changes


def verdicts(module: Any, free: dict[str, Any], *limited: dict[str, Any]) -> dict[str, Any]:
    free["estimates"].setdefault("0.2", {}).update(
        said=free.pop("said", 80.0), truth=80.0, at=0.2, phase="count"
    )
    given = {"runs": {"bpe": {"free": free, "limited": list(limited)}}, "vocab": 10}
    return {bar.work: bar.met for bar in module("large.bars").bars(given)}


def test_bars_of_a_large_corpus_are_met_or_missed(module: Any) -> None:
    good = verdicts(module, run())
    assert good == {
        "BPE, CPU time": True,
        "BPE, peak memory": True,
        "BPE, estimate of the time left after 20 % of the run": True,
    }
    bad = verdicts(module, run(cpu_seconds=31.0, peak_memory=1_310_000_000, said=121.0))
    assert not any(bad.values())
    assert verdicts(module, run(said=50.0)).popitem()[1] is False
    small = verdicts(module, run(bytes=1_000_000, report={"unique_pretokens": 1000}))
    assert small["BPE, CPU time"] is small["BPE, peak memory"] is None


def test_less_memory_must_give_the_same_model_or_an_early_refusal(module: Any) -> None:
    refused = {"message": "m", "hint": "h"}

    def verdict(**changes: Any) -> Any:
        tried = run(share="half", limit="650000000", **changes)
        return verdicts(module, run(), tried)["BPE, max_memory at a half of the peak"]

    assert verdict(seconds=149.0) is True
    assert verdict(seconds=151.0) is False
    assert verdict(sha256="b") is False
    assert verdict(refused=refused, seconds=1.0, again=run()) is True
    assert verdict(refused=refused, seconds=50.0, again=run()) is False
    assert verdict(refused=refused, seconds=1.0, again=run(refused=refused)) is False
    assert verdict(refused=refused, seconds=1.0, again=run(sha256="b")) is False
    assert verdict(refused=refused, seconds=1.0, again=None) is False


def test_a_run_is_followed_by_phase(module: Any, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    lines = [json.dumps({"text": f"as well as the rest of part {n} of it"}) for n in range(4000)]
    (corpus / "part-00.jsonl").write_text("\n".join(lines) + "\n")
    measure = module("large.measure").measure
    path = measure(corpus, tmp_path / "out", 300, ["boundless"], ["half"])
    recorded = json.loads(path.read_text())
    free = recorded["runs"]["boundless"]["free"]
    assert free["refused"] is None
    assert set(free["phases"]) >= {"count", "merge"}
    assert free["report"]["unique_pretokens"] > 1000
    assert free["n_vocab"] == 300
    assert free["peak_memory"] >= free["sampled_peak"] > 1_000_000
    assert free["cpu_seconds"] > 0
    (less,) = recorded["runs"]["boundless"]["limited"]
    assert less["refused"] is None or less["again"]["limit"]
    assert str(tmp_path) not in path.read_text()
    assert module("large.report").page(recorded) == path.with_suffix(".md").read_text()


@pytest.mark.skipif(not RECORDED, reason="no results are recorded yet")
def test_recorded_pages_are_rendered_from_their_json(module: Any) -> None:
    for path in RECORDED:
        page = module("large.report").page(json.loads(path.read_text()))
        assert path.with_suffix(".md").read_text() == page, path.name

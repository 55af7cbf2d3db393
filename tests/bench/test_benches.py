"""The benchmark measures what it claims, and published numbers are the recorded ones."""

from __future__ import annotations

import importlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import superword

ROOT = Path(__file__).resolve().parent.parent.parent
RECORDED = sorted((ROOT / "benches" / "results").glob("*.json"))


@pytest.fixture
def benches(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    for name in (
        "render",
        "output.bars",
        "running.measure",
        "running.models",
        "peers",
        "training",
        "environment",
        "cluster.tables",
    ):
        importlib.import_module(f"benches.{name}")
    return sys.modules["benches"]


def test_readme_shows_what_the_newest_recorded_run_gives(benches: Any) -> None:
    readme = (ROOT / "README.md").read_text()
    for name in ("training", "encoding"):
        assert f"<!-- bench:{name} -->" in readme
    assert benches.render.update_readme(readme, benches.render.newest()) == readme


def test_the_cluster_page_has_the_recorded_numbers(benches: Any) -> None:
    cluster_tables = benches.cluster.tables
    page = cluster_tables.PAGE.read_text(encoding="utf-8")
    assert cluster_tables.rendered(page) == page
    ways = cluster_tables.newest()["ways"]
    assert len({found["sha256"] for found in ways.values()}) == 1


def test_growth_follows_a_power_of_the_size(benches: Any) -> None:
    cluster_tables = benches.cluster.tables
    rows = [{"bytes": 10, "pretokens": 100}, {"bytes": 40, "pretokens": 200}]
    grown = cluster_tables.Growth({"growth": rows})
    assert grown.exponent("pretokens") == pytest.approx(0.5)
    assert grown.at("pretokens", 4000) == pytest.approx(2000)
    assert cluster_tables.amount(2_946_538) == "2.9 M"
    assert cluster_tables.duration(5000) == "83 min"


@pytest.mark.skipif(not RECORDED, reason="no results are recorded yet")
def test_recorded_pages_are_rendered_from_their_json(benches: Any) -> None:
    for path in RECORDED:
        plots = benches.render.plots_of(path)
        page = benches.render.page(benches.render.load(path), plots)
        assert path.with_suffix(".md").read_text() == page, path.name


@pytest.mark.skipif(not RECORDED, reason="no results are recorded yet")
def test_recorded_runs_name_no_machine_and_no_path() -> None:
    # The kind of machine, but nothing that identifies one: no host, user or network name.
    kind = {"processor", "cores", "memory_bytes", "system", "architecture"}
    kind |= {"python", "rust", "load_before"}
    for path in RECORDED:
        assert set(json.loads(path.read_text())["machine"]) == kind
    for path in (ROOT / "benches" / "results").rglob("*.json"):
        text = path.read_text()
        assert not re.search(r'["\s(](/(home|root|tmp|usr|Users|opt|var|work|mnt)/|[A-Z]:\\)', text)


def training(ours: float, theirs: float) -> dict[str, Any]:
    def record(trainer: str, method: str, seconds: float) -> dict[str, Any]:
        return {
            "trainer": trainer,
            "method": method,
            "bytes": 1_000_000_000,
            "vocab_size": 131_072,
            "failed": None,
            "seconds": seconds,
        }

    return {
        "headline": [1_000_000_000, 131_072],
        "results": [
            record("superword", "bpe", ours),
            record("superword", "boundless", 3 * ours),
            record("rustbpe", "bpe", theirs),
        ],
    }


def test_bars_are_met_or_missed_by_the_ratio(benches: Any) -> None:
    def verdicts(ours: float, theirs: float) -> dict[str, bool | None]:
        found = benches.output.bars.bars({"training": training(ours, theirs)})
        return {f"{bar.work.split(',')[0]}: {bar.bar}": bar.met for bar in found}

    fast, slow = verdicts(5.0, 20.0), verdicts(5.1, 20.0)
    assert fast["plain BPE training: ≥ 4 × rustbpe's speed"] is True
    assert slow["plain BPE training: ≥ 4 × rustbpe's speed"] is False
    assert fast["boundless training: ≥ 1 × rustbpe's plain BPE"] is True
    assert verdicts(7.0, 20.0)["boundless training: ≥ 1 × rustbpe's plain BPE"] is False
    assert fast["plain BPE training: ≥ 10 × HF tokenizers' speed"] is None
    assert fast["boundless training: ≤ 3 × the time of our plain BPE"] is True


def test_cpu_time_is_compared_with_gigabpe_for_the_same_pattern(benches: Any) -> None:
    section = training(5.0, 20.0)
    ours, *_, theirs = section["results"]
    section["results"] += [
        theirs | {"trainer": "gigabpe", "pattern": "gpt2", "cpu_seconds": 9.0},
        ours | {"pattern": "gpt2", "cpu_seconds": 3.0, "seconds": 1.0},
    ]
    ours["cpu_seconds"] = 1.0
    found = {bar.bar: bar.met for bar in benches.output.bars.bars({"training": section})}
    assert found["≥ 3 × gigabpe's speed"] is True
    # Our run with the other pattern is not that of the headline.
    assert benches.output.bars.training_time(section, "superword") == 5.0
    section["results"][-1]["cpu_seconds"] = 3.1
    found = {bar.bar: bar.met for bar in benches.output.bars.bars({"training": section})}
    assert found["≥ 3 × gigabpe's speed"] is False


def test_a_missed_bar_says_by_how_much(benches: Any) -> None:
    bars = benches.output.bars
    assert bars.at_least("w", 4, 3.0, "x").verdict == "**missed** by 25%"
    assert bars.at_most("w", 3, 4.0, "s").verdict == "**missed** by 25%"
    assert bars.at_least("w", 4, 4.0, "x").verdict == "met"
    assert bars.at_least("w", 4, None, "x").verdict == "–"


def test_a_case_without_a_result_is_a_bar_missed(benches: Any) -> None:
    slowest = benches.output.bars.slowest
    failed = slowest("worst cases", {"a": 10.0, "b": None}, 2, 10.0, 0.5)
    assert failed.met is False
    assert "no result: b" in failed.measured
    assert slowest("worst cases", {"a": 10.0}, 2, 10.0, 0.5).met is None
    assert slowest("worst cases", {"a": 4.0}, 2, 10.0, 0.5).met is False
    assert slowest("worst cases", {"a": 10.0, "b": 5.0}, 2, 10.0, 0.5).met is True


def test_what_the_budget_stops_is_left_out_and_not_failed(
    benches: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = benches.running.measure
    runner = measure.Runner(3)
    monkeypatch.setattr(
        runner,
        "once",
        lambda job, timeout: runner.__setattr__("end", 0) or {"failed": "stopped after 3 s"},
    )
    jobs = [measure.Measured({"kind": "k", "threads": 1}, label) for label in ("encode a, b", "c")]
    runner.group(jobs, 2, "seconds", 1)
    assert [job.failed for job in jobs] == [measure.TOO_LATE] * 2
    assert runner.summary() == [f"{measure.TOO_LATE}: encode a; c"]


def test_sections_of_a_readme_are_replaced_and_nothing_else(benches: Any, tmp_path: Path) -> None:
    path = tmp_path / "2026-01-01.json"
    result = {
        "date": "2026-01-01",
        "rounds": 3,
        "peers": {"rustbpe": {"version": "0.1.0"}},
        "machine": {
            "processor": "P",
            "cores": 2,
            "memory_bytes": None,
            "system": "S",
            "python": "3",
        },
        "training": training(2.0, 20.0),
    }
    for record in result["training"]["results"]:  # type: ignore[index]
        record.update(read_seconds=None, peak_memory=1_000_000, rules="r", equal_share=None)
    path.write_text(json.dumps(result))
    before = "top\n<!-- bench:training -->\nold 1.0\n<!-- /bench:training -->\nbottom\n"
    after = benches.render.update_readme(before, path)
    assert after.startswith("top\n<!-- bench:training -->\n1000 MB of text, 131,072 tokens.")
    assert after.endswith("<!-- /bench:training -->\nbottom\n")
    assert "| rustbpe 0.1.0 | 20.0 | – | 50.0 |" in after
    assert "old 1.0" not in after
    assert benches.render.update_readme(after, path) == after


def test_documents_are_the_same_however_they_are_read(benches: Any, tmp_path: Path) -> None:
    texts = ["one", "zwei\n", "三" * 50, "x"]
    path = tmp_path / "texts.nul"
    path.write_bytes(b"".join(text.encode() + b"\0" for text in texts))
    corpus = benches.peers.Corpus(path, path, path, "")
    for chunk in (1, 2, 7, 1 << 20):
        assert list(corpus.documents(chunk)) == texts
    assert corpus.read_seconds > 0


def test_a_run_is_measured_and_checked_in_its_own_process(
    benches: Any, tmp_path: Path, words: superword.Tokenizer
) -> None:
    words.save(tmp_path / "words.superword")
    texts = ["as well as the rest", "the name of the file"] * 3
    (tmp_path / "t.nul").write_bytes(b"".join(text.encode() + b"\0" for text in texts))
    runner = benches.running.measure.Runner(60)
    job = {
        "kind": "encode",
        "peer": "superword",
        "threads": 1,
        "nul": str(tmp_path / "t.nul"),
        "tokenizer_json": "",
        "tiktoken": "",
        "superword": str(tmp_path / "words.superword"),
        "pattern": "",
        "warm_until": 1.0,
        "round_trip": True,
    }
    result = runner.once(job, 60)
    assert "failed" not in result
    assert result["tokens"] == sum(len(words.encode_ordinary(text)) for text in texts)
    assert result["round_trip"] is True
    assert result["first"] > 0
    gone = runner.once(job | {"superword": str(tmp_path / "gone")}, 60)
    assert gone["failed"] == "MissingModelError: there is no file gone"
    assert runner.once(job, 0.001) == {"failed": "stopped after 0 s"}


def test_many_texts_share_a_process_and_are_checked_one_by_one(
    benches: Any, tmp_path: Path, words: superword.Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoding = importlib.import_module("benches.encoding")
    plan = importlib.import_module("benches.plan").plan()
    words.save(tmp_path / "words.superword")
    monkeypatch.setattr(encoding, "MODELS", tmp_path)
    texts = {}
    for name, text in (("en", "as well as the rest"), ("zh", "言葉は大切です")):
        (tmp_path / f"{name}.nul").write_bytes(text.encode() + b"\0")
        texts[name] = {"stem": str(tmp_path / name), "bytes": len(text.encode())}
    runner = benches.running.measure.Runner(60)
    records = encoding.several(runner, plan, texts, ["words"], [])
    assert [(r["text"], r["encoder"], r["failed"]) for r in records] == [
        ("en", "words", None),
        ("zh", "words", None),
    ]
    assert records[0]["tokens"] == len(words.encode("as well as the rest"))
    assert records[1]["bytes"] == len("言葉は大切です".encode())
    assert records[0]["first"] > 0
    # One unreadable text does not affect the results of the others.
    texts["gone"] = {"stem": str(tmp_path / "gone"), "bytes": 1}
    records = encoding.several(runner, plan, texts, ["words"], [])
    assert [r["failed"] is None for r in records] == [True, True, False]
    assert str(tmp_path) not in records[2]["failed"]


def test_a_job_of_many_texts_that_is_stopped_keeps_what_is_done(
    benches: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoding = importlib.import_module("benches.encoding")
    plan = importlib.import_module("benches.plan").plan()
    good = {"first": 1.0, "warm": None, "bytes": 10, "texts": 1, "tokens": 5, "digest": "d"}
    good |= {"slice_digest": "s", "peak_memory": 2, "base_memory": 1}
    answers = {
        "superword": {"several": {"en": good, "zh": good}, "first": 2.0},
        "tiktoken": {"several": {"en": good}, "first": 1.0, "stopped": "stopped after 9 s"},
        "gigatoken": {"several": {"en": good | {"digest": "other"}, "zh": good}, "first": 1.0},
    }
    runner = benches.running.measure.Runner(60)
    monkeypatch.setattr(runner, "once", lambda job, timeout: answers[job["peer"]])
    texts = {name: {"stem": str(tmp_path / name), "bytes": 10} for name in ("en", "zh")}
    records = encoding.several(runner, plan, texts, ["words"], ["tiktoken", "gigatoken"])
    failed = {(r["encoder"], r["text"]): r["failed"] for r in records}
    assert failed["words", "en"] is failed["words", "zh"] is failed["tiktoken", "en"] is None
    assert failed["tiktoken", "zh"] == "stopped after 9 s"
    assert failed["gigatoken", "en"] == "other ids than ours"
    assert failed["gigatoken", "zh"] is None
    cell = importlib.import_module("benches.output.tables").cell
    section = {"results": records}
    assert cell(section, "zh", "tiktoken", "first", 1) == "> 9 s"
    assert cell(section, "en", "gigatoken", "first", 1) == "–"
    assert cell(section, "en", "words", "first", 2) == "–"


def encoding_section(**speeds: float) -> dict[str, Any]:
    """Make results of one second each, given MB/s by `encoder__text`."""
    results = []
    for name, value in speeds.items():
        encoder, _, text = name.partition("__")
        text = text.replace("_", " ")
        facts = {"bytes": value * 1e6, "first": 1.0, "warm": 0.5}
        results.append({"encoder": encoder.replace("_", "-"), "text": text, "threads": 1} | facts)
    records = [record | {"failed": None} for record in results]
    languages = [r["text"] for r in records if r["text"] in ("zh", "code")]
    worst = [r["text"] for r in records if r["text"] in ("one letter", "all Han")]
    load = {"seconds": 0.1, "ready": 0.2, "failed": None}
    return {
        "results": records,
        "models": {"words": {"vocabulary": 131_072}},
        "languages": list(dict.fromkeys(languages)),
        "worst": list(dict.fromkeys(worst)),
        "startup": {"import_seconds": 0.05, "load": {"superword words": load}},
    }


def test_each_encoding_bar_is_met_or_missed_by_its_ratio(benches: Any) -> None:
    def verdict(**speeds: float) -> dict[str, bool | None]:
        found = benches.output.bars.bars({"encoding": encoding_section(**speeds)})
        return {f"{bar.work}: {bar.bar}": bar.met for bar in found}

    peers = {"tiktoken__english": 10.0, "gigatoken__english": 80.0}
    ours = {"words__english": 150.0, "boundless__english": 110.0, "boundless_words__english": 150.0}
    good = verdict(**peers, **ours, words__zh=75.0, words__one_letter=30.0, words__all_Han=31.0)
    assert good["boundless encoding, first pass: ≥ 10 × tiktoken's plain BPE"] is True
    assert good["boundless encoding, first pass: ≥ 1 × gigatoken's plain BPE"] is True
    assert good["boundless encoding, warm: ≥ 1 × gigatoken's plain BPE, warm"] is True
    assert good["plain encoding, first pass: ≥ 15 × tiktoken"] is True
    assert good["plain encoding, first pass: ≥ 1.2 × gigatoken"] is True
    assert good["plain encoding, warm: ≥ 1 × gigatoken, warm"] is True
    assert good["boundless on top of its words: ≤ 1.4 × its own word model"] is True
    assert good["Chinese … code, words: ≥ 0.5 × English"] is True
    assert good["worst cases, words: ≥ 0.2 × English"] is True
    assert good["superbpe encoding, first pass: ≥ 10 × tiktoken's plain BPE"] is None
    assert good["loading words, 131,072 tokens: ≤ 150 ms"] is False
    assert good["import superword: ≤ 100 ms"] is True
    slow = {"words__english": 90.0, "boundless__english": 60.0, "boundless_words__english": 90.0}
    bad = verdict(**peers, **slow, words__zh=44.0, words__one_letter=17.0, words__all_Han=80.0)
    assert bad["boundless encoding, first pass: ≥ 10 × tiktoken's plain BPE"] is False
    assert bad["boundless encoding, first pass: ≥ 1 × gigatoken's plain BPE"] is False
    assert bad["boundless encoding, warm: ≥ 1 × gigatoken's plain BPE, warm"] is False
    assert bad["plain encoding, first pass: ≥ 1.2 × gigatoken"] is False
    assert bad["boundless on top of its words: ≤ 1.4 × its own word model"] is False
    assert bad["Chinese … code, words: ≥ 0.5 × English"] is False
    assert bad["worst cases, words: ≥ 0.2 × English"] is False


def test_the_export_has_every_token_and_merge(benches: Any, words: superword.Tokenizer) -> None:
    model = benches.running.models.tokenizer_json(words)["model"]
    table = benches.peers.byte_characters()
    assert sorted(table) == list(range(256))
    assert len(set(table.values())) == 256
    back = {shown: byte for byte, shown in table.items()}
    vocab = {benches.peers.as_bytes(token, back): id for token, id in model["vocab"].items()}
    assert vocab == {words.token_bytes(id): id for id in range(words.n_vocab)}
    merges = [tuple(benches.peers.as_bytes(t, back) for t in pair) for pair in model["merges"]]
    assert merges == [(left, right) for left, right, _ in words.merges]


def test_every_peer_has_its_file(benches: Any) -> None:
    for name, (_, asked) in benches.peers.PEERS.items():
        module = benches.peers.peer(name)
        for part in asked:
            assert hasattr(module, {"train": "train", "encode": "load"}[part]), name
    files = {path.stem for path in (ROOT / "benches" / "peers").glob("*.py")}
    assert files == {*benches.peers.PEERS, "superword", "__init__"}

"""plan, count --plan, candidates --plan and merge-counts --partition give the model of train."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from superword.cli import cli

pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")


def command(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def ok(*arguments: str | Path) -> Result:
    result = command(*arguments)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    return result


def refused(code: int, *arguments: str | Path) -> str:
    result = command(*arguments)
    assert result.exit_code == code, result.stderr
    return result.stderr


@pytest.fixture
def corpus(tmp_path: Path, texts: list[str]) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(3):
        lines = [json.dumps({"text": text}) + "\n" for text in texts[number::3]]
        (folder / f"{number}.jsonl").write_text("".join(lines))
    return folder


@pytest.mark.parametrize("method", ["bpe", "boundless", "superbpe"])
def test_a_planned_corpus_gives_the_same_model(tmp_path: Path, corpus: Path, method: str) -> None:
    plan, counts, sums = tmp_path / "plan.json", tmp_path / "counts", tmp_path / "all-counts"
    said = ok("plan", corpus, "--task-size", "1", "--partitions", "2", "-o", plan).stderr
    assert "planned 3 tasks (0 to 2) for 3 files" in said
    for number in (2, 0):
        said = ok("count", "--plan", plan, "--task", str(number), "-o", counts).stderr
        assert f"finished task-0000{number}" in said
        assert "checksum" in said
    said = refused(1, "merge-counts", counts, "--partition", "0", "-o", sums)
    assert "1 task of 3 not finished: task-00001" in said
    ok("count", "--plan", plan, "--task", "task-00001", "--threads", "1", "-q", "-o", counts)
    for number in (1, 0):
        ok("merge-counts", counts, "--partition", str(number), "-o", sums)
    extra = ["--supermerges", "20"] if method == "superbpe" else []
    wanted, got = tmp_path / "wanted", tmp_path / "got"
    ok("train", corpus, "--vocab-size", "400", "--method", method, *extra, "-o", wanted)
    if method == "bpe":
        ok("train", "--counts", sums, "--vocab-size", "400", "--method", "bpe", "-o", got)
        assert got.read_bytes() == wanted.read_bytes()
        return
    words = tmp_path / "words"
    size = "380" if method == "superbpe" else "400"
    ok("train", "--counts", sums, "--vocab-size", size, "--method", "bpe", "-o", words)
    cut: list[str] = []
    for attempt in range(3):
        candidates = tmp_path / f"candidates-{attempt}"
        for number in range(3):
            given: list[str | Path] = ["--plan", plan, "--task", str(number), "--counts", sums]
            ok("candidates", *given, *extra, *cut, "--model", words, "-o", candidates)
        runs = tmp_path / f"all-candidates-{attempt}"
        ok("merge-counts", candidates, "-o", runs)
        size_of = ["--vocab-size", "400", "--method", method, *extra]
        result = command("train", "--counts", sums, "--candidates", runs, *size_of, "-o", got)
        if attempt == 0:
            # Such a small text is not cut.
            assert result.exit_code == 0, result.stderr
            assert got.read_bytes() == wanted.read_bytes()
            cut = ["--cut-below", "40"]
        elif attempt == 1:
            assert "hint: count the candidates again with --cut-below" in result.stderr
            cut = ["--cut-below", result.stderr.split()[-1]]
        else:
            assert result.exit_code == 0, result.stderr
    assert got.read_bytes() == wanted.read_bytes()


def test_directories_without_a_plan_can_be_added_up(tmp_path: Path, corpus: Path) -> None:
    for number in range(3):
        part = corpus / f"{number}.jsonl"
        ok("count", part, "--partitions", "3", "-o", tmp_path / f"c{number}")
    folders = [tmp_path / f"c{number}" for number in range(3)]
    ok("merge-counts", *folders, "-o", tmp_path / "sum")
    ok("merge-counts", *folders, "-o", tmp_path / "sum.tsv")
    ok("count", corpus, "-o", tmp_path / "whole.tsv")
    # The first line records where the counts come from.
    rows = [(tmp_path / name).read_text().split("\n")[1:] for name in ("sum.tsv", "whole.tsv")]
    assert rows[0] == rows[1]
    ok("merge-counts", tmp_path / "sum", "-o", tmp_path / "one.tsv")
    assert (tmp_path / "one.tsv").read_text().split("\n")[1:] == rows[1]
    # Counting again replaces a directory of counts, but nothing else.
    ok("count", corpus / "0.jsonl", "--partitions", "5", "-o", tmp_path / "c0")
    parts = [path.name for path in (tmp_path / "c0").glob("part-*")]
    assert len(parts) == 5
    said = refused(1, "count", corpus, "--partitions", "5", "-o", corpus)
    assert "not a directory of counts" in said
    said = refused(1, "merge-counts", tmp_path / "c1", "-o", corpus)
    assert "not a directory of counts" in said
    said = refused(1, "merge-counts", *folders, "-o", tmp_path / "other")
    assert "5 and 3 partitions" in said


def test_pruning_is_asked_for_by_its_flag(tmp_path: Path, corpus: Path) -> None:
    ok("count", corpus, "--partitions", "2", "-o", tmp_path / "c")
    ok("merge-counts", tmp_path / "c", "--min-count", "9", "-o", tmp_path / "pruned")
    ok("merge-counts", tmp_path / "c", "--min-count", "9", "-o", tmp_path / "pruned.tsv")
    ok("merge-counts", tmp_path / "pruned", "-o", tmp_path / "again.tsv")
    assert (tmp_path / "pruned.tsv").read_text() == (tmp_path / "again.tsv").read_text()
    header = (tmp_path / "pruned.tsv").read_text().partition("\n")[0]
    assert json.loads(header.partition("\t")[2])["facts"]["pruned"]["min_count"] == 9


def test_options_that_do_not_belong_together_are_refused(tmp_path: Path, corpus: Path) -> None:
    plan = tmp_path / "plan.json"
    ok("plan", corpus, "-o", plan)
    out: list[str | Path] = ["-o", tmp_path / "counts"]
    assert "--plan was given without --task" in refused(2, "count", "--plan", plan, *out)
    assert "--task was given without --plan" in refused(2, "count", "--task", "1", *out)
    following: list[str | Path] = ["--plan", plan, "--task", "0", *out]
    assert "INPUT" in refused(2, "count", corpus, *following)
    for flag, value in [
        ("--partitions", "3"),
        ("--text-field", "body"),
        ("--pretokenizer", "gpt2"),
        ("--sample", "1MB"),
        ("--on-error", "skip"),
    ]:
        said = refused(2, "count", flag, value, *following)
        assert f"{flag} cannot be given with --plan" in said
    assert "Missing argument 'INPUT...'" in refused(2, "count", *out)
    assert "no task 7" in refused(1, "count", "--plan", plan, "--task", "7", *out)
    said = refused(2, "merge-counts", "x.tsv", "--partition", "0", *out)
    assert "--partition needs directories" in said
    words = tmp_path / "words"
    ok("train", corpus, "--vocab-size", "300", "--method", "bpe", "-o", words)
    said = refused(2, "candidates", corpus, "--model", words, "--supermerges", "3", *out)
    assert "--supermerges was given without --counts" in said


def test_files_of_others_are_never_removed(tmp_path: Path, corpus: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    names = ["part-00000-of-00009.parquet", "part-00007-of-00009.parquet", "notes.txt"]
    for name in names:
        (theirs / name).write_text("PAR1 but not ours")
    count: list[str | Path] = ["count", corpus, "--partitions", "2", "-o", theirs]
    assert "not a directory of counts, and it holds" in refused(1, *count)
    ok(*count, "--force")
    assert all((theirs / name).read_text() == "PAR1 but not ours" for name in names)
    # What an interrupted run has left is replaced.
    (theirs / "receipt.json").unlink()
    for name in names:
        (theirs / name).unlink()
    ok("count", corpus, "--partitions", "3", "-o", theirs)
    assert len(list(theirs.glob("part-*"))) == 3

"""count, candidates, merge-counts and train --counts give the model that train gives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import superword
from click.testing import CliRunner, Result
from superword.cli import cli

pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")


def superword_command(*arguments: str | Path, input: str | bytes | None = None) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], input=input)


def ok(*arguments: str | Path) -> Result:
    result = superword_command(*arguments)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    return result


@pytest.mark.parametrize("suffix", ["parquet", "tsv"])
@pytest.mark.parametrize("method", ["bpe", "boundless", "superbpe"])
def test_a_corpus_counted_in_pieces_gives_the_same_model(
    tmp_path: Path, texts: list[str], method: str, suffix: str
) -> None:
    parts = []
    for number in range(2):
        part = tmp_path / f"part{number}.jsonl"
        part.write_text("".join(json.dumps({"text": t}) + "\n" for t in texts[number::2]))
        parts.append(part)
        ok("count", part, "-o", tmp_path / f"c{number}.{suffix}")
    merged = tmp_path / f"all.{suffix}"
    ok("merge-counts", tmp_path / f"c0.{suffix}", tmp_path / f"c1.{suffix}", "-o", merged)
    extra = ["--supermerges", "10"] if method == "superbpe" else []
    options = ["--vocab-size", "400", "--method", method, *extra]
    wanted, got = tmp_path / "wanted", tmp_path / "got"
    ok("train", *parts, *options, "-o", wanted)
    if method == "bpe":
        ok("train", "--counts", merged, *options, "-o", got)
        assert got.read_bytes() == wanted.read_bytes()
        return
    ok("train", *parts, "--counts", merged, *options, "-o", got)
    assert got.read_bytes() == wanted.read_bytes()
    words = tmp_path / "words"
    size = "390" if method == "superbpe" else "400"
    ok("train", "--counts", merged, "--vocab-size", size, "--method", "bpe", "-o", words)
    runs = []
    for number, part in enumerate(parts):
        runs.append(tmp_path / f"r{number}.{suffix}")
        ok("candidates", part, "--model", words, "-o", runs[-1])
    all_runs = tmp_path / f"runs.{suffix}"
    ok("merge-counts", *runs, "-o", all_runs)
    again = tmp_path / "again"
    ok("train", "--counts", merged, "--candidates", all_runs, *options, "-o", again)
    assert again.read_bytes() == wanted.read_bytes()


def test_mixing_is_refused_in_words_of_the_command_line(tmp_path: Path, jsonl: Path) -> None:
    ok("count", jsonl, "-o", tmp_path / "a.tsv", "-q")
    ok("count", jsonl, "--pretokenizer", "gpt2", "-o", tmp_path / "b.tsv", "-q")
    mixed = superword_command(
        "merge-counts", tmp_path / "a.tsv", tmp_path / "b.tsv", "-o", tmp_path / "c.tsv"
    )
    assert mixed.exit_code == 1
    assert "different pretokenizers" in mixed.stderr
    assert not (tmp_path / "c.tsv").exists()
    twice = superword_command(
        "merge-counts", tmp_path / "a.tsv", tmp_path / "a.tsv", "-o", tmp_path / "c.tsv"
    )
    assert "counted twice" in twice.stderr
    cases: list[tuple[list[str | Path], str]] = [
        (["--counts", tmp_path / "a.tsv"], "needs text or candidates"),
        (["--counts", tmp_path / "a.tsv", "--method", "bpe", jsonl], "needs no text"),
        (["--candidates", tmp_path / "a.tsv", jsonl], "without --counts"),
        (
            ["--counts", tmp_path / "a.tsv", "--candidates", tmp_path / "a.tsv", jsonl],
            "and INPUT",
        ),
        (["--counts", tmp_path / "a.tsv", "--pretokenizer", "gpt2", jsonl], "were made with"),
        ([], "INPUT"),
    ]
    for arguments, says in cases:
        result = superword_command(
            "train", *arguments, "--vocab-size", "300", "-o", tmp_path / "m.superword"
        )
        assert result.exit_code in (1, 2), (arguments, result.stderr)
        assert says in result.stderr
        assert "Traceback" not in result.stderr


def test_a_file_that_does_not_say_what_it_holds_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_text("#superword\t{}\n")
    result = superword_command("merge-counts", tmp_path / "c.tsv", "-o", tmp_path / "sum.tsv")
    assert result.exit_code == 1
    assert "the file holds something else, not counts" in result.stderr


def test_a_name_that_says_no_format_is_refused_before_counting(tmp_path: Path, jsonl: Path) -> None:
    result = superword_command("count", jsonl, "-o", tmp_path / "counts")
    assert result.exit_code == 1
    assert ".parquet" in result.stderr
    assert "counting" not in result.stderr


def test_tsv_written_by_hand_is_learned_from(tmp_path: Path) -> None:
    path = tmp_path / "counts.tsv"
    path.write_text("ab\t5000000000\n abc\t3\n")
    output = tmp_path / "m.superword"
    arguments: list[str | Path] = [
        "train",
        "--counts",
        path,
        "--method",
        "bpe",
        "--vocab-size",
        "257",
        "-o",
        output,
    ]
    refused = superword_command(*arguments)
    assert refused.exit_code == 1
    assert "does not record the pretokenizer" in refused.stderr
    ok(*arguments, "--pretokenizer", "gpt4o")
    assert superword.Tokenizer.load(output).merges == [(b"a", b"b", 5_000_000_003)]

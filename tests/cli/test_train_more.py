"""train --also, --base and --log-json."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import superword
from click.testing import CliRunner, Result
from superword.cli import cli
from superword.errors import CountsError, OptionError
from superword.inputs import Texts
from superword.stages import extend


def superword_command(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def ok(*arguments: str | Path) -> Result:
    result = superword_command(*arguments)
    assert result.exit_code == 0, result.stderr
    return result


@pytest.mark.parametrize("method", ["bpe", "boundless", "superbpe"])
def test_also_saves_what_training_at_that_size_gives(
    jsonl: Path, tmp_path: Path, method: str
) -> None:
    output = tmp_path / "m.superword"
    extra = ["--supermerges", "40"] if method == "superbpe" else []
    special = ["--special-token", "<|x|>"]
    options = ["--method", method, *special]
    sizes = ["--also", "401", "--also", "390"]
    ok("train", jsonl, "--vocab-size", "420", *options, *extra, *sizes, "-o", output)
    for size in (401, 390):
        alone = tmp_path / "alone"
        fewer = ["--supermerges", str(40 - 420 + size)] if method == "superbpe" else []
        ok("train", jsonl, "--vocab-size", str(size), *options, *fewer, "-o", alone)
        assert (tmp_path / f"m-{size}.superword").read_bytes() == alone.read_bytes()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--also", "500"], "--also 500 is not between 256 and 419"),
        (["--also", "420"], "not between"),
        (["--also", "200"], "not between"),
        (["--also", "300", "--picky", "0.9"], "with --picky"),
        (["--also", "300", "--greedy-split", "train"], "with --greedy-split"),
        (
            ["--also", "300", "--method", "superbpe", "--supermerges", "10"],
            "only supermerges",
        ),
    ],
)
def test_sizes_that_cannot_be_had_are_refused_before_the_work(
    jsonl: Path, tmp_path: Path, options: list[str], says: str
) -> None:
    result = superword_command(
        "train", jsonl, "--vocab-size", "420", *options, "-o", tmp_path / "m.superword"
    )
    assert result.exit_code == 2
    assert says in result.stderr
    assert "counting" not in result.stderr


@pytest.mark.parametrize("special", [[], ["<|x|>", "<|y|>"]])
def test_a_base_keeps_tokens_ids_and_merges(
    texts: list[str], jsonl: Path, tmp_path: Path, special: list[str]
) -> None:
    base = superword.train_from_iterator(
        texts, vocab_size=380, method="bpe", special_tokens=special
    )
    got = extend(base, Texts(texts), supermerges=25)
    assert got.n_vocab == 405
    assert got.merges == base.merges
    assert len(got.supermerges) == 25
    assert got.special_tokens == base.special_tokens
    for id in range(base.n_vocab):
        assert got.token_bytes(id) == base.token_bytes(id)
    assert all(got.is_superword(id) for id in range(380, 405))
    wanted = superword.train_from_iterator(
        texts, vocab_size=405, method="superbpe", supermerges=25, special_tokens=special
    )
    assert got.supermerges == wanted.supermerges
    text = "one of the words is the name of the file"
    assert [got.token_bytes(i) for i in got.encode(text)] == [
        wanted.token_bytes(i) for i in wanted.encode(text)
    ]
    assert superword.Tokenizer.from_bytes(got.to_bytes()) == got
    assert got.facts["base"]["n_vocab"] == 380
    if special:
        with pytest.raises(OptionError, match="custom ids"):
            got.truncate(390)
    base.save(tmp_path / "base")
    ok(
        *("train", jsonl, "--base", tmp_path / "base", "--method", "superbpe"),
        *("--supermerges", "25", "-o", tmp_path / "m"),
    )
    assert superword.Tokenizer.load(tmp_path / "m") == got


def test_a_base_that_cannot_be_extended_is_refused(
    texts: list[str], boundless: superword.Tokenizer, model_path: Path, jsonl: Path, tmp_path: Path
) -> None:
    with pytest.raises(CountsError, match="superwords already"):
        extend(boundless, Texts(texts), supermerges=5)
    start: list[str | Path] = ["train", jsonl, "--base", model_path, "-o", tmp_path / "m"]
    for options, says in [
        ([], "--method superbpe"),
        (["--method", "superbpe"], "needs --supermerges"),
        (["--method", "superbpe", "--supermerges", "5"], "superwords already"),
        (["--method", "superbpe", "--supermerges", "5", "--vocab-size", "99999"], "445"),
        (["--method", "superbpe", "--supermerges", "5", "--special-token", "x"], "with --base"),
        (["--method", "superbpe", "--supermerges", "5", "--pretokenizer", "gpt2"], "with --base"),
    ]:
        result = superword_command(*start, *options)
        assert result.exit_code in (1, 2)
        assert says in result.stderr, result.stderr
        assert "Traceback" not in result.stderr


def test_log_json_is_a_json_object_a_line(jsonl: Path, tmp_path: Path) -> None:
    output = tmp_path / "m"
    result = ok("train", jsonl, "--vocab-size", "400", "--log-json", "-o", output)
    events = [json.loads(line) for line in result.stderr.splitlines()]
    assert events[0]["event"] == "start"
    assert events[0]["inputs"] == [str(jsonl)]
    assert events[0]["bytes"] == jsonl.stat().st_size
    assert events[-1]["event"] == "end"
    assert events[-1]["saved"] == [str(output)]
    assert events[-1]["peak_memory"] > 1_000_000
    assert {"count", "merge", "candidates", "supermerge"} <= set(events[-1]["phases"])
    progress = [event for event in events if event["event"] == "progress"]
    assert {"phase", "unit", "done", "total", "rate", "seconds_left"} <= set(progress[0])
    assert {"step", "share"} <= set(progress[0])
    assert all(event["share"] < 1 for event in progress)
    end = events[-1]
    facts = superword.Tokenizer.load(output).facts
    assert end["pretokens"] == facts["pretokens"]
    assert end["unique_pretokens"] == facts["unique_pretokens"]
    assert end["candidates"]["attempts"] >= 1
    assert end["candidates"]["tokens"] >= 2 * end["candidates"]["unique"] > 0
    if sys.platform == "linux":
        assert set(end["phase_peak_memory"]) == set(end["phases"])
        assert max(end["phase_peak_memory"].values()) <= end["peak_memory"]
    seconds = [event["seconds"] for event in events]
    assert seconds == sorted(seconds)
    failed = superword_command("train", "absent", "--vocab-size", "400", "--log-json", "-o", output)
    assert failed.exit_code == 1
    error = json.loads(failed.stderr.splitlines()[-1])
    assert error["event"] == "error"
    assert error["class"] == "MissingInputError"
    assert error["hint"]
    with jsonl.open("a") as file:
        file.write("{oops\n")
    skipped = ok(
        *("train", jsonl, "--vocab-size", "400", "--log-json", "--on-error", "skip"),
        *("-o", output),
    )
    assert '"warning"' in skipped.stderr


def test_the_summary_says_time_and_memory(jsonl: Path, tmp_path: Path) -> None:
    told = ok("train", jsonl, "--vocab-size", "400", "-o", tmp_path / "m").stderr
    for word in ("peak memory", "counting words", "learning superwords", "total"):
        assert word in told


def test_inspect_shows_the_last_run_of_a_work_directory(jsonl: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    trained = ok(*("train", jsonl, "--vocab-size", "400", "--work-dir", work, "-o", tmp_path / "m"))
    shown = ok("inspect", work).stdout
    for word in ("pretokens", "distinct", "candidates", "cut", "counting words", "total"):
        assert word in shown
        assert word in trained.stderr
    if sys.platform == "linux":
        assert "of memory" in shown
    told = json.loads(ok("inspect", work, "--json").stdout)
    facts = superword.Tokenizer.load(tmp_path / "m").facts
    assert told["counts"]["unique_pretokens"] == facts["unique_pretokens"]
    assert told["counts"]["cut_below"] >= 1
    assert set(told["seconds_by_phase"]) == {"count", "merge", "candidates", "supermerge"}


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        ([], "no record of a complete"),
        ([{"complete": False}], "no record of a complete"),
        ([{"complete": True}], "cannot be read"),
        ([{"complete": True, "counts": 5, "seconds_by_phase": []}], "cannot be read"),
    ],
)
def test_inspect_says_what_is_wrong_with_a_record(
    tmp_path: Path, runs: list[object], says: str
) -> None:
    (tmp_path / "timeline.json").write_text(json.dumps({"format": 1, "runs": runs}))
    result = superword_command("inspect", tmp_path)
    assert result.exit_code == 1
    assert says in result.stderr
    assert "hint" in result.stderr

"""Counting with max_memory gives the same bytes and stays within the limit."""

from __future__ import annotations

import gzip
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import superword
from click.testing import CliRunner
from superword import _core
from superword._reading.sources import gather
from superword.cli import cli
from superword.errors import EmptyCorpusError, MemoryLimitError, OptionError
from superword.inputs import Texts, expand
from superword.options import TrainOptions
from superword.stages import count_candidates, count_pretokens, extend
from support.seeded import common_words, in_lines, sentences, unique_words


def many_words(path: Path, words: int) -> Path:
    """Write lines of words that almost never repeat."""
    path.write_text("\n".join(in_lines(unique_words(words, seed=5), 50)))
    return path


# Prints the peak resident memory of the whole process, including the interpreter and all modules,
# so no allowance is needed.
PEAK = """
import sys, superword
from superword.stages import count_pretokens
path, limit = sys.argv[1:]
said = "counted"
try:
    count_pretokens(path, format="lines", threads=1, max_memory=limit or None)
except superword.errors.MemoryLimitError as error:
    said = "refused"
line = next(line for line in open("/proc/self/status") if line.startswith("VmHWM:"))
print(said, int(line.split()[1]) * 1024)
"""


def peak(path: Path, limit: str) -> tuple[str, int]:
    run = [sys.executable, "-c", PEAK, str(path), limit]
    result = subprocess.run(run, capture_output=True, text=True, timeout=120, check=True)
    said, size = result.stdout.split()
    return said, int(size)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc to measure with")
def test_the_limit_on_memory_is_kept(tmp_path: Path) -> None:
    limit = 110_000_000
    fits = many_words(tmp_path / "fits.txt", 150_000)
    beyond = many_words(tmp_path / "beyond.txt", 4_000_000)
    said, used = peak(beyond, "")
    assert (said, used > limit) == ("counted", True), used
    said, used = peak(beyond, str(limit))
    assert (said, used < limit) == ("refused", True), used
    said, used = peak(fits, str(limit))
    assert (said, used < limit) == ("counted", True), used


def test_counts_and_candidates_within_a_limit_are_the_same_bytes(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")
    text = many_words(tmp_path / "a.txt", 150_000)
    shorter = tmp_path / "b.txt"
    shorter.write_text("\n".join(line[: len(line) // 2] for line in text.open()))
    words = tmp_path / "words.superword"
    superword.train(text, vocab_size=700, method="bpe", format="lines").save(words)
    inputs = ["--format", "lines", "--quiet", str(text), f"b={shorter}", "--weight", "b=2.5"]
    for command in (["count"], ["candidates", "--model", str(words)]):
        for suffix in (".tsv", ".parquet"):
            written = []
            for limit in ([], ["--max-memory", "110MB", "--threads", "1"]):
                output = tmp_path / f"out{suffix}"
                arguments = [*command, *inputs, *limit, "-o", str(output)]
                result = CliRunner().invoke(cli, arguments)
                assert result.exit_code == 0, result.stderr
                written.append(output.read_bytes())
            assert written[0] == written[1], (command, suffix)


def test_stages_within_a_limit_give_the_same(texts: list[str], tmp_path: Path) -> None:
    words = superword.train_from_iterator(texts, vocab_size=400, method="bpe")
    counts = count_pretokens(Texts(texts), max_memory="1GB")
    assert counts == count_pretokens(Texts(texts))
    assert counts.facts == count_pretokens(Texts(texts)).facts
    for cut_below in (None, 3):
        got = count_candidates(Texts(texts), words, cut_below=cut_below, max_memory="1GB")
        wanted = count_candidates(Texts(texts), words, cut_below=cut_below)
        assert dict(got) == dict(wanted)
        assert got.facts == wanted.facts
    extended = extend(words, Texts(texts), supermerges=20, max_memory="1GB")
    assert extended == extend(words, Texts(texts), supermerges=20)


def test_inputs_of_one_name_are_all_counted(texts: list[str]) -> None:
    options = TrainOptions(vocab_size=400, max_memory="1GB")
    sources = gather(expand([Texts(texts[::2]), Texts(texts[1::2])]), options)
    engine = {**options.for_engine(), "groups": None, "piece_bytes": 1}
    model, _ = _core.train(sources.sources, engine, None)
    assert model.to_bytes() == superword.train_from_iterator(texts, vocab_size=400).to_bytes()


def test_candidates_that_do_not_fit_are_said(tmp_path: Path) -> None:
    common = common_words(300, seed=2, lengths=(3, 3), alphabet="abcdefgh")
    path = tmp_path / "a.txt"
    path.write_text("\n".join(sentences(common, 360_000, length=12, seed=3)))
    words = superword.train(path, vocab_size=1200, method="bpe", format="lines", sample="200kB")
    with pytest.raises(MemoryLimitError, match="the candidates of the text do not fit") as caught:
        count_candidates(path, words, format="lines", threads=1, max_memory="90MB")
    assert "max_memory of" in str(caught.value.hint)


@pytest.mark.parametrize("command", ["train", "count", "candidates"])
def test_too_little_memory_is_said_before_anything_is_read(
    tmp_path: Path, texts: list[str], command: str
) -> None:
    words = tmp_path / "words.superword"
    superword.train_from_iterator(texts, vocab_size=300, method="bpe").save(words)
    more = {
        "train": ["--vocab-size", "300"],
        "count": [],
        "candidates": ["--model", str(words)],
    }[command]
    arguments = [command, "-", *more, "--max-memory", "10MB", "-o", str(tmp_path / "o.tsv")]
    # The pipe never ends, so only a command that does not read it returns.
    with subprocess.Popen(
        [sys.executable, "-m", "superword", *arguments],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.wait(timeout=30) == 2
            assert process.stderr is not None
            said = process.stderr.read()
        finally:
            process.kill()
    assert "10000000 bytes of memory are too few" in said
    assert "hint: give --max-memory of" in said


def test_texts_are_not_read_for_what_cannot_be_done() -> None:
    def unread() -> Any:
        raise AssertionError("it was read")
        yield

    with pytest.raises(OptionError, match="too few"):
        count_pretokens(Texts(unread()), max_memory="1MB")


def test_nothing_to_count_is_said_within_a_limit_too(tmp_path: Path, texts: list[str]) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    words = superword.train_from_iterator(texts, vocab_size=300, method="bpe")
    with pytest.raises(EmptyCorpusError):
        count_pretokens(empty, max_memory="1GB")
    with pytest.raises(EmptyCorpusError):
        count_candidates(empty, words, max_memory="1GB")


def test_limits_where_no_text_is_read_are_refused(tmp_path: Path, texts: list[str]) -> None:
    counts = tmp_path / "counts.tsv"
    count_pretokens(Texts(texts)).save(counts)
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    (tmp_path / "a.jsonl").write_text(lines)
    common = ["train", "--counts", str(counts), "--vocab-size", "400", "--max-memory", "1GB"]
    output = tmp_path / "m.superword"
    result = CliRunner().invoke(cli, [*common, "--method", "bpe", "-o", str(output)])
    assert result.exit_code == 2
    assert "there is no text to read" in result.stderr
    result = CliRunner().invoke(cli, [*common, str(tmp_path / "a.jsonl"), "-o", str(output)])
    assert result.exit_code == 0, result.stderr
    wanted = superword.train_from_iterator(texts, vocab_size=400)
    assert superword.Tokenizer.load(output).merges == wanted.merges


def test_the_hint_names_a_limit_that_works_for_learning(tmp_path: Path) -> None:
    path = many_words(tmp_path / "a.txt", 700_000)
    options: dict[str, Any] = {"format": "lines", "threads": 1, "vocab_size": 600, "method": "bpe"}
    with pytest.raises(MemoryLimitError, match="the distinct words of the text") as caught:
        superword.train(path, max_memory="100MB", **options)
    limit = int(re.search(r"max_memory of (\d+)", str(caught.value.hint))[1])  # type: ignore[index]
    within = superword.train(path, max_memory=limit, **options)
    assert within == superword.train(path, **options)
    # It is not far from the smallest one.
    with pytest.raises(MemoryLimitError):
        superword.train(path, max_memory=int(limit * 0.9), **options)


LARGE = "a few words in a document " * 400_000


def write_large(path: Path) -> Path:
    """Write a large document, in the format of the suffix."""
    if path.suffix == ".txt":
        path.write_text(LARGE)
    elif path.suffix == ".jsonl":
        path.write_text(json.dumps({"text": "small"}) + "\n" + json.dumps({"text": LARGE}) + "\n")
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(LARGE.encode(), 1))
    else:
        arrow = pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")
        parquet = importlib.import_module("pyarrow.parquet")
        parquet.write_table(arrow.table({"text": ["small", LARGE]}), path)
    return path


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.txt.gz", "a.parquet"])
@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_a_document_that_does_not_fit_is_named(tmp_path: Path, name: str, on_error: str) -> None:
    path = write_large(tmp_path / name)
    options: dict[str, Any] = {"threads": 1, "vocab_size": 300, "on_error": on_error}
    with pytest.raises(MemoryLimitError, match=r"the document of \d+ bytes does not fit") as caught:
        superword.train(path, max_memory="90MB", **options)
    line = 2 if name in ("a.jsonl", "a.parquet") else None
    assert caught.value.facts.get("line") == line
    assert caught.value.facts["path"] == str(path)
    limit = int(re.search(r"max_memory of (\d+)", str(caught.value.hint))[1])  # type: ignore[index]
    assert superword.train(path, max_memory=limit, **options) == superword.train(path, **options)


def test_a_text_in_memory_that_does_not_fit_is_named() -> None:
    with pytest.raises(MemoryLimitError, match=":2: the document of"):
        count_pretokens(Texts(["small", LARGE]), threads=1, max_memory="90MB")
    options: dict[str, Any] = {"threads": 1, "max_memory": "90MB", "sample": "1MB"}
    with pytest.raises(MemoryLimitError, match=":2: the document of"):
        superword.train_from_iterator(["small", LARGE], vocab_size=300, **options)


def test_the_command_line_names_the_document_and_the_flag(tmp_path: Path) -> None:
    path = write_large(tmp_path / "a.jsonl")
    arguments = ["count", str(path), "--threads", "1", "--max-memory", "90MB", "--quiet"]
    result = CliRunner().invoke(cli, [*arguments, "-o", str(tmp_path / "o.tsv")])
    assert result.exit_code == 1
    assert f"{path}:2: the document of" in result.stderr
    assert "hint: give --max-memory of" in result.stderr


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc to measure with")
def test_the_limit_is_kept_while_one_large_document_is_counted(tmp_path: Path) -> None:
    limit = 160_000_000
    path = tmp_path / "one.txt"
    words = " ".join(unique_words(2_000_000, seed=6))
    path.write_text(words[: limit // 12].replace("\n", " "))
    said, used = peak(path, str(limit))
    assert (said, used < limit) == ("counted", True), used

"""Counting with max_memory gives the same bytes and stays within the limit."""

from __future__ import annotations

import json
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

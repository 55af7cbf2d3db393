"""No command overwrites a file that it reads, or a file that superword did not write."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import superword
from click.testing import CliRunner, Result
from superword.cli import cli
from superword.counts import Counts
from superword.errors import SaveError
from superword.inputs import Texts

TEXT = "the cat and the dog and the cat\n" * 40


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a text, counts, candidates and two models."""
    monkeypatch.chdir(tmp_path)
    Path("x.txt").write_text(TEXT)
    words = superword.train("x.txt", vocab_size=260, method="bpe", pretokenizer="gpt4o")
    words.save("words.superword")
    superword.stages.count_pretokens("x.txt").save("g.tsv")
    superword.stages.count_candidates("x.txt", words).save("c.tsv")
    Path("n-260.superword").write_text(TEXT)
    Path("text.tsv").write_text(TEXT)
    os.link("x.txt", "hard.superword")
    Path("soft.superword").symlink_to("x.txt")
    return tmp_path


def superword_command(line: str) -> Result:
    return CliRunner().invoke(cli, line.split())


READS_ITS_OUTPUT = [
    "train x.txt --vocab-size 260 -o x.txt",
    "train x.txt --vocab-size 260 -o ./x.txt",
    "train x.txt --vocab-size 260 -o hard.superword",
    "train x.txt --vocab-size 260 -o soft.superword",
    "train . --format text --vocab-size 260 -o g.tsv",
    "train a=x.txt --vocab-size 260 -o x.txt",
    "train --counts g.tsv --method bpe --vocab-size 260 -o g.tsv",
    "train --counts g.tsv --candidates c.tsv --vocab-size 260 -o c.tsv",
    "train x.txt --base words.superword --method superbpe --supermerges 2 -o words.superword",
    "train n-260.superword --vocab-size 270 --also 260 -o n.superword",
    "count g.tsv --format lines -o g.tsv",
    "count text.tsv --format lines -o text.tsv",
    "candidates c.tsv --format lines --model words.superword -o c.tsv",
    "merge-counts g.tsv -o g.tsv",
    "truncate words.superword 258 -o words.superword",
    "export words.superword --to tiktoken -o words.superword",
]


@pytest.mark.parametrize("force", ["", " --force"])
@pytest.mark.parametrize("line", READS_ITS_OUTPUT)
def test_an_output_that_is_an_input_is_refused(here: Path, line: str, force: str) -> None:
    before = {path: path.read_bytes() for path in here.iterdir()}
    result = superword_command(line + force)
    assert result.exit_code == 1, result.output
    assert "cannot save to" in result.stderr
    assert "input" in result.stderr
    assert {path: path.read_bytes() for path in here.iterdir()} == before


def test_standard_input_may_not_be_the_output(here: Path) -> None:
    command = [sys.executable, "-m", "superword", "train", "-", "--vocab-size", "260"]
    for more in (["-o", "x.txt"], ["-o", "x.txt", "--force"]):
        with Path("x.txt").open("rb") as stdin:
            done = subprocess.run([*command, *more], stdin=stdin, capture_output=True, check=False)
        assert done.returncode == 1
        assert b"cannot save to x.txt: it is being read as standard input" in done.stderr
    assert Path("x.txt").read_text() == TEXT


WRITES = {
    "train x.txt --vocab-size 260 -o out": "a superword model",
    "train x.txt --vocab-size 270 --also 260 -o other": "a superword model",
    "truncate words.superword 258 -o out": "a superword model",
    "count x.txt -o out.tsv": "a file of counts",
    "candidates x.txt --model words.superword -o out.tsv": "a file of counts",
    "merge-counts g.tsv -o out.tsv": "a file of counts",
    "count x.txt -o out.parquet": "a file of counts",
    "count x.txt -o out.arrow": "a file of counts",
    "export words.superword --to tiktoken -o out --mode approximate": "a .tiktoken file",
    "export words.superword --to huggingface -o . --mode approximate": "a tokenizer.json",
}


@pytest.mark.parametrize("line", WRITES)
def test_a_file_of_another_kind_is_replaced_with_force_only(here: Path, line: str) -> None:
    if "parquet" in line or "arrow" in line:
        pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")
    mine = [Path("out"), Path("other-260"), Path("tokenizer.json")]
    mine += [Path(f"out.{suffix}") for suffix in ("tsv", "parquet", "arrow", "json")]
    for path in mine:
        path.write_text("my notes")
    result = superword_command(line)
    assert result.exit_code == 1, result.output
    assert f"is not {WRITES[line]}" in result.stderr
    assert "--force" in result.stderr
    assert "overwrite=True" not in result.stderr
    assert all(path.read_text() == "my notes" for path in mine)
    assert not Path("other").exists()
    result = superword_command(line + " --force")
    assert result.exit_code == 0, result.output
    # Files that superword wrote are replaced without --force.
    result = superword_command(line)
    assert result.exit_code == 0, result.output


def test_python_replaces_models_and_counts_and_nothing_else(tmp_path: Path) -> None:
    tok = superword.train(Texts([TEXT]), vocab_size=260, method="bpe")
    counts = Counts({b"a": 1})
    path, table = tmp_path / "m", tmp_path / "c.tsv"
    for _ in range(2):
        tok.save(path)
        counts.save(table)
    for output in (path, table):
        output.write_text("my notes")
    with pytest.raises(SaveError, match="not a superword model") as caught:
        tok.save(path)
    assert "overwrite=True" in str(caught.value.hint)
    with pytest.raises(SaveError, match="not a file of counts"):
        counts.save(table)
    assert path.read_text() == table.read_text() == "my notes"
    tok.save(path, overwrite=True)
    counts.save(table, overwrite=True)
    assert superword.Tokenizer.load(path) == tok
    path.write_bytes(b"")  # An empty file, as mktemp creates.
    tok.save(path)


def test_a_downloaded_tokenizer_is_not_replaced(tmp_path: Path) -> None:
    tok = superword.train(Texts([TEXT]), vocab_size=260, method="bpe", pretokenizer="gpt4o")
    tok.export_huggingface(tmp_path)
    tok.export_huggingface(tmp_path)
    other = '{"normalizer": {"type": "NFC"}, "pre_tokenizer": {"type": "ByteLevel"}}'
    (tmp_path / "tokenizer.json").write_text(other)
    with pytest.raises(SaveError, match=r"not a tokenizer\.json that superword wrote"):
        tok.export_huggingface(tmp_path)
    assert (tmp_path / "tokenizer.json").read_text() == other
    tok.export_huggingface(tmp_path, overwrite=True)


def test_standard_output_is_no_place_for_a_model(here: Path) -> None:
    result = superword_command("train x.txt --vocab-size 260 -o -")
    assert result.exit_code == 1
    assert "standard output" in result.output
    assert not (here / "-").exists()


def test_a_missing_chat_template_is_named(here: Path) -> None:
    result = superword_command(
        "export words.superword --to huggingface --chat-template none -o out"
    )
    assert result.exit_code == 1
    assert "cannot read the chat template none: No such file or directory" in result.output
    assert "hint: " in result.output

"""File names that are not UTF-8 work everywhere: inputs, models, counts, shards, exports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import superword
from superword import stages
from superword.errors import DocumentError, MissingInputError, SuperwordError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")

# The byte E9 is é in Latin-1, and not valid UTF-8.
NAME = os.fsdecode(b"caf\xe9")
SHOWN = "caf\ufffd"


@pytest.fixture
def corpus(tmp_path: Path, texts: list[str]) -> Path:
    """A directory that holds one file with an ordinary name and one without."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    lines = [json.dumps({"text": text}) + "\n" for text in texts]
    (folder / "a.jsonl").write_text("".join(lines[::2]))
    (folder / f"{NAME}.jsonl").write_text("".join(lines[1::2]))
    return folder


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command, which must succeed without a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "superword", *map(os.fsencode, arguments)],
        capture_output=True,
        check=False,
    )
    output = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, output
    return subprocess.CompletedProcess(done.args, 0, done.stdout.decode(), done.stderr.decode())


def test_training_reads_a_file_whatever_its_name(corpus: Path, texts: list[str]) -> None:
    expected = superword.train_from_iterator(texts, vocab_size=300).merges
    for inputs in (corpus, [corpus / "a.jsonl", corpus / f"{NAME}.jsonl"]):
        assert superword.train(inputs, vocab_size=300).merges == expected
    assert superword.train(str(corpus / "*.jsonl"), vocab_size=300).merges == expected


def test_a_model_can_be_saved_and_loaded_under_any_name(tmp_path: Path, texts: list[str]) -> None:
    tok = superword.train_from_iterator(texts, vocab_size=300)
    path = tmp_path / f"{NAME}.superword"
    tok.save(path)
    assert superword.Tokenizer.load(path).to_bytes() == tok.to_bytes()


def test_every_command_takes_names_that_are_not_utf8(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / NAME
    model, words = Path(f"{out}.superword"), Path(f"{out}-words.superword")
    size = ["--vocab-size", "300"]
    run("train", corpus, *size, "-o", model, "--pretokenizer", "gpt4o-export", "--method=bpe")
    done = run("train", corpus, *size, "-o", words, "--method", "bpe", "--work-dir", f"{out}-work")
    assert f"{SHOWN}-words" in done.stderr
    assert model.exists()
    assert words.exists()
    file = corpus / f"{NAME}.jsonl"
    run("count", file, "-o", f"{out}.tsv")
    run("merge-counts", f"{out}.tsv", "-o", f"{out}-sum.tsv")
    run("candidates", file, "--model", words, "-o", f"{out}-candidates.tsv")
    run("encode-files", file, "--model", model, "-o", out, "--no-eot")
    assert "kept" in run("encode-files", file, "--model", model, "-o", out, "--no-eot").stderr
    run("inspect", model)
    run("encode", model, file)
    run("pretokenize", file)
    small = f"{out}-small.superword"
    assert f"{SHOWN}-small" in run("truncate", model, "280", "-o", small).stderr
    run("export", model, "--to", "tiktoken", "-o", f"{out}.tiktoken")


def test_exports_are_verified_on_files_of_any_name(corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("tiktoken", reason="pip install 'superword[tiktoken]'")
    model, export = tmp_path / f"{NAME}.superword", tmp_path / f"{NAME}.tiktoken"
    run(
        "train",
        corpus,
        "--vocab-size=300",
        "-o",
        model,
        "--pretokenizer=gpt4o-export",
        "--method=bpe",
    )
    run("export", model, "--to", "tiktoken", "-o", export)
    run("verify", model, export, "--on", corpus / f"{NAME}.jsonl")


def test_records_hold_a_printable_name(corpus: Path, tmp_path: Path) -> None:
    counts = stages.count_pretokens(corpus / f"{NAME}.jsonl")
    recorded = counts.origin.inputs[0]["name"]
    assert recorded == str(corpus / f"{SHOWN}.jsonl")
    model = tmp_path / "m.superword"
    log = run("train", corpus, "--vocab-size", "300", "-o", model, "--log-json").stderr
    start = json.loads(log.splitlines()[0])
    assert start["inputs"][1].endswith(f"{SHOWN}.jsonl")


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_tables_may_have_any_name(tmp_path: Path, texts: list[str], suffix: str) -> None:
    pa = pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")
    import pyarrow.parquet as pq

    path = tmp_path / f"{NAME}.{suffix}"
    table = pa.table({"text": texts})
    with path.open("wb") as file:
        if suffix == "parquet":
            pq.write_table(table, file)
        else:
            with pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
    expected = superword.train_from_iterator(texts, vocab_size=300).merges
    assert superword.train(path, vocab_size=300).merges == expected


@pytest.mark.parametrize("suffix", ["tsv", "parquet", "arrow", "feather"])
def test_counts_may_have_any_name(corpus: Path, tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")
    counts, total = tmp_path / f"{NAME}.{suffix}", tmp_path / f"{NAME}-sum.{suffix}"
    run("count", corpus, "-o", counts)
    run("merge-counts", counts, "-o", total)
    words = tmp_path / "words.superword"
    run("train", "--counts", total, "--method=bpe", "--vocab-size=300", "-o", words)
    expected = superword.train(corpus, vocab_size=300, method="bpe").merges
    assert superword.Tokenizer.load(words).merges == expected


def test_hugging_face_exports_may_have_any_name(tmp_path: Path, texts: list[str]) -> None:
    pytest.importorskip("tokenizers", reason="pip install 'superword[huggingface]'")
    model, export = tmp_path / "m.superword", tmp_path / NAME
    tok = superword.train_from_iterator(
        texts, vocab_size=300, pretokenizer="gpt4o-export", method="bpe"
    )
    tok.save(model)
    run("export", model, "--to", "huggingface", "-o", export)
    run("verify", model, export)


def test_messages_show_such_names_as_valid_text(tmp_path: Path) -> None:
    path = tmp_path / f"{NAME}.jsonl"
    errors: list[SuperwordError] = []
    with pytest.raises(MissingInputError) as missing:
        superword.train(path, vocab_size=300)
    errors.append(missing.value)
    path.write_text("{\n")
    with pytest.raises(DocumentError) as broken:
        superword.train(path, vocab_size=300)
    errors.append(broken.value)
    with pytest.raises(SuperwordError) as no_model:
        superword.Tokenizer.load(path)
    errors.append(no_model.value)
    for error in errors:
        assert f"{SHOWN}.jsonl" in str(error).encode().decode()

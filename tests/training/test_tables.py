"""Tables as inputs give the model of their texts, and errors name the row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import superword
from click.testing import CliRunner
from superword.cli import cli
from superword.errors import DamagedInputError, DocumentError, InputError

pa: Any = pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")
pq: Any = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def wanted(texts: list[str]) -> superword.Tokenizer:
    return superword.train_from_iterator(texts, vocab_size=400)


def write(path: Path, table: Any) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=7)
    else:
        opened = pa.ipc.new_stream if path.suffix == ".ipc" else pa.ipc.new_file
        with pa.OSFile(str(path), "wb") as sink, opened(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=5)
    return path


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather", ".ipc"])
def test_files_of_tables_give_the_model_of_their_texts(
    tmp_path: Path, texts: list[str], wanted: superword.Tokenizer, suffix: str
) -> None:
    table = pa.table({"id": range(len(texts)), "text": texts})
    path = write(tmp_path / f"t{suffix}", table)
    assert superword.train(path, vocab_size=400) == wanted
    assert superword.train(tmp_path, vocab_size=400, threads=3) == wanted
    renamed = write(tmp_path / f"u{suffix}", table.rename_columns(["id", "body"]))
    assert superword.train(renamed, vocab_size=400, text_field="body") == wanted
    output = tmp_path / "m.superword"
    result = CliRunner().invoke(
        cli, ["train", str(path), "--vocab-size", "400", "-o", str(output), "--quiet"]
    )
    assert result.exit_code == 0, result.stderr
    assert output.read_bytes() == wanted.to_bytes()


def test_tables_in_memory_give_the_model_of_their_texts(
    texts: list[str], wanted: superword.Tokenizer
) -> None:
    kinds = [pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.string_view()]
    for kind in [*kinds, pa.dictionary(pa.int32(), pa.string())]:
        values = [text.encode() for text in texts] if "binary" in str(kind) else texts
        column = pa.array(values, kind) if "dict" not in str(kind) else pa.array(values).cast(kind)
        table = pa.table({"text": pa.chunked_array([column[:3], column[3:20], column[20:]])})
        assert superword.train(table, vocab_size=400) == wanted, kind
    assert superword.train(pa.record_batch({"text": texts}), vocab_size=400) == wanted
    assert superword.train_from_iterator(pa.table({"text": texts}), vocab_size=400) == wanted
    padded = pa.table({"text": ["x", *texts, "y"]})
    assert superword.train(padded.slice(1, len(texts)), vocab_size=400) == wanted


def test_hugging_face_datasets_give_the_model_of_their_texts(
    texts: list[str], wanted: superword.Tokenizer
) -> None:
    datasets: Any = pytest.importorskip("datasets")
    data = datasets.Dataset.from_dict({"text": texts, "n": list(range(len(texts)))})
    assert superword.train(data, vocab_size=400) == wanted
    assert superword.train(data.shuffle(seed=3), vocab_size=400) == wanted
    assert superword.train_from_iterator(data, vocab_size=400) == wanted
    assert superword.train(data.to_iterable_dataset(), vocab_size=400) == wanted
    half = data.select(range(10))
    assert superword.train(half, vocab_size=300) == superword.train_from_iterator(
        texts[:10], vocab_size=300
    )


def test_streamed_datasets_give_the_model_of_their_texts(
    texts: list[str], wanted: superword.Tokenizer
) -> None:
    datasets: Any = pytest.importorskip("datasets")

    def rows() -> Any:
        for number, text in enumerate(texts):
            yield {"text": text, "n": number}

    # The columns of a generator are not known before it runs.
    streamed = datasets.IterableDataset.from_generator(rows)
    assert superword.train(streamed, vocab_size=400) == wanted
    assert superword.train(streamed.map(lambda row: row), vocab_size=400, threads=3) == wanted
    renamed = streamed.rename_column("text", "body")
    assert superword.train(renamed, vocab_size=400, text_field="body") == wanted
    with pytest.raises((DocumentError, InputError), match=r"no column 'text'.*'body'"):
        superword.train(renamed, vocab_size=400)


def test_datasets_that_cannot_be_taken_are_refused_with_a_way_out(
    tmp_path: Path, texts: list[str]
) -> None:
    datasets: Any = pytest.importorskip("datasets")
    data = datasets.Dataset.from_dict({"text": texts, "n": list(range(len(texts)))})
    for parts in (
        datasets.DatasetDict({"train": data, "test": data}),
        datasets.IterableDatasetDict({"train": data.to_iterable_dataset()}),
    ):
        with pytest.raises(InputError, match="several splits: train") as caught:
            superword.train(parts, vocab_size=300)
        assert "dataset['train']" in str(caught.value.hint)
    with pytest.raises(DocumentError, match="no column 'txet'") as wrong:
        superword.train(data, vocab_size=300, text_field="txet")
    assert "text" in str(wrong.value.hint)
    with pytest.raises((DocumentError, InputError), match="int64, not text"):
        superword.train(data, vocab_size=300, text_field="n")
    with pytest.raises(superword.errors.OptionError, match="work_dir needs files"):
        superword.train(data, vocab_size=300, work_dir=tmp_path / "work")
    holes = datasets.Dataset.from_dict({"text": [*texts, None]})
    with pytest.raises(DocumentError, match="null"):
        superword.train(holes, vocab_size=300)
    with pytest.warns(superword.errors.SkippedWarning, match="1 document"):
        got = superword.train(holes, vocab_size=300, on_error="skip")
    assert got.merges == superword.train_from_iterator(texts, vocab_size=300).merges


def test_tables_files_and_texts_mix(tmp_path: Path, texts: list[str], jsonl: Path) -> None:
    table = pa.table({"text": texts[:10]})
    path = write(tmp_path / "t.parquet", pa.table({"text": texts[10:]}))
    got = superword.train([table, path, jsonl, superword.inputs.Texts(["one"])], vocab_size=400)
    assert (
        got.to_bytes()
        == superword.train_from_iterator([*texts, *texts, "one"], vocab_size=400).to_bytes()
    )


def test_rows_without_text_are_errors_or_skipped(tmp_path: Path, texts: list[str]) -> None:
    table = pa.table({"text": [*texts[:9], None, *texts[9:]]})
    for given in (table, table.slice(1), write(tmp_path / "t.parquet", table)):
        with pytest.raises(DocumentError, match="null") as caught:
            superword.train(given, vocab_size=300)
        assert caught.value.line in (9, 10)
    with pytest.warns(superword.errors.SkippedWarning, match="1 document"):
        got = superword.train(table, vocab_size=300, on_error="skip")
    assert got.merges == superword.train_from_iterator(texts, vocab_size=300).merges


def test_wrong_columns_are_said(tmp_path: Path) -> None:
    table = pa.table({"body": ["a"], "n": [1]})
    with pytest.raises(DocumentError, match="no column 'text'; the columns are 'body', 'n'"):
        superword.train(table, vocab_size=300)
    with pytest.raises((DocumentError, InputError), match="int64, not text"):
        superword.train(table, vocab_size=300, text_field="n")
    not_utf8 = pa.table({"text": [b"ok", b"a\xff"]})
    with pytest.raises(DocumentError, match=r"Table:2: invalid UTF-8"):
        superword.train(not_utf8, vocab_size=300)


def test_damaged_tables_name_the_file_and_the_row(tmp_path: Path, texts: list[str]) -> None:
    path = write(tmp_path / "t.parquet", pa.table({"text": texts * 20}))
    data = bytearray(path.read_bytes())
    empty = tmp_path / "e.parquet"
    empty.write_bytes(data[: len(data) // 2])
    with pytest.raises(DamagedInputError, match=r"e\.parquet"):
        superword.train(empty, vocab_size=300)
    group = pq.ParquetFile(path).metadata.row_group(60).column(0)
    start = group.dictionary_page_offset or group.data_page_offset
    data[start : start + 40] = bytes(40)
    path.write_bytes(data)
    with pytest.raises(DamagedInputError, match=r"t\.parquet: cannot be read beyond row 42\d"):
        superword.train(path, vocab_size=300)
    with pytest.warns(superword.errors.SkippedWarning, match="beyond row 42"):
        got = superword.train(path, vocab_size=300, on_error="skip")
    assert got.facts["documents"] in range(400, 421)


def test_the_extra_is_named_where_pyarrow_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "t.parquet", pa.table({"text": ["a b"]}))
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(superword.errors.MissingExtraError, match=r"superword\[arrow\]"):
        superword.train(path, vocab_size=300)

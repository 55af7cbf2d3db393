"""Shards of tables: Parquet and Arrow files, Arrow tables, datasets, texts in memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import superword
from superword._reading import columns
from superword.errors import (
    DamagedInputError,
    DocumentError,
    InputError,
    MissingExtraError,
    ShardsMismatchError,
    SkippedWarning,
)
from superword.inputs import Texts
from superword.shards import EncodedCorpus
from support.variants import engine
from test_files import SIZE, digests, of_all_sizes, read_back

pa: Any = pytest.importorskip("pyarrow", reason="superword[arrow] is not installed")
import pyarrow.parquet as pq  # noqa: E402  # after the check that it is installed


@pytest.fixture
def documents() -> list[str]:
    return of_all_sizes()


@pytest.fixture
def table(documents: list[str]) -> Any:
    return pa.table({"id": range(len(documents)), "body": documents})


def write_arrow(path: Path, table: Any) -> None:
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=700)


@pytest.fixture
def files(tmp_path: Path, table: Any) -> list[Path]:
    """The documents as a Parquet file and two Arrow files, in order."""
    paths = [tmp_path / name for name in ("a.parquet", "b.arrow", "c.data")]
    pq.write_table(table.slice(0, 1200), paths[0], row_group_size=500)
    write_arrow(paths[1], table.slice(1200, 1700))
    with pa.ipc.new_stream(tmp_path / "c.ipc", table.schema) as writer:
        writer.write_table(table.slice(2900))
    return [paths[0], paths[1], tmp_path / "c.ipc"]


def ids_of(tok: superword.Tokenizer, texts: list[str]) -> list[list[int]]:
    eot = tok.eot_token
    assert eot is not None
    return [[*tok.encode(text), eot] for text in texts]


def stopped(run: Callable[[], EncodedCorpus], batches: int) -> None:
    """Encode only the first batches of rows; the rows after them cannot be read."""
    parts, seen = columns._parts, 0

    def some(*arguments: Any) -> Iterator[Any]:
        nonlocal seen
        for part in parts(*arguments):
            seen += 1
            if seen > batches:
                raise OSError("the disk is gone")
            yield part

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "_parts", some)
        with pytest.raises(DamagedInputError, match="the disk is gone"):
            run()


def test_files_of_tables_give_the_shards_of_their_texts(
    files: list[Path], documents: list[str], tmp_path: Path
) -> None:
    tok = engine("boundless")
    options: dict[str, Any] = {"shard_size": 2 * SIZE, "text_field": "body"}
    results = []
    for threads in (1, 2, 5):
        out = tmp_path / str(threads)
        done = tok.encode_files(files, out, threads=threads, **options)
        assert read_back(done) == ids_of(tok, documents)
        results.append(digests(out))
    assert results[0] == results[1] == results[2]
    # The same ids as from a text file.
    spooled = tok.encode_files(Texts(documents), tmp_path / "texts", shard_size=2 * SIZE)
    for shard in spooled.shards:
        for name in shard.files:
            assert digests(tmp_path / "texts")[name] == results[0][name]


def test_tables_at_hand_are_those_of_files(
    table: Any, documents: list[str], tmp_path: Path
) -> None:
    tok = engine("boundless")
    done = tok.encode_files(table, tmp_path / "a", text_field="body", shard_size=2 * SIZE)
    assert read_back(done) == ids_of(tok, documents)
    parts = [table.slice(0, 10), Texts(documents[10:20]), table.slice(20, 5)]
    done = tok.encode_files(parts, tmp_path / "b", text_field="body")
    assert read_back(done) == ids_of(tok, documents[:25])


def test_a_stopped_run_over_files_goes_on_with_the_same_bytes(
    files: list[Path], tmp_path: Path
) -> None:
    tok, out = engine("boundless"), tmp_path / "out"

    def run(folder: Path = out) -> EncodedCorpus:
        return tok.encode_files(files, folder, shard_size=2 * SIZE, text_field="body")

    whole = run(tmp_path / "whole")
    stopped(run, 6)
    assert list(out.glob(".superword-*")) == []
    done = run()
    assert 0 < done.resumed < len(done.shards) == len(whole.shards)
    assert digests(out) == digests(tmp_path / "whole")
    pq.write_table(pa.table({"body": ["changed"]}), files[0])
    with pytest.raises(ShardsMismatchError, match=r"a\.parquet has changed"):
        run()


def test_data_at_hand_is_not_gone_on_with(table: Any, tmp_path: Path) -> None:
    tok, out = engine("boundless"), tmp_path / "out"

    def run(overwrite: bool = False) -> EncodedCorpus:
        options: dict[str, Any] = {"text_field": "body", "overwrite": overwrite}
        return tok.encode_files([table, table], out, shard_size=2 * SIZE, **options)

    stopped(run, 5)
    assert list(out.glob("shard-?????.npy"))
    for _ in range(2):  # Neither after a run that was stopped nor after one that finished.
        with pytest.raises(ShardsMismatchError, match="Table is data in memory") as caught:
            run()
        assert caught.value.hint is not None
        assert "overwrite" in caught.value.hint
        assert run(overwrite=True).resumed == 0


def test_datasets_are_taken_and_gone_on_with(documents: list[str], tmp_path: Path) -> None:
    datasets: Any = pytest.importorskip("datasets", reason="Hugging Face datasets is not installed")
    tok, out = engine("boundless"), tmp_path / "out"
    data = datasets.Dataset.from_dict({"text": documents * 2})
    whole = tok.encode_files(data, tmp_path / "whole", shard_size=2 * SIZE)
    assert read_back(whole) == ids_of(tok, documents) * 2
    stopped(lambda: tok.encode_files(data, out, shard_size=2 * SIZE), 5)
    done = tok.encode_files(data, out, shard_size=2 * SIZE)
    assert 0 < done.resumed < len(done.shards)
    assert digests(out) == digests(tmp_path / "whole")
    with pytest.raises(ShardsMismatchError, match="Dataset has changed"):
        tok.encode_files(data.select(range(100)), out, shard_size=2 * SIZE)
    with pytest.raises(InputError, match="several splits: train"):
        tok.encode_files(datasets.DatasetDict({"train": data}), tmp_path / "dict")

    def rows() -> Iterator[dict[str, str]]:
        yield from ({"text": text} for text in documents[:50])

    streamed = datasets.IterableDataset.from_generator(rows)
    done = tok.encode_files(streamed, tmp_path / "streamed")
    assert read_back(done) == ids_of(tok, documents[:50])
    with pytest.raises(ShardsMismatchError, match="IterableDataset is data in memory"):
        tok.encode_files(streamed, tmp_path / "streamed")


def test_what_is_wrong_with_a_table_is_said(files: list[Path], tmp_path: Path) -> None:
    tok, out = engine("boundless"), tmp_path / "out"
    with pytest.raises(DocumentError, match="no column 'text'; the columns are 'id', 'body'"):
        tok.encode_files(files, out)
    with pytest.raises(DocumentError, match="holds int64, not text"):
        tok.encode_files(files, out, text_field="id")
    damaged = tmp_path / "d.parquet"
    damaged.write_bytes(files[0].read_bytes()[:-100])
    with pytest.raises(DamagedInputError, match=r"d\.parquet: cannot be read"):
        tok.encode_files(damaged, out, text_field="body")
    nulls = pa.table({"body": ["one", None, "two"]})
    with pytest.raises(DocumentError) as caught:
        tok.encode_files(nulls, out, text_field="body")
    assert caught.value.hint is not None
    with pytest.warns(SkippedWarning, match="skipped 1 document"):
        done = tok.encode_files(nulls, out, text_field="body", on_error="skip")
    assert read_back(done) == ids_of(tok, ["one", "two"])


def test_the_command_takes_them(
    files: list[Path], documents: list[str], model_path: Path, tmp_path: Path
) -> None:
    tok, out = superword.Tokenizer.load(model_path), tmp_path / "out"
    command = [sys.executable, "-m", "superword", "encode-files", *map(str, files)]
    command += ["-m", str(model_path), "-o", str(out)]
    told = subprocess.run(command, capture_output=True, check=False, text=True)
    assert told.returncode == 1
    assert "no column 'text'" in told.stderr
    assert "hint: set --text-field to the column that holds the text" in told.stderr
    command += ["--text-field", "body", "--no-eot"]
    told = subprocess.run(command, capture_output=True, check=True, text=True)
    assert "3,000 documents" in told.stderr
    again = tok.encode_files(files, out, text_field="body", eot=False)
    assert again.resumed == 1
    assert read_back(again) == [tok.encode(text) for text in documents]


def test_without_pyarrow_the_extra_is_named(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError) as caught:
        engine("boundless").encode_files(files, tmp_path / "out", text_field="body")
    assert caught.value.hint == "pip install 'superword[arrow]'"

"""Every format of shards holds the ids of npy shards, as its own readers see them.

The readers here are written from the published layouts, or are numpy, pyarrow and datasets.
"""

from __future__ import annotations

import hashlib
import json
import struct
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import superword
from superword import _core, shards
from superword._encoding import files
from superword.errors import (
    MissingExtraError,
    MissingInputError,
    OptionError,
    SaveError,
    ShardsMismatchError,
)
from superword.shards import FORMATS, EncodedCorpus, Shard, ShardFormat
from support.variants import engine

SIZE = 20_000  # tokens of a shard
OTHERS: tuple[ShardFormat, ...] = ("raw", "megatron", "datatrove", "packed", "parquet")


def documents() -> list[str]:
    """Documents of all sizes, the last ones empty."""
    words = ["of the", " name", " один", "言葉", "\n", " 12", "", " as well as"]
    texts = [
        "".join(words[(i * 7 + j * j) % len(words)] for j in range(i % 97)) for i in range(900)
    ]
    return [*texts, "", ""]


@pytest.fixture
def corpus(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "corpus"
    folder.mkdir()
    lines = [json.dumps({"text": text}) + "\n" for text in documents()]
    (folder / "a.jsonl").write_text("".join(lines[:500]))
    (folder / "b.jsonl").write_text("".join(lines[500:]))
    return sorted(folder.iterdir())


def need(format: str) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")


def between(ids: Any, offsets: Any) -> list[list[int]]:
    assert int(offsets[-1]) == len(ids)
    return [ids[start:end].tolist() for start, end in pairwise(map(int, offsets))]


def read_npy(directory: Path, shard: Shard, dtype: str) -> list[list[int]]:
    ids, offsets = (np.load(directory / name, mmap_mode="r") for name in shard.files)
    assert ids.dtype == dtype
    return between(ids, offsets)


def read_raw(directory: Path, shard: Shard, dtype: str) -> list[list[int]]:
    ids: Any = np.memmap(directory / shard.tokens_file, dtype=dtype, mode="r")
    return between(ids, np.load(directory / shard.files[1]))


def read_megatron(directory: Path, shard: Shard, dtype: str) -> list[list[int]]:
    """The layout of Megatron's MMapIndexedDataset, one field after the other."""
    index = (directory / shard.files[1]).read_bytes()
    magic, version, code, sequences, length = struct.unpack_from("<9sQBQQ", index)
    assert (magic, version) == (b"MMIDIDX\0\0", 1)
    assert {8: "uint16", 4: "int32"}[code] == dtype
    assert length == sequences + 1
    at = struct.calcsize("<9sQBQQ")
    lengths = np.frombuffer(index, "<i4", sequences, at)
    starts = np.frombuffer(index, "<i8", sequences, at + 4 * sequences)
    ends = np.frombuffer(index, "<i8", length, at + 12 * sequences)
    assert at + 12 * sequences + 8 * length == len(index)
    assert ends.tolist() == list(range(length))  # Each document is one sequence.
    ids = (directory / shard.tokens_file).read_bytes()
    assert len(ids) == int(lengths.sum()) * np.dtype(dtype).itemsize
    return [
        np.frombuffer(ids, dtype, count, start).tolist()
        for count, start in zip(lengths.tolist(), starts.tolist(), strict=True)
    ]


def read_datatrove(directory: Path, shard: Shard, dtype: str) -> list[list[int]]:
    ids = np.fromfile(directory / shard.tokens_file, dtype)
    ends = np.fromfile(directory / shard.files[1], np.uint64)
    name, count, shown = (directory / shard.files[2]).read_text().split("\n")
    assert name.startswith("superword-")
    assert name.split("|")[1:] == [str(ids.itemsize)]
    assert int(count) == len(ids)
    assert shown.endswith("T")
    return between(ids, [0, *ends])


def read_parquet(directory: Path, shard: Shard, dtype: str) -> list[list[int]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(directory / shard.tokens_file)
    assert table.schema.names == ["input_ids"]
    assert table.schema.field("input_ids").type == pa.list_(pa.int32())
    assert dtype == "int32"
    rows: list[list[int]] = table["input_ids"].to_pylist()
    return rows


def read_packed(directory: Path, shard: Shard, dtype: str) -> list[list[int]]:
    """The layout that docs/reference.md describes, one bit after the other."""
    content = (directory / shard.tokens_file).read_bytes()
    magic, version, bits, size, none, tokens, found = struct.unpack_from("<8sIBBHQQ", content)
    assert (magic, version, none) == (b"\x93SWIDS\r\n", 1, 0)
    assert size == np.dtype(dtype).itemsize
    assert found == shard.documents
    assert content[-8:] == bytes(8)
    stream = np.unpackbits(np.frombuffer(content, np.uint8, offset=64), bitorder="little")
    ids = stream[: tokens * bits].reshape(tokens, bits) @ (1 << np.arange(bits))
    return between(ids, np.load(directory / shard.files[1]))


READERS: dict[str, Callable[[Path, Shard, str], list[list[int]]]] = {
    "npy": read_npy,
    "raw": read_raw,
    "megatron": read_megatron,
    "datatrove": read_datatrove,
    "parquet": read_parquet,
    "packed": read_packed,
}


def read_back(corpus: EncodedCorpus) -> list[list[int]]:
    read = []
    for shard in corpus.shards:
        found = READERS[corpus.format](corpus.path, shard, corpus.dtype)
        assert len(found) == shard.documents
        assert sum(map(len, found)) == shard.tokens
        read += found
    return read


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_the_engine_and_the_package_know_the_same_formats() -> None:
    assert set(READERS) == set(FORMATS) == set(get_args(ShardFormat))
    dtypes = {dtype for format in FORMATS for dtype in _core.shard_dtypes(format, 0)}
    assert {*dtypes, "auto"} == set(shards.DTYPES) == set(get_args(shards.Dtype))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("eot", [True, False])
def test_the_ids_are_those_of_the_texts(
    format: ShardFormat, eot: bool, corpus: list[Path], tmp_path: Path
) -> None:
    need(format)
    tok = engine("boundless")
    end = [tok.eot_token] if eot else []
    done = tok.encode_files(corpus, tmp_path / "out", format=format, shard_size=SIZE, eot=eot)
    assert read_back(done) == [[*tok.encode(text), *end] for text in documents()]
    assert len(done.shards) > 1
    assert done.format == format
    manifest = json.loads((done.path / "manifest.json").read_text())
    assert manifest["shard_format"] == format
    assert manifest["dtype"] == done.dtype
    listed = {
        file["name"]: file["bytes"] for shard in manifest["shards"] for file in shard["files"]
    }
    assert list(listed) == [name for shard in done.shards for name in shard.files]
    there = {path.name: path.stat().st_size for path in done.path.iterdir()}
    assert there.pop("manifest.json")
    assert there == listed
    # The same call finds that everything is done.
    again = tok.encode_files(corpus, tmp_path / "out", format=format, shard_size=SIZE, eot=eot)
    assert again == done
    assert again.resumed == len(done.shards)


@pytest.mark.parametrize("format", OTHERS)
def test_threads_make_no_difference(
    format: ShardFormat, corpus: list[Path], tmp_path: Path
) -> None:
    need(format)
    tok, results = engine("boundless"), []
    for threads in (1, 2, 5):
        out = tmp_path / str(threads)
        tok.encode_files(corpus, out, format=format, shard_size=SIZE, threads=threads)
        results.append(digests(out))
    assert results[0] == results[1] == results[2]


DTYPES = [
    (format, dtype, dtype in _core.shard_dtypes(format, 0))
    for format in FORMATS
    for dtype in shards.DTYPES[1:]
]


@pytest.mark.parametrize(("format", "dtype", "possible"), DTYPES)
def test_a_dtype_is_written_or_refused(
    format: ShardFormat, dtype: shards.Dtype, possible: bool, corpus: list[Path], tmp_path: Path
) -> None:
    need(format)
    tok, out = engine("boundless"), tmp_path / "out"
    if possible:
        done = tok.encode_files(corpus[:1], out, format=format, dtype=dtype)
        assert done.dtype == dtype
        assert read_back(done)[7] == [*tok.encode(documents()[7]), tok.eot_token]
    else:
        with pytest.raises(OptionError, match="is not possible in the format") as caught:
            tok.encode_files(corpus[:1], out, format=format, dtype=dtype)
        assert caught.value.option == "dtype"
        assert not out.exists()


def test_16_bits_are_refused_for_a_large_vocabulary() -> None:
    for format in OTHERS[:-1]:
        with pytest.raises(OptionError, match="uint16 holds ids below 65,536"):
            files._dtype("uint16", format, 65_537)
        assert files._dtype("uint16", format, 65_536) == "uint16"
        wide = "int32" if format == "megatron" else "uint32"
        assert files._dtype("auto", format, 65_537) == wide


@pytest.mark.parametrize("format", ["jsonl", "text", "lines", "paragraphs", "arrow"])
def test_a_format_of_inputs_names_the_other_option(
    format: Any, corpus: list[Path], tmp_path: Path
) -> None:
    with pytest.raises(OptionError, match="input_format") as caught:
        engine("boundless").encode_files(corpus, tmp_path / "out", format=format)
    assert caught.value.option == "format"
    assert not (tmp_path / "out").exists()


def test_hints_about_the_inputs_name_the_option_of_this_function(tmp_path: Path) -> None:
    tok, folder = engine("boundless"), tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.unknown").write_text("text")
    with pytest.raises(MissingInputError, match="input_format to read all files"):
        tok.encode_files(folder, tmp_path / "out")
    with pytest.raises(OptionError, match="input_format cannot be") as caught:
        tok.encode_files(folder, tmp_path / "out", input_format="json")  # type: ignore[arg-type]
    assert caught.value.option == "input_format"
    done = tok.encode_files(folder, tmp_path / "out", input_format="text", format="raw")
    assert read_back(done) == [[*tok.encode("text"), tok.eot_token]]


@pytest.mark.parametrize("before", FORMATS)
def test_another_format_in_the_same_directory_is_refused(
    before: ShardFormat, corpus: list[Path], tmp_path: Path
) -> None:
    tok, out = engine("boundless"), tmp_path / "out"
    need("parquet")
    tok.encode_files(corpus, out, format=before, shard_size=SIZE)
    for now in get_args(ShardFormat):
        if now == before:
            continue
        kept = digests(out)
        with pytest.raises(ShardsMismatchError, match=f"format was {before} and is now {now}"):
            tok.encode_files(corpus, out, format=now, shard_size=SIZE)
        assert digests(out) == kept
    other: ShardFormat = "npy" if before == "raw" else "raw"
    done = tok.encode_files(corpus, out, format=other, shard_size=SIZE, overwrite=True)
    names = {name for shard in done.shards for name in shard.files}
    assert {path.name for path in out.iterdir()} == {*names, "manifest.json"}


def test_a_record_of_an_earlier_version_means_npy(corpus: list[Path], tmp_path: Path) -> None:
    tok, out = engine("boundless"), tmp_path / "out"
    done = tok.encode_files(corpus, out, shard_size=SIZE)
    manifest = json.loads((out / "manifest.json").read_text())
    del manifest["shard_format"]
    for shard in manifest["shards"]:
        del shard["files"]
    (out / "manifest.json").write_text(json.dumps(manifest))
    again = tok.encode_files(corpus, out, shard_size=SIZE)
    assert again == done
    assert again.resumed == len(done.shards)
    with pytest.raises(ShardsMismatchError, match="format was npy and is now raw"):
        tok.encode_files(corpus, out, shard_size=SIZE, format="raw")
    shard = out / "shard-00001.documents.npy"
    shard.write_bytes(shard.read_bytes()[:-8])
    with pytest.raises(ShardsMismatchError, match=r"shard-00001.documents.npy is missing or has"):
        tok.encode_files(corpus, out, shard_size=SIZE)


@pytest.mark.parametrize("format", OTHERS)
def test_every_file_of_a_shard_is_checked(
    format: ShardFormat, corpus: list[Path], tmp_path: Path
) -> None:
    need(format)
    tok, out = engine("boundless"), tmp_path / "out"
    done = tok.encode_files(corpus, out, format=format, shard_size=SIZE)
    for name in done.shards[1].files:
        content = (out / name).read_bytes()
        (out / name).write_bytes(content[:-1])
        with pytest.raises(ShardsMismatchError, match=f"{name} is missing or has changed"):
            tok.encode_files(corpus, out, format=format, shard_size=SIZE)
        (out / name).write_bytes(content)
    assert tok.encode_files(corpus, out, format=format, shard_size=SIZE) == done


@pytest.mark.parametrize("format", FORMATS)
def test_shards_in_an_input_directory_are_not_read_as_text(
    format: ShardFormat, corpus: list[Path], tmp_path: Path
) -> None:
    need(format)
    tok, folder = engine("boundless"), corpus[0].parent
    whole = tok.encode_files(corpus, tmp_path / "whole", format=format, shard_size=SIZE)
    for out in (folder / "shards", folder):
        done = tok.encode_files(folder, out, format=format, shard_size=SIZE)
        assert read_back(done) == read_back(whole)
        again = tok.encode_files(folder, out, format=format, shard_size=SIZE)
        assert again.resumed == len(again.shards)
    with pytest.raises(MissingInputError):
        superword.train(folder / "shards", vocab_size=300)


def test_tables_named_like_shards_are_inputs_and_are_never_replaced(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")
    pq = pytest.importorskip("pyarrow.parquet")
    tok, folder = engine("boundless"), tmp_path / "tables"
    folder.mkdir()
    path = folder / "shard-00000.parquet"
    pq.write_table(pa.table({"text": ["of the name", "as well as"]}), path)
    before = path.read_bytes()
    for overwrite in (False, True):
        with pytest.raises(SaveError, match="named like a shard"):
            tok.encode_files(folder, folder, format="parquet", overwrite=overwrite)
    assert [item.name for item in folder.iterdir()] == [path.name]
    # In another format, in the same directory, it is an input and stays one.
    formats: tuple[ShardFormat, ...] = ("npy", "megatron")
    for format in formats:
        done = tok.encode_files(folder, folder, format=format, overwrite=True)
        assert done.documents == 2
        assert path.read_bytes() == before
    (folder / "manifest.json").unlink()
    with pytest.raises(ShardsMismatchError, match="no file says what it was made from"):
        tok.encode_files(tmp_path / "tables" / "shard-00000.parquet", folder, format="megatron")
    done = tok.encode_files(folder, tmp_path / "out", format="parquet")
    assert read_back(done)[0] == [*tok.encode("of the name"), tok.eot_token]


def test_a_full_disk_while_parquet_is_finished_leaves_nothing(
    corpus: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    need("parquet")
    from superword._encoding.parquet import ParquetShard

    def full(self: ParquetShard) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ParquetShard, "finish", full)
    tok, out = engine("boundless"), tmp_path / "out"
    with pytest.raises(SaveError, match=r"no space left to write .*shard-00000\.parquet") as caught:
        tok.encode_files(corpus, out, format="parquet")
    assert "finished shards are kept" in str(caught.value.hint)
    assert [path.name for path in out.iterdir()] == ["progress.json"]
    monkeypatch.undo()
    assert tok.encode_files(corpus, out, format="parquet").documents == len(documents())
    assert capfd.readouterr() == ("", "")


def test_parquet_without_pyarrow_is_refused_before_any_work(
    corpus: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="writing Parquet needs the package pyarrow"):
        engine("boundless").encode_files(corpus, tmp_path / "out", format="parquet")
    assert not (tmp_path / "out").exists()


def test_datasets_reads_the_parquet_shards(corpus: list[Path], tmp_path: Path) -> None:
    need("parquet")
    datasets = pytest.importorskip("datasets")
    tok = engine("boundless")
    done = tok.encode_files(corpus, tmp_path / "out", format="parquet", shard_size=SIZE)
    paths = [str(done.path / shard.tokens_file) for shard in done.shards]
    read = datasets.load_dataset(
        "parquet", data_files=paths, split="train", cache_dir=str(tmp_path / "cache")
    )
    assert list(read["input_ids"]) == read_back(done)

"""Packed shards hold the ids of npy shards in fewer bits, and are read like them."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from superword import shards
from superword.cli import cli
from superword.errors import InputError, MissingInputError, OptionError, SaveError, ShardFileError
from superword.shards import EncodedCorpus, PackedShard, open_ids, pack
from support.texts import DOCUMENTS
from support.variants import engine


@pytest.fixture
def both(tmp_path: Path) -> tuple[EncodedCorpus, EncodedCorpus]:
    """The same corpus as npy shards and as packed shards."""
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in DOCUMENTS))
    tok = engine("boundless")
    return (
        tok.encode_files(path, tmp_path / "npy", shard_size=500),
        tok.encode_files(path, tmp_path / "packed", shard_size=500, format="packed"),
    )


def test_a_packed_shard_is_read_like_the_npy_shard(
    both: tuple[EncodedCorpus, EncodedCorpus],
) -> None:
    plain, packed = both
    assert len(packed.shards) == len(plain.shards) > 1
    assert packed.dtype == plain.dtype
    bits = (engine("boundless").n_vocab - 1).bit_length()
    for npy, shard in zip(plain.shards, packed.shards, strict=True):
        array, ids = (
            open_ids(corpus.path / one.tokens_file)
            for corpus, one in ((plain, npy), (packed, shard))
        )
        assert isinstance(ids, PackedShard)
        assert (len(ids), ids.shape, ids.size, ids.ndim) == (len(array), array.shape, array.size, 1)
        assert (ids.bits, ids.documents) == (bits, shard.documents)
        np.testing.assert_array_equal(np.asarray(ids), array, strict=True)
        np.testing.assert_array_equal(ids.offsets, np.load(plain.path / npy.files[1]))
        ids.verify()
        size = (packed.path / shard.tokens_file).stat().st_size
        assert size == 64 + -(-len(ids) * bits // 8) + 8


def test_documents_are_arrays(both: tuple[EncodedCorpus, EncodedCorpus]) -> None:
    _, packed = both
    tok, read = engine("boundless"), []
    for shard in packed.shards:
        ids = PackedShard(packed.path / shard.tokens_file)
        documents = [document.tolist() for document in ids.iter_documents()]
        assert [ids.document(at).tolist() for at in range(-ids.documents, 0)] == documents
        assert ids.document(0, dtype=np.int64).dtype == np.int64
        for number in (ids.documents, -ids.documents - 1):
            with pytest.raises(IndexError, match="is not in the shard, which has"):
                ids.document(number)
        read += documents
    assert read == [[*tok.encode(text), tok.eot_token] for text in DOCUMENTS]


def test_the_type_of_the_arrays_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"text": "of the name"}) + "\n")
    tok = engine("boundless")
    done = tok.encode_files(path, tmp_path / "out", format="packed", dtype="uint32")
    ids = PackedShard(done.path / done.shards[0].tokens_file)
    assert done.dtype == ids.dtype == ids[:2].dtype == np.uint32
    assert ids.bits < 16


def test_the_command_line_writes_packed_shards(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("of the name")
    tok = engine("boundless")
    tok.save(tmp_path / "m.superword")
    out = tmp_path / "out"
    files = [str(tmp_path / "a.txt"), "-m", str(tmp_path / "m.superword"), "-o", str(out)]
    result = CliRunner().invoke(cli, ["encode-files", *files, "--format", "packed"])
    assert result.exit_code == 0, result.stderr
    assert "in 1 shard of packed ids" in result.stderr
    ids = open_ids(out / "shard-00000.packed")
    assert list(ids) == [*tok.encode("of the name"), tok.eot_token]


@pytest.fixture
def wide(tmp_path: Path) -> tuple[PackedShard, np.ndarray[Any, Any]]:
    ids = np.random.default_rng(5).integers(0, 131_072, 5_000, dtype=np.uint32)
    return pack(ids, tmp_path / "wide.packed", offsets=[0, 10, 10, 5_000], bits=17), ids


def test_windows_fill_an_array_that_is_given(
    wide: tuple[PackedShard, np.ndarray[Any, Any]],
) -> None:
    shard, ids = wide
    out = np.empty((3, 7), np.int64)
    assert shard.windows([0, 4_993, 17], 7, out=out) is out
    np.testing.assert_array_equal(out, [ids[:7], ids[4_993:], ids[17:24]])
    assert shard.windows([], 7).shape == (0, 7)
    assert shard.windows([5_000], 0).shape == (1, 0)
    kept = out.copy()
    for starts in ([0, 1, 4_994], [0, -1, 1], [0, 1, 2**62]):
        with pytest.raises(IndexError, match="are not in the shard, which has 5000"):
            shard.windows(starts, 7, out=out)
    np.testing.assert_array_equal(out, kept)
    read_only = out.copy()
    read_only.flags.writeable = False
    for wrong in (out[:2], out[:, ::2], out.T, read_only):
        with pytest.raises(OptionError, match="out must be a writable array in C order"):
            shard.windows([0, 1, 2], 7, out=wrong)
    with pytest.raises(OptionError, match="the type that dtype says"):
        shard.windows([0, 1, 2], 7, out=out, dtype=np.uint32)
    with pytest.raises(OptionError, match="starts must be one-dimensional"):
        shard.windows([[0]], 7)
    with pytest.raises(OptionError, match="length not negative"):
        shard.windows([0], -1)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.float32, bool, object])
def test_types_that_cannot_hold_the_ids_are_refused(
    wide: tuple[PackedShard, np.ndarray[Any, Any]], kind: Any
) -> None:
    shard, ids = wide
    calls: tuple[Callable[[], object], ...] = (
        lambda: shard.windows([0], 5, dtype=kind),
        lambda: shard.windows([0], 5, out=np.empty((1, 5), kind)),
        lambda: shard.read(0, 5, dtype=kind),
        lambda: shard.document(0, dtype=kind),
    )
    for call in calls:
        with pytest.raises(OptionError, match="ids of 17 bits cannot be read as") as caught:
            call()
        assert "uint32, int32, uint64 or int64" in str(caught.value.hint)
    # numpy converts arrays as it always does.
    np.testing.assert_array_equal(np.asarray(shard, kind), ids.astype(kind))


def test_a_type_in_another_byte_order_is_refused(
    wide: tuple[PackedShard, np.ndarray[Any, Any]],
) -> None:
    shard, ids = wide
    other = np.dtype(np.uint32).newbyteorder()
    calls: tuple[Callable[[], object], ...] = (
        lambda: shard.read(0, 5, dtype=other),
        lambda: shard.read(0, 5, dtype=other.str),
        lambda: shard.windows([0], 5, out=np.empty((1, 5), other)),
    )
    for call in calls:
        with pytest.raises(OptionError, match=f"ids cannot be read as {other.str}") as caught:
            call()
        assert "byte order" in str(caught.value)
        assert "uint32" in str(caught.value.hint)
    with pytest.raises(OptionError, match="ids of 17 bits cannot be read as uint16"):
        shard.read(0, 5, dtype=np.dtype(np.uint16).newbyteorder())
    np.testing.assert_array_equal(np.asarray(shard, other), ids.astype(other), strict=True)


def test_indices_that_arrays_refuse_are_refused(
    wide: tuple[PackedShard, np.ndarray[Any, Any]],
) -> None:
    shard, ids = wide
    np.testing.assert_array_equal(shard[np.array([[1, 2], [-1, 0]])], ids[[[1, 2], [-1, 0]]])
    np.testing.assert_array_equal(shard[ids > 70_000], ids[ids > 70_000])
    assert shard[np.int64(3)] == ids[3]
    assert shard[[]].shape == (0,)
    for key in (5_000, -5_001, 2**70, "x", 1.5, None, (1, 2), [5_000], [1.5], np.array([True])):
        with pytest.raises(IndexError):
            shard[key]
    for start, stop in ((-1, 5), (4_999, 5_001), (5_001, 5_001)):
        message = f"ids {start} to {stop} are not in the shard, which has 5000"
        with pytest.raises(IndexError, match=message):
            shard.read(start, stop)
    with pytest.raises(IndexError, match="ids 5 to 4 are no range: the start is after the stop"):
        shard.read(5, 4)
    with pytest.raises(ValueError, match="without a copy"):
        np.array(shard, copy=False)


def test_messages_name_the_index_as_it_was_given(
    wide: tuple[PackedShard, np.ndarray[Any, Any]],
) -> None:
    shard, ids = wide
    last = np.iinfo(np.uint64).max
    keys: list[tuple[Any, int]] = [
        (5_000, 5_000),
        ([5_000], 5_000),
        ([0, -5_001, 6_000], -5_001),
        ([[1], [7_000]], 7_000),
        ([2**63], 2**63),
        ([-1, 2**63], 2**63),
        ([-1, last], int(last)),
        ([-1, np.uint64(last)], int(last)),
        ([2**64], 2**64),
        ([-(2**70)], -(2**70)),
        (np.array([3, last], np.uint64), int(last)),
    ]
    for key, wrong in keys:
        with pytest.raises(IndexError) as caught:
            shard[key]
        assert str(caught.value) == f"id {wrong} is not in the shard, which has 5000"
    key = np.array([-128, 127], np.int8)
    np.testing.assert_array_equal(shard[key], ids[key])
    starts: list[tuple[Any, int]] = [
        ([5_000], 5_000),
        ([0, -1], -1),
        (np.array([3, last], np.uint64), int(last)),
        (np.array([3, last], ">u8"), int(last)),
        ([2**63], 2**63),
        ([0, 2**64, 5_000], 2**64),
        ([-1, 2**63], 2**63),
        ([-(2**63) - 1], -(2**63) - 1),
    ]
    for given, wrong in starts:
        with pytest.raises(IndexError) as caught:
            shard.windows(given, 2)
        assert str(caught.value) == f"2 ids from {wrong} on are not in the shard, which has 5000"


def test_starts_of_windows_are_integers(
    wide: tuple[PackedShard, np.ndarray[Any, Any]],
) -> None:
    shard, ids = wide
    wrong: list[tuple[Any, str]] = [
        ([0.5], "float64"),
        ([1, 2.0], "float64"),
        (["1"], "str"),
        ([True], "bool"),
        ([None], "object"),
        (np.array([1], "M8[s]"), "datetime64"),
    ]
    for starts, kind in wrong:
        with pytest.raises(OptionError, match=f"starts must be integers, not {kind}") as caught:
            shard.windows(starts, 2)
        assert caught.value.option == "starts"
    for kind in ("i1", "u8", ">u4", ">i8"):
        starts = np.array([3, 17], kind)
        np.testing.assert_array_equal(shard.windows(starts, 2), [ids[3:5], ids[17:19]])


def total(shard: PackedShard) -> int:
    return int(np.asarray(shard, np.int64).sum())


def test_processes_and_threads_share_a_shard(
    wide: tuple[PackedShard, np.ndarray[Any, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    shard, ids = wide
    monkeypatch.chdir(shard.path.parent)
    near = PackedShard("wide.packed")
    monkeypatch.chdir("/")
    copy = pickle.loads(pickle.dumps(near))
    np.testing.assert_array_equal(np.asarray(copy), ids)
    assert len(pickle.dumps(near)) < 500
    expected = [total(shard)] * 8
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(total, [shard] * 8)) == expected
    methods = {"fork", "spawn"} & set(multiprocessing.get_all_start_methods())
    for method in methods:
        if method == "spawn":
            code = "import pickle, sys; print(int(sum(pickle.load(sys.stdin.buffer))))"
            done = subprocess.run(
                [sys.executable, "-c", code],
                input=pickle.dumps(copy),
                capture_output=True,
                check=True,
                timeout=120,
            )
            assert int(done.stdout) == expected[0]
        elif (child := os.fork()) == 0:
            os._exit(0 if total(shard) == expected[0] else 1)
        else:
            assert os.waitpid(child, 0)[1] == 0


def test_files_that_are_not_packed_shards_are_refused(
    wide: tuple[PackedShard, np.ndarray[Any, Any]], tmp_path: Path
) -> None:
    content = wide[0].path.read_bytes()
    path = tmp_path / "b.packed"
    cases = [
        (b"", "it is not a packed shard"),
        (b"\x93NUMPY\x01\x00" + content[8:], "it is not a packed shard"),
        (content[:8] + b"\x02" + content[9:], "its format has version 2"),
        (content[:40], "its header is damaged: the file ends in it"),
        (content[:12] + b"\x12" + content[13:], "its header is damaged: its checksum is wrong"),
        (content[:-1], f"it has {len(content) - 1} bytes instead of {len(content)}"),
        (content + b"\0", f"it has {len(content) + 1} bytes instead of {len(content)}"),
    ]
    for hostile, message in cases:
        path.write_bytes(hostile)
        with pytest.raises(ShardFileError, match=message) as caught:
            PackedShard(path)
        assert caught.value.path == str(path)
        assert caught.value.hint
    path.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
    with pytest.raises(ShardFileError, match="its ids have changed since they were written"):
        PackedShard(path).verify()
    with pytest.raises(MissingInputError, match="no such file"):
        PackedShard(tmp_path / "none.packed")
    with pytest.raises(InputError, match=r"reading .* failed"):
        PackedShard(tmp_path)


def test_damaged_npy_shards_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.arange(1_000, dtype=np.uint32))
    content = path.read_bytes()
    assert isinstance(open_ids(str(path)), np.memmap)
    zipped = tmp_path / "a.npz"
    np.savez(zipped, np.arange(5))
    np.save(tmp_path / "objects.npy", np.array([None]), allow_pickle=True)
    objects = (tmp_path / "objects.npy").read_bytes()
    huge = content.replace(b"(1000,), }" + b" " * 30, b"(%d,), }" % 2**63 + b" " * 15)
    wrong = (b"", content[:7], content[:40], content[:-1], content[:128], b"text" * 9, objects)
    open_bracket = content.replace(b"(1000,), }", b"((1000,),}")
    no_number = content.replace(b"(1000,)", b"(True,)")
    assert len({len(form) for form in (huge, open_bracket, no_number, content)}) == 1
    for hostile in (*wrong, huge, open_bracket, no_number, zipped.read_bytes()):
        path.write_bytes(hostile)
        with pytest.raises(ShardFileError, match=r"a\.npy cannot be read: it is") as caught:
            open_ids(path)
        assert (caught.value.path, bool(caught.value.hint)) == (str(path), True)
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"a\.npy"):
        open_ids(path)


def test_wrong_offsets_are_refused(wide: tuple[PackedShard, np.ndarray[Any, Any]]) -> None:
    path = wide[0].path
    documents = path.with_suffix(".documents.npy")
    assert wide[0].document(1).size == 0
    for wrong in ([0, 5_000], [0, 10, 10, 4_999], [1, 10, 10, 5_000], [[0, 10, 10, 5_000]]):
        np.save(documents, np.array(wrong, np.uint64))
        with pytest.raises(ShardFileError, match="does not say where the documents of"):
            PackedShard(path).document(0)
    np.save(documents, np.array([0, 10, 2**63, 5_000], np.uint64))
    shard = PackedShard(path)
    assert shard.document(0).size == 10
    calls: list[Callable[[], object]] = [partial(shard.document, 1), partial(shard.document, 2)]
    for call in [*calls, shard.verify]:
        with pytest.raises(ShardFileError, match="does not say where the documents of"):
            call()
    header = documents.read_bytes()[:128]
    for hostile in (b"\x93NUMPY", header, header.replace(b"(4,)", b"((4,")):
        documents.write_bytes(hostile)
        with pytest.raises(ShardFileError):
            PackedShard(path).verify()
    documents.unlink()
    shard = PackedShard(path)
    assert shard[0] == wide[1][0]
    with pytest.raises(MissingInputError, match=r"documents\.npy"):
        shard.document(0)


def test_what_cannot_be_packed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.packed"
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        ([4], {"bits": 2}, "id 4 does not fit into 2 bits"),
        ([4], {"bits": 33}, "bits must be a whole number from 1 to 32, not 33"),
        ([0], {"bits": 0}, "bits must be a whole number from 1 to 32, not 0"),
        ([0], {"bits": -(2**70)}, "bits must be a whole number from 1 to 32"),
        ([0], {"bits": 2.0}, r"bits must be a whole number from 1 to 32, not 2.0 \(float\)"),
        ([0], {"bits": True}, "bits must be a whole number from 1 to 32, not True"),
        ([-1], {}, "ids must be one-dimensional"),
        ([2**32], {}, "ids must be one-dimensional"),
        ([[1]], {}, "ids must be one-dimensional"),
        ([1.5], {}, "ids must be one-dimensional"),
        ([1, 2], {"offsets": [0, 1]}, "offsets must rise from 0 to the number of ids, 2"),
        ([1, 2], {"offsets": [0, 2, 1, 2]}, "offsets must rise"),
    ]
    for ids, options, message in wrong:
        with pytest.raises(OptionError, match=message):
            pack(ids, path, **options)
    with pytest.raises(OptionError, match=r"ends with \.packed"):
        pack([1], tmp_path / "a.npy")
    assert list(tmp_path.iterdir()) == []


def test_only_packed_shards_are_replaced(tmp_path: Path) -> None:
    path, documents = tmp_path / "t.packed", tmp_path / "t.documents.npy"
    notes = b"my notes\n"
    path.write_bytes(notes)
    with pytest.raises(SaveError, match="exists and is not a packed shard") as caught:
        pack([1, 2], path)
    assert (caught.value.path, path.read_bytes()) == (str(path), notes)
    assert not documents.exists()
    pack([1, 2], path, overwrite=True)
    assert pack([3, 4, 5], path, offsets=[0, 1, 3])[:].tolist() == [3, 4, 5]
    documents.write_bytes(notes)
    kept = path.read_bytes()
    with pytest.raises(SaveError, match=r"t\.documents\.npy is not replaced"):
        pack([6], path)
    assert (path.read_bytes(), documents.read_bytes()) == (kept, notes)
    path.unlink()
    path.touch()
    documents.write_bytes(b"")
    assert pack([6], path).document(0).tolist() == [6]
    (tmp_path / "d.packed").mkdir()
    with pytest.raises(SaveError, match="it is a directory"):
        pack([6], tmp_path / "d.packed")
    assert not (tmp_path / "d.documents.npy").exists()


def test_a_shard_that_is_read_is_not_replaced(
    wide: tuple[PackedShard, np.ndarray[Any, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    shard, ids = wide
    folder = shard.path.parent
    files = {path: path.read_bytes() for path in folder.iterdir()}
    link = folder / "link.packed"
    link.symlink_to(shard.path)
    monkeypatch.chdir(folder)
    near = PackedShard("wide.packed")
    monkeypatch.chdir("/")
    for source, path in ((shard, shard.path), (shard, link), (near, shard.path)):
        for overwrite in (False, True):
            with pytest.raises(SaveError, match=r"cannot save to .* it is"):
                pack(source, path, overwrite=overwrite)
    link.unlink()
    # Its second file is not replaced either, if the first has another name.
    moved = PackedShard(shard.path.rename(folder / "wide.bin"))
    with pytest.raises(SaveError, match=r"cannot save to .*wide\.documents\.npy"):
        pack(moved, shard.path, overwrite=True)
    moved.path.rename(shard.path)
    assert {path: path.read_bytes() for path in folder.iterdir()} == files
    copied = pack(shard, folder / "copy.packed", offsets=shard.offsets)
    np.testing.assert_array_equal(copied[:], ids)
    np.testing.assert_array_equal(copied.offsets, shard.offsets)


def test_packing_keeps_the_documents_of_the_npy_shard_beside_it(
    both: tuple[EncodedCorpus, EncodedCorpus],
) -> None:
    plain, _ = both
    shard = plain.shards[0]
    path = plain.path / shard.tokens_file
    documents = plain.path / shard.files[1]
    kept = documents.read_bytes()
    with pytest.raises(SaveError, match="documents of another shard"):
        pack(open_ids(path), path.with_suffix(".packed"))
    assert documents.read_bytes() == kept
    offsets = np.load(documents, mmap_mode="r")
    packed = pack(open_ids(path), path.with_suffix(".packed"), offsets=offsets)
    assert packed.documents == shard.documents
    assert documents.read_bytes() == kept


def test_the_reader_is_loaded_when_it_is_used() -> None:
    code = (
        "import sys, superword.shards as s; before = 'numpy' in sys.modules; "
        "s.PackedShard, s.pack; print(before, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
    assert {"PackedShard", "open_ids", "pack"} <= set(shards.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        shards.nothing  # noqa: B018

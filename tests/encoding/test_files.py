"""Shards have the right content, do not depend on threads, and are never incomplete."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import warnings
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import superword
from superword.errors import (
    DocumentError,
    EmptyCorpusError,
    MissingInputError,
    OptionError,
    SaveError,
    ShardsMismatchError,
    SkippedWarning,
    SpecialTokenError,
)
from superword.shards import EncodedCorpus
from support.variants import engine

SIZE = 80_000  # tokens of a shard


def of_all_sizes() -> list[str]:
    """A few thousand documents of all sizes: more than one block of input or batch of rows."""
    words = ["of the", " name", " один", "言葉", "\n", " 12", "", " as well as", "x" * 300]
    return [
        "".join(words[(i * 7 + j * j) % len(words)] for j in range(i % 97)) for i in range(3000)
    ]


@pytest.fixture
def documents() -> list[str]:
    return of_all_sizes()


@pytest.fixture
def corpus(tmp_path: Path, documents: list[str]) -> list[Path]:
    """The documents as three files, plain and compressed, in order."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    lines = [json.dumps({"text": text}) + "\n" for text in documents]
    (folder / "a.jsonl").write_text("".join(lines[:1700]))
    (folder / "b.jsonl.gz").write_bytes(gzip.compress("".join(lines[1700:2999]).encode()))
    (folder / "c.jsonl").write_text(lines[2999])
    return sorted(folder.iterdir())


def read_back(corpus: EncodedCorpus) -> list[list[int]]:
    """The ids of each document, read through memory-mapped arrays."""
    documents = []
    for shard in corpus.shards:
        assert shard.files == (shard.tokens_file, shard.documents_file)
        ids, offsets = (np.load(corpus.path / name, mmap_mode="r") for name in shard.files)
        assert isinstance(ids, np.memmap)
        assert ids.dtype == corpus.dtype
        assert offsets.dtype == np.uint64
        assert (len(ids), len(offsets)) == (shard.tokens, shard.documents + 1)
        documents += [ids[start:end].tolist() for start, end in pairwise(map(int, offsets))]
        assert int(offsets[-1]) == len(ids)
    return documents


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_shards_hold_the_documents_in_order(
    corpus: list[Path], documents: list[str], tmp_path: Path
) -> None:
    tok = engine("boundless")
    done = tok.encode_files(corpus, tmp_path / "out", shard_size=SIZE)
    expected = [[*tok.encode(text), tok.eot_token] for text in documents]
    assert read_back(done) == expected
    assert done.documents == len(documents)
    assert done.tokens == sum(map(len, expected))
    assert done.bytes == sum(len(text.encode()) for text in documents)
    assert len(done.shards) > 3
    # Each shard ends with the document that fills it.
    for shard in done.shards[:-1]:
        offsets = np.load(done.path / shard.files[1])
        assert offsets[-2] < SIZE <= offsets[-1]

    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["tokens"] == done.tokens
    assert manifest["documents"] == done.documents
    assert manifest["model"]["sha256"] == hashlib.sha256(tok.to_bytes()).hexdigest()
    assert [Path(item["path"]) for item in manifest["inputs"]] == corpus
    names = {name for shard in done.shards for name in shard.files}
    assert {path.name for path in done.path.iterdir()} == {*names, "manifest.json"}


def test_files_are_what_numpy_would_save(corpus: list[Path], tmp_path: Path) -> None:
    done = engine("boundless").encode_files(corpus, tmp_path / "out")
    for path in (tmp_path / "out").glob("*.npy"):
        np.save(tmp_path / "again.npy", np.load(path))
        assert (tmp_path / "again.npy").read_bytes() == path.read_bytes()
    assert len(done.shards) == 1


def test_every_number_of_threads_gives_the_same_bytes(corpus: list[Path], tmp_path: Path) -> None:
    tok = engine("boundless")
    results = []
    for threads in (1, 2, 5):
        tok.encode_files(corpus, tmp_path / str(threads), shard_size=SIZE, threads=threads)
        results.append(digests(tmp_path / str(threads)))
    assert results[0] == results[1] == results[2]


def test_dtype_and_end_of_document(corpus: list[Path], tmp_path: Path) -> None:
    tok = engine("boundless")
    narrow = tok.encode_files(corpus, tmp_path / "a")
    wide = tok.encode_files(corpus, tmp_path / "b", dtype="uint32")
    assert (narrow.dtype, wide.dtype) == ("uint16", "uint32")
    assert read_back(narrow) == read_back(wide)
    without = read_back(tok.encode_files(corpus, tmp_path / "c", eot=False))
    other = read_back(tok.encode_files(corpus, tmp_path / "d", eot="<|pad|>"))
    pad = tok.special_tokens["<|pad|>"]
    assert [[*ids, pad] for ids in without] == other
    assert [ids[:-1] for ids in read_back(wide)] == without

    with pytest.raises(SpecialTokenError, match="no special token") as caught:
        engine("bpe").encode_files(corpus, tmp_path / "e")
    assert caught.value.hint is not None
    assert "eot=False" in caught.value.hint
    with pytest.raises(OptionError, match="dtype"):
        tok.encode_files(corpus, tmp_path / "e", dtype="int32")
    with pytest.raises(OptionError, match="shard_size"):
        tok.encode_files(corpus, tmp_path / "e", shard_size=0)
    assert not (tmp_path / "e").exists()


def test_special_tokens_in_documents_are_plain_text(tmp_path: Path) -> None:
    tok = engine("boundless")
    (tmp_path / "a.txt").write_text("a<|endoftext|>b")
    done = tok.encode_files(tmp_path / "a.txt", tmp_path / "out")
    assert read_back(done) == [[*tok.encode_ordinary("a<|endoftext|>b"), tok.eot_token]]


class Interrupted:
    """A file with a broken line that can be repaired without changing its identity."""

    def __init__(self, path: Path, line: int) -> None:
        lines = path.read_bytes().splitlines(keepends=True)
        self.path = path
        self.whole = b"".join(lines)
        lines[line] = b"!" + lines[line][1:]
        path.write_bytes(b"".join(lines))
        self.status = path.stat()

    def run(self, tok: superword.Tokenizer, out: Path, **options: Any) -> None:
        with pytest.raises(DocumentError):
            tok.encode_files(self.path, out, **options)
        assert not (out / "manifest.json").exists()
        assert list(out.glob(".superword-*")) == []
        assert list(out.glob("shard-*.npy"))

    def mend(self) -> None:
        """Restore the content and the time. A change far from both ends is not noticed."""
        self.path.write_bytes(self.whole)
        os.utime(self.path, ns=(self.status.st_atime_ns, self.status.st_mtime_ns))


@pytest.fixture
def one_file(tmp_path: Path, documents: list[str]) -> Path:
    """Several blocks of input."""
    path = tmp_path / "one.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in documents) * 3)
    return path


def test_a_stopped_run_goes_on_and_ends_with_the_same_bytes(tmp_path: Path, one_file: Path) -> None:
    tok, out = engine("boundless"), tmp_path / "out"
    stopped = Interrupted(one_file, 8000)
    stopped.run(tok, out, shard_size=SIZE)
    stopped.run(tok, out, shard_size=SIZE)
    stopped.mend()
    done = tok.encode_files(one_file, out, shard_size=SIZE, threads=1)
    assert 1 < done.resumed < len(done.shards)
    tok.encode_files(one_file, tmp_path / "whole", shard_size=SIZE)
    assert digests(out) == digests(tmp_path / "whole")

    # Another call has nothing to do, and changes no file.
    before = {path: path.stat().st_mtime_ns for path in out.iterdir()}
    assert tok.encode_files(one_file, out, shard_size=SIZE) == done
    assert {path: path.stat().st_mtime_ns for path in out.iterdir()} == before


def test_a_shard_that_was_lost_is_made_again(tmp_path: Path, one_file: Path) -> None:
    tok, out = engine("boundless"), tmp_path / "out"
    stopped = Interrupted(one_file, 8000)
    stopped.run(tok, out, shard_size=SIZE)
    stopped.mend()
    (out / "shard-00001.npy").write_bytes(b"cut short")
    (out / ".superword-1-0.tmp").write_bytes(b"left by a killed run")
    done = tok.encode_files(one_file, out, shard_size=SIZE)
    assert done.resumed == 1
    tok.encode_files(one_file, tmp_path / "whole", shard_size=SIZE)
    assert digests(out) == digests(tmp_path / "whole")

    (out / "shard-00001.npy").unlink()
    with pytest.raises(ShardsMismatchError, match=r"shard-00001.npy is missing"):
        tok.encode_files(one_file, out, shard_size=SIZE)


def test_any_exception_of_the_progress_stops_a_run(tmp_path: Path, one_file: Path) -> None:
    def refuse(_: object) -> None:
        raise ZeroDivisionError

    tok, out = engine("boundless"), tmp_path / "out"
    with pytest.raises(ZeroDivisionError):
        tok.encode_files(one_file, out, progress=refuse)
    # Finished shards are kept, and no file is incomplete. Only if the work was done before the
    # first report is there a manifest, and then the directory is complete.
    names = {path.name for path in out.iterdir()}
    complete = {"manifest.json", "shard-00000.npy", "shard-00000.documents.npy"}
    assert names == complete or names <= complete - {"manifest.json"} | {"progress.json"}
    whole = tok.encode_files(one_file, tmp_path / "whole")
    assert read_back(tok.encode_files(one_file, out)) == read_back(whole)


def test_what_changed_is_said(tmp_path: Path, corpus: list[Path]) -> None:
    tok, out = engine("boundless"), tmp_path / "out"
    options: dict[str, Any] = {"shard_size": SIZE}
    status = corpus[2].stat()
    good = corpus[2].read_bytes()
    corpus[2].write_bytes(b"!" + good[1:])
    with pytest.raises(DocumentError):
        tok.encode_files(corpus, out, **options)
    corpus[2].write_bytes(good)
    os.utime(corpus[2], ns=(status.st_atime_ns, status.st_mtime_ns))
    changes: list[tuple[dict[str, Any], str]] = [
        ({"shard_size": 4000}, f"shard_size was {SIZE} and is now 4000"),
        ({"eot": False}, "eot_token was"),
        ({"dtype": "uint32"}, "dtype was uint16 and is now uint32"),
        ({"on_error": "skip"}, "on_error"),
    ]
    for change, said in changes:
        with pytest.raises(ShardsMismatchError, match=said) as caught:
            tok.encode_files(corpus, out, **(options | change))
        assert caught.value.hint is not None
        assert "overwrite" in caught.value.hint
    with pytest.raises(ShardsMismatchError, match="the model is different"):
        tok.truncate(500).encode_files(corpus, out, **options)
    with pytest.raises(ShardsMismatchError, match="there were 3 inputs and are now 2"):
        tok.encode_files(corpus[:2], out, **options)
    corpus[2].write_text('{"text": "changed"}\n')
    with pytest.raises(ShardsMismatchError, match=r"c\.jsonl has changed"):
        tok.encode_files(corpus, out, **options)
    done = tok.encode_files(corpus, out, overwrite=True, **options)
    assert done.resumed == 0
    assert read_back(done)[-1] == [*tok.encode("changed"), tok.eot_token]
    with pytest.raises(
        ShardsMismatchError, match="the model is different"
    ):  # Also when the directory is complete.
        tok.truncate(500).encode_files(corpus, out, **options)


def test_shards_of_unknown_origin_are_not_touched(tmp_path: Path, corpus: list[Path]) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "shard-00000.npy").write_bytes(b"mine")
    (out / "notes.txt").write_bytes(b"mine")
    with pytest.raises(ShardsMismatchError, match="no file says what it was made from"):
        engine("boundless").encode_files(corpus, out)
    assert (out / "shard-00000.npy").read_bytes() == b"mine"
    engine("boundless").encode_files(corpus, out, overwrite=True)
    assert (out / "notes.txt").read_bytes() == b"mine"
    (out / "manifest.json").write_text("[]")
    with pytest.raises(ShardsMismatchError, match="is damaged, or another program wrote it"):
        engine("boundless").encode_files(corpus, out)


def test_a_run_that_made_no_shard_leaves_nothing_to_hold_it_to(tmp_path: Path) -> None:
    tok, path = engine("boundless"), tmp_path / "a.jsonl"
    path.write_text('{"text": ""}\n')
    with pytest.raises(EmptyCorpusError):
        tok.encode_files(path, tmp_path / "out")
    assert list((tmp_path / "out").glob("shard*")) == []
    path.write_text('{"text": "now"}\n')
    assert tok.encode_files(path, tmp_path / "out", eot=False).documents == 1


def test_bad_documents_stop_or_are_skipped(tmp_path: Path) -> None:
    tok, path = engine("boundless"), tmp_path / "a.jsonl"
    path.write_text('{"text": "one"}\n{"text": 2}\nnot json\n{"text": "three"}\n')
    with pytest.raises(DocumentError) as caught:
        tok.encode_files(path, tmp_path / "out")
    assert caught.value.line == 2
    with pytest.warns(SkippedWarning, match="skipped 2 documents"):
        done = tok.encode_files(path, tmp_path / "out", on_error="skip")
    assert done.documents == 2
    assert done.skipped == 2
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["skipped"] == 2


def test_skips_are_counted_once_however_often_a_run_is_stopped(
    tmp_path: Path, documents: list[str]
) -> None:
    tok, out = engine("boundless"), tmp_path / "out"
    lines = [json.dumps({"text": text}) + "\nbad\n" for text in documents]
    (tmp_path / "a.jsonl").write_text("".join(lines) * 3)
    damaged = gzip.compress("".join(lines).encode())
    (tmp_path / "b.jsonl.gz").write_bytes(damaged)
    sources = [tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"]
    options: dict[str, Any] = {"shard_size": SIZE, "on_error": "skip"}

    def stop(progress: superword.training.Progress) -> None:
        if len(list(out.glob("shard-*.documents.npy"))) >= 2:
            raise ZeroDivisionError

    # Whether the run was stopped midway or had finished, the result is the same.
    with suppress(ZeroDivisionError), warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedWarning)
        tok.encode_files(sources, out, progress=stop, **options)
    with pytest.warns(SkippedWarning):
        done = tok.encode_files(sources, out, **options)
    assert done.skipped == 4 * len(documents)


def test_other_formats_and_a_single_path(tmp_path: Path) -> None:
    tok = engine("boundless")
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\n\nthree\n")
    whole = read_back(tok.encode_files(str(path), tmp_path / "1", eot=False))
    lines = read_back(tok.encode_files(path, tmp_path / "2", eot=False, input_format="lines"))
    parts = read_back(tok.encode_files(path, tmp_path / "3", eot=False, input_format="paragraphs"))
    assert [tok.decode(ids) for ids in whole] == ["one\ntwo\n\nthree\n"]
    assert [tok.decode(ids) for ids in lines] == ["one", "two", "three"]
    assert [tok.decode(ids) for ids in parts] == ["one\ntwo", "three"]


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path, corpus: list[Path]) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(SaveError, match="cannot be a directory: a file is in the way"):
            engine("boundless").encode_files(corpus, place)


def test_the_output_directory_may_be_inside_the_input_directory(
    tmp_path: Path, corpus: list[Path]
) -> None:
    tok, folder = engine("boundless"), corpus[0].parent
    whole = tok.encode_files(corpus, tmp_path / "whole", shard_size=SIZE)
    for out in (folder / "shards", folder):
        done = tok.encode_files(folder, out, shard_size=SIZE)
        assert read_back(done) == read_back(whole)
        # The JSON files that it wrote are not documents, so there is nothing new to do.
        again = tok.encode_files(folder, out, shard_size=SIZE)
        assert again.resumed == len(again.shards) == len(whole.shards)
        for path in (out / "manifest.json", *out.glob("shard-*.npy")):
            path.unlink()
    out = folder / "shards"
    (out / "progress.json").write_text("{}")
    with pytest.raises(MissingInputError, match="the only inputs are shards"):
        tok.encode_files(out, out)


def test_shards_in_a_directory_are_not_read_as_text(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "one of the words of the text"}\n' * 9)
    wanted = superword.train(tmp_path, vocab_size=270)
    wanted.encode_files(tmp_path, tmp_path / "shards", eot=False)
    assert superword.train(tmp_path, vocab_size=270) == wanted
    # A file of that name elsewhere is text.
    (tmp_path / "progress.json").write_text('{"text": "more text"}\n')
    assert superword.train(tmp_path, vocab_size=270).facts["documents"] == 10


def test_a_stopped_run_inside_the_input_directory_is_resumed(
    tmp_path: Path, documents: list[str]
) -> None:
    tok, folder = engine("boundless"), tmp_path / "corpus"
    folder.mkdir()
    path = folder / "one.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in documents) * 3)
    stopped = Interrupted(path, 8000)
    with pytest.raises(DocumentError):
        tok.encode_files(folder, folder / "out", shard_size=SIZE)
    stopped.mend()
    done = tok.encode_files(folder, folder / "out", shard_size=SIZE)
    assert 0 < done.resumed < len(done.shards)
    assert done.documents == 3 * len(documents)


def damaged_records(record: dict[str, Any]) -> Iterator[bytes]:
    """Damaged variants of a record: truncated, without each key, and with wrong values."""
    text = json.dumps(record)
    for end in range(0, len(text), max(1, len(text) // 40)):
        yield text[:end].encode()
    yield from (b"\xff\xfe", b"[]", b"null", b"7", b'"x"', b"{}", b"[" * 100_000)
    for changed in changed_values(record):
        if (other := json.dumps(changed)) != text:
            yield other.encode()


def changed_values(value: Any) -> Iterator[Any]:
    """Variants of a value with one part left out or replaced."""
    yield from (None, "x", -1, 1.5, 2**63, 2**80, True, [], {}, [None], {"x": 1})
    if isinstance(value, dict):
        for name, part in value.items():
            yield {key: other for key, other in value.items() if key != name}
            for changed in changed_values(part):
                yield {**value, name: changed}
    elif isinstance(value, list):
        for at, part in enumerate(value):
            for changed in changed_values(part):
                yield [*value[:at], changed, *value[at + 1 :]]


@pytest.mark.filterwarnings("ignore::superword.errors.SkippedWarning")
@pytest.mark.parametrize("name", ["manifest.json", "progress.json"])
def test_a_damaged_record_is_a_clear_error(tmp_path: Path, name: str) -> None:
    tok, out = engine("boundless"), tmp_path / "out"
    inputs = [tmp_path / "a.txt", tmp_path / "b.jsonl"]
    inputs[0].write_text("one two")
    inputs[1].write_text('{"text": "three"}\n' if name == "manifest.json" else "broken")

    def run(**options: Any) -> EncodedCorpus:
        return tok.encode_files(inputs, out, shard_size=2, threads=1, **options)

    if name == "manifest.json":
        run()
    else:
        with pytest.raises(DocumentError):
            run()
        assert len(list(out.glob("shard-*.npy"))) == 2
    record = (out / name).read_bytes()
    files = digests(out)
    refused = accepted = 0
    hints: set[str | None] = set()
    for content in damaged_records(json.loads(record)):
        (out / name).write_bytes(content)
        try:
            run()
            accepted += 1
        except ShardsMismatchError as error:
            hints.add(error.hint)
            refused += 1
    assert refused > 100
    assert all("overwrite=True" in str(hint) for hint in hints)
    # Some numbers in the manifest are only informative and cannot be checked: skipped, totals.
    assert accepted == 0 if name == "progress.json" else accepted < 50
    (out / name).write_bytes(record)
    assert digests(out) == files  # No attempt changed a shard.
    inputs[1].write_text('{"text": "three"}\n')
    assert run(overwrite=True).documents == 2


def test_a_damaged_record_without_shards_is_a_clean_restart(tmp_path: Path) -> None:
    tok, out, path = engine("boundless"), tmp_path / "out", tmp_path / "a.txt"
    path.write_text("one two")
    out.mkdir()
    for content in (b"", b"{", b"[]", b'{"shards": 7}', b'{"shards": [{}]}'):
        (out / "progress.json").write_bytes(content)
        assert tok.encode_files(path, out).documents == 1
        for file in out.iterdir():
            file.unlink()

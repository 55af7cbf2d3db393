"""Bad input gets a clear error: what, where, what next. Nothing is lost."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import superword
from superword.errors import (
    DamagedInputError,
    DocumentError,
    EmptyCorpusError,
    InputError,
    MissingInputError,
    OptionError,
    PatternError,
    SuperwordError,
)
from support.systems import needs_links

GOOD = json.dumps({"text": "one of the words"})


def fails(path: object, kind: type[SuperwordError], **options: object) -> SuperwordError:
    with pytest.raises(kind) as caught:
        superword.train(path, **{"vocab_size": 300, **options})  # type: ignore[arg-type]
    error = caught.value
    assert error.hint, f"no hint: {error}"
    assert str(error) == f"{error.message}\nhint: {error.hint}"
    return error


def test_missing_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text(GOOD)
    error = fails(tmp_path / "corpsu.jsonl", MissingInputError)
    assert str(tmp_path / "corpsu.jsonl") in error.message
    assert "did you mean 'corpus.jsonl'" in str(error)
    assert isinstance(error, FileNotFoundError)
    fails(tmp_path / "no" / "such" / "folder.txt", MissingInputError)
    fails(str(tmp_path / "*.txt"), MissingInputError)
    fails("", MissingInputError)
    fails([], MissingInputError)


def test_one_missing_file_among_many_stops_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(GOOD)
    seen: list[object] = []
    inputs = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    fails(inputs, MissingInputError, progress=seen.append)
    assert not seen


def test_a_directory_without_documents_is_named(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(b"\0")
    (tmp_path / ".hidden.txt").write_text("hidden")
    error = fails(tmp_path, MissingInputError)
    assert str(tmp_path) in error.message
    assert ".jsonl" in str(error)


@pytest.mark.parametrize(
    "line",
    ["{", "not json", '"text"', "[1]", '{"other": "x"}', '{"text": 5}', '{"text": null}', "{}"],
)
def test_lines_that_are_no_documents_have_their_place(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f"{GOOD}\n{line}\n{GOOD}\n")
    error = fails(path, DocumentError)
    assert isinstance(error, InputError)
    assert error.line == 2
    assert error.path == str(path)
    assert "a.jsonl" in error.message
    assert "2" in error.message
    assert "skip" in str(error)


@pytest.mark.parametrize("name", ["a.jsonl", "a.txt"])
def test_invalid_utf8_has_its_place(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    first = GOOD.encode() if name == "a.jsonl" else b"fine"
    path.write_bytes(first + b'\n{"text": "\xff\xfe"}\n')
    error = fails(path, DocumentError)
    assert isinstance(error, InputError)
    assert error.path == str(path)
    assert "UTF-8" in error.message


@pytest.mark.parametrize("content", [b"", b"\n\n", b'{"text": ""}\n'])
def test_an_empty_corpus_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    fails(path, EmptyCorpusError)
    with pytest.raises(EmptyCorpusError):
        superword.train_from_iterator([], vocab_size=300)


def test_a_json_array_is_named_as_such(tmp_path: Path) -> None:
    documents = [{"text": "one of the words"}, {"text": "another"}]
    for text in (json.dumps(documents), json.dumps(documents, indent=2)):
        path = tmp_path / "a.json"
        path.write_text(text)
        error = fails(path, DocumentError)
        assert "JSON array" in error.message
        assert "JSON Lines" in error.message
        assert "jq -c '.[]'" in str(error)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.txt"])
def test_utf16_is_named_with_the_way_to_convert_it(
    tmp_path: Path, name: str, encoding: str
) -> None:
    path = tmp_path / name
    path.write_text(GOOD, encoding=encoding)
    error = fails(path, DocumentError)
    assert "UTF-16" in error.message
    assert "iconv -f utf-16 -t utf-8" in str(error)


@pytest.mark.parametrize("name", ["a.jsonl", "a.txt"])
def test_a_utf8_byte_order_mark_is_dropped(tmp_path: Path, name: str) -> None:
    plain, marked = tmp_path / name, tmp_path / f"marked-{name}"
    plain.write_text(f"{GOOD}\n" * 9)
    marked.write_text(f"{GOOD}\n" * 9, encoding="utf-8-sig")
    models = [superword.train(path, vocab_size=260) for path in (plain, marked)]
    assert models[0].to_bytes() == models[1].to_bytes()


def test_weights_that_are_all_zero_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one of the words")
    error = fails({"de": path}, OptionError, weights={"de": 0})
    assert "all weights are 0" in error.message
    assert error.facts["option"] == "weights"
    assert "above 0" in str(error)


@needs_links
def test_a_dangling_link_names_its_target(tmp_path: Path) -> None:
    link = tmp_path / "a.txt"
    link.symlink_to(tmp_path / "gone.txt")
    error = fails(link, MissingInputError)
    assert f"{link} is a symbolic link to {tmp_path / 'gone.txt'}" in error.message
    assert "did you mean" not in str(error)


def test_all_documents_skipped_is_an_empty_corpus(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("{\n")
    fails(path, EmptyCorpusError, on_error="skip")


def test_compressed_files_that_are_cut_short_or_damaged_are_named(
    tmp_path: Path, texts: list[str]
) -> None:
    path = tmp_path / "a.jsonl.gz"
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()
    whole = gzip.compress(lines)
    for content in (whole[: len(whole) // 2], whole[:5], b"no gzip at all"):
        path.write_bytes(content)
        error = fails(path, DamagedInputError)
        assert "a.jsonl.gz" in error.message
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(b"no zstd at all")
    assert "a.jsonl.zst" in fails(path, DamagedInputError).message


def test_containers_are_not_taken_for_text(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")
    for name in ("a.parquet", "a.zip", "a.pdf"):
        (tmp_path / name).write_text("{}")
        error = fails(tmp_path / name, SuperwordError)
        assert name in error.message


def test_patterns_that_cannot_be_used_are_errors(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one of the words, one of the words")
    for veto in ("(", "[a-"):
        error = fails(tmp_path / "a.txt", PatternError, veto=veto)
        assert isinstance(error, OptionError)


def test_a_directory_in_place_of_a_file_is_no_panic(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").mkdir()
    fails(tmp_path / "a.jsonl", MissingInputError)

"""Counts survive saving and loading, and their files record where they come from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import superword
from hypothesis import given
from hypothesis import strategies as st
from superword._counting import tsv
from superword.counts import Candidates, Counts
from superword.errors import CountsError, SaveError
from superword.inputs import Texts
from superword.stages import count_candidates, count_pretokens, train_superwords, train_words

pa: Any = pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")

SUFFIXES = [".parquet", ".arrow", ".feather", ".tsv"]


@given(st.binary(min_size=1))
def test_every_token_is_readable_in_tsv_and_comes_back(token: bytes) -> None:
    shown = tsv.escape(token)
    assert shown.isprintable() or " " in shown or not shown.isascii()
    assert not set(shown) & set("\t\n\r\x00")
    assert tsv.unescape(shown) == token


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files_give_back_counts_and_where_they_are_from(
    tmp_path: Path, texts: list[str], jsonl: Path, suffix: str
) -> None:
    counts = count_pretokens(jsonl)
    path = tmp_path / f"c{suffix}"
    counts.save(path)
    again = Counts.load(path)
    assert again == counts
    assert again.facts == counts.facts
    assert again.origin == counts.origin
    assert again.origin.inputs[0]["name"] == str(jsonl)
    assert again.origin.inputs[0]["documents"] == len(texts)
    wanted = superword.train(jsonl, vocab_size=400, method="bpe")
    assert train_words(again, vocab_size=400).to_bytes() == wanted.to_bytes()
    first = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == first


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files_give_back_candidates(tmp_path: Path, jsonl: Path, suffix: str) -> None:
    words = train_words(count_pretokens(jsonl), vocab_size=420)
    candidates = count_candidates(jsonl, words)
    path = tmp_path / f"c{suffix}"
    candidates.save(path)
    again = Candidates.load(path)
    assert dict(again) == dict(candidates)
    assert again.origin == candidates.origin
    wanted = superword.train(jsonl, vocab_size=420)
    assert train_superwords(words, again, vocab_size=420).to_bytes() == wanted.to_bytes()


def test_arrow_tables_are_taken_and_given(texts: list[str]) -> None:
    counts = count_pretokens(Texts(texts))
    table = counts.to_arrow()
    assert table.schema.field("token").type == pa.binary()
    assert table.schema.field("count").type == pa.uint64()
    assert table["token"].to_pylist() == sorted(counts)
    about = json.loads(table.schema.metadata[b"superword"])
    assert about["pretokenizer"]["pattern"] == counts.pretokenizer.pattern
    assert about["version"] == superword.__version__
    words = train_words(table, vocab_size=400)
    assert words.to_bytes() == train_words(counts, vocab_size=400).to_bytes()
    candidates = count_candidates(Texts(texts), words).to_arrow()
    assert candidates.schema.field("tokens").type.value_type == pa.binary()
    assert train_superwords(words, candidates, vocab_size=400).merges


@pytest.mark.parametrize("kind", ["binary", "large_binary", "string", "large_string"])
def test_tables_of_other_engines_are_taken(kind: str) -> None:
    tokens = pa.array(["ab", " ü", "ab"], getattr(pa, kind)())
    for count_type in (pa.uint64(), pa.int64(), pa.int32()):
        table = pa.table(
            {"count": pa.array([1, 2, 3], count_type), "token": tokens, "x": [1, 2, 3]}
        )
        counts = Counts.from_arrow(table, pretokenizer="gpt4o")
        assert dict(counts) == {b"ab": 4, " ü".encode(): 2}
        assert dict(Counts.from_arrow(table.slice(1), pretokenizer="gpt4o")) == {
            b"ab": 3,
            " ü".encode(): 2,
        }
    with pytest.raises(CountsError, match="does not record the pretokenizer"):
        Counts.from_arrow(table)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"token": [b"a"]}, "no column 'count'"),
        ({"count": [1]}, "no column 'token'"),
        ({"token": [b"a"], "count": [-1]}, "cannot be used"),
        ({"token": [b"a"], "count": ["x"]}, "cannot be used"),
        ({"token": [b"a"], "count": [1.5]}, "cannot be used"),
        ({"token": [b"a", None], "count": [1, 2]}, "null"),
        ({"token": [b"a"], "count": pa.array([None], pa.uint64())}, "null"),
        ({"token": [b""], "count": [1]}, "empty"),
        ({"token": [b"a", b"a"], "count": pa.array([2**64 - 1, 1], pa.uint64())}, "64 bits"),
    ],
)
def test_tables_that_are_wrong_are_refused(table: dict[str, Any], says: str) -> None:
    with pytest.raises(CountsError, match=says):
        Counts.from_arrow(pa.table(table), pretokenizer="gpt4o")


def test_merging_equals_counting_all(tmp_path: Path, texts: list[str]) -> None:
    parts = []
    for number in range(3):
        path = tmp_path / f"{number}.jsonl"
        path.write_text("".join(json.dumps({"text": t}) + "\n" for t in texts[number::3]))
        parts.append(path)
    merged = Counts.merge([count_pretokens(part) for part in parts])
    whole = count_pretokens(tmp_path)
    assert merged == whole
    assert merged.facts == whole.facts
    words = train_words(merged, vocab_size=420)
    candidates = Candidates.merge([count_candidates(part, words) for part in parts])
    wanted = superword.train(parts, vocab_size=420)
    assert train_superwords(words, candidates, vocab_size=420).to_bytes() == wanted.to_bytes()


def test_what_does_not_belong_together_is_not_mixed(tmp_path: Path, jsonl: Path) -> None:
    counts = count_pretokens(jsonl)
    with pytest.raises(CountsError, match="different pretokenizers"):
        Counts.merge([counts, count_pretokens(jsonl, pretokenizer="gpt2")])
    with pytest.raises(CountsError, match="counted twice"):
        Counts.merge([counts, counts])
    assert Counts.merge([counts, counts], allow_repeats=True)[b" the"] == 2 * counts[b" the"]
    with pytest.raises(CountsError, match="no counts"):
        Counts.merge([])
    words, others = (train_words(counts, vocab_size=size) for size in (400, 390))
    candidates = count_candidates(jsonl, words)
    with pytest.raises(CountsError, match="different words"):
        Candidates.merge([candidates, count_candidates(jsonl, others)])
    with pytest.raises(CountsError, match="other words"):
        train_superwords(others, candidates, vocab_size=390)
    cut = count_candidates(jsonl, words, cut_below=2)
    with pytest.raises(CountsError, match="cut cannot be added"):
        Candidates.merge([candidates, cut], allow_repeats=True)
    for suffix in SUFFIXES:
        counts.save(tmp_path / f"counts{suffix}")
        with pytest.raises(CountsError, match="holds counts, not candidates") as caught:
            Candidates.load(tmp_path / f"counts{suffix}")
        assert caught.value.path == str(tmp_path / f"counts{suffix}")
        with pytest.raises(CountsError, match="were made with"):
            Counts.load(tmp_path / f"counts{suffix}", pretokenizer="gpt2")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_counts_above_32_bits_come_back(tmp_path: Path, suffix: str) -> None:
    given = {b"ab": 2**33, b"cd": 2**64 - 1, b"\xff\t": 7}
    path = tmp_path / f"c{suffix}"
    Counts(given, facts={}).save(path)
    assert dict(Counts.load(path)) == given


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_damaged_files_are_refused(tmp_path: Path, jsonl: Path, suffix: str) -> None:
    path = tmp_path / f"c{suffix}"
    count_pretokens(jsonl).save(path)
    data = path.read_bytes()
    for damaged in (b"", b"PAR1", data[: len(data) // 2], b"\x00" * 100):
        path.write_bytes(damaged)
        with pytest.raises(CountsError, match=r"c\."):
            Counts.load(path)
    with pytest.raises(CountsError, match=r"no such file|cannot be read"):
        Counts.load(tmp_path / f"absent{suffix}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ab\n", "line 1"),
        ("ab\tx\n", "line 1"),
        ("ab\t-3\n", "line 1"),
        ("ab\t3\na\\q\t4\n", "line 2: .*unknown escape"),
        (f"ab\t{2**64}\n", "line 1"),
        ("\t4\n", "a token is empty"),
        ("a\tb\t4\n", "3 fields"),
        ("#superword\t{\n", "line 1 is damaged"),
        ("#superword\t3\n", "line 1 is damaged"),
        ('#superword\t{"kind": "counts", "format": 99}\n', "a newer version"),
    ],
)
def test_tsv_that_is_wrong_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "c.tsv"
    path.write_text(text)
    with pytest.raises(CountsError, match=says):
        Counts.load(path, pretokenizer=None if text.startswith("#superword") else "gpt4o")


def test_a_file_that_cannot_be_written_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    counts = Counts({b"a": 1})
    with pytest.raises(SaveError, match="there is no directory"):
        counts.save(tmp_path / "no" / "c.parquet")
    with pytest.raises(CountsError, match="unknown suffix"):
        counts.save(tmp_path / "c.csv")
    assert list(tmp_path.iterdir()) == []

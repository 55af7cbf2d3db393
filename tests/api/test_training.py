"""Training from Python: inputs, iterators, progress, warnings."""

from __future__ import annotations

import gzip
import json
import warnings
from pathlib import Path

import pytest
import superword
from superword._reading import sources
from superword.errors import DocumentError, ShortfallWarning, SkippedWarning, TextError
from superword.stages import count_pretokens
from superword.training import Progress


def test_files_directories_globs_and_iterators_learn_the_same(
    tmp_path: Path, texts: list[str], jsonl: Path
) -> None:
    deep = tmp_path / "corpus" / "deep"
    deep.mkdir(parents=True)
    for index, text in enumerate(texts):
        (deep / f"{index}.txt").write_bytes(text.encode())
    (deep / ".hidden.txt").write_text("never read " * 1000)
    (deep / "data.bin").write_bytes(b"\xff" * 100)
    zipped = tmp_path / "texts.jsonl.gz"
    zipped.write_bytes(gzip.compress(jsonl.read_bytes()))
    inputs: list[object] = [
        jsonl,
        str(jsonl),
        [jsonl],
        [zipped],
        [tmp_path / "corpus"],
        [str(tmp_path / "corpus/**/*.txt")],
    ]
    wanted = superword.train_from_iterator(texts, vocab_size=400)
    for given in inputs:
        got = superword.train(given, vocab_size=400)
        assert got.merges == wanted.merges, given
        assert got.supermerges == wanted.supermerges, given


def test_a_file_named_twice_is_read_once(jsonl: Path) -> None:
    once = superword.train([jsonl], vocab_size=400)
    twice = superword.train([jsonl, str(jsonl), str(jsonl.parent / "*.jsonl")], vocab_size=400)
    assert twice == once


def test_the_text_field_may_have_any_name(tmp_path: Path, texts: list[str]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"id": 1, "body": t}) + "\n" for t in texts))
    got = superword.train(path, vocab_size=400, text_field="body")
    assert got.merges == superword.train_from_iterator(texts, vocab_size=400).merges


def test_threads_and_batches_change_nothing(
    texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = superword.train_from_iterator(texts, vocab_size=420, threads=1)
    for threads in (2, 8):
        assert superword.train_from_iterator(texts, vocab_size=420, threads=threads) == wanted
    monkeypatch.setattr(sources, "BATCH_CHARACTERS", 1)
    assert superword.train_from_iterator(iter(texts), vocab_size=420) == wanted


def test_texts_must_be_many_strings(texts: list[str]) -> None:
    with pytest.raises(TypeError, match="an iterable of texts"):
        superword.train_from_iterator("one text", vocab_size=300)
    with pytest.raises(DocumentError, match="text 1 is dict, not str") as caught:
        superword.train_from_iterator(["a", {"text": "b"}], vocab_size=300)  # type: ignore[list-item]
    assert caught.value.facts["index"] == 1
    with pytest.raises(TextError, match="text 2") as surrogate:
        superword.train_from_iterator(["a", "b", "c\udc00"], vocab_size=300)
    assert surrogate.value.position == 1


def test_an_error_of_the_iterator_is_its_own(texts: list[str]) -> None:
    def broken() -> object:
        yield from texts
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        superword.train_from_iterator(broken(), vocab_size=300)  # type: ignore[arg-type]


def test_progress_is_told_and_can_stop_the_work(texts: list[str]) -> None:
    told: list[Progress] = []
    superword.train_from_iterator(texts, vocab_size=400, progress=told.append)
    assert told
    for progress in told:
        assert isinstance(progress, Progress)
        assert progress.unit in ("bytes", "tokens")
        assert progress.done >= 0
        assert progress.total is None or progress.done <= progress.total
        assert progress.share is None or 0 <= progress.share < 1
        assert progress.seconds_left is None or progress.seconds_left >= 0

    def stop(progress: Progress) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        superword.train_from_iterator(texts, vocab_size=400, progress=stop)


def test_no_progress_is_silent(texts: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    superword.train_from_iterator(texts, vocab_size=400)
    assert capfd.readouterr() == ("", "")
    superword.train_from_iterator(texts, vocab_size=400, progress=True)
    told = capfd.readouterr()
    assert told.out == ""
    assert "learning words" in told.err


def test_a_size_that_cannot_be_reached_is_said_with_its_reason() -> None:
    with pytest.warns(ShortfallWarning) as caught:
        tok = superword.train_from_iterator(["ab ab"], vocab_size=5000)
    warning = next(w for w in caught if w.category is ShortfallWarning)
    assert f"{tok.n_vocab}" in str(warning.message)
    assert "pairs" in str(warning.message)
    assert Path(warning.filename) == Path(__file__)
    assert tok.n_vocab < 5000
    assert tok.decode(tok.encode("ab ab")) == "ab ab"


def test_a_size_that_is_reached_warns_of_nothing(texts: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert superword.train_from_iterator(texts, vocab_size=400).n_vocab == 400


def test_skipped_documents_are_counted_and_shown(tmp_path: Path, texts: list[str]) -> None:
    path = tmp_path / "a.jsonl"
    good = [json.dumps({"text": text}) for text in texts]
    path.write_text("\n".join([good[0], "{", '{"other": 1}', *good[1:], '{"text": 5}']) + "\n")
    with pytest.warns(SkippedWarning, match="skipped 3 documents") as caught:
        tok = superword.train(path, vocab_size=400, on_error="skip")
    messages = [str(w.message) for w in caught if w.category is SkippedWarning]
    assert len(messages) == 1
    assert "a.jsonl:2" in messages[0]
    assert tok.merges == superword.train_from_iterator(texts, vocab_size=400).merges


def test_a_sample_is_whole_documents_and_the_same_each_time(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    documents = [f"word{i} of the list and so on" for i in range(2000)]
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in documents))
    size = sum(map(len, documents))
    one = superword.train(path, vocab_size=300, max_bytes=size // 2)
    two = superword.train(path, vocab_size=300, max_bytes=f"{size // 2}", threads=1)
    assert one == two
    assert size // 2 - 40 < one.facts["bytes"] <= size // 2
    # Whole documents: every one of these words is in each document exactly once.
    counts = count_pretokens(path, pretokenizer="gpt2", max_bytes=size // 2)
    for word in (b"word", b" of", b" the", b" list", b" and", b" so", b" on"):
        assert counts[word] == one.facts["documents"]


def test_the_result_is_the_same_with_all_options(texts: list[str]) -> None:
    def once() -> superword.Tokenizer:
        return superword.train_from_iterator(
            texts,
            vocab_size=420,
            pretokenizer=superword.Pretokenizer(pattern=r" ?\p{L}+|."),
            alphabet="utf8",
            min_count=2,
            picky=0.9,
            picky_split="bytes",
            greedy_split="encode",
            max_words=3,
            same_script=True,
            boundary="space",
            veto="said",
            special_tokens=["<|x|>"],
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        tok = once()
        assert tok == once()
    assert tok.alphabet == "utf8"
    assert tok.pretokenizer.pattern == r" ?\p{L}+|."
    for text in texts:
        assert tok.decode(tok.encode(text)) == text
    for left, right, count in tok.supermerges:
        joined = (left + right).decode()
        assert count >= 2
        assert joined.count(" ") <= 3
        assert "said" not in joined
        assert right.startswith(b" ")

"""Record batches of an iterator are counted as they come, without collecting them."""

from __future__ import annotations

import gc
import sysconfig
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import superword
from superword._counting.stages import candidates_from, count_from
from superword._reading.sources import gather
from superword.errors import DocumentError, EmptyCorpusError, SkippedWarning
from superword.inputs import Batches, Texts, documents, expand
from superword.options import ReadOptions
from superword.pretokenizer import Pretokenizer
from superword.stages import count_candidates, count_pretokens, train_words

pa: Any = pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")


def batches_of(texts: list[str], rows: int = 7) -> Iterator[Any]:
    for start in range(0, len(texts), rows):
        yield pa.record_batch(
            {"id": range(len(texts[start : start + rows])), "text": texts[start : start + rows]}
        )


@pytest.mark.parametrize("threads", [1, 3])
def test_streamed_batches_give_the_counts_of_their_texts(
    texts: list[str], words: superword.Tokenizer, threads: int
) -> None:
    wanted, runs = count_pretokens(Texts(texts)), count_candidates(Texts(texts), words)
    counts = count_pretokens(Batches(batches_of(texts)), threads=threads)
    assert counts == wanted
    assert counts.facts == wanted.facts
    limited = count_pretokens(Batches(batches_of(texts)), threads=threads, max_memory="200MB")
    assert limited == wanted
    assert dict(count_candidates(Batches(batches_of(texts)), words, threads=threads)) == dict(runs)
    schema = next(batches_of(texts)).schema
    reader = pa.RecordBatchReader.from_batches(schema, batches_of(texts))
    assert count_pretokens(reader, threads=threads) == wanted


def test_what_reads_the_text_twice_takes_batches_too(texts: list[str]) -> None:
    wanted = superword.train_from_iterator(texts, vocab_size=400)
    assert superword.train(Batches(batches_of(texts)), vocab_size=400) == wanted
    schema = next(batches_of(texts)).schema
    reader = pa.RecordBatchReader.from_batches(schema, batches_of(texts))
    assert superword.train(reader, vocab_size=400) == wanted
    sampled = count_pretokens(Batches(batches_of(texts)), sample=20_000)
    assert sampled == count_pretokens(Texts(texts), sample=20_000)
    assert list(documents(Batches(batches_of(texts)))) == texts


def test_a_stream_is_not_collected() -> None:
    text = "some words and more words " * 400
    alive: list[weakref.ref[Any]] = []
    most = 0

    def batches() -> Iterator[Any]:
        nonlocal most
        for number in range(300):
            batch = pa.record_batch({"text": [f"{number} {text}"] * 10})
            alive.append(weakref.ref(batch))
            yield batch
            del batch
            gc.collect(0)
            most = max(most, sum(kept() is not None for kept in alive))

    counts = count_pretokens(Batches(batches()), threads=2)
    assert counts.facts["documents"] == 3000
    assert len(alive) == 300
    # The batches together are 31 MB. Only the current one and the one before may be alive.
    assert most <= 2


def test_an_exception_of_the_iterator_is_raised_as_it_is(words: superword.Tokenizer) -> None:
    def broken() -> Iterator[Any]:
        yield pa.record_batch({"text": ["fine"]})
        raise LookupError("the source is gone")

    for on_error in ("stop", "skip"):
        with pytest.raises(LookupError, match="the source is gone"):
            count_pretokens(Batches(broken()), on_error=on_error)
        with pytest.raises(LookupError, match="the source is gone"):
            count_candidates(Batches(broken()), words, on_error=on_error)
        with pytest.raises(LookupError, match="the source is gone"):
            list(documents(Batches(broken()), on_error=on_error))


def test_errors_name_the_stream_the_row_and_the_column() -> None:
    rows = pa.record_batch({"text": [b"fine", b"\xff", b"also fine"]})
    with pytest.raises(DocumentError, match=r"partition 3.*2"):
        count_pretokens(Batches([rows], name="partition 3"))
    with pytest.warns(SkippedWarning, match="partition 3"):
        counts = count_pretokens(Batches([rows], name="partition 3"), on_error="skip")
    assert counts.facts["documents"] == 2
    assert counts.facts["skipped_documents"] == 1
    with pytest.raises(DocumentError, match="no column 'body'") as raised:
        count_pretokens(Batches([rows]), text_field="body", on_error="skip")
    assert "text_field" in (raised.value.hint or "")


def test_an_empty_stream_is_an_error_unless_it_is_allowed(words: superword.Tokenizer) -> None:
    for given in ([], [pa.record_batch({"text": [""]})]):
        with pytest.raises(EmptyCorpusError):
            count_pretokens(Batches(given))
        with pytest.raises(EmptyCorpusError):
            superword.train(Batches(given), vocab_size=400)
        splitter, options = Pretokenizer("gpt4o"), ReadOptions()
        sources = gather(expand(Batches(given)), options, read_twice=False)
        counts, report = count_from(sources, splitter, options, allow_empty=True)
        assert (len(counts), report.documents) == (0, len(given))
        sources = gather(expand(Batches(given)), options, read_twice=False)
        runs, report = candidates_from(sources, words, options, allow_empty=True)
        assert (len(runs), report.documents) == (0, len(given))


def test_counting_works_on_other_threads_than_the_main_one(texts: list[str]) -> None:
    # Workers of Spark and Ray may run tasks on any thread; Ctrl-C is watched only on the main one.
    found: list[superword.counts.Counts] = []
    thread = threading.Thread(
        target=lambda: found.append(count_pretokens(Batches(batches_of(texts))))
    )
    thread.start()
    thread.join()
    assert found == [count_pretokens(Texts(texts))]


def test_bounds_of_a_stream_cut_as_much_as_those_of_a_file(tmp_path: Path) -> None:
    # The size of a stream is not known, and bounds for a tiny text would rule nothing out.
    folder = Path(sysconfig.get_path("stdlib"))
    texts = [path.read_text(errors="replace") for path in sorted(folder.glob("*.py"))[:60]]
    (tmp_path / "all.txt").write_text("".join(texts))
    of_file = count_pretokens(tmp_path / "all.txt", bounds=True)
    of_stream = count_pretokens(Batches(batches_of(texts)), bounds=True)
    words = train_words(of_file, vocab_size=4000)
    found = [
        len(count_candidates(Texts(texts), words, cut_below=20, bounds=bounds))
        for bounds in (of_file.bounds, of_stream.bounds)
    ]
    assert found[1] <= found[0]
    assert 2 * found[1] < len(count_candidates(Texts(texts), words))

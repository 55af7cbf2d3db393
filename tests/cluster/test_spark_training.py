"""Training on Spark gives the file that training on one machine gives."""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import superword
from superword.errors import (
    DocumentError,
    EmptyCorpusError,
    InputError,
    MemoryLimitError,
    OptionError,
    ShortfallWarning,
    SkippedWarning,
)
from superword.inputs import Texts
from superword.progress import Progress
from superword.stages import count_candidates, count_pretokens
from support.spark import sources_of_python, spark_session

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore:PySpark does not yet")]
pytest.importorskip("pyspark", reason="pip install 'superword[spark]'")

VOCAB = 1500
METHODS: dict[str, dict[str, Any]] = {
    "bpe": {"method": "bpe", "special_tokens": ["<|endoftext|>"]},
    "boundless": {"method": "boundless", "special_tokens": ["<|endoftext|>", "<|pad|>"]},
    "superbpe": {"method": "superbpe", "supermerges": 200},
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    # Without adaptive coalescing, so that a sum has as many partitions as a test sets.
    settings = {"spark_sql_adaptive_coalescePartitions_enabled": "false"}
    with spark_session("local[2]", tmp_path_factory.mktemp("spark"), **settings) as session:
        yield session


@pytest.fixture(scope="module")
def spark(session: Any) -> Any:
    from superword.integrations import spark

    return spark


@pytest.fixture(scope="module")
def documents() -> list[str]:
    return sources_of_python()


@pytest.fixture(scope="module")
def local(documents: list[str]) -> dict[str, bytes]:
    return {
        name: superword.train_from_iterator(documents, vocab_size=VOCAB, **options).to_bytes()
        for name, options in METHODS.items()
    }


@pytest.fixture(scope="module")
def df(session: Any, documents: list[str]) -> Any:
    return session.createDataFrame([(text,) for text in documents], "text string").persist()


@pytest.mark.parametrize("partitions", [1, 3, 17])
@pytest.mark.parametrize("method", METHODS)
def test_the_model_is_the_same_file_for_any_number_of_partitions(
    session: Any, spark: Any, df: Any, local: dict[str, bytes], method: str, partitions: int
) -> None:
    session.conf.set("spark.sql.shuffle.partitions", str(partitions))
    model = spark.train(df.repartition(partitions), vocab_size=VOCAB, **METHODS[method])
    assert model.to_bytes() == local[method]


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "jsonl.zst"])
def test_the_model_is_the_same_file_for_any_format_that_spark_reads(
    session: Any,
    spark: Any,
    documents: list[str],
    local: dict[str, bytes],
    tmp_path: Path,
    suffix: str,
) -> None:
    pa: Any = pytest.importorskip("pyarrow")
    zstandard: Any = pytest.importorskip("zstandard")
    for number in range(3):
        part, path = documents[number::3], tmp_path / f"{number}.{suffix}"
        lines = "".join(json.dumps({"id": 1, "text": text}) + "\n" for text in part).encode()
        if suffix == "parquet":
            __import__("pyarrow.parquet").parquet.write_table(pa.table({"text": part}), path)
        else:
            path.write_bytes(zstandard.compress(lines) if suffix.endswith("zst") else lines)
    read = session.read.parquet if suffix == "parquet" else session.read.json
    wanted = superword.train(tmp_path, vocab_size=VOCAB, **METHODS["boundless"])
    assert wanted.to_bytes() == local["boundless"]
    model = spark.train(read(str(tmp_path)), vocab_size=VOCAB, **METHODS["boundless"])
    assert model.to_bytes() == wanted.to_bytes()


def test_all_learning_options_are_passed_on(spark: Any, df: Any, documents: list[str]) -> None:
    options: dict[str, Any] = {
        "vocab_size": 900,
        "pretokenizer": superword.Pretokenizer("gpt2"),
        "alphabet": "utf8",
        "min_count": 3,
        "picky": 0.9,
        "picky_split": "bytes",
        "greedy_split": True,
        "max_words": 3,
        "same_script": True,
        "boundary": "space",
        "veto": r"\p{N}",
    }
    wanted = superword.train_from_iterator(documents, **options)
    # The limits and the name of the column change nothing.
    renamed = df.withColumnRenamed("text", "the `body`.of it")
    got = spark.train(
        renamed, text_field="the `body`.of it", threads=1, max_memory="300MB", **options
    )
    assert got.to_bytes() == wanted.to_bytes()


def test_counts_and_candidates_are_those_of_the_text(
    spark: Any, df: Any, documents: list[str]
) -> None:
    wanted = count_pretokens(Texts(documents))
    counts = spark.count_pretokens(df.repartition(4))
    assert counts == wanted
    assert counts.facts == wanted.facts
    words = superword.stages.train_words(counts, vocab_size=800)
    runs = spark.count_candidates(df.repartition(4), words)
    assert dict(runs) == dict(count_candidates(Texts(documents), words))


def test_the_parts_can_be_put_together_by_hand(
    session: Any, spark: Any, df: Any, documents: list[str]
) -> None:
    first, second = df.repartition(3), df.repartition(2)
    counted = [
        part.mapInArrow(spark.counter("gpt4o"), spark.COUNTS_SCHEMA) for part in (first, second)
    ]
    rows = spark.add_up(counted[0].union(counted[1])).collect()
    wanted = count_pretokens(Texts(documents), pretokenizer="gpt4o")
    assert {row.token: row["count"] for row in rows if row.fact is None} == {
        token: 2 * count for token, count in wanted.items()
    }
    facts = {row.fact: row["count"] for row in rows if row.fact is not None}
    assert facts["documents"] == 2 * len(documents)
    words = superword.train_from_iterator(documents, vocab_size=600, method="bpe")
    runs = first.mapInArrow(spark.candidates(words), spark.CANDIDATES_SCHEMA)
    assert runs.schema["tokens"].dataType.simpleString() == "array<binary>"
    found = {tuple(map(bytes, row.tokens)) for row in runs.where("fact is null").collect()}
    assert found == set(count_candidates(Texts(documents), words))


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_a_sum_that_overflows_is_an_error_and_never_wraps(
    session: Any, spark: Any, ansi: str
) -> None:
    from superword.errors import CountsError
    from superword.integrations.spark.rows import COUNTS
    from superword.integrations.spark.sums import _Sums

    session.conf.set("spark.sql.ansi.enabled", ansi)
    try:
        rows = [(None, b"a", 2**62), (None, b"a", 2**62), (None, b"b", 7)]
        summed = spark.add_up(session.createDataFrame(rows, spark.COUNTS_SCHEMA))
        assert {row.token: row["count"] for row in summed.collect()} == {b"a": None, b"b": 7}
        with pytest.raises(CountsError, match="bigint"):
            _Sums.of([summed.toArrow()], COUNTS)
    finally:
        session.conf.unset("spark.sql.ansi.enabled")


def test_sums_larger_than_the_driver_accepts_go_through_the_work_dir(
    session: Any, spark: Any, df: Any, local: dict[str, bytes], tmp_path: Path
) -> None:
    session.conf.set("spark.sql.shuffle.partitions", "1")
    limits = session.sparkContext._jsc.sc().conf()
    limits.set("spark.driver.maxResultSize", "100k")
    try:
        with pytest.raises(MemoryLimitError, match="maxResultSize") as raised:
            spark.train(df, vocab_size=VOCAB, **METHODS["bpe"])
        assert "work_dir" in (raised.value.hint or "")
        # One file is as large as the whole.
        with pytest.raises(MemoryLimitError, match="maxResultSize") as raised:
            spark.train(df, vocab_size=VOCAB, work_dir=tmp_path, **METHODS["bpe"])
        assert "shuffle.partitions" in (raised.value.hint or "")
        assert list(tmp_path.iterdir()) == []
        session.conf.set("spark.sql.shuffle.partitions", "16")
        model = spark.train(df, vocab_size=VOCAB, work_dir=tmp_path, **METHODS["bpe"])
    finally:
        limits.remove("spark.driver.maxResultSize")
    assert model.to_bytes() == local["bpe"]
    assert list(tmp_path.iterdir()) == []


def test_a_broken_document_is_skipped_or_ends_the_run_with_its_error(
    session: Any, spark: Any, texts: list[str]
) -> None:
    pa: Any = pytest.importorskip("pyarrow")
    values = [*(text.encode() for text in texts), b"not \xff text", None]
    with pytest.warns(SkippedWarning):
        wanted = superword.train(pa.table({"text": values}), vocab_size=400, on_error="skip")
    broken = session.createDataFrame([(value,) for value in values], "text binary")
    for partitions in (1, 5):
        with pytest.raises(DocumentError, match=r"partition \d:\d+: ") as raised:
            spark.train(broken.repartition(partitions), vocab_size=400)
        assert "Traceback" not in str(raised.value)
        assert raised.value.__cause__ is None
        assert raised.value.line is not None
        with pytest.warns(SkippedWarning, match="skipped 2 documents") as warned:
            model = spark.train(broken.repartition(partitions), vocab_size=400, on_error="skip")
        message = str(next(one.message for one in warned if one.category is SkippedWarning))
        assert "invalid UTF-8" in message
        assert "null" in message
        assert model.to_bytes() == wanted.to_bytes()
        assert model.facts["skipped_documents"] == 2


def test_the_other_tasks_are_cancelled_after_an_error(
    session: Any, spark: Any, tmp_path: Path
) -> None:
    folder = str(tmp_path)

    def slow(batches: Iterator[Any]) -> Iterator[Any]:
        import time
        from pathlib import Path

        import pyarrow as pa
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        number = context.partitionId()
        Path(folder, str(number)).touch()
        for batch in batches:
            if number == 0:
                yield pa.record_batch({"text": [b"\xff"] * len(batch)})
            else:
                time.sleep(3)
                yield batch

    df = session.createDataFrame([(b"fine",)] * 40, "text binary").repartition(20)
    with pytest.raises(DocumentError, match="partition 0:1"):
        spark.count_pretokens(df.mapInArrow(slow, "text binary"))
    # Two tasks run at a time. Without the cancellation, all twenty would.
    assert len(list(tmp_path.iterdir())) <= 8


def test_an_error_in_the_input_of_a_task_stays_what_it_is(session: Any, spark: Any) -> None:
    def failing(batches: Iterator[Any]) -> Iterator[Any]:
        yield from batches
        raise LookupError("the table is gone")

    df = session.createDataFrame([("fine",)], "text string").mapInArrow(failing, "text string")
    with pytest.raises(Exception, match="the table is gone") as raised:
        spark.count_pretokens(df, on_error="skip")
    assert not isinstance(raised.value, superword.errors.SuperwordError)


def test_a_dataframe_that_changes_between_the_passes_is_refused(session: Any, spark: Any) -> None:
    def changing(batches: Iterator[Any]) -> Iterator[Any]:
        import uuid

        import pyarrow as pa

        for batch in batches:
            words = " and then ".join(["again"] * (uuid.uuid4().int % 10**6 % 5000 + 10))
            yield pa.record_batch({"text": [words] * len(batch)})

    df = session.createDataFrame([("x",)] * 3, "text string").mapInArrow(changing, "text string")
    with pytest.raises(InputError, match="changed between the two passes"):
        spark.train(df, vocab_size=300)


def test_unusable_dataframes_are_refused_before_a_job_starts(session: Any, spark: Any) -> None:
    df = session.createDataFrame([("text", 1)], "body string, number int")
    with pytest.raises(DocumentError, match="no column 'text'"):
        spark.train(df, vocab_size=300)
    with pytest.raises(DocumentError, match="holds int, not text"):
        spark.train(df, vocab_size=300, text_field="number")
    with pytest.raises(OptionError, match="vocab_size"):
        spark.train(df, vocab_size=3, text_field="body")
    stream = session.readStream.format("rate").load().selectExpr("string(value) as text")
    with pytest.raises(InputError, match="streaming"):
        spark.count_pretokens(stream)
    assert not session.sparkContext.statusTracker().getActiveJobsIds()


def test_a_dataframe_without_text_is_an_error(session: Any, spark: Any) -> None:
    for rows in ([], [("",), ("",)]):
        with pytest.raises(EmptyCorpusError, match="no text"):
            spark.count_pretokens(session.createDataFrame(rows, "text string").repartition(3))
    nulls = session.createDataFrame([(None,)] * 3, "text string")
    with pytest.raises(EmptyCorpusError, match="every document was skipped"):
        spark.count_pretokens(nulls, on_error="skip")


def test_empty_documents_and_partitions_count_as_they_do_locally(
    session: Any, spark: Any, texts: list[str]
) -> None:
    documents = [*texts, "", ""]
    df = session.createDataFrame([(text,) for text in documents], "text string").repartition(60)
    wanted = superword.train_from_iterator(documents, vocab_size=400)
    assert spark.train(df, vocab_size=400).to_bytes() == wanted.to_bytes()


def test_progress_names_the_phases_and_can_stop_the_run(spark: Any, df: Any) -> None:
    told: list[Progress] = []
    spark.train(df.repartition(4), vocab_size=VOCAB, progress=told.append)
    phases = list(dict.fromkeys(progress.phase for progress in told))
    assert phases == ["count", "merge", "candidates", "supermerge"]
    assert all(progress.unit == "tasks" for progress in told if progress.phase == "count")
    assert all(0 <= progress.done <= (progress.total or 0) for progress in told)

    def stop(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        spark.train(df.repartition(4), vocab_size=VOCAB, progress=stop)
    tracker = spark_context(df).statusTracker()
    assert not tracker.getActiveJobsIds()


def spark_context(df: Any) -> Any:
    return df.sparkSession.sparkContext


def test_training_works_on_any_thread_and_warns_of_a_shortfall(
    session: Any, spark: Any, texts: list[str]
) -> None:
    df = session.createDataFrame([(text,) for text in texts], "text string").repartition(2)
    models: list[superword.Tokenizer] = []
    thread = threading.Thread(target=lambda: models.append(spark.train(df, vocab_size=400)))
    thread.start()
    thread.join()
    assert models == [superword.train_from_iterator(texts, vocab_size=400)]
    with pytest.warns(ShortfallWarning, match="fewer than"):
        spark.train(df, vocab_size=100_000, method="bpe")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spark.train(df, vocab_size=400)

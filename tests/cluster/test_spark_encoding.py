"""Encoding on Spark gives the ids that the tokenizer gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import superword
from superword.errors import DocumentError, OptionError, SpecialTokenError, TokenError
from support.spark import spark_session

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore:PySpark does not yet")]
pytest.importorskip("pyspark", reason="pip install 'superword[spark]'")
pa: Any = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with spark_session("local[2]", tmp_path_factory.mktemp("spark")) as session:
        yield session


@pytest.fixture(scope="module")
def spark(session: Any) -> Any:
    from superword.integrations import spark

    return spark


def test_encoded_columns_hold_the_ids_of_the_tokenizer(
    session: Any, spark: Any, boundless: superword.Tokenizer, texts: list[str]
) -> None:
    rows = [(number, text) for number, text in enumerate([*texts, "", "<|pad|> x"])]
    df = session.createDataFrame([*rows, (-1, None)], "number int, text string").repartition(3)
    encoded = spark.encode(df, boundless, "text", "ids")
    assert [field.simpleString() for field in encoded.schema] == [
        "number:int",
        "text:string",
        "ids:array<int>",
    ]
    found = {row.number: row.ids for row in encoded.collect()}
    assert found.pop(-1) is None
    assert found == {number: boundless.encode(text) for number, text in rows}
    special = spark.encode(df, boundless, allowed_special={"<|pad|>"})
    ids = special.where("text like '<|pad|>%'").collect()[0].ids
    assert ids == boundless.encode("<|pad|> x", allowed_special={"<|pad|>"})


def test_large_batches_are_encoded_in_slices(
    session: Any, spark: Any, boundless: superword.Tokenizer
) -> None:
    from superword.integrations.spark import rows

    long = "one of the first things " * 40_000
    batch = pa.record_batch({"text": [long] * 12 + ["", None, "end"]})
    parts = list(spark.encoder(boundless, "text", "ids")(iter([batch])))
    assert len(parts) > 1
    sizes = [sum(len(text.as_py() or "") for text in part.column("text")) for part in parts]
    assert max(sizes) <= rows.MOST_BYTES
    ids = pa.Table.from_batches(parts).column("ids").to_pylist()
    assert ids == [*[boundless.encode(long)] * 12, [], None, boundless.encode("end")]


def test_wide_strings_of_spark_are_encoded_too(
    session: Any, spark: Any, boundless: superword.Tokenizer, texts: list[str]
) -> None:
    session.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
    try:
        df = session.createDataFrame([(text,) for text in texts], "text string")
        for row in spark.encode(df, boundless).collect():
            assert row.ids == boundless.encode(row.text)
        counts = spark.count_pretokens(df)
    finally:
        session.conf.unset("spark.sql.execution.arrow.useLargeVarTypes")
    assert counts == superword.stages.count_pretokens(superword.inputs.Texts(texts))


def test_the_model_is_loaded_once_in_a_process(
    session: Any, spark: Any, boundless: superword.Tokenizer
) -> None:
    task = spark.encoder(boundless, "text", "ids")

    def loads(batches: Iterator[Any]) -> Iterator[Any]:
        import os

        import pyarrow as pa
        from superword._cluster import models

        for _ in task(batches):
            pass
        yield pa.record_batch({"pid": [os.getpid()], "loads": [models._load.cache_info().misses]})

    df = session.createDataFrame([("text",)] * 20, "text string").repartition(10)
    rows = df.mapInArrow(loads, "pid bigint, loads bigint").collect()
    assert len(rows) == 10
    # Workers are used again, and earlier tests may have loaded the same model there.
    assert len({row.pid for row in rows}) < 10
    assert max(row.loads for row in rows) <= 1


def test_columns_and_options_are_checked_before_a_job_starts(
    session: Any, spark: Any, boundless: superword.Tokenizer
) -> None:
    df = session.createDataFrame([(b"x", "y", 1)], "data binary, text string, number int")
    with pytest.raises(DocumentError, match="no column 'body'"):
        spark.encode(df, boundless, "body")
    for column in ("data", "number"):
        with pytest.raises(DocumentError, match="not text"):
            spark.encode(df, boundless, column)
    with pytest.raises(OptionError, match="has a column 'number' already"):
        spark.encode(df, boundless, "text", "number")
    with pytest.raises(SpecialTokenError):
        spark.encode(df, boundless, allowed_special={"<|nothing|>"})


def test_ids_that_spark_cannot_hold_are_an_error(spark: Any) -> None:
    from superword.integrations.spark.tasks import signed

    kind = pa.list_(pa.uint32())
    assert signed(pa.array([[2**31 - 1], None], kind)).to_pylist() == [[2**31 - 1], None]
    with pytest.raises(TokenError, match="int"):
        signed(pa.array([[2**31]], kind))

"""The rows that Spark adds up, and the functions that make them, without a cluster."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import pytest
import superword
from superword import errors
from superword.counts import Counts
from superword.errors import CountsError, DocumentError, OptionError
from superword.stages import count_candidates, count_pretokens

pytestmark = pytest.mark.cluster
pytest.importorskip("pyspark", reason="pip install 'superword[spark]'")
pa: Any = pytest.importorskip("pyarrow")


def rows_module() -> Any:
    from superword.integrations.spark import rows

    return rows


def test_results_are_cut_into_batches_of_few_rows_and_few_bytes() -> None:
    rows = rows_module()
    many = {f"{number:07}".encode(): number + 1 for number in range(40_000)}
    long = {bytes([65 + number]) * 3_000_000: 7 for number in range(10)}
    longest = {b"z" * 20_000_000: 1}
    counts = Counts({**many, **long, **longest})
    batches = list(rows.COUNTS.of_counts(counts.to_arrow()))
    assert all(batch.num_rows <= rows.MOST_ROWS for batch in batches)
    sizes = [sum(len(token.as_py()) for token in batch.column("token")) for batch in batches]
    assert [size for size in sizes if size > rows.MOST_BYTES] == [20_000_000]
    assert len(batches) > 5
    table = pa.Table.from_batches(batches)
    assert table.schema.types == [pa.string(), pa.binary(), pa.int64()]
    pairs = zip(table.column("token").to_pylist(), table.column("count").to_pylist(), strict=True)
    assert dict(pairs) == dict(counts.items())


def test_lists_of_tokens_are_cut_by_their_bytes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_module()
    monkeypatch.setattr(rows, "MOST_BYTES", 200)
    runs: dict[tuple[bytes, ...], int] = {
        (b"a" * number, b"b" * number): number for number in range(1, 60)
    }
    counted = superword.counts.Candidates(runs)
    batches = list(rows.CANDIDATES.of_counts(counted.to_arrow()))
    for batch in batches:
        size = sum(len(token) for tokens in batch.column("tokens").to_pylist() for token in tokens)
        assert size <= 200
    assert len(batches) > 10
    found = pa.Table.from_batches(batches)
    assert {tuple(tokens) for tokens in found.column("tokens").to_pylist()} == set(runs)


def test_a_count_that_spark_cannot_hold_is_an_error() -> None:
    rows = rows_module()
    fits = Counts({b"a": 2**63 - 1}).to_arrow()
    assert next(rows.COUNTS.of_counts(fits)).column("count").to_pylist() == [2**63 - 1]
    with pytest.raises(CountsError, match="bigint"):
        list(rows.COUNTS.of_counts(Counts({b"a": 2**63}).to_arrow()))


def test_errors_survive_the_way_to_the_driver() -> None:
    rows = rows_module()
    given = DocumentError("row 3 is `broken`", hint="use `on_error`", path="p", line=3)
    found = rows.error_of(rows.describe_error(given))
    assert type(found) is DocumentError
    assert (str(found), found.facts) == (str(given), given.facts)
    assert found._texts == given._texts
    for name in errors.__all__:
        kind = getattr(errors, name)
        if issubclass(kind, errors.SuperwordError):
            assert type(rows.error_of(rows.describe_error(kind("m")))) is kind


def test_the_functions_count_what_the_stages_count(
    texts: list[str], words: superword.Tokenizer
) -> None:
    from superword.integrations import spark

    def rows_of(task: Any) -> list[Any]:
        batches = [pa.record_batch({"text": texts[:9]}), pa.record_batch({"text": texts[9:]})]
        # Spark sends the function to its workers like this.
        sent = pickle.loads(pickle.dumps(task))
        return pa.Table.from_batches(list(sent(iter(batches)))).to_pylist()  # type: ignore[no-any-return]

    table = pa.table({"text": texts})
    wanted = count_pretokens(table)
    found = rows_of(spark.counter(threads=2, max_memory="200MB"))
    assert {row["token"]: row["count"] for row in found if row["fact"] is None} == dict(wanted)
    facts = {row["fact"]: row["count"] for row in found if row["fact"] is not None}
    assert facts == {name: wanted.facts[name] for name in facts}
    assert set(facts) == {"documents", "bytes", "skipped_documents", "pretokens"}
    runs = count_candidates(table, words)
    found = rows_of(spark.candidates(words))
    counted = {tuple(row["tokens"]): row["count"] for row in found if row["fact"] is None}
    assert counted == dict(runs)


def test_errors_are_raised_unless_they_are_asked_for_as_rows() -> None:
    from superword.integrations import spark

    broken = pa.record_batch({"text": [b"\xff"]})
    task = spark.counter()
    with pytest.raises(DocumentError, match="partition 0:1"):
        list(task(iter([broken])))
    rows = pa.Table.from_batches(list(task.reporting(None)(iter([broken])))).to_pylist()
    assert [(row["fact"], row["count"]) for row in rows] == [("error", 1)]
    assert type(rows_module().error_of(rows[0]["token"])) is DocumentError
    with pytest.raises(DocumentError):
        list(task(iter([broken])))
    with pytest.raises(OptionError, match="on_error"):
        spark.counter(on_error="ignore")  # type: ignore[arg-type]


def test_train_has_the_options_that_a_dataframe_can_honour() -> None:
    from superword.integrations import spark

    ours = inspect.signature(spark.train).parameters
    local = inspect.signature(superword.train).parameters
    without = {"inputs", "max_bytes", "sample", "seed", "weights", "format"}
    assert list(ours) == ["df", *(name for name in local if name not in without)]
    for name in set(ours) & set(local):
        assert ours[name].default == local[name].default, name

"""The sums over all partitions: added up by Spark, and brought to the driver."""

from __future__ import annotations

import json
import os
import uuid
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pyspark import StorageLevel
from pyspark.sql import functions

from superword import _core
from superword._counting import arrow
from superword._support.extras import pyarrow
from superword.counts import BigramBounds, Candidates, Counts, Origin, words_key
from superword.errors import EmptyCorpusError
from superword.integrations.spark.jobs import Tell, alarm_for, explaining_limits, run
from superword.integrations.spark.rows import (
    BOUNDS,
    CANDIDATES,
    COUNTS,
    ERROR,
    NUMBER,
    SKIPPED,
    SLICES,
    Rows,
    error_of,
    too_large,
)
from superword.integrations.spark.tasks import NUMBERS, CandidateCounter, Counter
from superword.pretokenizer import Pretokenizer
from superword.tokenizer import Tokenizer
from superword.training import Report

__all__ = ["add_up", "mapped", "summed_candidates", "summed_counts"]

MOST_EXAMPLES = 5


def add_up(df: Any) -> Any:
    """Add up rows of counts or of candidates, from any number of DataFrames (see `union`).

    A sum that does not fit into `bigint` is null, in every SQL mode.
    """
    keys = [name for name in df.columns if name != "count"]
    return df.groupBy(*keys).agg(functions.try_sum("count").alias("count"))


def mapped(df: Any, task: Any, schema: Any) -> Any:
    """`df.mapInArrow`, without PySpark's warning about new versions of pandas."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
        return df.mapInArrow(task, schema)


class _Sums(NamedTuple):
    """The sum of all rows: columns for the engine, facts, and examples of skipped documents."""

    columns: list[Any]
    facts: dict[str, int]
    examples: tuple[str, ...]
    bounds: BigramBounds | None = None

    @classmethod
    def of(cls, tables: Iterable[Any], rows: Rows) -> _Sums:
        """Sort the rows of tables by kind. Raises the error that a task has reported."""
        columns: list[Any] = []
        numbers: dict[str, int] = {}
        examples: list[bytes] = []
        layout = arrow.CANDIDATES if rows is CANDIDATES else arrow.COUNTS
        for batch in (batch for table in tables for batch in table.to_batches()):
            if batch.column("count").null_count:
                raise too_large()
            facts = batch.column("fact")
            for row in batch.filter(facts.is_valid()).to_pylist():
                if row["fact"] == ERROR:
                    raise error_of(rows.message(row[rows.key]))
                if row["fact"] == SKIPPED:
                    examples.append(rows.message(row[rows.key]))
                else:
                    numbers[row["fact"]] = row["count"]
            # Few batches have facts, and only those are copied.
            has_facts = facts.null_count < len(facts)
            counts = batch.filter(facts.is_null()) if has_facts else batch
            columns += layout.columns(counts.schema, [counts])
        # A DataFrame without partitions has no rows at all.
        found = {name: numbers.get(name, 0) for name in NUMBERS}
        # The first four bytes are the number of the partition.
        texts = [text[4:].decode() for text in sorted(examples)[:MOST_EXAMPLES]]
        return cls(columns, found, tuple(texts))

    @property
    def report(self) -> Report:
        """What was read."""
        return Report(
            documents=self.facts["documents"],
            bytes=self.facts["bytes"],
            skipped=self.facts["skipped_documents"],
            skipped_examples=self.examples,
        )

    def origin(self, pretokenizer: Pretokenizer) -> Origin:
        """Where the counts come from."""
        report = self.report
        read = {"documents": report.documents, "bytes": report.bytes, "skipped": report.skipped}
        return Origin(pretokenizer, inputs=({"name": "DataFrame", **read},))


def summed_counts(
    df: Any, task: Counter, work_dir: str | os.PathLike[str] | None, tell: Tell | None
) -> tuple[Counts, Report]:
    """The counts of a DataFrame, and a report."""
    sums = _summed(df, task, COUNTS, "count", work_dir, tell)
    engine = _core.Counts.from_columns(sums.columns, "{}")
    facts = {**sums.facts, "unique_pretokens": len(engine)}
    origin = sums.origin(task.pretokenizer)
    counts = Counts._wrap(engine.with_facts(json.dumps(facts)), origin, sums.bounds)
    return counts, sums.report


def summed_candidates(
    df: Any,
    task: CandidateCounter,
    words: Tokenizer,
    work_dir: str | os.PathLike[str] | None,
    tell: Tell | None,
) -> tuple[Candidates, Report]:
    """The candidates of a DataFrame, and a report."""
    sums = _summed(df, task, CANDIDATES, "candidates", work_dir, tell)
    facts = {name: number for name, number in sums.facts.items() if name != "pretokens"}
    cut = task.cut
    below, digest = (1, None) if cut is None else (cut.below, cut.bounds().digest())
    engine = _core.Candidates.from_columns(sums.columns, below, json.dumps(facts))
    origin = sums.origin(words.pretokenizer)._replace(words=words_key(words), bounds=digest)
    return Candidates._wrap(engine, origin), sums.report


def _summed(
    df: Any,
    task: Counter | CandidateCounter,
    rows: Rows,
    phase: str,
    work_dir: str | os.PathLike[str] | None,
    tell: Tell | None,
) -> _Sums:
    session = df.sparkSession
    alarm = alarm_for(session)
    counted = mapped(df, task.reporting(alarm), rows.schema)
    if not getattr(task, "bounds", False):
        sums = _collected(session, add_up(counted), rows, phase, work_dir, tell, alarm)
    else:
        # Two jobs need these rows, and the text must be read only once for both.
        counted = counted.persist(StorageLevel.DISK_ONLY)
        try:
            others = counted.where(f"fact is null or fact <> '{BOUNDS}'")
            sums = _collected(session, add_up(others), rows, phase, work_dir, tell, alarm)
            sums = sums._replace(bounds=_bounds(session, counted, phase))
        finally:
            counted.unpersist()
    if not sums.facts["bytes"]:
        first = f"; the first one because of: {sums.examples[0]}" if sums.examples else ""
        raise EmptyCorpusError(
            "the DataFrame holds no text",
            hint=f"every document was skipped{first}"
            if sums.facts["skipped_documents"]
            else "give a DataFrame with text in the column `text_field`",
        )
    return sums


def _collected(
    session: Any,
    summed: Any,
    rows: Rows,
    phase: str,
    work_dir: str | os.PathLike[str] | None,
    tell: Tell | None,
    alarm: Any,
) -> _Sums:
    """Bring sums to the driver, through files if there is a `work_dir`."""
    if work_dir is None:
        hint = (
            "give `work_dir`, a directory that the driver and the executors share, or raise that "
            "setting"
        )
        with explaining_limits(session, hint):
            table = run(session, summed.toArrow, phase, tell, alarm)
        return _Sums.of([table], rows)
    path = f"{os.fspath(work_dir).rstrip('/')}/superword-{uuid.uuid4().hex}"
    try:
        run(session, lambda: summed.write.parquet(path), phase, tell, alarm)
        return _Sums.of(_files(session, path, rows), rows)
    finally:
        _delete(session, path)


def _bounds(session: Any, counted: Any, phase: str) -> BigramBounds:
    """Add up the bounds of all partitions, each slice in a task of its own."""
    slices = counted.where(f"fact = '{BOUNDS}'").selectExpr("token")
    # Rows with the same number go to the same task.
    number = functions.substring("token", 1, NUMBER)
    summed = mapped(slices.repartition(SLICES, number), add_bounds, "token binary")
    with explaining_limits(session, "raise that setting to 64m or more"):
        table = run(session, summed.toArrow, phase, None, None)
    found = [row.as_py() for row in table.column("token")]
    return BigramBounds.from_slices(((_number(row), row[NUMBER:]) for row in found), SLICES)


def add_bounds(batches: Iterator[Any]) -> Iterator[Any]:
    """Add up rows with slices of bounds, for `mapInArrow`."""
    seen: set[int] = set()

    def slices() -> Iterator[tuple[int, bytes]]:
        for batch in batches:
            for row in batch.column("token").to_pylist():
                seen.add(_number(row))
                yield _number(row), row[NUMBER:]

    bounds = BigramBounds.from_slices(slices(), SLICES)
    for number in sorted(seen):
        row = number.to_bytes(NUMBER, "big") + bounds.slice(number, SLICES)
        yield pyarrow().RecordBatch.from_pydict({"token": [row]})


def _number(row: bytes) -> int:
    return int.from_bytes(row[:NUMBER], "big")


def _files(session: Any, path: str, rows: Rows) -> Iterator[Any]:
    """The files that Spark wrote, one table each.

    Spark reads them, because only Spark knows how to reach its file system. One at a time, because
    all of them together may exceed what the driver accepts as the result of a job.
    """
    hint = "raise that setting, or raise spark.sql.shuffle.partitions to get smaller files"
    for file in session.read.schema(rows.schema).parquet(path).inputFiles():
        read = session.read.schema(rows.schema).parquet(file)
        with explaining_limits(session, hint):
            table = run(session, read.toArrow, "read", None, None)
        yield table


def _delete(session: Any, path: str) -> None:
    """Delete what Spark wrote. Spark Connect offers no way to do that, so the files stay there."""
    jvm = getattr(session, "_jvm", None)
    if jvm is not None:
        found = jvm.org.apache.hadoop.fs.Path(path)
        system = found.getFileSystem(session._jsparkSession.sessionState().newHadoopConf())
        system.delete(found, True)

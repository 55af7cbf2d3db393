"""The sums over all partitions: added up by Spark, and brought to the driver."""

from __future__ import annotations

import json
import os
import uuid
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pyspark.sql import functions

from superword import _core
from superword._counting import arrow
from superword._support.extras import pyarrow
from superword.counts import Candidates, Counts, Origin, words_key
from superword.errors import EmptyCorpusError
from superword.integrations.spark.jobs import Tell, alarm_for, explaining_limits, run
from superword.integrations.spark.rows import (
    CANDIDATES,
    COUNTS,
    ERROR,
    SKIPPED,
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

    @classmethod
    def of(cls, tables: Iterable[Any], rows: Rows) -> _Sums:
        """Sort the rows of tables by kind. Raises the error that a task has reported."""
        columns: list[Any] = []
        numbers: dict[str, int] = {}
        examples: list[bytes] = []
        to_columns = arrow.candidates_columns if rows is CANDIDATES else arrow.counts_columns
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
            columns += to_columns(pyarrow().Table.from_batches([counts]))
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
    return Counts._wrap(engine.with_facts(json.dumps(facts)), origin), sums.report


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
    engine = _core.Candidates.from_columns(sums.columns, 1, json.dumps(facts))
    origin = sums.origin(words.pretokenizer)._replace(words=words_key(words))
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
    summed = add_up(mapped(df, task.reporting(alarm), rows.schema))
    if work_dir is None:
        hint = (
            "give `work_dir`, a directory that the driver and the executors share, or raise that "
            "setting"
        )
        with explaining_limits(session, hint):
            table = run(session, summed.toArrow, phase, tell, alarm)
        sums = _Sums.of([table], rows)
    else:
        path = f"{os.fspath(work_dir).rstrip('/')}/superword-{uuid.uuid4().hex}"
        try:
            run(session, lambda: summed.write.parquet(path), phase, tell, alarm)
            sums = _Sums.of(_files(session, path, rows), rows)
        finally:
            _delete(session, path)
    if not sums.facts["bytes"]:
        first = f"; the first one because of: {sums.examples[0]}" if sums.examples else ""
        raise EmptyCorpusError(
            "the DataFrame holds no text",
            hint=f"every document was skipped{first}"
            if sums.facts["skipped_documents"]
            else "give a DataFrame with text in the column `text_field`",
        )
    return sums


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

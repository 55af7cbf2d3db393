"""What runs in the driver: training, counting and encoding of DataFrames."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from superword._counting.stages import train_in_parts
from superword._encoding.specials import Allowed, allowed_names
from superword._support.faces import for_python
from superword._support.text import suggestion
from superword.counts import BigramBounds, Candidates, Counts
from superword.errors import (
    DocumentError,
    InputError,
    OptionError,
    ShortfallWarning,
    SkippedWarning,
)
from superword.integrations.spark.jobs import Tell
from superword.integrations.spark.sums import mapped, summed_candidates, summed_counts
from superword.integrations.spark.tasks import candidates, counter, encoder
from superword.options import (
    Alphabet,
    Boundary,
    GreedySplit,
    Method,
    OnError,
    PickySplit,
    TrainOptions,
)
from superword.pretokenizer import DEFAULT, Pretokenizer
from superword.progress import estimated, show
from superword.tokenizer import Tokenizer
from superword.training import ProgressOption, Report

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["count_candidates", "count_pretokens", "encode", "train"]

WorkDir = str | os.PathLike[str] | None


def train(
    df: DataFrame,
    *,
    vocab_size: int,
    method: Method = "boundless",
    supermerges: int | None = None,
    pretokenizer: str | Pretokenizer = DEFAULT,
    alphabet: Alphabet = "bytes",
    min_count: int = 1,
    picky: float | None = None,
    picky_split: PickySplit = "parts",
    greedy_split: GreedySplit = False,
    max_words: int | None = None,
    same_script: bool = False,
    boundary: Boundary = "auto",
    veto: str | None = None,
    special_tokens: Iterable[str] = (),
    threads: int | None = None,
    text_field: str = "text",
    work_dir: WorkDir = None,
    max_memory: int | str | None = None,
    on_error: OnError = "stop",
    progress: ProgressOption = False,
) -> Tokenizer:
    """Train a tokenizer on a DataFrame with a column of text. Each row is a document.

    >>> tok = train(session.read.parquet("hdfs:///docs"), vocab_size=131_072)

    The options are those of `superword.train`, with these differences:

    - `threads` is for learning, on the driver. A counting task has `spark.task.cpus` threads.
    - `max_memory` limits the memory of each counting task on the executors.
    - `work_dir` is a directory, or a URL that Spark can write to. The sums go through files there,
      which are deleted at the end. Without it they are collected as the result of a job, and
      `spark.driver.maxResultSize` limits them.

    Superwords need a second pass over the DataFrame. If it gives other texts then, for example
    because it is a random sample, the run ends with an `InputError`.
    """
    options = TrainOptions(
        vocab_size=vocab_size,
        method=method,
        supermerges=supermerges,
        pretokenizer=pretokenizer,
        alphabet=alphabet,
        min_count=min_count,
        picky=picky,
        picky_split=picky_split,
        greedy_split=greedy_split,
        max_words=max_words,
        same_script=same_script,
        boundary=boundary,
        veto=veto,
        special_tokens=special_tokens,
        threads=threads,
        text_field=text_field,
        max_memory=max_memory,
        on_error=on_error,
    )
    texts, name = _texts(df, text_field)
    reading: dict[str, Any] = {"text_field": name, "on_error": on_error, "max_memory": max_memory}
    with _shown(progress) as tell:
        first = counter(pretokenizer, bounds=method != "bpe", **reading)
        counts, report = summed_counts(texts, first, work_dir, tell)

        def count(words: Tokenizer, cut_below: int) -> Candidates:
            task = candidates(words, cut_below=cut_below, bounds=counts.bounds, **reading)
            runs, second = summed_candidates(texts, task, words, work_dir, tell)
            _check_same(report, second)
            return runs

        tokenizer, shortfall = train_in_parts(counts, options, count, tell or False)
    _warn(replace(report, shortfall=shortfall))
    return tokenizer


def count_pretokens(
    df: DataFrame,
    *,
    pretokenizer: str | Pretokenizer = DEFAULT,
    threads: int | None = None,
    text_field: str = "text",
    work_dir: WorkDir = None,
    max_memory: int | str | None = None,
    on_error: OnError = "stop",
    bounds: bool = False,
    progress: ProgressOption = False,
) -> Counts:
    """Count the pretokens of a column of text. Options as in `counter` and `train`."""
    texts, name = _texts(df, text_field)
    task = counter(
        pretokenizer,
        text_field=name,
        on_error=on_error,
        threads=threads,
        max_memory=max_memory,
        bounds=bounds,
    )
    with _shown(progress) as tell:
        counts, report = summed_counts(texts, task, work_dir, tell)
    _warn(report)
    return counts


def count_candidates(
    df: DataFrame,
    words: Tokenizer,
    *,
    threads: int | None = None,
    text_field: str = "text",
    work_dir: WorkDir = None,
    max_memory: int | str | None = None,
    on_error: OnError = "stop",
    cut_below: int | None = None,
    bounds: BigramBounds | None = None,
    progress: ProgressOption = False,
) -> Candidates:
    """Count the candidates of a column of text. Options as in `candidates` and `train`."""
    texts, name = _texts(df, text_field)
    task = candidates(
        words,
        text_field=name,
        on_error=on_error,
        threads=threads,
        max_memory=max_memory,
        cut_below=cut_below,
        bounds=bounds,
    )
    with _shown(progress) as tell:
        runs, report = summed_candidates(texts, task, words, work_dir, tell)
    _warn(report)
    return runs


def encode(
    df: DataFrame,
    tokenizer: Tokenizer,
    column: str = "text",
    into: str = "ids",
    *,
    allowed_special: Allowed = frozenset(),
    threads: int | None = None,
) -> DataFrame:
    """The DataFrame with one more column, `into`: the ids of `column`, as `array<int>`.

    Nothing is computed before the result is used. A null has the ids null.
    """
    from pyspark.sql.types import ArrayType, IntegerType, StructField, StructType

    _check_column(df, column, "name the column that holds the text", binary=False)
    if into in df.columns:
        raise OptionError(
            f"the DataFrame has a column {into!r} already",
            hint="give the new column another name",
            option="into",
        )
    allowed_names(tokenizer._model, allowed_special)
    added = StructField(into, ArrayType(IntegerType(), containsNull=False), nullable=True)
    task = encoder(tokenizer, column, into, allowed_special=allowed_special, threads=threads)
    return mapped(df, task, StructType([*df.schema.fields, added]))


def _texts(df: DataFrame, text_field: str) -> tuple[DataFrame, str]:
    """The column of text alone, so that Spark reads and sends nothing else, and its name there."""
    if df.isStreaming:
        raise InputError(
            "a streaming DataFrame cannot be counted, because it has no end",
            hint="read the same source with session.read instead of session.readStream",
        )
    hint = "set `text_field` to the column that holds the text"
    _check_column(df, text_field, hint, binary=True)
    quoted = text_field.replace("`", "``")
    # `mapInArrow` does not quote names.
    name = "text" if "`" in text_field or "." in text_field else text_field
    return df.selectExpr(f"`{quoted}` as `{name}`"), name


def _check_column(df: DataFrame, name: str, hint: str, *, binary: bool) -> None:
    from pyspark.sql.types import BinaryType, StringType

    names = df.columns
    if name not in names:
        raise DocumentError(
            f"DataFrame: no column {name!r}; the columns are {', '.join(map(repr, names))}",
            hint=f"{hint}; {suggestion(name, names)}",
        )
    kind = df.schema[name].dataType
    if not isinstance(kind, (StringType, BinaryType) if binary else StringType):
        raise DocumentError(
            f"DataFrame: the column {name!r} holds {kind.simpleString()}, not text",
            hint=hint,
        )


def _check_same(first: Report, second: Report) -> None:
    if (first.documents, first.bytes) != (second.documents, second.bytes):
        raise InputError(
            "the DataFrame has changed between the two passes over it: "
            f"{first.documents:,} documents with {first.bytes:,} bytes, then "
            f"{second.documents:,} documents with {second.bytes:,} bytes",
            hint="a random sample or a changing table gives other rows each time; write the "
            "DataFrame to files and train on these",
        )


@contextmanager
def _shown(progress: ProgressOption) -> Iterator[Tell | None]:
    """The callback of `progress=`. A bar is shown until the block ends."""
    if callable(progress):
        yield estimated(progress)
    elif progress:
        with show() as tell:
            yield estimated(tell)
    else:
        yield None


def _warn(report: Report) -> None:
    # 3: the line that called the function of this module.
    if report.skipped:
        warnings.warn(for_python(report.skipped_text()), SkippedWarning, stacklevel=3)
    if report.shortfall:
        warnings.warn(report.shortfall, ShortfallWarning, stacklevel=3)

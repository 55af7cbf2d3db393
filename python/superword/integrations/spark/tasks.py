"""What runs in Spark's Python workers: functions for `DataFrame.mapInArrow`."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from superword._cluster.models import Cut, Shipped
from superword._reading.sources import gather
from superword._support.extras import pyarrow
from superword.errors import (
    CountsError,
    InputError,
    MemoryLimitError,
    OptionError,
    TokenError,
)
from superword.inputs import Batches, expand
from superword.integrations.spark.rows import (
    CANDIDATES,
    COUNTS,
    ERROR,
    SKIPPED,
    Rows,
    describe_error,
    slices,
)
from superword.options import OnError, ReadOptions, pretokenizer_of
from superword.pretokenizer import DEFAULT, Pretokenizer

if TYPE_CHECKING:
    from superword._encoding.specials import Allowed
    from superword.counts import BigramBounds, Candidates, Counts
    from superword.tokenizer import Tokenizer
    from superword.training import Report

__all__ = ["CandidateCounter", "Counter", "Encoder", "candidates", "counter", "encoder"]

# The facts that can be added up.
NUMBERS = ("documents", "bytes", "skipped_documents", "pretokens")

# Errors that a second attempt at the same partition would meet again.
LASTING = (InputError, CountsError, OptionError, MemoryLimitError)


def counter(
    pretokenizer: str | Pretokenizer = DEFAULT,
    *,
    text_field: str = "text",
    on_error: OnError = "stop",
    threads: int | None = None,
    max_memory: int | str | None = None,
    bounds: bool = False,
) -> Counter:
    """A function that counts the pretokens of a partition, for `mapInArrow`.

    >>> counted = df.mapInArrow(counter("gpt4o"), COUNTS_SCHEMA)

    `threads` is the number of threads of a task, by default `spark.task.cpus`. `max_memory` is the
    memory of a task; counts that do not fit go to temporary files of the executor. With `bounds`,
    there are also rows with the bounds of bigrams (see `superword.stages.count_pretokens`).
    """
    splitter = pretokenizer_of(pretokenizer)
    return Counter(_read_options(text_field, on_error, threads, max_memory), splitter, bounds)


def candidates(
    words: Tokenizer,
    *,
    text_field: str = "text",
    on_error: OnError = "stop",
    threads: int | None = None,
    max_memory: int | str | None = None,
    cut_below: int | None = None,
    bounds: BigramBounds | None = None,
) -> CandidateCounter:
    """A function that counts the candidates of a partition, for `mapInArrow`.

    >>> counted = df.mapInArrow(candidates(words), CANDIDATES_SCHEMA)

    Options as in `counter`. With the `bounds` of the whole DataFrame and `cut_below`, candidates
    are cut at bigrams that are rarer than that (see `superword.stages.guess_cut`). Otherwise their
    number grows with the text.
    """
    read = _read_options(text_field, on_error, threads, max_memory)
    if (cut_below is None) != (bounds is None):
        raise OptionError(
            "candidates of a part of a text can be cut only with both `bounds` and `cut_below`",
            hint="give both of them, or neither",
            option="cut_below",
        )
    cut = None if cut_below is None or bounds is None else Cut(cut_below, bounds)
    return CandidateCounter(read, Shipped(words), cut)


def encoder(
    tokenizer: Tokenizer,
    column: str,
    into: str,
    *,
    allowed_special: Allowed = frozenset(),
    threads: int | None = None,
) -> Encoder:
    """A function that adds the column `into` with the ids of `column`, for `mapInArrow`.

    >>> schema = df.schema.add("ids", "array<int>")
    >>> encoded = df.mapInArrow(encoder(tok, "text", "ids"), schema)

    A null has the ids null. `encode` does the same and makes the schema itself.
    """
    return Encoder(Shipped(tokenizer), column, into, allowed_special, threads)


def _read_options(
    text_field: str, on_error: OnError, threads: int | None, max_memory: int | str | None
) -> ReadOptions:
    return ReadOptions(
        text_field=text_field, on_error=on_error, threads=threads, max_memory=max_memory
    )


class _Counting(ABC):
    """A pass over one partition, which yields its counts at the end.

    With `report_errors`, an error that would come again is a row of the result. Otherwise it is
    raised, and Spark repeats the task several times before it gives up. `alarm` is an accumulator
    that gets such errors too, so that the driver can cancel the other tasks.
    """

    rows: Rows

    def __init__(self, options: ReadOptions) -> None:
        self.options = options
        self.report_errors = False
        self.alarm: Any = None

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The rows of one partition."""
        partition, cores = _place()
        try:
            given = Batches(batches, name=f"partition {partition}")
            counted, report = self.count(given, _with_threads(self.options, cores))
            yield from self.rows.of_counts(counted.to_arrow())
        except LASTING as error:
            if not self.report_errors:
                raise
            described = describe_error(error)
            if self.alarm is not None:
                self.alarm.add([described])
            yield self.rows.of_messages(ERROR, [described])
            return
        facts = counted.facts
        yield from self.more(counted)
        yield self.rows.of_facts({name: facts[name] for name in NUMBERS if name in facts})
        if report.skipped_examples:
            # With the partition in front, so that the first examples can be found.
            number = partition.to_bytes(4, "big")
            examples = [number + text.encode() for text in report.skipped_examples]
            yield self.rows.of_messages(SKIPPED, examples)

    def more(self, counted: Counts | Candidates) -> Iterator[Any]:
        """Other rows about a partition."""
        return iter(())

    def reporting(self, alarm: Any) -> _Counting:
        """The same task with errors as rows, and with an accumulator for them or None."""
        same = copy.copy(self)
        same.report_errors, same.alarm = True, alarm
        return same

    @abstractmethod
    def count(self, given: Batches, options: ReadOptions) -> tuple[Counts | Candidates, Report]:
        """What is counted in a partition, and a report."""


class Counter(_Counting):
    """See `counter`."""

    rows = COUNTS

    def __init__(self, options: ReadOptions, pretokenizer: Pretokenizer, bounds: bool) -> None:
        super().__init__(options)
        self.pretokenizer = pretokenizer
        self.bounds = bounds

    def count(self, given: Batches, options: ReadOptions) -> tuple[Counts, Report]:
        """The pretokens of a partition."""
        from superword._counting.stages import count_from

        sources = gather(expand(given), options, read_twice=False)
        return count_from(sources, self.pretokenizer, options, self.bounds, allow_empty=True)

    def more(self, counted: Counts | Candidates) -> Iterator[Any]:
        """The bounds of bigrams, in slices that are added up separately."""
        bounds = getattr(counted, "bounds", None)
        if bounds is not None:
            yield from self.rows.of_bounds(bounds)


class CandidateCounter(_Counting):
    """See `candidates`."""

    rows = CANDIDATES

    def __init__(self, options: ReadOptions, words: Shipped, cut: Cut | None) -> None:
        super().__init__(options)
        self.words = words
        self.cut = cut

    def count(self, given: Batches, options: ReadOptions) -> tuple[Candidates, Report]:
        """The candidates of a partition."""
        from superword._counting.stages import candidates_from

        sources = gather(expand(given), options, read_twice=False)
        words, cut = self.words.tokenizer(), self.cut
        below, bounds = (None, None) if cut is None else (cut.below, cut.bounds())
        return candidates_from(sources, words, options, below, bounds, allow_empty=True)


class Encoder:
    """See `encoder`."""

    def __init__(
        self, model: Shipped, column: str, into: str, allowed: Allowed, threads: int | None
    ) -> None:
        self.model = model
        self.column = column
        self.into = into
        self.allowed = allowed
        self.threads = threads

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The batches with one more column."""
        tokenizer = self.model.tokenizer()
        threads = self.threads or _place()[1]
        for batch in batches:
            index = batch.schema.names.index(self.column)
            for part in slices(batch, batch.column(index)):
                ids = tokenizer.encode_arrow(
                    part.column(index), allowed_special=self.allowed, threads=threads
                )
                yield part.append_column(self.into, signed(ids))


def signed(ids: Any) -> Any:
    """A column of lists of ids with the types that Spark has: it knows no unsigned integers."""
    pa = pyarrow()
    try:
        return ids.cast(pa.list_(pa.int32()))
    except pa.ArrowInvalid:
        raise TokenError(
            "an id is larger than 2**31 - 1, the largest number of Spark's type int"
        ) from None


def _with_threads(options: ReadOptions, cores: int) -> ReadOptions:
    return options if options.threads else replace(options, threads=cores)


def _place() -> tuple[int, int]:
    """The number of the partition, and the cores that Spark gives to a task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    # There is no task if somebody calls the function outside of Spark.
    return (context.partitionId(), context.cpus()) if context else (0, 1)

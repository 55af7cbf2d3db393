"""The rows that tasks yield and that Spark adds up: counts, facts and messages.

The column `fact` is null in rows of counts. Other rows carry a number about the text, such as the
number of documents, or a message. So everything that a task finds travels as rows, which Spark
keeps exactly once, also if it repeats a task. Accumulators do not promise that.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from superword import errors
from superword._support.extras import pyarrow
from superword.errors import CountsError, SuperwordError

if TYPE_CHECKING:
    import numpy

    from superword.counts import BigramBounds

__all__ = [
    "BOUNDS",
    "CANDIDATES",
    "COUNTS",
    "ERROR",
    "NUMBER",
    "SKIPPED",
    "SLICES",
    "Rows",
    "describe_error",
    "error_of",
    "slices",
    "too_large",
]

# Facts that are messages instead of numbers. The message takes the place of the token.
ERROR = "error"
SKIPPED = "skipped_example"
BOUNDS = "bounds"

# Bounds are added up in that many slices, by as many tasks.
SLICES = 32

# The length of the number of a slice or of a partition, in front of a message.
NUMBER = 4

# The largest record batch that a task yields. A single row may be larger.
MOST_ROWS = 16_384
MOST_BYTES = 8 << 20


class Rows:
    """Rows of counts or of candidates: `key` is the column of tokens, `schema` is for Spark."""

    def __init__(self, key: str, kind: str) -> None:
        self.key = key
        self.schema = f"fact string, {key} {kind}, count bigint"
        self.is_list = kind.startswith("array")

    def of_counts(self, table: Any) -> Iterator[Any]:
        """Record batches of limited size, from `Counts.to_arrow` or `Candidates.to_arrow`."""
        pa = pyarrow()
        for batch in table.to_batches():
            keys, numbers = batch.columns
            try:
                numbers = numbers.cast(pa.int64())
            except pa.ArrowInvalid:
                raise too_large() from None
            facts = pa.nulls(len(keys), pa.string())
            yield from slices(self._batch(facts, keys, numbers), keys)

    def of_facts(self, numbers: Mapping[str, int]) -> Any:
        """One row for each number."""
        return self._messages(list(numbers), [b""] * len(numbers), list(numbers.values()))

    def of_messages(self, fact: str, messages: Sequence[bytes]) -> Any:
        """One row for each message."""
        return self._messages([fact] * len(messages), messages, [1] * len(messages))

    def of_bounds(self, bounds: BigramBounds) -> Iterator[Any]:
        """One row for each slice, with its number in front."""
        for number in range(SLICES):
            yield self.of_messages(
                BOUNDS, [number.to_bytes(NUMBER, "big") + bounds.slice(number, SLICES)]
            )

    def message(self, value: Any) -> bytes:
        """The message in the key of a row."""
        found: bytes = value[0] if self.is_list else value
        return found

    def _messages(self, facts: list[str], messages: Sequence[bytes], numbers: list[int]) -> Any:
        pa = pyarrow()
        keys = pa.array([[message] if self.is_list else message for message in messages])
        return self._batch(pa.array(facts), keys, pa.array(numbers, pa.int64()))

    def _batch(self, facts: Any, keys: Any, numbers: Any) -> Any:
        pa = pyarrow()
        # The same type for all batches, also regarding what may be null.
        keys = keys.cast(pa.list_(pa.binary()) if self.is_list else pa.binary())
        return pa.RecordBatch.from_arrays([facts, keys, numbers], ["fact", self.key, "count"])


COUNTS = Rows("token", "binary")
CANDIDATES = Rows("tokens", "array<binary>")


def slices(batch: Any, column: Any) -> Iterator[Any]:
    """Cut a record batch into slices with few rows and few bytes of `column`.

    Spark copies each record batch as a whole, so a large one takes a lot of memory.
    """
    import numpy

    ends = numpy.cumsum(_sizes(column) + 16)
    start = 0
    while start < len(ends):
        before = ends[start - 1] if start else 0
        fitting = int(numpy.searchsorted(ends, before + MOST_BYTES, "right"))
        stop = min(max(fitting, start + 1), start + MOST_ROWS)
        yield batch.slice(start, stop - start)
        start = stop


def _sizes(column: Any) -> numpy.ndarray[Any, Any]:
    """The bytes in each row of a column of texts, of bytes or of lists of bytes."""
    import numpy
    import pyarrow.compute as pc

    pa = pyarrow()
    if not pa.types.is_list(column.type):
        lengths = pc.fill_null(pc.binary_length(column), 0)
        sizes: numpy.ndarray[Any, Any] = lengths.to_numpy(zero_copy_only=False).astype("int64")
        return sizes
    ends = numpy.concatenate([[0], numpy.cumsum(_sizes(column.values) + 4)])
    bounds = column.offsets.to_numpy()
    of_lists: numpy.ndarray[Any, Any] = ends[bounds[1:]] - ends[bounds[:-1]]
    return of_lists


def too_large() -> CountsError:
    """The error for a count that Spark's largest integer cannot hold."""
    return CountsError(
        "a count is larger than 2**63 - 1, the largest number of Spark's type bigint",
        hint="count parts of the text and add them up with superword.counts.Counts.merge",
    )


def describe_error(error: SuperwordError) -> bytes:
    """An error as bytes, for `error_of`."""
    message, hint = error._texts
    described = {"class": type(error).__name__, "message": message, "hint": hint}
    return json.dumps({**described, "facts": error.facts}, default=str).encode()


def error_of(described: bytes) -> SuperwordError:
    """The error that `describe_error` was given."""
    found = json.loads(described)
    kind: type[SuperwordError] = getattr(errors, found["class"])
    return kind(found["message"], hint=found["hint"], **found["facts"])

"""Count a Ray dataset: each block by itself, then the sum of each partition.

Counts travel between tasks as Arrow bytes, one row for each partition, so that Ray Data can group
them. So do slices of the bounds of bigrams. One more row of each block holds the facts about its
text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from superword._cluster.models import Cut, Shipped
from superword._counting.directory import check_partitions
from superword._counting.origin import sum_facts
from superword._counting.stages import candidates_from, count_from
from superword._reading.sources import gather
from superword.counts import BigramBounds, Candidates, Counts
from superword.errors import EmptyCorpusError, InputError, OptionError, SuperwordError
from superword.inputs import expand, groups_of
from superword.integrations.ray import tasks
from superword.integrations.ray.cluster import ray
from superword.integrations.ray.mailbox import Mailbox
from superword.integrations.ray.planning import Settings
from superword.options import ReadOptions
from superword.plans import PARTITIONS
from superword.pretokenizer import Pretokenizer
from superword.tokenizer import Tokenizer
from superword.training import Report

__all__ = ["Sum", "check_options", "count", "count_candidates", "is_dataset"]

# The row that holds the facts about the text of a block, instead of the counts of a partition.
_FACTS = -1

# The counts of a partition, and a slice of the bounds if there are any.
_Row = tuple[bytes, bytes | None]


class Sum(NamedTuple):
    """The sum of all blocks. `load(*tables)` makes counts of it, in the driver or in a task."""

    load: Callable[..., Any]
    tables: tuple[Any, ...]
    facts: Mapping[str, Any]
    skipped_examples: tuple[str, ...]
    partitions: int

    def bounds(self) -> BigramBounds:
        """The bounds of the bigrams of all blocks, if they were counted."""
        slices = tasks.call(_slices, *self.tables, cpus=1)
        return BigramBounds.from_slices(slices, self.partitions)

    def report(self, shortfall: str | None = None) -> Report:
        """What was read and skipped."""
        return Report(
            documents=self.facts.get("documents", 0),
            bytes=self.facts.get("bytes", 0),
            skipped=self.facts.get("skipped_documents", 0),
            skipped_examples=self.skipped_examples,
            shortfall=shortfall,
        )

    def same_text(self, other: Sum) -> None:
        """Raise unless both passes have read the same text."""
        seen = [
            tuple(each.facts.get(name, 0) for name in ("documents", "bytes"))
            for each in (self, other)
        ]
        if seen[0] != seen[1]:
            raise InputError(
                "the dataset has changed between two passes: it had "
                f"{seen[0][0]:,} documents of {seen[0][1]:,} bytes, and then "
                f"{seen[1][0]:,} of {seen[1][1]:,}",
                hint="train on a dataset that gives the same rows every time, such as "
                "dataset.materialize()",
            )


def is_dataset(inputs: object) -> bool:
    """Whether the input is a `ray.data.Dataset`."""
    return any(kind.__module__.startswith("ray.data.") for kind in type(inputs).__mro__)


def check_options(options: ReadOptions, settings: Settings) -> None:
    """Raise for options that have no meaning for a dataset."""
    given = settings.for_files()
    if options.format is not None:
        given["format"] = options.format
    for name in given:
        raise OptionError(
            f"`{name}` was given with a dataset, but it is about files",
            hint=f"leave `{name}` out, or give the files instead of a dataset",
            option=name,
        )
    groups_of([], options.group_weights)


def count(
    dataset: Any,
    pretokenizer: Pretokenizer,
    options: ReadOptions,
    partitions: int | None,
    bounds: bool = False,
) -> Sum:
    """Count the pretokens of a dataset, and bounds of its bigrams if they are wanted."""
    counter = partial(_count_pretokens, pretokenizer, bounds)
    return _summed(dataset, counter, options, partitions, Counts)


def count_candidates(
    dataset: Any,
    words: Tokenizer,
    options: ReadOptions,
    partitions: int | None,
    cut: Cut | None = None,
) -> Sum:
    """Count the candidates of a dataset with these words."""
    counter = partial(_count_candidates, ray.put((Shipped(words), cut)))
    return _summed(dataset, counter, options, partitions, Candidates)


def _summed(
    dataset: Any,
    counter: Callable[[ReadOptions, Any], tuple[Any, Any]],
    options: ReadOptions,
    partitions: int | None,
    kind: type[Counts] | type[Candidates],
) -> Sum:
    partitions = PARTITIONS if partitions is None else check_partitions(partitions)
    threads = options.threads or 1
    with _our_errors() as mailbox:
        counted = dataset.map_batches(
            _count_block,
            fn_kwargs={
                "counter": partial(counter, replace(options, threads=threads)),
                "partitions": partitions,
                "mailbox": mailbox,
            },
            batch_size=None,
            batch_format="pyarrow",
            num_cpus=threads,
        )
        # One task for each partition. Ray would start 200 for any number of them.
        groups = counted.groupby("partition", num_partitions=partitions)
        added = groups.map_groups(
            _add_up, batch_format="pyarrow", fn_kwargs={"kind": kind, "partitions": partitions}
        )
        tables = tuple(added.materialize().to_arrow_refs())
    facts, examples = tasks.call(_facts, *tables, cpus=1)
    if not facts.get("bytes"):
        raise EmptyCorpusError("there is no text in the dataset", hint="check `text_field`")
    return Sum(partial(_load, kind, facts), tables, facts, examples, partitions)


@contextmanager
def _our_errors() -> Iterator[Mailbox]:
    """A mailbox for functions of Ray Data. If one fails with an error of ours, this raises it."""
    mailbox = Mailbox()
    try:
        yield mailbox
    except ray.exceptions.RayError as failure:
        error = mailbox.error()
        raise error if error is not None else tasks.lost(failure) from None
    finally:
        mailbox.close()


def _count_pretokens(
    pretokenizer: Pretokenizer, bounds: bool, options: ReadOptions, table: Any
) -> tuple[Any, Any]:
    sources = gather(expand(table), options)
    return count_from(sources, pretokenizer, options, bounds, allow_empty=True)


def _count_candidates(given: Any, options: ReadOptions, table: Any) -> tuple[Any, Any]:
    sources = gather(expand(table), options)
    words, cut = ray.get(given)
    below, bounds = (None, None) if cut is None else (cut.below, cut.bounds())
    return candidates_from(sources, words.tokenizer(), options, below, bounds, allow_empty=True)


def _count_block(
    table: Any, *, counter: Callable[[Any], tuple[Any, Any]], partitions: int, mailbox: Mailbox
) -> Any:
    """The counts of a block: a row for each partition, and one for the facts."""
    if table.num_rows == 0:
        return _rows({})
    try:
        counts, report = counter(table)
    except SuperwordError as error:
        mailbox.fail(error)
        raise
    facts = {**counts.facts, "skipped_examples": report.skipped_examples}
    rows: dict[int, _Row] = {_FACTS: (json.dumps(facts).encode(), None)}
    described = counts._described()
    bounds = getattr(counts, "bounds", None)
    for number, (columns, _) in enumerate(counts._engine.partitioned(partitions)):
        part = counts._layout().table(columns, described)
        if part.num_rows or bounds is not None:
            slice_ = None if bounds is None else bounds.slice(number, partitions)
            rows[number] = _packed(part), slice_
    return _rows(rows)


def _add_up(group: Any, *, kind: type[Counts] | type[Candidates], partitions: int) -> Any:
    """The sum of the rows of one partition, as one row."""
    number = group.column("partition")[0].as_py()
    blobs = [blob.as_buffer() for blob in group.column("counts")]
    if number == _FACTS:
        listed = [json.loads(blob.to_pybytes()) for blob in blobs]
        facts = {
            **sum_facts(listed),
            "skipped_examples": [e for f in listed for e in f["skipped_examples"]][:5],
        }
        return _rows({number: (json.dumps(facts).encode(), None)})
    total = _packed(_added(kind, map(_unpacked, blobs)).to_arrow())
    slices = [slice_.as_py() for slice_ in group.column("bounds") if slice_.is_valid]
    if not slices:
        return _rows({number: (total, None)})
    bounds = BigramBounds.from_slices(((number, slice_) for slice_ in slices), partitions)
    return _rows({number: (total, bounds.slice(number, partitions))})


def _added(kind: type[Any], tables: Any) -> Any:
    # Every block is called the same, so they look like repeats.
    return kind.merge([kind.from_arrow(table) for table in tables], allow_repeats=True)


def _facts(*tables: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The facts about the text of all blocks, and examples of skipped documents."""
    for number, blob in _all_rows(tables):
        if number == _FACTS:
            facts = json.loads(blob.to_pybytes())
            return facts, tuple(facts.pop("skipped_examples"))
    return {}, ()


def _load(kind: type[Any], facts: Mapping[str, Any], *tables: Any) -> Any:
    """The counts of all partitions."""
    parts = [_unpacked(blob) for number, blob in _all_rows(tables) if number != _FACTS]
    counts = _added(kind, parts)
    known = dict(facts)
    if kind is Counts:
        known["unique_pretokens"] = len(counts)
    engine = counts._engine.with_facts(json.dumps(known))
    return kind._wrap(engine, counts.origin._replace(inputs=()))


def _all_rows(tables: tuple[Any, ...]) -> Iterator[tuple[int, Any]]:
    for table in tables:
        if table.num_rows:
            numbers = table.column("partition").to_pylist()
            blobs = (blob.as_buffer() for blob in table.column("counts"))
            yield from zip(numbers, blobs, strict=True)


def _slices(*tables: Any) -> list[tuple[int, bytes]]:
    """The slices of bounds, each with its number."""
    return [
        (number.as_py(), slice_.as_py())
        for table in tables
        if table.num_rows
        for number, slice_ in zip(table.column("partition"), table.column("bounds"), strict=True)
        if slice_.is_valid
    ]


def _rows(rows: Mapping[int, _Row]) -> Any:
    import pyarrow as pa

    return pa.table(
        {
            "partition": pa.array(list(rows), pa.int32()),
            # The counts of a partition may have more than 2 GiB.
            "counts": pa.array([counts for counts, _ in rows.values()], pa.large_binary()),
            "bounds": pa.array([bounds for _, bounds in rows.values()], pa.large_binary()),
        }
    )


def _packed(table: Any) -> Any:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def _unpacked(blob: Any) -> Any:
    import pyarrow as pa

    return pa.ipc.open_stream(blob).read_all()

"""Directories of counts: one Parquet file for each partition, and a receipt.

A partition holds the keys with `xxh3(key) % partitions == number`, so the partitions of several
directories can be added up independently. The receipt is written last: a directory without one is
not finished. Its checksums add up (see `count/partition.rs` in the engine), so a sum is checked
against the receipts of its parts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from superword import _core
from superword._counting import arrow
from superword._counting.receipts import (
    RECEIPT,
    Receipt,
    add_receipts,
    pruned_before,
    pruned_fact,
    read_receipt,
    receipts_in,
    write_receipt,
)
from superword._counting.stored import check_directory, is_part
from superword._files.replace import drop_link, make_directory, replace_own
from superword._support.checks import whole
from superword._support.text import plural
from superword.errors import CountsError, OptionError

__all__ = [
    "bounds_of",
    "check_partitions",
    "load",
    "merge_partition",
    "part_name",
    "write",
]

MOST_PARTITIONS = 100_000  # The names have five digits.


def part_name(number: int, of: int) -> str:
    """The file of a partition: `part-00003-of-00017.parquet`."""
    return f"part-{number:05}-of-{of:05}.parquet"


def _bounds_name(number: int | None, of: int) -> str:
    """The file with the bounds of all partitions, or of one of them."""
    return "bounds.bin" if number is None else f"bounds-{number:05}-of-{of:05}.bin"


def check_partitions(partitions: int) -> int:
    """Accept a number of partitions."""
    number = whole("partitions", partitions, at_least=1)
    if number > MOST_PARTITIONS:
        raise OptionError(
            f"`partitions` is {number:,}, but there can be at most {MOST_PARTITIONS:,}",
            hint="a few partitions for each machine are enough",
            option="partitions",
            value=number,
        )
    return number


def write(
    directory: str | os.PathLike[str],
    engine: _core.Counts | _core.Candidates,
    receipt: Receipt,
    partitions: int,
    bounds: _core.BigramBounds | None = None,
) -> Receipt:
    """Write counts as a directory. Returns the receipt with its checksums."""
    folder = make_directory(directory)
    (folder / RECEIPT).unlink(missing_ok=True)
    names = {part_name(number, partitions) for number in range(partitions)}
    for path in folder.iterdir():
        # The others are replaced: another process may be writing or reading the same counts.
        if path.name not in names and is_part(path):
            path.unlink(missing_ok=True)
    layout = _layout(receipt.kind)
    checksums = []
    made: Sequence[tuple[Any, int]] = engine.partitioned(partitions)
    for number, (columns, checksum) in enumerate(made):
        _write_part(folder, layout, receipt, number, partitions, columns)
        checksums.append(checksum)
    if bounds is not None:
        _write_bounds(folder, bounds, partitions)
    receipt = replace(receipt, checksums=tuple(checksums), has_bounds=bounds is not None)
    write_receipt(folder, receipt)
    return receipt


def _layout(kind: str) -> arrow.Layout:
    return arrow.CANDIDATES if kind == "candidates" else arrow.COUNTS


def _write_part(
    folder: Path,
    layout: arrow.Layout,
    receipt: Receipt,
    number: int,
    partitions: int,
    columns: Iterable[Any],
    **more: Any,
) -> None:
    # The inputs are in the receipt only: they would be repeated in every partition.
    origin = receipt.origin._replace(inputs=())
    more = {"partition": number, "partitions": partitions, **more}
    if receipt.kind == "candidates":
        more["cut_below"] = receipt.cut_below
    schema = layout.schema(origin.describe(receipt.kind, {}, **more))
    path = str(folder / part_name(number, partitions))
    drop_link(path)
    arrow.write(path, schema, layout.batches(columns, schema))


def _write_bounds(folder: Path, bounds: _core.BigramBounds, partitions: int) -> None:
    """One file with all slices, so that a task leaves few files: their lengths, then the slices."""
    slices = [bounds.slice(number, partitions) for number in range(partitions)]
    lengths = b"".join(len(part).to_bytes(8, "little") for part in slices)
    replace_own(folder / _bounds_name(None, partitions), lengths + b"".join(slices))


def _read_bounds(folder: Path, number: int, partitions: int) -> bytes:
    """The slice of a partition, from its own file or from the file with all slices."""
    own = folder / _bounds_name(number, partitions)
    try:
        if own.exists():
            return own.read_bytes()
        with (folder / _bounds_name(None, partitions)).open("rb") as file:
            head = file.read(8 * partitions)
            lengths = [int.from_bytes(head[at : at + 8], "little") for at in range(0, len(head), 8)]
            if len(head) + sum(lengths) != os.fstat(file.fileno()).st_size:
                raise IndexError("the lengths in the file do not add up")
            file.seek(8 * partitions + sum(lengths[:number]))
            return file.read(lengths[number])
    except (OSError, IndexError) as error:
        raise CountsError(
            f"{folder}: the bounds of bigrams cannot be read: {error}",
            hint="count this part again",
            path=str(folder),
        ) from None


def bounds_of(directory: str | os.PathLike[str], receipt: Receipt) -> _core.BigramBounds | None:
    """The bounds of the bigrams of a text, if they were counted."""
    if not receipt.has_bounds:
        return None
    folder, of = Path(directory), receipt.partitions
    slices = ((number, _read_bounds(folder, number, of)) for number in range(of))
    return _core.BigramBounds.from_slices(slices, of)


def _columns(folder: str | os.PathLike[str], kind: str, number: int, of: int) -> Iterator[Any]:
    """The columns of one partition, for the engine."""
    path = Path(folder) / part_name(number, of)
    if not path.exists():
        raise CountsError(
            f"{folder}: partition {number} of {of} is missing",
            hint=f"add it up with `partition={number}`, or count this part again",
            path=str(path),
        )
    schema, batches = arrow.read(str(path))
    return _layout(kind).columns(schema, batches)


def _engine(receipt: Receipt, columns: Iterable[Any]) -> Any:
    """The counts of the engine, from columns."""
    if receipt.kind == "candidates":
        return _core.Candidates.from_columns(columns, receipt.cut_below, "{}")
    return _core.Counts.from_columns(columns, "{}")


def load(directory: str | os.PathLike[str], kind: str) -> tuple[Any, Receipt, dict[str, Any]]:
    """The counts of a directory, its receipt, and the facts about the text."""
    receipt = read_receipt(directory)
    if receipt.kind != kind:
        raise CountsError(
            f"{directory} holds {receipt.kind}, not {kind}",
            hint="words are learned from counts, superwords from candidates",
            path=str(directory),
        )
    of = receipt.partitions
    columns = (batch for number in range(of) for batch in _columns(directory, kind, number, of))
    engine = _engine(receipt, columns)
    facts = dict(receipt.facts)
    if kind == "counts":
        facts["unique_pretokens"] = len(engine)
    left_out = 0
    if receipt.min_count > 1:
        dropped = [_dropped(directory, number, of) for number in range(of)]
        left_out = sum(int(part["checksum"], 16) for part in dropped)
        facts["pruned"] = pruned_fact(
            receipt.min_count,
            sum(part["rows"] for part in dropped),
            sum(part["count"] for part in dropped),
        )
    _check_sum(engine.checksum(), receipt.checksum - left_out, str(directory))
    return engine, receipt, facts


def _dropped(folder: str | os.PathLike[str], number: int, of: int) -> dict[str, Any]:
    """What pruning dropped from a partition."""
    path = Path(folder) / part_name(number, of)
    schema, _ = arrow.read(str(path))
    dropped = (arrow.described(schema) or {}).get("dropped")
    if not isinstance(dropped, dict):
        raise CountsError(f"{path} does not record what was dropped", path=str(path))
    return dropped


def merge_partition(
    directories: Sequence[str | os.PathLike[str]],
    partition: int,
    output: str | os.PathLike[str],
    *,
    min_count: int = 1,
    allow_repeats: bool = False,
) -> tuple[Receipt, int]:
    """Add up one partition of several directories. Returns the receipt and the number of rows.

    The partitions of a sum may be added up at the same time, on any machine.
    """
    found = receipts_in(directories)
    total = add_receipts(list(found.values()), allow_repeats)
    of = total.partitions
    if not 0 <= partition < of:
        raise CountsError(
            f"there is no partition {partition}: the counts have {plural(of, 'partition')}",
            hint=f"give a number from 0 to {of - 1}",
        )
    if total.min_count > 1:
        raise pruned_before()
    total = replace(total, min_count=min_count)
    folder = _claim(output, total)
    columns = (batch for path in found for batch in _columns(path, total.kind, partition, of))
    counts = _engine(total, columns)
    _check_sum(counts.checksum(), total.checksums[partition], f"partition {partition}")
    more = {}
    if min_count > 1:
        counts, (rows, count, checksum) = counts.without_rare(min_count)
        more["dropped"] = {"rows": rows, "count": count, "checksum": f"{checksum:016x}"}
    ((columns_made, _),) = counts.partitioned(1)
    _write_part(folder, _layout(total.kind), total, partition, of, columns_made, **more)
    if total.has_bounds:
        slices = ((partition, _read_bounds(path, partition, of)) for path in found)
        summed = _core.BigramBounds.from_slices(slices, of).slice(partition, of)
        replace_own(folder / _bounds_name(partition, of), summed)
    return total, len(counts)


def _check_sum(found: int, expected: int, what: str) -> None:
    """Compare the checksum of counts with that of the receipts."""
    if found != expected % 2**64:
        raise CountsError(
            f"the checksum of {what} differs from the receipts: counts were lost or changed",
            hint="count the damaged part again; if the disk is sound, report this as a bug",
        )


def _claim(output: str | os.PathLike[str], receipt: Receipt) -> Path:
    """Make the directory of a sum, with its receipt. Other merges may be doing the same."""
    check_directory(output, overwrite=False)
    folder = make_directory(output)
    if (folder / RECEIPT).exists() and read_receipt(folder) != receipt:
        raise CountsError(
            f"{folder} holds other counts",
            hint="choose another directory, or remove this one",
            path=str(folder),
        )
    write_receipt(folder, receipt)
    return folder

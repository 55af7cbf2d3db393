"""Counts survive columns of more than 2 GiB, which the offsets of Arrow cannot address."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from superword import _core
from superword.counts import Candidates, Counts, merge_partition

pa: Any = pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")

pytestmark = pytest.mark.soak

ROWS = 2_300
MEGABYTE = 1 << 20


def offsets(numbers: range) -> bytes:
    return b"".join(number.to_bytes(8, "little") for number in numbers)


def columns() -> Any:
    """Pretokens of one megabyte each, 2.4 GB in all, one row at a time."""
    for number in range(ROWS):
        token = number.to_bytes(4, "big") + bytes([65 + number % 26]) * (MEGABYTE - 4)
        yield offsets(range(0, MEGABYTE + 1, MEGABYTE)), token, (number + 1).to_bytes(8, "little")


def test_counts_of_more_than_2_gib_come_back_from_files_and_partitions(tmp_path: Path) -> None:
    engine = _core.Counts.from_columns(columns(), "{}")
    counts = Counts._wrap(engine, Counts({}).origin)
    checksum = counts.checksum
    counts.save_partitions(tmp_path / "parts", 1)
    del counts, engine
    merge_partition([tmp_path / "parts"], 0, tmp_path / "sum")
    again = Counts.load(tmp_path / "sum")
    assert (len(again), again.checksum) == (ROWS, checksum)
    again.save(tmp_path / "counts.parquet")
    del again
    again = Counts.load(tmp_path / "counts.parquet")
    assert (len(again), again.checksum) == (ROWS, checksum)


def run_columns() -> Any:
    """Candidates of one megabyte each, made of a few tokens that repeat."""
    words = [bytes([65 + number]) * 1023 + b" " for number in range(26)]
    for number in range(ROWS):
        rest = [words[(number >> (at % 12)) % 26] for at in range(1024)]
        run = [words[number // 26 % 26], words[number % 26], words[number // 676], *rest]
        ends = range(0, 1024 * len(run) + 1, 1024)
        runs = offsets(range(0, len(run) + 1, len(run)))
        yield runs, offsets(ends), b"".join(run), (1).to_bytes(8, "little")


def test_candidates_of_more_than_2_gib_come_back_from_files_and_partitions(tmp_path: Path) -> None:
    engine = _core.Candidates.from_columns(run_columns(), 1, "{}")
    candidates = Candidates._wrap(engine, Candidates({}).origin)
    assert len(candidates) == ROWS
    checksum = candidates.checksum
    candidates.save_partitions(tmp_path / "parts", 1)
    del candidates, engine
    again = Candidates.load(tmp_path / "parts")
    assert (len(again), again.checksum) == (ROWS, checksum)
    again.save(tmp_path / "candidates.parquet")
    again = Candidates.load(tmp_path / "candidates.parquet")
    assert (len(again), again.checksum) == (ROWS, checksum)

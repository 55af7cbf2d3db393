"""Receipts: what a directory of counts holds. A directory without a receipt is not finished."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from superword._counting.origin import Origin, origin_of, sum_facts, together
from superword._files.replace import replace_own
from superword._support.json_values import parse_json
from superword._support.text import plural
from superword.errors import CountsError

__all__ = [
    "RECEIPT",
    "PlannedTask",
    "Receipt",
    "add_receipts",
    "check_can_be_added",
    "pruned_before",
    "pruned_fact",
    "read_receipt",
    "receipts_in",
    "task_name",
    "write_receipt",
]

RECEIPT = "receipt.json"

# An error lists at most this many tasks that are not finished.
_MOST_LISTED = 100_000


class PlannedTask(NamedTuple):
    """Which task of which plan counted something."""

    plan: str
    name: str
    tasks: int


@dataclass(frozen=True)
class Receipt:
    """What a directory of counts holds. `facts` does not include the number of distinct keys.

    Counts that were pruned have a `min_count` above 1.
    """

    kind: str
    origin: Origin
    facts: Mapping[str, Any]
    checksums: tuple[int, ...]
    cut_below: int = 1
    min_count: int = 1
    has_bounds: bool = False
    task: PlannedTask | None = None
    skipped_examples: tuple[str, ...] = field(default=(), compare=False)

    @property
    def partitions(self) -> int:
        """How many partitions there are."""
        return len(self.checksums)

    @property
    def documents(self) -> int:
        """How many documents were counted."""
        return int(self.facts.get("documents", 0))

    @property
    def bytes(self) -> int:
        """How many bytes of text were counted."""
        return int(self.facts.get("bytes", 0))

    @property
    def skipped(self) -> int:
        """How many documents were skipped."""
        return int(self.facts.get("skipped_documents", 0))

    @property
    def checksum(self) -> int:
        """The checksum of all partitions."""
        return sum(self.checksums) % 2**64


def write_receipt(directory: str | os.PathLike[str], receipt: Receipt) -> None:
    """Write the receipt of a directory."""
    more: dict[str, Any] = {
        "partitions": receipt.partitions,
        "checksums": [f"{checksum:016x}" for checksum in receipt.checksums],
        "cut_below": receipt.cut_below,
        "min_count": receipt.min_count,
        "has_bounds": receipt.has_bounds,
        "skipped_examples": list(receipt.skipped_examples),
    }
    if receipt.task is not None:
        more["task"] = receipt.task._asdict()
    described = receipt.origin.describe(receipt.kind, receipt.facts, **more)
    replace_own(Path(directory) / RECEIPT, json.dumps(described, indent=1).encode())


def read_receipt(directory: str | os.PathLike[str]) -> Receipt:
    """The receipt of a directory. `CountsError` if it is missing or damaged."""
    path = Path(directory) / RECEIPT
    try:
        described = parse_json(path.read_bytes())
        kind = described["kind"]
        if kind not in ("counts", "candidates"):
            raise ValueError(f"its kind is {kind!r}")
        origin, facts = origin_of(described, kind, None)
        return Receipt(
            kind=kind,
            origin=origin,
            facts=_checked_facts(facts or {}),
            checksums=tuple(_checksum(checksum) for checksum in described["checksums"]),
            cut_below=_number("cut_below", described["cut_below"], least=1),
            min_count=_number("min_count", described["min_count"], least=1),
            has_bounds=bool(described["has_bounds"]),
            task=_planned_task(described["task"]) if "task" in described else None,
            skipped_examples=tuple(map(str, described["skipped_examples"])),
        )
    except FileNotFoundError:
        raise CountsError(
            f"{directory} has no {RECEIPT}: it is not a finished directory of counts",
            hint="give a directory that `superword count --partitions` or `superword merge-counts` "
            "wrote; if counting was interrupted, run it again",
            path=str(directory),
        ) from None
    except CountsError as error:
        raise error._at(str(path), path=str(path)) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CountsError(
            f"{path} cannot be read: {error}",
            hint="the file may be damaged; count this part again",
            path=str(path),
        ) from None


def _number(name: str, value: object, least: int = 0) -> int:
    if type(value) is not int or not least <= value < 2**64:
        raise ValueError(f"{name} is not a whole number from {least} to 2**64 - 1")
    return value


def _checksum(text: str) -> int:
    return _number("a checksum", int(text, 16))


def _planned_task(described: Mapping[str, Any]) -> PlannedTask:
    task = PlannedTask(**described)
    if not isinstance(task.plan, str) or not isinstance(task.name, str):
        raise ValueError("the task has no name")
    _number("the number of tasks", task.tasks, least=1)
    return task


def _checked_facts(facts: dict[str, Any]) -> dict[str, Any]:
    """Accept facts whose numbers can be added up."""
    groups = facts.get("groups") or {}
    for counted in (facts, *groups.values()):
        for name in ("documents", "bytes", "skipped_documents"):
            _number(name, counted.get(name, 0))
    if not all(type(group["weight"]) in (int, float) for group in groups.values()):
        raise ValueError("the weight of a group is not a number")
    return facts


def receipts_in(directories: Sequence[str | os.PathLike[str]]) -> dict[Path, Receipt]:
    """The receipts of directories, or of the directories of the tasks in them.

    `CountsError` if a task of a plan is missing.
    """
    found: dict[Path, Receipt] = {}
    for directory in map(Path, directories):
        if not directory.is_dir():
            raise CountsError(
                f"{directory} is not a directory of counts",
                hint="check the path",
                path=str(directory),
            )
        inside = sorted(path.parent for path in directory.glob(f"*/{RECEIPT}"))
        own = (directory / RECEIPT).exists() or not inside
        for folder in [directory] if own else inside:
            found[folder] = read_receipt(folder)
    _check_complete(found)
    return found


def _check_complete(receipts: Mapping[Path, Receipt]) -> None:
    tasks = [receipt.task for receipt in receipts.values() if receipt.task is not None]
    if not tasks:
        return
    plans = {task.plan for task in tasks}
    if len(plans) > 1 or len(tasks) < len(receipts):
        raise CountsError(
            f"the counts belong to {plural(len(plans), 'plan')} and "
            f"{plural(len(receipts) - len(tasks), 'count')} without a plan",
            hint="add up the tasks of one plan only",
        )
    names = {task.name for task in tasks}
    expected = tasks[0].tasks
    # A receipt may claim any number of tasks, so the names are not listed before they are counted.
    unfinished = (name for name in map(task_name, range(expected)) if name not in names)
    missing = list(islice(unfinished, _MOST_LISTED))
    if missing:
        shown = ", ".join(missing[:10]) + (", ..." if len(missing) > 10 else "")
        many = expected - len(names) if len(missing) == _MOST_LISTED else len(missing)
        raise CountsError(
            f"{plural(many, 'task')} of {expected} not finished: {shown}",
            hint="run these tasks first; finished tasks are not counted again",
            missing=missing,
        )


def task_name(number: int) -> str:
    """The name of a task of a plan."""
    return f"task-{number:05}"


def add_receipts(receipts: Sequence[Receipt], allow_repeats: bool = False) -> Receipt:
    """The receipt of the sum. `CountsError` if the counts do not belong together."""
    first = receipts[0]
    origin = together([receipt.origin for receipt in receipts], allow_repeats)
    for receipt in receipts[1:]:
        if receipt.kind != first.kind:
            raise CountsError(
                "counts and candidates cannot be added up",
                hint="add up each kind by itself",
            )
        if receipt.partitions != first.partitions:
            raise CountsError(
                f"the counts have {first.partitions} and {receipt.partitions} partitions",
                hint="count again with one number of `partitions`",
            )
        if receipt.cut_below != first.cut_below:
            raise CountsError(
                f"the candidates were cut at {first.cut_below} and at {receipt.cut_below}",
                hint="count them again with one `cut_below`",
            )
    if len(receipts) > 1:
        check_can_be_added(first.cut_below, origin)
        if any(receipt.min_count > 1 for receipt in receipts):
            raise pruned_before()
    facts = sum_facts([receipt.facts for receipt in receipts])
    if not facts.get("bytes", 1):
        raise CountsError("there is no text in any of the parts", hint="check the inputs")
    sums = zip(*(receipt.checksums for receipt in receipts), strict=True)
    examples = [text for receipt in receipts for text in receipt.skipped_examples]
    return Receipt(
        kind=first.kind,
        origin=origin,
        facts=facts,
        checksums=tuple(sum(column) % 2**64 for column in sums),
        cut_below=first.cut_below,
        min_count=first.min_count,
        has_bounds=all(receipt.has_bounds for receipt in receipts),
        skipped_examples=tuple(examples[:5]),
    )


def check_can_be_added(cut_below: int, origin: Origin) -> None:
    """Raise unless candidates were cut by the bounds of the whole text, or not at all."""
    if cut_below > 1 and origin.bounds is None:
        raise CountsError(
            "candidates that were cut cannot be added up: what is rare in one part may be "
            "common in the whole text",
            hint="count the candidates again without `cut_below`, or with the `bounds` of the "
            "whole text",
        )


def pruned_before() -> CountsError:
    """The error for adding up counts from which rare ones were removed."""
    return CountsError(
        "counts that were pruned cannot be added up: what is rare in one part may be common in the "
        "whole text",
        hint="give `min_count` only when adding up the last time",
    )


def pruned_fact(min_count: int, rows: int, count: int) -> dict[str, int]:
    """What a model records about counts that were pruned."""
    return {"min_count": min_count, "distinct": rows, "occurrences": count}

"""Plans, receipts and counts that someone wrote to do harm. See docs/security.md."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import superword.counts
from superword._counting import directory as directories
from superword._counting.receipts import read_receipt
from superword.errors import CountsError, PlanError
from superword.plans import Plan, check_complete, count_task

DEEP = "[" * 1_000_000
INPUT = {"path": "a.txt", "format": None, "group": None, "size": 5, "ends": "x"}


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "a.txt").write_text("one of the words, some of the time " * 20)
    return Plan.make(str(tmp_path / "a.txt"), partitions=2)


@pytest.fixture
def counts(plan: Plan, tmp_path: Path) -> Path:
    """A directory of counts with one finished task."""
    count_task(plan, 0, tmp_path / "counts")
    return tmp_path / "counts"


def forged(plan: Plan, path: Path, **changes: object) -> Path:
    """Write a plan with changes, and with the key of the changed plan."""
    plan.save(path)
    content = json.loads(path.read_text())
    content.update(changes)
    keyed = {name: content[name] for name in content if name not in ("version", "key")}
    text = json.dumps(keyed, sort_keys=True)
    content["key"] = hashlib.sha256(text.encode()).hexdigest()[:32]
    path.write_text(json.dumps(content))
    return path


def test_a_forged_plan_without_changes_is_accepted(plan: Plan, tmp_path: Path) -> None:
    # The refusals below are due to the changes, not to the key.
    assert Plan.load(forged(plan, tmp_path / "plan.json")) == plan


@pytest.mark.parametrize("name", ["../escaped", "/tmp/escaped", "task-00001", "", ".", 5, None])
def test_a_plan_cannot_name_a_directory_outside_its_output(
    plan: Plan, tmp_path: Path, name: object
) -> None:
    tasks = [{"name": name, "inputs": [vars(item) for item in plan.tasks[0].inputs]}]
    path = forged(plan, tmp_path / "plan.json", tasks=tasks)
    with pytest.raises(PlanError, match="the name of task 0 is not task-00000"):
        Plan.load(path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.txt", "plan.json"]


@pytest.mark.parametrize(
    "changes",
    [
        {"partitions": 10**12},
        {"partitions": 0},
        {"partitions": "x"},
        {"tasks": 5},
        {"tasks": ["x"]},
        {"tasks": [{"name": "task-00000", "inputs": [5]}]},
        {"tasks": [{"name": "task-00000", "inputs": [{"path": 5}]}]},
        {"tasks": [{"name": "task-00000", "inputs": [INPUT | {"path": "\ud800"}]}]},
        {"weights": [1]},
        {"weights": {"a": "x"}},
        {"text_field": 5},
        {"on_error": "x"},
        {"pretokenizer": {}},
        {"pretokenizer": None},
    ],
)
def test_values_of_a_plan_are_checked_when_it_is_read(
    plan: Plan, tmp_path: Path, changes: dict[str, Any]
) -> None:
    with pytest.raises(PlanError, match="damaged") as caught:
        Plan.load(forged(plan, tmp_path / "plan.json", **changes))
    assert "make the plan again" in str(caught.value)


def test_json_that_is_nested_too_deeply_is_an_ordinary_error(counts: Path, tmp_path: Path) -> None:
    plan, receipt = tmp_path / "plan.json", counts / "task-00000" / "receipt.json"
    table = tmp_path / "counts.tsv"
    plan.write_text(DEEP)
    receipt.write_text(DEEP)
    table.write_text(f"#superword\t{DEEP}\na\t1\n")
    with pytest.raises(PlanError, match="not a plan"):
        Plan.load(plan)
    with pytest.raises(CountsError, match="nested too deeply"):
        check_complete(counts)
    with pytest.raises(CountsError, match="nested too deeply"):
        superword.counts.Counts.load(table)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("facts", {"documents": [1]}),
        ("facts", {"bytes": "x"}),
        ("facts", {"groups": {"a": 1}}),
        ("facts", {"groups": {"a": {"documents": 1}}}),
        ("facts", {"groups": [1]}),
        ("inputs", "x"),
        ("inputs", [1]),
        ("options", [1]),
        ("options", {"weights": {"a": "x"}}),
        ("words", [1]),
        ("checksums", [1]),
        ("checksums", ["-1"]),
        ("checksums", ["f" * 5000]),
        ("cut_below", float("inf")),
        ("cut_below", -5),
        ("min_count", 10**30),
        ("task", [1]),
        ("task", {"plan": [1], "name": [2], "tasks": 1}),
        ("task", {"plan": "a", "name": "b", "tasks": "x"}),
        ("skipped_examples", 5),
    ],
)
def test_values_of_a_receipt_are_checked_when_it_is_read(
    counts: Path, name: str, value: object
) -> None:
    receipt = counts / "task-00000" / "receipt.json"
    content = json.loads(receipt.read_text())
    content[name] = value
    receipt.write_text(json.dumps(content))
    with pytest.raises(CountsError) as caught:
        check_complete(counts)
    assert str(receipt) in caught.value.message
    assert caught.value.hint


def test_a_receipt_that_claims_many_tasks_takes_no_memory_for_them(counts: Path) -> None:
    receipt = counts / "task-00000" / "receipt.json"
    content = json.loads(receipt.read_text())
    content["task"]["tasks"] = 10**15
    receipt.write_text(json.dumps(content))
    with pytest.raises(CountsError, match=r"999,?999,?999,?999,?999 tasks of") as caught:
        check_complete(counts)
    assert len(caught.value.missing or ()) == 100_000


@pytest.mark.parametrize("length", [2**38, 2**63, 2**64 - 1, 0])
def test_the_lengths_of_bounds_are_compared_with_the_file(counts: Path, length: int) -> None:
    folder = counts / "task-00000"
    content = bytearray((folder / "bounds.bin").read_bytes())
    content[:8] = length.to_bytes(8, "little")
    (folder / "bounds.bin").write_bytes(content)
    with pytest.raises(CountsError, match="bounds of bigrams cannot be read"):
        directories.bounds_of(folder, read_receipt(folder))


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[: len(content) // 2],
        lambda content: content[:-8] + (2**31 - 1).to_bytes(4, "little") + content[-4:],
        lambda content: b"PAR1" + bytes(1000) + b"PAR1",
        lambda content: b"",
    ],
)
def test_damaged_partitions_are_named(counts: Path, damage: Callable[[bytes], bytes]) -> None:
    part = counts / "task-00000" / directories.part_name(0, 2)
    part.write_bytes(damage(part.read_bytes()))
    with pytest.raises(CountsError) as caught:
        directories.load(counts / "task-00000", "counts")
    assert part.name in caught.value.message

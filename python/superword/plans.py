"""Plans: a large corpus divided into tasks, which can be counted on any machines and in any order.

>>> plan = Plan.make(["corpus/"], partitions=16)
>>> plan.save("plan.json")

Then, for every task and on any machine that sees the files:

>>> count_task(Plan.load("plan.json"), 3, "counts/")

Each task leaves a directory of counts with a receipt. A task that is finished is not counted again,
so a task can be repeated safely. `superword.counts.merge_partition` adds the directories up, and
names the tasks that are missing.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import starmap
from pathlib import Path
from typing import Any, NamedTuple

from superword import _core
from superword._counting import directory as directories
from superword._counting.origin import pretokenizer_described
from superword._counting.receipts import (
    RECEIPT,
    PlannedTask,
    Receipt,
    read_receipt,
    receipts_in,
    task_name,
)
from superword._counting.stages import candidates_from, count_from
from superword._counting.stored import Stored
from superword._files.replace import replace as replace_file
from superword._reading.sources import gather
from superword._support.checks import size
from superword._support.json_values import is_path, is_text, parse_json
from superword.counts import BigramBounds, words_key
from superword.errors import CountsError, InputError, OptionError, PlanError, SuperwordError
from superword.inputs import STDIN, Input, expand, groups_of
from superword.options import Format, OnError, ReadOptions, pretokenizer_of
from superword.pretokenizer import DEFAULT, Pretokenizer
from superword.tokenizer import Tokenizer
from superword.training import Inputs, ProgressOption, Report

__all__ = [
    "Plan",
    "PlannedInput",
    "Receipt",
    "Task",
    "candidates_task",
    "check_complete",
    "count_task",
    "group_inputs",
]

FORMAT = 1
TASK_SIZE = "1GB"
PARTITIONS = 16


@dataclass(frozen=True)
class PlannedInput:
    """A file, and what it was like when the plan was made: its size and a hash of its ends."""

    path: str
    format: str | None
    group: str | None
    size: int
    ends: str

    @classmethod
    def of(cls, item: Input) -> PlannedInput:
        """The file as it is now."""
        found = None
        if item.data is None and item.path != STDIN:
            found = _core.identity(item.path)
        if found is None:
            name = "standard input" if item.path == STDIN else item.path
            raise PlanError(
                f"a plan needs files: other machines could not read {name}",
                hint="write it to a file first",
            )
        bytes_, _, ends = found
        path = os.path.abspath(item.path)  # noqa: PTH100 - Path.resolve would follow links.
        return cls(path, item.format, item.group, bytes_, ends)

    @classmethod
    def _of(cls, read: Any) -> PlannedInput:
        """The file of a plan file."""
        item = cls(**read)
        known = is_path(item.path) and isinstance(item.ends, str)
        known = known and all(text is None or is_text(text) for text in (item.format, item.group))
        if not known or type(item.size) is not int:
            raise ValueError("an input has no path or no size")
        return item

    def opened(self) -> Input:
        """The file as an input. `InputError` if it is not the file that was planned."""
        found = _core.identity(self.path)
        if found is None or (found[0], found[2]) != (self.size, self.ends):
            what = "is missing or not a file" if found is None else "has changed"
            raise InputError(
                f"{self.path} {what} since the plan was made",
                hint="restore the file, or make a new plan and count again",
                path=self.path,
            )
        return Input(self.path, self.format, self.size, self.group)


@dataclass(frozen=True)
class Task:
    """A group of files that one process reads."""

    name: str
    inputs: tuple[PlannedInput, ...]

    @property
    def bytes(self) -> int:
        """The size of the files on disk."""
        return sum(item.size for item in self.inputs)

    @classmethod
    def _of(cls, number: int, read: Any) -> Task:
        """The task of a plan file. Its name becomes a directory, so no other name is accepted."""
        if read["name"] != task_name(number):
            raise ValueError(f"the name of task {number} is not {task_name(number)}")
        return cls(task_name(number), tuple(map(PlannedInput._of, read["inputs"])))

    def opened(self) -> list[Input]:
        """The files as inputs. `InputError` if one of them has changed."""
        return [item.opened() for item in self.inputs]


@dataclass(frozen=True)
class Plan:
    """The tasks of a corpus, and how to read and split its text.

    The order and size of the tasks and the number of partitions never change a model. `key` is a
    hash of the whole plan, which ties receipts to it.
    """

    tasks: tuple[Task, ...]
    partitions: int = PARTITIONS
    pretokenizer: Pretokenizer = field(default_factory=lambda: Pretokenizer(DEFAULT))
    text_field: str = "text"
    on_error: OnError = "stop"
    weights: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def make(
        cls,
        inputs: Inputs,
        *,
        partitions: int = PARTITIONS,
        task_size: int | str = TASK_SIZE,
        pretokenizer: str | Pretokenizer = DEFAULT,
        text_field: str = "text",
        on_error: OnError = "stop",
        format: Format | None = None,
        weights: Mapping[str, float] | Iterable[str] = (),
    ) -> Plan:
        """Divide files into tasks of about `task_size` bytes on disk. A file is never divided.

        Inputs and options as in `superword.train`. A few partitions for each machine are enough.
        """
        options = ReadOptions(
            text_field=text_field, on_error=on_error, format=format, weights=weights
        )
        found = expand(inputs, options.format)
        groups_of(found, options.group_weights)  # Each weight needs a group.
        return cls(
            tasks=group_inputs(found, task_size),
            partitions=directories.check_partitions(partitions),
            pretokenizer=pretokenizer_of(pretokenizer),
            text_field=options.text_field,
            on_error=options.on_error,
            weights=dict(options.group_weights),
        )

    @property
    def bytes(self) -> int:
        """The size of all files on disk."""
        return sum(task.bytes for task in self.tasks)

    @property
    def key(self) -> str:
        """A hash of everything in the plan."""
        text = json.dumps(self._described(), sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]

    def task(self, which: int | str) -> Task:
        """A task, by its number or its name."""
        for number, task in enumerate(self.tasks):
            if which in (number, task.name):
                return task
        last = len(self.tasks) - 1
        raise PlanError(
            f"the plan has no task {which}",
            hint=f"give a number from 0 to {last}, or a name from {task_name(0)} to "
            f"{task_name(last)}",
        )

    def missing(self, directory: str | os.PathLike[str]) -> list[Task]:
        """The tasks that have no receipt in a directory."""
        folder = Path(directory)
        return [task for task in self.tasks if not (folder / task.name / RECEIPT).exists()]

    def _described(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "kind": "plan",
            "partitions": self.partitions,
            "pretokenizer": self.pretokenizer._described(),
            "text_field": self.text_field,
            "on_error": self.on_error,
            "weights": dict(self.weights),
            "tasks": [
                {"name": task.name, "inputs": [vars(item) for item in task.inputs]}
                for task in self.tasks
            ],
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plan as JSON. Only a plan is replaced."""
        target = Path(path)
        if target.exists() and target.stat().st_size and _read_plan(target) is None:
            raise PlanError(
                f"{target} is not replaced: it exists and is not a plan",
                hint="choose another name",
            )
        content = {**self._described(), "version": _core.__version__, "key": self.key}
        replace_file(
            target, (json.dumps(content, indent=1) + "\n").encode("utf-8", "surrogateescape")
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        """Read a plan."""
        target = Path(path)
        try:
            read = _read_plan(target)
        except FileNotFoundError:
            raise PlanError(
                f"{target}: no such file", hint="make a plan with superword plan"
            ) from None
        except OSError as error:
            raise PlanError(f"{target} cannot be read: {error.strerror}") from None
        if read is None:
            raise PlanError(f"{target} is not a plan", hint="make a plan with superword plan")
        if read.get("format") != FORMAT:
            raise PlanError(
                f"{target} has format {read.get('format')}, which this version cannot read",
                hint="update superword: a newer version wrote the plan",
            )
        try:
            pretokenizer = pretokenizer_described(read["pretokenizer"])
            assert pretokenizer is not None
            # Anyone can write a plan with a right key, so its values are checked like options.
            if not is_text(read["text_field"]):
                raise TypeError("text_field is not a text")
            options = ReadOptions(
                text_field=read["text_field"], on_error=read["on_error"], weights=read["weights"]
            )
            plan = cls(
                tasks=tuple(starmap(Task._of, enumerate(read["tasks"]))),
                partitions=directories.check_partitions(read["partitions"]),
                pretokenizer=pretokenizer,
                text_field=options.text_field,
                on_error=options.on_error,
                weights=dict(options.group_weights),
            )
        except (KeyError, TypeError, ValueError, AssertionError, SuperwordError) as error:
            shown = error.message if isinstance(error, SuperwordError) else error
            raise PlanError(f"{target} is damaged: {shown}", hint="make the plan again") from None
        if plan.key != read.get("key"):
            raise PlanError(
                f"{target} was changed after it was made",
                hint="make the plan again with the options that you want",
            )
        return plan

    def _read_options(
        self, task: Task, threads: int | None, max_memory: int | str | None
    ) -> ReadOptions:
        groups = {item.group for item in task.inputs}
        return ReadOptions(
            text_field=self.text_field,
            on_error=self.on_error,
            weights={name: self.weights[name] for name in self.weights if name in groups},
            threads=threads,
            max_memory=max_memory,
        )


def _read_plan(path: Path) -> dict[str, Any] | None:
    """The content of a plan. None if the file is something else."""
    try:
        read = parse_json(path.read_bytes().decode("utf-8", "surrogateescape"))
    except ValueError:
        return None
    return read if isinstance(read, dict) and read.get("kind") == "plan" else None


def group_inputs(found: Sequence[Input], task_size: int | str = TASK_SIZE) -> tuple[Task, ...]:
    """Divide files into tasks of about `task_size` bytes on disk, in their order."""
    most = size("task_size", task_size)
    groups: list[list[PlannedInput]] = []
    filled = 0
    for item in map(PlannedInput.of, found):
        if not groups or filled + item.size > most:
            groups.append([])
            filled = 0
        groups[-1].append(item)
        filled += item.size
    return tuple(Task(task_name(number), tuple(group)) for number, group in enumerate(groups))


def count_task(
    plan: Plan,
    task: Task | int | str,
    directory: str | os.PathLike[str],
    *,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = False,
) -> Receipt:
    """Count the pretokens of a task, and write them to `directory/task-00000` and so on.

    If the task is finished already, its receipt is returned and nothing is read.
    """
    task = task if isinstance(task, Task) else plan.task(task)
    folder = Path(directory) / task.name
    mark = _Mark("counts", _planned(plan, task))
    done = mark.finished(folder, plan.partitions)
    if done is not None:
        return done
    options = plan._read_options(task, threads, max_memory)
    counts, report = count_from(
        gather(task.opened(), options),
        plan.pretokenizer,
        options,
        bounds=True,
        progress=progress,
        allow_empty=True,
    )
    return _write(folder, plan, task, mark, counts, report, counts.bounds)


def candidates_task(
    plan: Plan,
    task: Task | int | str,
    words: Tokenizer,
    directory: str | os.PathLike[str],
    *,
    cut_below: int | None = None,
    bounds: BigramBounds | None = None,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = False,
) -> Receipt:
    """Count the candidates of a task. See `count_task` and `superword.stages.count_candidates`."""
    task = task if isinstance(task, Task) else plan.task(task)
    if (bounds is None) != (cut_below is None):
        raise OptionError(
            "candidates of a part of a text can be cut only with both `bounds` and `cut_below`",
            hint="give both of them, or neither",
            option="cut_below",
        )
    if words.pretokenizer != plan.pretokenizer:
        raise CountsError(
            f"the words use {words.pretokenizer!r}, but the plan {plan.pretokenizer!r}",
            hint="use the words that were learned from the counts of this plan",
        )
    folder = Path(directory) / task.name
    digest = None if bounds is None else bounds.digest()
    mark = _Mark("candidates", _planned(plan, task), words_key(words), cut_below or 1, digest)
    done = mark.finished(folder, plan.partitions)
    if done is not None:
        return done
    options = plan._read_options(task, threads, max_memory)
    candidates, report = candidates_from(
        gather(task.opened(), options),
        words,
        options,
        cut_below,
        bounds,
        progress,
        allow_empty=True,
    )
    return _write(folder, plan, task, mark, candidates, report, None)


class _Mark(NamedTuple):
    """What a task counts, to compare with the receipt of a directory."""

    kind: str
    task: PlannedTask
    words: str | None = None
    cut_below: int = 1
    bounds: str | None = None

    def finished(self, folder: Path, partitions: int) -> Receipt | None:
        """The receipt if the task is finished. An error if the directory holds something else."""
        if not (folder / RECEIPT).exists():
            return None
        receipt = read_receipt(folder)
        origin = receipt.origin
        found = (receipt.kind, receipt.task, origin.words, receipt.cut_below, origin.bounds)
        if found != self:
            what = "another plan" if receipt.task != self.task else "other words or options"
            raise CountsError(
                f"{folder} holds the {receipt.kind} of {what}",
                hint="use another directory, or remove this one",
                path=str(folder),
            )
        names = [directories.part_name(number, partitions) for number in range(partitions)]
        return receipt if all((folder / name).exists() for name in names) else None


def _planned(plan: Plan, task: Task) -> PlannedTask:
    return PlannedTask(plan.key, task.name, len(plan.tasks))


def _write(
    folder: Path,
    plan: Plan,
    task: Task,
    mark: _Mark,
    counts: Stored,
    report: Report,
    bounds: BigramBounds | None,
) -> Receipt:
    task.opened()  # The files must still be those that were planned.
    # A scheduler that took this process for dead may have repeated the task meanwhile.
    done = mark.finished(folder, plan.partitions)
    if done is not None:
        return done
    receipt = replace(counts._receipt(), task=mark.task, skipped_examples=report.skipped_examples)
    return directories.write(folder, counts._engine, receipt, plan.partitions, bounds)


def check_complete(directory: str | os.PathLike[str]) -> list[Receipt]:
    """The receipts of all tasks in a directory. `CountsError` names those that are missing."""
    return list(receipts_in([directory]).values())

"""Count files on the cluster: one Ray task for each task of a plan, then one for each partition.

Everything goes through a directory that all nodes share. A task leaves a receipt there when it is
done, so a driver that is started again only runs what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from superword._cluster.models import Shipped
from superword._counting.directory import bounds_of
from superword._counting.receipts import read_receipt
from superword._files.replace import make_directory, replace
from superword._support.text import plural
from superword.counts import BigramBounds, merge_partition, words_key
from superword.errors import ClusterError
from superword.integrations.ray import tasks
from superword.integrations.ray.cluster import cpus_for, ray
from superword.integrations.ray.learning import Tell
from superword.options import ReadOptions
from superword.plans import Plan, Receipt, Task, candidates_task, check_complete, count_task
from superword.tokenizer import Tokenizer
from superword.training import Report

__all__ = ["Counting", "read_bounds", "report_of"]


class Counting:
    """The counts of a plan, in directories below `folder` whose names say what is in them."""

    def __init__(self, plan: Plan, folder: Path, options: ReadOptions, tell: Tell) -> None:
        self.plan = plan
        self.options = options
        self.tell = tell
        self.folder = folder

    def pretokens(self) -> tuple[Path, list[Receipt]]:
        """Count pretokens. Returns the directory of the sum, and the receipts of the tasks."""
        return self._counted("count", f"counts-{self.plan.key}", _count)

    def candidates(
        self, words: Tokenizer, counts: Path | None = None, cut_below: int | None = None
    ) -> tuple[Path, list[Receipt]]:
        """Count candidates with these words, in the same way.

        With `cut_below`, they are cut at bigrams that are rarer in the whole text, according to the
        bounds in the directory of all counts.
        """
        name = f"candidates-{self.plan.key}-{words_key(words)}-{cut_below or 1}"
        # Ray copies the words once to each node, however many tasks run there.
        cut = None if counts is None else (str(counts), cut_below)
        return self._counted("candidates", name, _candidates, (ray.put(Shipped(words)), cut))

    def _counted(
        self,
        phase: str,
        name: str,
        function: Callable[..., Any],
        arguments: tuple[Any, ...] = (),
    ) -> tuple[Path, list[Receipt]]:
        place = self.folder / name
        parts = make_directory(place / "tasks")
        missing = self.plan.missing(parts)
        before = self.plan.bytes - sum(task.bytes for task in missing)
        cpus = cpus_for(len(missing), self.options.threads)
        plan = ray.put(self.plan)
        resources = {"threads": cpus, "max_memory": self.options.max_memory}

        def on_done(size: int) -> None:
            if self.tell is not None:
                self.tell(phase, "bytes", before + size, self.plan.bytes)

        jobs = [
            tasks.Job(function, (plan, task.name, str(parts), resources, *arguments), task.bytes)
            for task in missing
        ]
        tasks.run(jobs, cpus=cpus, on_done=on_done)
        _check_shared(self.plan.missing(parts), parts)
        return self._summed(place), check_complete(parts)

    def _summed(self, place: Path) -> Path:
        """Add up the tasks, one partition at a time, and return the directory of the sum."""
        parts, summed, done = place / "tasks", place / "sum", place / "sum.done"
        if not done.exists():
            jobs = [
                tasks.Job(_merge, (str(parts), number, str(summed)))
                for number in range(self.plan.partitions)
            ]
            tasks.run(jobs, cpus=1)
            replace(done, b"")
        return summed


def report_of(receipts: Sequence[Receipt]) -> Report:
    """What the tasks of a plan have read and skipped."""
    examples = [example for receipt in receipts for example in receipt.skipped_examples]
    return Report(
        documents=sum(receipt.documents for receipt in receipts),
        bytes=sum(receipt.bytes for receipt in receipts),
        skipped=sum(receipt.skipped for receipt in receipts),
        skipped_examples=tuple(examples[:5]),
    )


def _check_shared(missing: Sequence[Task], folder: Path) -> None:
    if missing:
        names = ", ".join(task.name for task in missing[:3])
        raise ClusterError(
            f"{plural(len(missing), 'task')} ran, but left nothing in {folder} ({names})",
            hint="choose a `work_dir` that all nodes share, such as one on NFS",
            path=str(folder),
        )


def _count(plan: Plan, task: str, folder: str, resources: dict[str, Any]) -> None:
    count_task(plan, task, folder, **resources)


def _candidates(
    plan: Plan,
    task: str,
    folder: str,
    resources: dict[str, Any],
    words: Shipped,
    cut: tuple[str, int] | None,
) -> None:
    cutting: dict[str, Any] = (
        {} if cut is None else {"bounds": read_bounds(cut[0]), "cut_below": cut[1]}
    )
    candidates_task(plan, task, words.tokenizer(), folder, **cutting, **resources)


def _merge(parts: str, number: int, output: str) -> None:
    merge_partition([parts], number, output)


@lru_cache(maxsize=1)
def read_bounds(counts: str) -> BigramBounds:
    """The bounds in a directory of counts, read once in each process."""
    bounds = bounds_of(counts, read_receipt(counts))
    assert bounds is not None, "tasks of a plan always count them"
    return bounds

"""Count files on the cluster: one Ray task for each task of a plan, then one for each partition.

Everything goes through a directory that all nodes share. A task leaves a receipt there when it is
done, so a driver that is started again only runs what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from superword._cluster.models import Shipped
from superword._files.replace import make_directory, replace
from superword._support.text import plural
from superword.counts import merge_partition, words_key
from superword.errors import ClusterError
from superword.integrations.ray import tasks
from superword.integrations.ray.cluster import cpus_for, ray
from superword.integrations.ray.learning import Tell
from superword.options import ReadOptions
from superword.plans import Plan, Receipt, Task, candidates_task, check_complete, count_task
from superword.tokenizer import Tokenizer

__all__ = ["Counting"]


class Counting:
    """The counts of a plan, in directories below `folder` whose names say what is in them."""

    def __init__(self, plan: Plan, folder: Path, options: ReadOptions, tell: Tell) -> None:
        self.plan = plan
        self.options = options
        self.tell = tell
        self.folder = folder

    def pretokens(self) -> tuple[Path, list[Receipt]]:
        """Count pretokens. Returns the directory of the sum, and the receipts of the tasks."""
        place = self.folder / f"counts-{self.plan.key[:32]}"
        missing = self.plan.missing(make_directory(place / "tasks"))
        return self._counted("count", place, missing, _count, (), None)

    def candidates(self, words: Tokenizer) -> tuple[Path, list[Receipt]]:
        """Count candidates with these words, in the same way."""
        place = self.folder / f"candidates-{self.plan.key[:32]}-{words_key(words)}"
        missing = self.plan.missing(make_directory(place / "tasks"), words)
        # One copy for each node, however many tasks run there.
        shipped = ray.put(Shipped(words))
        return self._counted("candidates", place, missing, _candidates, (shipped,), words)

    def _counted(
        self,
        phase: str,
        place: Path,
        missing: Sequence[Task],
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        words: Tokenizer | None,
    ) -> tuple[Path, list[Receipt]]:
        folder = place / "tasks"
        total = sum(task.bytes for task in self.plan.tasks)
        before = total - sum(task.bytes for task in missing)
        cpus = cpus_for(len(missing), self.options.threads)
        plan = ray.put(self.plan)

        def on_done(size: int) -> None:
            if self.tell is not None:
                self.tell(phase, "bytes", before + size, total)

        resources = (cpus, self.options.max_memory)
        jobs = [
            tasks.Job(function, (plan, task.name, str(folder), resources, *arguments), task.bytes)
            for task in missing
        ]
        tasks.run(jobs, cpus=cpus, on_done=on_done)
        _check_shared(self.plan.missing(folder, words), folder)
        return self._summed(place), check_complete([folder])

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


def _check_shared(missing: Sequence[Task], folder: Path) -> None:
    if missing:
        names = ", ".join(task.name for task in missing[:3])
        raise ClusterError(
            f"{plural(len(missing), 'task')} ran, but left nothing in {folder} ({names})",
            hint="choose a `work_dir` that all nodes share, such as one on NFS",
            path=str(folder),
        )


def _count(plan: Plan, task: str, folder: str, resources: tuple[int, Any]) -> None:
    threads, memory = resources
    count_task(plan, task, folder, threads=threads, max_memory=memory)


def _candidates(
    plan: Plan, task: str, folder: str, resources: tuple[int, Any], words: Shipped
) -> None:
    threads, memory = resources
    candidates_task(plan, task, words.tokenizer(), folder, threads=threads, max_memory=memory)


def _merge(parts: str, number: int, output: str) -> None:
    merge_partition([parts], number, output)

"""Where a run keeps its work, and how it divides files into tasks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from superword._files import work
from superword.errors import OptionError
from superword.inputs import Input, expand
from superword.options import ReadOptions
from superword.plans import TASK_SIZE, Plan
from superword.training import Inputs

__all__ = ["Settings"]

# The number of partitions does not depend on the cluster: a run that is resumed on another one
# must find its work.
_BYTES_PER_PARTITION = 4_000_000_000
_FEWEST_PARTITIONS, _MOST_PARTITIONS = 16, 512


class Settings(NamedTuple):
    """How the text is divided, and where finished work is kept."""

    work_dir: str | os.PathLike[str] | None
    partitions: int | None = None
    task_size: int | str = TASK_SIZE

    def folder(self) -> Path:
        """The work directory, by the name that it has on all nodes."""
        if self.work_dir is None:
            raise OptionError(
                "`work_dir` is missing: the nodes of a cluster share their work through it",
                hint="give a directory that all nodes can read and write, such as one on NFS",
                option="work_dir",
            )
        # Not Path.resolve: links may lead elsewhere on other nodes.
        return Path(os.path.abspath(self.work_dir))  # noqa: PTH100

    def found(self, inputs: Inputs, options: ReadOptions) -> list[Input]:
        """The files to read, without those in the work directory."""
        found = expand(inputs, options.format, work_dir=self.folder())
        work.check_inputs(found)
        return found

    def plan(self, found: Sequence[Input], options: ReadOptions, **more: Any) -> Plan:
        """Divide files into tasks."""
        partitions = self.partitions
        if partitions is None:
            size = sum(item.size or 0 for item in found)
            wanted = max(_FEWEST_PARTITIONS, -(-size // _BYTES_PER_PARTITION))
            partitions = min(_MOST_PARTITIONS, wanted)
        return Plan.make(
            [(item.group, item.path) for item in found],
            partitions=partitions,
            task_size=self.task_size,
            text_field=options.text_field,
            on_error=options.on_error,
            format=options.format,
            weights=options.weights,
            **more,
        )

    def for_files(self) -> dict[str, Any]:
        """The settings that were given although they have no meaning for a dataset."""
        given: dict[str, Any] = {}
        if self.work_dir is not None:
            given["work_dir"] = self.work_dir
        if self.task_size != TASK_SIZE:
            given["task_size"] = self.task_size
        return given

"""Train on files: plan, count, learn words, count candidates, learn superwords."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from superword import _core
from superword._files import work
from superword._files.replace import replace as replace_file
from superword.counts import Candidates, Counts
from superword.errors import ModelFileError, OptionError
from superword.inputs import Input
from superword.integrations.ray import learning
from superword.integrations.ray.cluster import connected
from superword.integrations.ray.counting import Counting
from superword.integrations.ray.learning import Learned, Tell
from superword.options import ReadOptions, TrainOptions
from superword.plans import Plan, Receipt
from superword.stages import words_options
from superword.tokenizer import Tokenizer
from superword.training import ProgressOption, Report, watching

__all__ = ["TASK_SIZE", "make_plan", "model_key", "report_of", "run"]

TASK_SIZE = "1GB"
PLAN = "plan.json"

# One partition for so much of the input on disk. The number may not depend on the cluster, because
# a run that is resumed on another one must find its work.
_BYTES_PER_PARTITION = 4_000_000_000
_FEWEST_PARTITIONS, _MOST_PARTITIONS = 16, 512


def make_plan(
    found: Sequence[Input],
    options: ReadOptions,
    partitions: int | None,
    task_size: int | str,
    **more: Any,
) -> Plan:
    """Plan the tasks over files, which are named by absolute paths: nodes differ in directories."""
    work.check_inputs(found)
    if partitions is None:
        size = sum(item.size or 0 for item in found)
        wanted = max(_FEWEST_PARTITIONS, -(-size // _BYTES_PER_PARTITION))
        partitions = min(_MOST_PARTITIONS, wanted)
    # Path.absolute, not resolve: the other nodes may have other links.
    inputs = [(item.group, str(Path(item.path).absolute())) for item in found]
    return Plan.make(
        inputs,
        partitions=partitions,
        task_size=task_size,
        text_field=options.text_field,
        on_error=options.on_error,
        format=options.format,
        weights=options.weights,
        **more,
    )


def run(
    found: Sequence[Input],
    options: TrainOptions,
    *,
    address: str | None = None,
    partitions: int | None = None,
    task_size: int | str = TASK_SIZE,
    progress: ProgressOption = False,
    note: Callable[[str], object] = lambda change: None,
) -> tuple[Tokenizer, Report]:
    """Train on files, and return a report. `train` and the command line both use this.

    `note` is called for each option or input that has changed since the last run in `work_dir`.
    """
    if options.work_dir is None:
        raise OptionError(
            "`work_dir` is missing: the nodes of a cluster share their work through it",
            hint="give a directory that all nodes can read and write, such as one on NFS",
            option="work_dir",
        )
    plan = make_plan(found, options, partitions, task_size, pretokenizer=options.pretokenizer)
    folder = Path(os.path.abspath(options.work_dir))  # noqa: PTH100 - as for the inputs.
    names = [item.path for item in found]
    with work.held(options, names) as (_, changes), watching(progress) as tell:
        for change in changes:
            note(change)
        plan.save(folder / PLAN)
        with connected(address):
            return _Run(plan, folder, options, tell).train()


def model_key(plan: Plan, options: TrainOptions) -> str:
    """A hash of everything that decides the model that is trained with these options.

    Every option counts, except those that never change a model, so that none can be forgotten.
    """
    what = {**work.described(options), "plan": plan.key, "version": _core.__version__}
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:32]


class _Run:
    """A run of the stages, with the time that each of them takes."""

    def __init__(self, plan: Plan, folder: Path, options: TrainOptions, tell: Tell) -> None:
        self.plan = plan
        self.folder = folder
        self.options = options
        self.tell = tell
        self.counting = Counting(plan, folder, options, tell)
        self.seconds: dict[str, float] = {}

    def train(self) -> tuple[Tokenizer, Report]:
        with self._timed("count"):
            counts, receipts = self.counting.pretokens()
        with self._timed("merge"):
            learned = self._kept(
                words_options(self.options),
                lambda options: learning.learn_words(
                    Counts.load, (str(counts),), options, self.tell
                ),
            )
        if self.options.method != "bpe":
            learned = self._superwords(learned.tokenizer())
        report = report_of(receipts, learned.shortfall)
        return learned.tokenizer(), replace(report, seconds=self.seconds)

    def _superwords(self, words: Tokenizer) -> Learned:
        with self._timed("candidates"):
            candidates, _ = self.counting.candidates(words)
        with self._timed("supermerge"):
            return self._kept(
                self.options,
                lambda options: learning.learn_superwords(
                    words, Candidates.load, (str(candidates),), options, self.tell
                ),
            )

    def _kept(self, options: TrainOptions, learn: Callable[[TrainOptions], Learned]) -> Learned:
        """The model that an earlier run has learned with these options, or a new one."""
        path = self.folder / f"{options.method}-{model_key(self.plan, options)}.superword"
        try:
            kept = Tokenizer.load(path)
            return Learned(kept.to_bytes(), kept.facts.get("shortfall"))
        except ModelFileError:
            learned = learn(options)
        replace_file(path, learned.model)
        return learned

    @contextmanager
    def _timed(self, phase: str) -> Iterator[None]:
        started = time.monotonic()
        yield
        self.seconds[phase] = time.monotonic() - started


def report_of(receipts: Sequence[Receipt], shortfall: str | None = None) -> Report:
    """What the tasks of a plan have read and skipped."""
    examples = [example for receipt in receipts for example in receipt.skipped_examples]
    return Report(
        documents=sum(receipt.documents for receipt in receipts),
        bytes=sum(receipt.bytes for receipt in receipts),
        skipped=sum(receipt.skipped for receipt in receipts),
        skipped_examples=tuple(examples[:5]),
        shortfall=shortfall,
    )

"""Train: count, learn words, count candidates, learn superwords."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from superword import _core
from superword._cluster.models import Cut
from superword._counting.stages import words_options
from superword._files import work
from superword._files.replace import replace as replace_file
from superword.counts import Candidates, Counts
from superword.errors import CountsError, ModelFileError
from superword.integrations.ray import datasets, learning, tasks
from superword.integrations.ray.cluster import connected
from superword.integrations.ray.counting import Counting, read_bounds, report_of
from superword.integrations.ray.learning import Learned, Tell
from superword.integrations.ray.planning import Settings
from superword.options import TrainOptions, pretokenizer_of
from superword.plans import Plan
from superword.tokenizer import Tokenizer
from superword.training import Inputs, ProgressOption, Report, watching

__all__ = ["model_key", "run"]

PLAN = "plan.json"


def run(
    inputs: Inputs,
    options: TrainOptions,
    *,
    address: str | None = None,
    settings: Settings | None = None,
    progress: ProgressOption = False,
    note: Callable[[str], object] = lambda change: None,
) -> tuple[Tokenizer, Report]:
    """Train, and return a report. `train` and the command line both use this.

    `note` is called for each option or input that has changed since the last run in `work_dir`.
    """
    settings = settings or Settings(options.work_dir)
    if datasets.is_dataset(inputs):
        datasets.check_options(options, settings)
        with watching(progress) as tell, connected(address):
            return _train_on_dataset(inputs, options, settings, tell)
    folder = settings.folder()
    found = settings.found(inputs, options)
    plan = settings.plan(found, options, pretokenizer=options.pretokenizer)
    names = [item.path for item in found]
    with work.held(options, names) as (_, changes), watching(progress) as tell:
        for change in changes:
            note(change)
        plan.save(folder / PLAN)
        with connected(address):
            return _Run(plan, folder, options, tell).train()


def _train_on_dataset(
    dataset: Any, options: TrainOptions, settings: Settings, tell: Tell
) -> tuple[Tokenizer, Report]:
    pretokenizer = pretokenizer_of(options.pretokenizer)
    has_superwords = options.method != "bpe"
    first = datasets.count(dataset, pretokenizer, options, settings.partitions, has_superwords)
    learned = learning.learn_words(first.load, first.tables, words_options(options), tell)
    if has_superwords:
        words, bounds = learned.tokenizer(), first.bounds()

        def superwords(cut_below: int) -> Learned:
            cut = Cut(cut_below, bounds)
            second = datasets.count_candidates(dataset, words, options, settings.partitions, cut)
            first.same_text(second)
            return learning.learn_superwords(words, second.load, second.tables, options, tell)

        guess = _core.guess_cut(words._model, bounds, options.for_learning())
        learned = _until_low_enough(guess, superwords)
    return learned.tokenizer(), first.report(learned.shortfall)


def _until_low_enough(cut_below: int, learn: Callable[[int], Learned]) -> Learned:
    """Learn superwords. If candidates were cut at bigrams that matter, count them again."""
    while True:
        try:
            return learn(cut_below)
        except CountsError as error:
            if error.next is None:
                raise
            cut_below = error.next


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
            words = learned.tokenizer()
            learned = self._kept(self.options, lambda _: self._superwords(words, counts))
        report = replace(report_of(receipts), shortfall=learned.shortfall, seconds=self.seconds)
        return learned.tokenizer(), report

    def _superwords(self, words: Tokenizer, counts: Path) -> Learned:
        cut_below = tasks.call(
            _guess_cut, words.to_bytes(), str(counts), self.options.for_learning(), cpus=1
        )

        def superwords(cut_below: int) -> Learned:
            with self._timed("candidates"):
                candidates, _ = self.counting.candidates(words, counts, cut_below)
            with self._timed("supermerge"):
                return learning.learn_superwords(
                    words, Candidates.load, (str(candidates),), self.options, self.tell
                )

        return _until_low_enough(cut_below, superwords)

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
        try:
            yield
        finally:
            spent = time.monotonic() - started
            self.seconds[phase] = self.seconds.get(phase, 0.0) + spent


def _guess_cut(words: bytes, counts: str, options: dict[str, Any]) -> int:
    return _core.guess_cut(_core.Model.from_bytes(words), read_bounds(counts), options)

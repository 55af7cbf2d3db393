"""Counts and candidates by themselves, of files or of a dataset."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from superword import _core
from superword.counts import Candidates, Counts
from superword.integrations.ray import datasets
from superword.integrations.ray.cluster import ray
from superword.integrations.ray.counting import Counting, report_of
from superword.integrations.ray.learning import Tell
from superword.integrations.ray.planning import Settings
from superword.options import ReadOptions
from superword.pretokenizer import Pretokenizer
from superword.tokenizer import Tokenizer
from superword.training import Inputs, Report

__all__ = ["candidates", "pretokens"]


def pretokens(
    inputs: Inputs, pretokenizer: Pretokenizer, options: ReadOptions, settings: Settings, tell: Tell
) -> tuple[Counts, Report]:
    """Count pretokens, and report what was read."""
    if datasets.is_dataset(inputs):
        datasets.check_options(options, settings)
        return _loaded(datasets.count(inputs, pretokenizer, options, settings.partitions))
    with _files(inputs, options, settings, tell, pretokenizer=pretokenizer) as counting:
        summed, receipts = counting.pretokens()
        return Counts.load(summed), report_of(receipts)


def candidates(
    inputs: Inputs, words: Tokenizer, options: ReadOptions, settings: Settings, tell: Tell
) -> tuple[Candidates, Report]:
    """Count candidates, and report what was read."""
    if datasets.is_dataset(inputs):
        datasets.check_options(options, settings)
        return _loaded(datasets.count_candidates(inputs, words, options, settings.partitions))
    with _files(inputs, options, settings, tell, pretokenizer=words.pretokenizer) as counting:
        summed, receipts = counting.candidates(words)
        return Candidates.load(summed), report_of(receipts)


@contextmanager
def _files(
    inputs: Inputs, options: ReadOptions, settings: Settings, tell: Tell, **more: Any
) -> Iterator[Counting]:
    folder = settings.folder()
    plan = settings.plan(settings.found(inputs, options), options, **more)
    held = _core.WorkDir(str(folder))
    try:
        yield Counting(plan, folder, options, tell)
    finally:
        held.close()


def _loaded(summed: datasets.Sum) -> tuple[Any, Report]:
    return summed.load(*ray.get(list(summed.tables))), summed.report()

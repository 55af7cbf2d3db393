"""Learn words and superwords in a task on the largest node.

The counts of a large text need much memory, and so does learning. The head node, where the driver
often runs, is usually the smallest one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from superword import _core
from superword.counts import Candidates, Counts
from superword.integrations.ray import tasks
from superword.integrations.ray.cluster import cpus_for
from superword.integrations.ray.mailbox import Mailbox
from superword.options import TrainOptions
from superword.progress import Progress
from superword.tokenizer import Tokenizer

__all__ = ["Learned", "learn_superwords", "learn_words"]

# What the engine calls with progress, if anybody wants it.
Tell = Callable[..., None] | None


class Learned(NamedTuple):
    """A model on its way to the driver, and why its vocabulary is too small, if it is."""

    model: bytes
    shortfall: str | None

    def tokenizer(self) -> Tokenizer:
        """The tokenizer."""
        return Tokenizer.from_bytes(self.model)


def learn_words(
    load: Callable[..., Counts], arguments: tuple[Any, ...], options: TrainOptions, tell: Tell
) -> Learned:
    """Learn words from the counts that `load(*arguments)` returns in the task."""
    learned: Learned = _in_task(_words, tell, options, load, *arguments)
    return learned


def learn_superwords(
    words: Tokenizer,
    load: Callable[..., Candidates],
    arguments: tuple[Any, ...],
    options: TrainOptions,
    tell: Tell,
) -> Learned:
    """Learn superwords from the candidates that `load(*arguments)` returns in the task."""
    learned: Learned = _in_task(_superwords, tell, options, words.to_bytes(), load, *arguments)
    return learned


def _in_task(
    function: Callable[..., Learned], tell: Tell, options: TrainOptions, *more: Any
) -> Any:
    cpus = cpus_for(1, options.threads)
    learning = {**options.for_learning(), "threads": cpus}
    if tell is None:
        return tasks.call(function, None, learning, *more, cpus=cpus)
    mailbox = Mailbox()
    try:
        return tasks.call(
            function, mailbox, learning, *more, cpus=cpus, on_wait=lambda: _pass_on(mailbox, tell)
        )
    finally:
        mailbox.close()


def _pass_on(mailbox: Mailbox, tell: Callable[..., None]) -> None:
    progress = mailbox.progress()
    if progress is not None:
        # As the engine told it. The time left is estimated here, not on the node.
        tell(*progress[:-1])


def _adapter(mailbox: Mailbox | None) -> Tell:
    if mailbox is None:
        return None
    return lambda *progress: mailbox.tell(Progress(*progress[:6]))


def _words(
    mailbox: Mailbox | None, learning: dict[str, Any], load: Callable[..., Counts], *arguments: Any
) -> Learned:
    counts = load(*arguments)
    options = {**learning, "pretokenizer": counts.pretokenizer._engine}
    model, shortfall = _core.train_words(counts._engine, options, _adapter(mailbox))
    return Learned(model.to_bytes(), shortfall)


def _superwords(
    mailbox: Mailbox | None,
    learning: dict[str, Any],
    words: bytes,
    load: Callable[..., Candidates],
    *arguments: Any,
) -> Learned:
    candidates = load(*arguments)
    model, shortfall = _core.train_superwords(
        _core.Model.from_bytes(words), candidates._engine, learning, _adapter(mailbox)
    )
    return Learned(model.to_bytes(), shortfall)

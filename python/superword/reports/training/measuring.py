"""Count a text again in growing parts: what a run does not keep, because it cuts candidates."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import islice
from typing import Any

import numpy as np

from superword._support.checks import size as checked_size
from superword._support.text import format_bytes
from superword.counts import Candidates, Counts
from superword.errors import SkippedWarning
from superword.inputs import Texts, documents
from superword.reports.training.greedy import FLOOR, split_counts
from superword.reports.training.record import Record, read
from superword.reports.training.results import MOST_BYTES, Amount, GroupRatios, Ratio, Training
from superword.stages import count_candidates, count_pretokens
from superword.tokenizer import Tokenizer

__all__ = ["measure"]

_STEPS = 12
_MOST_POINTS = 400


def measure(work_dir: str | os.PathLike[str], *, max_bytes: int | str = MOST_BYTES) -> Training:
    """Measure the last run in a work directory. Its input files are read again.

    At most `max_bytes` of text are read, with the same share for each group: the first documents.
    """
    with warnings.catch_warnings():
        # The run has reported them. Here the documents are read several times.
        warnings.simplefilter("ignore", SkippedWarning)
        return _measure(read(work_dir), max_bytes)


def _measure(record: Record, max_bytes: int | str) -> Training:
    limit = checked_size("max_bytes", max_bytes, at_least=1) // len(record.groups)
    parts = [_Group(name, files, record.options, limit) for name, files in record.groups.items()]
    common = min(part.bytes for part in parts)
    amounts = _count(parts, record.words, common)
    whole = all(part.whole for part in parts)
    total = sum(part.bytes for part in parts)
    trained = int(record.words.facts.get("bytes") or total)
    least = record.words.merges[-1][2] if record.words.merges else 0
    groups = []
    for part in parts:
        # The rarest merge of the run, in as much text as was read of this group.
        below = max(FLOOR, math.ceil(least * part.ratio_bytes / max(trained, 1)))
        counts, candidates = _merged([c for c, _ in part.parts], [r for _, r in part.parts])
        split = split_counts(candidates[0], below) if candidates else (0, 0)
        groups.append(
            GroupRatios(
                name=part.name,
                documents=part.ratio_documents,
                bytes=part.ratio_bytes,
                pretokens=_ratio(counts),
                candidates=_ratio(candidates),
                split=Ratio(*split),
                split_below=below,
            )
        )
    return Training(
        method=record.model.method,
        vocab_size=int(record.options["vocab_size"]),
        amounts=tuple(amounts),
        groups=tuple(groups),
        whole=whole,
        limit=limit,
        courses=record.courses,
        merges=_thinned(record.model.merges),
        supermerges=_thinned(record.model.supermerges),
        notes=tuple(_notes(record, limit, whole)),
    )


class _Group:
    """The documents of a group up to the limit, and what was counted of them."""

    def __init__(self, name: str, files: list[str], options: dict[str, Any], limit: int) -> None:
        self.name = name
        self.files = files
        self.reading = {
            name: options[name] for name in ("text_field", "on_error", "format") if name in options
        }
        # Read once for the sizes, so that parts of the same size can be taken of all groups.
        self.sizes: list[int] = []
        self.bytes = 0
        self.whole = True
        with closing(self.open()) as texts:
            for text in texts:
                size = len(text.encode(errors="surrogatepass"))
                if self.sizes and self.bytes + size > limit:
                    self.whole = False
                    break
                self.sizes.append(size)
                self.bytes += size
        self.parts: list[tuple[Counts, Candidates]] = []
        self.ratio_documents = self.ratio_bytes = 0

    def open(self) -> Any:
        """The documents from the start: an iterator with `close`."""
        return documents(self.files, **self.reading)

    def until(self, size: int) -> int:
        """How many documents have at most so many bytes together. At least one, if there is one."""
        documents = total = 0
        for one in self.sizes:
            if documents and total + one > size:
                break
            documents += 1
            total += one
        return documents


def _count(parts: list[_Group], words: Tokenizer, common: int) -> list[Amount]:
    """Count all groups in parts that double, and each group up to `common` bytes."""
    amounts = []
    counts: list[Counts] = []
    candidates: list[Candidates] = []
    done = dict.fromkeys(range(len(parts)), 0)
    with ExitStack() as stack:
        texts = [stack.enter_context(closing(part.open())) for part in parts]
        for step in range(_STEPS):
            for number, part in enumerate(parts):
                end = math.ceil(len(part.sizes) * 2.0 ** (step + 1 - _STEPS))
                ratio_end = part.until(common)
                for last in sorted({min(ratio_end, end), end}):
                    batch = list(islice(texts[number], max(0, last - done[number])))
                    done[number] = max(done[number], last)
                    if not any(batch):
                        continue
                    found = _count_batch(batch, words)
                    counts.append(found[0])
                    candidates.append(found[1])
                    if last <= ratio_end:
                        part.parts.append(found)
            counts, candidates = _merged(counts, candidates)
            amounts.append(_amount(parts, done, counts, candidates))
    for part in parts:
        part.ratio_documents = part.until(common)
        part.ratio_bytes = sum(part.sizes[: part.ratio_documents])
    return list(dict.fromkeys(amounts))


def _count_batch(batch: list[str], words: Tokenizer) -> tuple[Counts, Candidates]:
    return (
        count_pretokens(Texts(batch), pretokenizer=words.pretokenizer),
        count_candidates(Texts(batch), words, cut_below=1),
    )


def _merged(
    counts: list[Counts], candidates: list[Candidates]
) -> tuple[list[Counts], list[Candidates]]:
    """The sums, in lists of one. There may be nothing yet."""
    if not counts:
        return [], []
    return (
        [Counts.merge(counts, allow_repeats=True)],
        [Candidates.merge(candidates, allow_repeats=True)],
    )


def _amount(
    parts: list[_Group],
    done: dict[int, int],
    counts: list[Counts],
    candidates: list[Candidates],
) -> Amount:
    pretokens, runs = _ratio(counts), _ratio(candidates)
    return Amount(
        documents=sum(done.values()),
        bytes=sum(sum(part.sizes[: done[number]]) for number, part in enumerate(parts)),
        pretokens=pretokens.total,
        unique_pretokens=pretokens.unique,
        candidates=runs.total,
        unique_candidates=runs.unique,
    )


def _ratio(counted: Sequence[Counts | Candidates]) -> Ratio:
    """The ratio of counts in a list of one, or of nothing."""
    if not counted:
        return Ratio(0, 0)
    columns = counted[0]._engine.columns()
    total = sum(int(np.frombuffer(column[-1], dtype=np.uint64).sum()) for column in columns)
    return Ratio(len(counted[0]), total)


def _thinned(merges: list[tuple[bytes, bytes, int]]) -> tuple[tuple[int, int], ...]:
    """Numbers and counts of some merges: the first, and then fewer, as on a logarithmic axis."""
    points = [(number, count) for number, (_, _, count) in enumerate(merges, start=1)]
    if len(points) <= _MOST_POINTS:
        return tuple(points)
    places = np.unique(np.geomspace(1, len(points), _MOST_POINTS).astype(int) - 1)
    return tuple(points[place] for place in places.tolist())


def _notes(record: Record, limit: int, whole: bool) -> Iterator[str]:
    many = len(record.groups) > 1
    if not whole:
        of = "each group" if many else "the text"
        yield (
            f"Counts and ratios are those of the first {format_bytes(limit)} of {of}, the "
            "limit of this report, not of all text of the run."
        )
    if many:
        yield (
            "Ratios fall with the amount of text, so they are compared for the same number of "
            "bytes of each group, or as close to it as whole documents come."
        )
    options = record.options
    if options.get("sample") is not None or options.get("max_bytes") is not None:
        yield "The run was trained on a sample; counts and ratios are those of the first documents."
    if options.get("weights"):
        yield "Counts and ratios are without the weights of the run."

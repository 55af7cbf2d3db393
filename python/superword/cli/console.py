"""What a command says while it works: for people, for machines, or not at all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from superword import progress
from superword._support.text import format_bytes, format_seconds, plural
from superword.cli.group import log_json, tell
from superword.inputs import STDIN, Input
from superword.progress import JsonLog, Progress, peak_memory
from superword.tokenizer import Tokenizer
from superword.training import Report

__all__ = ["Console", "about_to_read"]


class Console:
    """Says what is about to be read, how far it is, what went wrong and what was done."""

    def __init__(self, quiet: bool, as_json: bool) -> None:
        self.started = time.monotonic()
        self.quiet = quiet
        self.log = JsonLog() if as_json else None
        if self.log is not None:
            log_json(self.log)

    def say(self, message: str) -> None:
        """Something that people may want to know."""
        if self.log is not None:
            self.log.tell("note", message=message)
        elif not self.quiet:
            tell(message)

    def start(self, found: list[Input]) -> None:
        """What is about to be read."""
        if self.log is not None:
            size = sum(item.size or 0 for item in found)
            self.log.tell("start", inputs=[item.path for item in found], bytes=size)
        elif not self.quiet:
            tell(about_to_read(found))

    def warn(self, message: str) -> None:
        """Something that people should know."""
        if self.log is not None:
            self.log.tell("warning", message=message)
        else:
            tell(f"warning: {message}")

    @contextmanager
    def progress(self) -> Iterator[Callable[[Progress], None] | bool]:
        """What to call with each `Progress` until the block ends; False for nothing."""
        if self.log is not None:
            yield self.log.progress
            self.log.end_phase()
        elif self.quiet:
            yield False
        else:
            with progress.show() as callback:
                yield callback

    def end(self, tokenizer: Tokenizer, report: Report, saved: list[str]) -> None:
        """What was done, and what it took."""
        seconds = time.monotonic() - self.started
        if self.log is not None:
            self.log.tell(
                "end",
                saved=saved,
                method=tokenizer.method,
                n_vocab=tokenizer.n_vocab,
                documents=report.documents,
                bytes=report.bytes,
                skipped=report.skipped,
                phases=report.seconds,
                peak_memory=peak_memory(),
            )
        elif not self.quiet:
            _summary(tokenizer, report, ", ".join(saved), seconds)


def about_to_read(found: list[Input]) -> str:
    """What is said before the work starts: files and bytes."""
    files = [item for item in found if item.path != STDIN]
    parts = []
    if files:
        size = format_bytes(sum(item.size or 0 for item in files))
        parts.append(f"{plural(len(files), 'file')}, {size}")
    if len(files) < len(found):
        parts.append("standard input")
    return f"reading {' and '.join(parts)}"


def _summary(tokenizer: Tokenizer, report: Report, output: str, seconds: float) -> None:
    from rich import box
    from rich.console import Console as Terminal
    from rich.table import Table

    superwords = sum(map(tokenizer.is_superword, range(tokenizer.n_vocab)))
    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(overflow="fold")
    rate = f", {format_bytes(report.bytes / seconds)}/s in all" if seconds > 0 else ""
    rows = {
        "method": tokenizer.method,
        "vocabulary": f"{tokenizer.n_vocab:,} tokens",
        "merges": f"{len(tokenizer.merges):,}",
        "superwords": f"{superwords:,} ({superwords / tokenizer.n_vocab:.1%})",
        "read": f"{plural(report.documents, 'document')}, {format_bytes(report.bytes)}{rate}",
        "skipped": plural(report.skipped, "document"),
    }
    for phase, spent in report.seconds.items():
        rows[progress.PHASES.get(phase, phase)] = format_seconds(spent)
    rows["all together"] = format_seconds(seconds)
    peak = peak_memory()
    if peak is not None:
        rows["peak memory"] = format_bytes(peak)
    rows["saved as"] = output
    for name, value in rows.items():
        # Text that comes from outside is not markup.
        table.add_row(name, value.replace("[", r"\["))
    Terminal(stderr=True).print(table)

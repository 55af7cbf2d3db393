"""What a command reports while it works: as text, as JSON lines, or not at all."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict

from superword import progress
from superword._support.paths import as_unicode
from superword._support.text import format_bytes, format_seconds, plural, printable
from superword.cli.faces import as_shown, for_command_line
from superword.cli.group import log_json, tell
from superword.inputs import STDIN, Input
from superword.progress import JsonLog, Progress, peak_memory
from superword.tokenizer import Tokenizer
from superword.training import Report

__all__ = ["Console", "about_to_read", "rows_of_report"]


class Console:
    """Reports what is read, the progress, warnings and the result."""

    def __init__(self, quiet: bool, as_json: bool) -> None:
        self.started = time.monotonic()
        self.quiet = quiet
        self.log = JsonLog() if as_json else None
        if self.log is not None:
            log_json(self.log)

    def say(self, message: str) -> None:
        """A note."""
        message = for_command_line(message)
        if self.log is not None:
            self.log.tell("note", message=message)
        elif not self.quiet:
            tell(printable(message))

    def start(self, found: list[Input]) -> None:
        """What will be read."""
        if self.log is not None:
            size = sum(item.size or 0 for item in found)
            self.log.tell("start", inputs=[as_unicode(item.path) for item in found], bytes=size)
        elif not self.quiet:
            tell(about_to_read(found))

    def warn(self, message: str) -> None:
        """A warning, which is shown even with --quiet."""
        message = for_command_line(message)
        if self.log is not None:
            self.log.tell("warning", message=message)
        else:
            tell(f"warning: {as_shown(message)}", color="yellow")

    @contextmanager
    def progress(self) -> Iterator[Callable[[Progress], object] | bool]:
        """The callback for `progress=` until the block ends, or False for none."""
        if self.log is not None:
            yield self.log.progress
            self.log.end_phase()
        elif self.quiet:
            yield False
        else:
            with progress.show() as callback:
                yield callback

    def end(self, tokenizer: Tokenizer, report: Report, saved: list[str]) -> None:
        """The result, and the time and memory that it took."""
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
                pretokens=report.pretokens,
                unique_pretokens=report.unique_pretokens,
                candidates=None if report.candidates is None else asdict(report.candidates),
                phases=report.seconds,
                phase_peak_memory=report.peak_memory,
                peak_memory=peak_memory(),
            )
        elif not self.quiet and sys.stderr is not None:
            _summary(tokenizer, report, ", ".join(saved), seconds)


def about_to_read(found: list[Input]) -> str:
    """What is reported before the work starts: files and bytes."""
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
    from rich.markup import escape
    from rich.table import Table

    superwords = sum(map(tokenizer.is_superword, range(tokenizer.n_vocab)))
    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    table.add_column(style="cyan")
    table.add_column(overflow="fold")
    rate = f", {format_bytes(report.bytes / seconds)}/s" if seconds > 0 else ""
    rows = {
        "method": tokenizer.method,
        "vocabulary": f"{tokenizer.n_vocab:,} tokens",
        "merges": f"{len(tokenizer.merges):,}",
        "superwords": f"{superwords:,} ({superwords / tokenizer.n_vocab:.1%})",
    }
    if report.documents:  # A model that is trained on counts reads no text.
        read = f"{plural(report.documents, 'document')}, {format_bytes(report.bytes)}{rate}"
        rows["read"] = read
        rows["skipped"] = plural(report.skipped, "document")
    rows |= rows_of_report(report)
    rows["total"] = format_seconds(seconds)
    highest = peak_memory()
    if highest is not None:
        rows["peak memory"] = format_bytes(highest)
    rows["saved as"] = as_unicode(output)
    for name, value in rows.items():
        # Text from outside may look like markup.
        table.add_row(name, escape(printable(value)))
    # rich uses colors on terminals only, and never with NO_COLOR.
    Terminal(stderr=True).print(table)


def rows_of_report(report: Report) -> dict[str, str]:
    """The rows about what was counted, and about the phases."""
    rows = {}
    if report.pretokens:
        rows["pretokens"] = f"{report.pretokens:,}, {report.unique_pretokens or 0:,} distinct"
    found = report.candidates
    if found is not None:
        rows["candidates"] = f"{found.unique:,} distinct, {found.tokens:,} tokens in them"
        cut = "not cut"
        if found.cut_below > 1:
            cut = f"at pairs of words that occur less than {found.cut_below:,} times"
        if found.attempts > 1:
            cut += f", after {plural(found.attempts, 'attempt')}"
        rows["cut"] = cut
    for phase, spent in report.seconds.items():
        peak = report.peak_memory.get(phase)
        used = f", {format_bytes(peak)} of memory" if peak is not None else ""
        rows[progress.PHASES.get(phase, phase)] = f"{format_seconds(spent)}{used}"
    return rows

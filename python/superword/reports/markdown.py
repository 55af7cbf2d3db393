"""Reports as GitHub-flavoured Markdown. It has the tables and sentences, but no figures."""

from __future__ import annotations

import html
import re

from superword._support.paths import as_unicode
from superword._support.text import printable
from superword.reports.content import (
    Block,
    Bullets,
    Cell,
    Details,
    Figure,
    Note,
    Paragraph,
    Report,
    Table,
    Warn,
)

__all__ = ["to_markdown"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]#|~$])")


def to_markdown(report: Report) -> str:
    """The report as Markdown."""
    parts = ["<!-- superword report -->", f"# {_text(report.title)}"]
    if report.subtitle:
        parts.append(_text(report.subtitle))
    for section in report.sections:
        parts.append(f"## {_text(section.title)}")
        for block in section.blocks:
            parts += _block(block)
    return "\n\n".join(parts) + "\n"


def _text(text: str) -> str:
    """Text that Markdown shows as it is."""
    shown = html.escape(printable(as_unicode(text)), quote=False)
    return _SPECIAL.sub(r"\\\1", shown)


def _block(block: Block) -> list[str]:
    if isinstance(block, Paragraph):
        return [_text(block.text)]
    if isinstance(block, Note):
        # A note about a missing figure means nothing where there are no figures.
        return [f"*{_text(block.text)}*"]
    if isinstance(block, Warn):
        return [f"> **Warning:** {_text(block.text)}"]
    if isinstance(block, Bullets):
        return ["\n".join(f"- {_text(item)}" for item in block.items)]
    if isinstance(block, Figure):
        return []
    if isinstance(block, Details):
        return [part for inner in block.blocks for part in _block(inner)]
    return _table(block)


def _table(table: Table) -> list[str]:
    head = [_text(table.corner) or " ", *map(_text, table.columns)]
    align = [":--", *([":--" if table.words else "--:"] * len(table.columns))]
    lines = [_row(head), _row(align)]
    for part in table.parts:
        if part.title is not None:
            lines.append(_row([f"**{_text(part.title)}**", *([" "] * len(table.columns))]))
        lines += [_row([_text(row.label), *map(_cell, row.cells)]) for row in part.rows]
    parts = [f"**{_text(table.caption)}**", "\n".join(lines)]
    defined = [
        f"- {_text(name)}: {_text(about)}"
        for part in table.parts
        for name, about in [
            (part.title, part.about),
            *((row.label, row.about) for row in part.rows),
        ]
        if name is not None and about is not None
    ]
    return [*parts, "\n".join(defined)] if defined else parts


def _cell(cell: Cell) -> str:
    return _text(cell) if isinstance(cell, str) else f"{_text(cell[0])} ({_text(cell[1])})"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"

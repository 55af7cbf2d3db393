"""Reports as one HTML file. It needs no network and no JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from itertools import count

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
from superword.reports.plots.svg import escaped

__all__ = ["to_html"]

# Each chart is drawn for wide and for narrow screens. The style sheet shows one of the two.
_WIDE, _NARROW = 920, 340

# The parts of a word that may be on different lines: after punctuation, or after 14 characters.
_LONG = re.compile(r"[^-_/.:]{1,14}[-_/.:]*|[-_/.:]{1,14}", re.DOTALL)


def to_html(report: Report) -> str:
    """The report as a page."""
    style = (files("superword.reports") / "style.css").read_text(encoding="utf-8")
    ids = (f"figure-{number}" for number in count(1))
    links = "".join(
        f'<li><a href="#{escaped(s.id)}">{escaped(s.title)}</a></li>' for s in report.sections
    )
    sections = "\n".join(
        f'<section id="{escaped(section.id)}">\n<h2>{escaped(section.title)}</h2>\n'
        + "\n".join(_block(block, ids) for block in section.blocks)
        + "\n</section>"
        for section in report.sections
    )
    subtitle = f"<p>{escaped(report.subtitle)}</p>\n" if report.subtitle else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="superword report">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escaped(report.title)}</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>{escaped(report.title)}</h1>
{subtitle}<nav aria-label="Sections"><ul>{links}</ul></nav>
</header>
<main>
{sections}
</main>
</body>
</html>
"""


def _breakable(text: str) -> str:
    """Escaped text in which long names can be broken, so that they do not widen the page."""
    return " ".join(
        "<wbr>".join(map(escaped, _LONG.findall(word))) if len(word) > 16 else escaped(word)
        for word in text.split(" ")
    )


def _about(text: str | None) -> str:
    return "" if text is None else f"<small>{escaped(text)}</small>"


def _cell(cell: Cell, words: bool) -> str:
    if isinstance(cell, tuple):
        return f"{escaped(cell[0])}<small>{escaped(cell[1])}</small>"
    # Numbers are never broken.
    return _breakable(cell) if words else escaped(cell)


def _block(block: Block, ids: Iterator[str]) -> str:
    if isinstance(block, Paragraph):
        return f"<p>{_breakable(block.text)}</p>"
    if isinstance(block, Note):
        return f'<p class="note">{_breakable(block.text)}</p>'
    if isinstance(block, Warn):
        return (
            f'<p class="warning" role="note"><strong>Warning:</strong> {_breakable(block.text)}</p>'
        )
    if isinstance(block, Bullets):
        return "<ul>" + "".join(f"<li>{_breakable(item)}</li>" for item in block.items) + "</ul>"
    if isinstance(block, Figure):
        return _figure(block, next(ids))
    if isinstance(block, Details):
        inner = "\n".join(_block(one, ids) for one in block.blocks)
        return f"<details><summary>{escaped(block.summary)}</summary>\n{inner}\n</details>"
    return _table(block)


def _figure(figure: Figure, id: str) -> str:
    chart = figure.chart
    return (
        f'<figure id="{id}">\n'
        f'<div class="wide">{chart.draw(_WIDE, f"{id}-wide")}</div>\n'
        f'<div class="narrow">{chart.draw(_NARROW, f"{id}-narrow")}</div>\n'
        f"<figcaption>{escaped(chart.about)}</figcaption>\n</figure>"
    )


def _table(table: Table) -> str:
    columns = "".join(f'<th scope="col">{_breakable(name)}</th>' for name in table.columns)
    # An empty heading is announced as an error by checkers, so an empty corner is a cell.
    corner = f'<th scope="col">{escaped(table.corner)}</th>' if table.corner else "<td></td>"
    width = len(table.columns) + 1
    body = ""
    for part in table.parts:
        body += "<tbody>\n"
        if part.title is not None:
            title = f"<div>{_breakable(part.title)}{_about(part.about)}</div>"
            body += f'<tr class="part"><th colspan="{width}" scope="rowgroup">{title}</th></tr>\n'
        for row in part.rows:
            cells = "".join(f"<td>{_cell(cell, table.words)}</td>" for cell in row.cells)
            label = _breakable(row.label) + _about(row.about)
            defined = ' class="defined"' if row.about is not None else ""
            body += f'<tr><th scope="row"{defined}>{label}</th>{cells}</tr>\n'
        body += "</tbody>\n"
    kind = "words" if table.words else "numbers"
    return (
        f'<div class="scroll" role="region" aria-label="{escaped(table.caption)}" tabindex="0">\n'
        f'<table class="{kind}">\n<caption><span>{_breakable(table.caption)}</span></caption>\n'
        f"<thead><tr>{corner}{columns}</tr></thead>\n{body}</table>\n</div>"
    )

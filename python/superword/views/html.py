"""HTML for notebooks: tokens in colors, and a card that describes a tokenizer.

All styles are inline, because notebooks remove style sheets from output that they do not trust.
Text is escaped, and colors inherit from the page unless they have a background.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from superword._support.text import format_bytes, plural, printable
from superword._support.visible import quoted, visible
from superword.views.encoded import Encoded, Piece
from superword.views.superwords import superwords
from superword.views.totals import HEAD, left_out, rows

if TYPE_CHECKING:
    from superword.tokenizer import Tokenizer

__all__ = ["card", "shown"]

# Dark text on light backgrounds, which can be read on light and dark pages.
_COLORS = ("#b9dcf9", "#fdf0a8", "#c3ecc0", "#fbcbd5", "#dccdf7")
_TOKEN = "color:#111;border-radius:3px;padding:1px 0;background:"
_SPECIAL = "color:#fff;font-weight:bold;border-radius:3px;padding:1px 2px;background:#55558a"
# The line is inside the background, where it can be seen on dark pages too.
_UNDERLINE = ";padding-bottom:3px;text-decoration:underline;text-decoration-thickness:2px"
_TEXT = (
    "font-family:ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;"
    "line-height:1.6;margin:0.3em 0 0.8em"
)
_BOX = (
    "border:1px solid rgba(128,128,128,0.5);border-radius:6px;padding:0.6em 0.9em;"
    "margin:0.3em 0;max-width:60em"
)
_CELL = "padding:0.1em 1em 0.1em 0;text-align:left;vertical-align:top;background:none;border:none"
_NUMBER = _CELL.replace("text-align:left", "text-align:right")
_CODE = "font-family:ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere"


def shown(models: Sequence[Encoded], limit: int | None) -> str:
    """The tokens of a text for each model, and a table of totals."""
    parts = [f'<div style="{_BOX}">']
    for model in models:
        if len(models) > 1:
            parts.append(f"<div><b>{_text(model.name)}</b></div>")
        parts.append(f'<div dir="auto" style="{_TEXT}">')
        parts += [_span(piece, place) for place, piece in enumerate(islice(model, limit))]
        parts.append(f"<i> {left_out(model, limit)}</i></div>")
    parts += [_totals(models), "</div>"]
    return "".join(parts)


def _span(piece: Piece, place: int) -> str:
    style = _TOKEN + _COLORS[place % len(_COLORS)]
    if piece.kind in ("special", "added"):
        style = _SPECIAL
    elif piece.kind == "superword":
        style += _UNDERLINE
    kind = "" if piece.kind == "ordinary" else f", {piece.kind}"
    title = (
        f"id {piece.id}{kind}\n{quoted(piece.content)}\n"
        f"{plural(len(piece.content), 'byte')}: {piece.content[:64].hex(' ')}"
    )
    return (
        f'<span style="{style}" title="{_attribute(title)}">{escape(visible(piece.content))}</span>'
    )


def _totals(models: Sequence[Encoded]) -> str:
    styles = [_CELL, _NUMBER, _NUMBER, _NUMBER, _CELL]
    return _table(
        [
            _row("th", HEAD, styles),
            *(_row("td", [*map(escape, row)], styles) for row in rows(models)),
        ]
    )


def card(tokenizer: Tokenizer) -> str:
    """What a notebook shows for a tokenizer: method, sizes, superwords, training."""
    found = superwords(tokenizer)
    pretokenizer = tokenizer.pretokenizer
    name = pretokenizer.name or "a custom pattern"
    if pretokenizer.name is None and pretokenizer.meaning is not None:
        name += f" that splits as {pretokenizer.meaning}"
    facts = [
        ("method", tokenizer.method),
        ("vocabulary", f"{plural(tokenizer.n_vocab, 'token')}"),
        ("merges", f"{len(tokenizer.merges):,}"),
    ]
    if found:
        share = len(found) / tokenizer.n_vocab
        facts.append(("superwords", f"{len(found):,} ({share:.1%} of the vocabulary)"))
    facts.append(("pretokenizer", name))
    special = list(tokenizer.special_tokens)
    if special:
        listed = ", ".join(special[:6]) + (f" and {len(special) - 6:,} more" if special[6:] else "")
        facts.append(("special tokens", listed))
    facts += _training(tokenizer)
    cells = [_row("td", [name, _text(value)], [_CELL, _CELL]) for name, value in facts]
    if found:
        frequent = sorted(found, key=lambda entry: (-entry.count, entry.token))[:8]
        tokens = "<br>".join(
            f'<span style="{_CODE}">{escape(quoted(entry.token))}</span> {entry.count:,}'
            for entry in frequent
        )
        cells.append(_row("td", ["most frequent superwords", tokens], [_CELL, _CELL]))
    return f'<div style="{_BOX}"><b>superword.Tokenizer</b>{_table(cells)}</div>'


def _training(tokenizer: Tokenizer) -> list[tuple[str, str]]:
    """What the model records about its training or its origin."""
    facts = tokenizer.facts
    documents, size = facts.get("documents"), facts.get("bytes")
    told = []
    if isinstance(documents, int) and isinstance(size, int):
        told.append(("trained on", f"{plural(documents, 'document')}, {format_bytes(size)}"))
    imported = facts.get("imported")
    if isinstance(imported, dict):
        told.append(("imported from", str(imported.get("format", "another program"))))
    return told


def _table(rows: Sequence[str]) -> str:
    return f'<table style="border-collapse:collapse;border:none">{"".join(rows)}</table>'


def _row(tag: str, cells: Sequence[str], styles: Sequence[str]) -> str:
    inner = "".join(
        f'<{tag} style="{style}">{cell}</{tag}>' for cell, style in zip(cells, styles, strict=True)
    )
    return f'<tr style="background:none">{inner}</tr>'


def _text(text: str) -> str:
    return escape(printable(text))


def _attribute(text: str) -> str:
    return escape(text, quote=True).replace("\n", "&#10;")

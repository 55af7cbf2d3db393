"""Draw the HTML that superword shows in a notebook as an SVG file.

GitHub removes the styles of HTML in Markdown, so a page needs pictures. Only the few elements that
`superword.views` writes are known: blocks of text, tokens in colors, and tables.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser

WIDTH = 760
MARGIN = 16
SIZE = 14.0
# The advance of a character of a monospaced font.
ADVANCE = SIZE * 0.602
LINE = 25.0
ROW = 21.0
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
STYLE = f"""
text {{ font: {SIZE:g}px {FONTS}; white-space: pre; fill: #1b1f24; }}
.b {{ font-weight: bold; }} .i {{ font-style: italic; }} .t {{ fill: #111; }}
.page {{ fill: #fff; stroke: #d5dae0; }} .u {{ stroke: #111; stroke-width: 2; }}
@media (prefers-color-scheme: dark) {{
  .page {{ fill: #14171b; stroke: #383f48; }}
  text {{ fill: #e8ebef; }} text.t {{ fill: #111; }}
}}
"""


@dataclass
class Run:
    """Text in one style."""

    text: str
    background: str | None = None
    underlined: bool = False
    classes: str = ""


@dataclass
class Block:
    """A paragraph, or a table whose cells are lists of lines."""

    runs: list[Run] = field(default_factory=list)
    rows: list[list[list[str]]] = field(default_factory=list)


class Reader(HTMLParser):
    """Reads HTML of `superword.views` into blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[Block] = [Block()]
        self.styles: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Begin a block, a row or a cell."""
        style = dict(attributes).get("style") or ""
        pairs = [part.partition(":") for part in style.split(";")]
        if tag == "br":
            self.blocks[-1].rows[-1][-1].append("")
            return
        self.styles.append((tag, {name: value for name, _, value in pairs}))
        if tag == "div":
            self.blocks.append(Block())
        elif tag == "table":
            self.blocks.append(Block(rows=[]))
        elif tag == "tr":
            self.blocks[-1].rows.append([])
        elif tag in ("td", "th"):
            self.blocks[-1].rows[-1].append([""])

    def handle_endtag(self, tag: str) -> None:
        """Text after a block belongs to a new one."""
        self.styles.pop()
        if tag in ("div", "table"):
            self.blocks.append(Block())

    def handle_data(self, data: str) -> None:
        """Add text to the cell or the paragraph."""
        block = self.blocks[-1]
        if block.rows:
            block.rows[-1][-1][-1] += data
            return
        style = self.styles[-1][1] if self.styles else {}
        tags = {tag for tag, _ in self.styles}
        classes = " ".join(sorted(tags & {"b", "i"}))
        underlined = style.get("text-decoration") == "underline"
        block.runs.append(Run(data, style.get("background"), underlined, classes))


class Canvas:
    """Lines of text, from top to bottom."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.y = float(MARGIN)

    def paragraph(self, runs: list[Run]) -> None:
        """Text with tokens. A token that does not fit begins a new line."""
        most = int((WIDTH - 2 * MARGIN) / ADVANCE)
        column = 0
        for run in runs:
            for text in re.findall(r"[^\n]+\n?|\n", run.text):
                shown = text.rstrip("\n")
                while shown:
                    if column and column + len(shown) > most:
                        column = 0
                        self.y += LINE
                    part, shown = shown[:most], shown[most:]
                    self.parts.append(self._run(run, part, MARGIN + column * ADVANCE))
                    column += len(part)
                if text.endswith("\n"):
                    column = 0
                    self.y += LINE
        self.y += LINE + 2

    def _run(self, run: Run, text: str, x: float) -> str:
        wide = len(text) * ADVANCE
        base = self.y + 16
        drawn = ""
        if run.background is not None:
            drawn = (
                f'<rect x="{x:.1f}" y="{self.y:.1f}" width="{wide:.1f}" height="{LINE - 3:g}" '
                f'rx="3" fill="{run.background}"/>'
            )
        if run.underlined:
            drawn += f'<path class="u" d="M{x + 1:.1f},{base + 3:.1f}h{wide - 2:.1f}"/>'
        # Only a token is stretched to its background; other fonts would change its width.
        classes = " ".join(filter(None, [run.classes, "t" if run.background else ""]))
        return drawn + _text(x, base, text, classes, wide if run.background else None)

    def table(self, rows: list[list[list[str]]]) -> None:
        """A table in columns as wide as their texts. Numbers are at the right."""
        columns = max(map(len, rows))
        widths = [
            max(len(line) for row in rows for cell in row[place : place + 1] for line in cell)
            for place in range(columns)
        ]
        self.y += 6
        for number, row in enumerate(rows):
            x = float(MARGIN)
            for place, cell in enumerate(row):
                for down, line in enumerate(cell):
                    y = self.y + 15 + ROW * down
                    pad = widths[place] - len(line) if _is_number(rows, place) else 0
                    head = "b" if number == 0 and _is_number(rows, 1) else ""
                    self.parts.append(_text(x + pad * ADVANCE, y, line, head, None))
                x += (widths[place] + 3) * ADVANCE
            self.y += ROW * max(len(cell) for cell in row)


def _is_number(rows: list[list[list[str]]], place: int) -> bool:
    return all(
        re.fullmatch(r"[\d.,%]*", line)
        for row in rows[1:]
        for cell in row[place : place + 1]
        for line in cell
    )


def _text(x: float, y: float, text: str, classes: str, wide: float | None) -> str:
    if not text.strip():
        return ""
    kind = f' class="{classes}"' if classes else ""
    length = "" if wide is None else f' textLength="{wide:.1f}"'
    # Spaces at the ends do not count as glyphs everywhere, so they are positions.
    if wide is not None:
        before = len(text) - len(text.lstrip(" "))
        text = text.strip(" ")
        x += before * ADVANCE
        length = f' textLength="{len(text) * ADVANCE:.1f}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{kind}{length}>{escape(text)}</text>'


def picture(html: str, title: str) -> str:
    """The SVG file."""
    reader = Reader()
    reader.feed(html)
    canvas = Canvas()
    for block in reader.blocks:
        if block.rows:
            canvas.table(block.rows)
        elif "".join(run.text for run in block.runs).strip():
            canvas.paragraph(block.runs)
    high = canvas.y + MARGIN
    body = "\n".join(part for part in canvas.parts if part)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{high:g}" '
        f'viewBox="0 0 {WIDTH} {high:g}" role="img">\n<title>{escape(title)}</title>\n'
        f"<style>{STYLE}</style>\n"
        f'<rect class="page" x="0.5" y="0.5" width="{WIDTH - 1}" height="{high - 1:g}" rx="6"/>\n'
        f"{body}\n</svg>\n"
    )

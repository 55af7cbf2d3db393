"""What a report consists of, independent of its format.

All texts are plain text: the writers of the formats escape them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

__all__ = [
    "Block",
    "Bullets",
    "Cell",
    "Chart",
    "Details",
    "Figure",
    "Note",
    "Paragraph",
    "Report",
    "Row",
    "Rows",
    "Section",
    "Table",
    "Warn",
]


class Chart(Protocol):
    """A chart of `superword.reports.plots`."""

    @property
    def title(self) -> str:
        """The heading of the chart."""

    @property
    def about(self) -> str:
        """What the chart shows, in a sentence or two. It becomes the caption."""

    def draw(self, width: int, id: str) -> str:
        """The chart as an `<svg>` element of this width. `id` is unique on the page."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of text."""

    text: str


@dataclass(frozen=True)
class Note:
    """A remark, such as why a figure is left out."""

    text: str


@dataclass(frozen=True)
class Warn:
    """Something that the reader must not overlook."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]


Cell = str | tuple[str, str]
"""What a cell shows, or two texts: what it shows, and a detail that is shown small."""


@dataclass(frozen=True)
class Row:
    """A row of a table. `about` defines what the row shows."""

    label: str
    cells: tuple[Cell, ...]
    about: str | None = None


@dataclass(frozen=True)
class Rows:
    """Rows below a common heading. `about` defines what all of them show."""

    title: str | None
    rows: tuple[Row, ...]
    about: str | None = None


@dataclass(frozen=True)
class Table:
    """A table. The first column has the labels of the rows; its heading is `corner`."""

    caption: str
    corner: str
    columns: tuple[str, ...]
    parts: tuple[Rows, ...]
    words: bool = False
    """Whether the cells are words, not numbers."""


@dataclass(frozen=True)
class Figure:
    """A chart with its caption."""

    chart: Chart


@dataclass(frozen=True)
class Details:
    """Blocks that are folded up until the reader wants them."""

    summary: str
    blocks: tuple[Paragraph | Note | Table, ...]


Block = Paragraph | Note | Warn | Bullets | Table | Figure | Details


@dataclass(frozen=True)
class Section:
    """A chapter of the report. `id` is its address in the page."""

    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Report:
    """A whole report."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]

"""Docstrings and comments as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["as_markdown", "comment_above"]

_NAME = re.compile(r"(?<!`)`(superword\.[\w.]+)`(?!`)")


def as_markdown(text: str, known: set[str]) -> str:
    """The docstring with examples as blocks, and links to the names in `known`."""
    lines: list[str] = []
    in_example = False
    for line in text.splitlines():
        starts = line.lstrip().startswith(">>>")
        if starts and not in_example:
            lines.append("```pycon")
            in_example = True
        elif in_example and not line.strip():
            lines.append("```")
            in_example = False
        lines.append(line if in_example else _NAME.sub(lambda m: _link(m[1], known), line))
    return "\n".join([*lines, "```"] if in_example else lines)


def _link(name: str, known: set[str]) -> str:
    return f"[`{name}`][{name}]" if name in known else f"`{name}`"


def comment_above(lines: Sequence[str], number: int) -> str:
    """The comment that ends on the line above line `number`, counted from 1."""
    comment: list[str] = []
    for line in reversed(lines[: number - 1]):
        if not line.startswith("# "):
            break
        comment.insert(0, line.removeprefix("# "))
    return "\n".join(comment)

"""Options in messages, written for whoever reads them.

Superword has two interfaces, Python and the command line, which spell options differently. A
message or hint marks each option with backquotes, as a name or as a name with a Python value:

    give `max_memory` of 2GB or more, or set `on_error="skip"`

Python shows that without the backquotes. The command line shows

    give --max-memory of 2GB or more, or set --on-error skip

The engine marks options in its messages in the same way.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

__all__ = ["NO_VALUE", "for_python", "option", "render"]

NO_VALUE: Any = object()
"""The value of a mark that only names an option."""

_MARK = re.compile(r"`([a-z][a-z0-9_]*)(?:=([^`]+))?`")


def option(name: str, value: Any = NO_VALUE) -> str:
    """The mark of an option whose name or value is only known at run time.

    >>> option("threads"), option("overwrite", True)
    ('`threads`', '`overwrite=True`')
    """
    if value is NO_VALUE:
        return f"`{name}`"
    # A backquote would end the mark; \\x60 is the same character in a Python string.
    return f"`{name}={repr(value).replace('`', chr(92) + 'x60')}`"


def render(text: str, spell: Callable[[str, Any], str]) -> str:
    """Replace every mark by what `spell(name, value)` returns for it."""

    def replace(mark: re.Match[str]) -> str:
        value = NO_VALUE
        if mark[2] is not None:
            try:
                value = ast.literal_eval(mark[2])
            except (ValueError, SyntaxError):
                return mark[0]
        return spell(mark[1], value)

    return _MARK.sub(replace, text)


def for_python(text: str) -> str:
    """The text as Python shows it: `overwrite=True`, without backquotes."""
    return _MARK.sub(lambda mark: mark[0][1:-1], text)

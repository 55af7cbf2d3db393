"""Files of other programs as the engine takes them: a name for errors, and the content."""

from __future__ import annotations

from pathlib import Path

from superword._support.paths import as_unicode

__all__ = ["Content", "content_of"]

# Without a name, the content does not come from a file.
Content = tuple[str | None, bytes]


def content_of(file: Path, content: bytes) -> Content:
    """The content of a file, with its name."""
    return as_unicode(str(file)), content

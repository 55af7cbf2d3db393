"""Atomic writes: readers see the old file or the new one, never a half-written one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from superword import _core
from superword.errors import SaveError

__all__ = ["drop_link", "make_directory", "replace", "replace_own"]


def replace(path: str | os.PathLike[str], content: bytes | Callable[[BinaryIO], object]) -> None:
    """Replace a file, or create it, with `content` or with what `content(file)` writes.

    On any error the old file stays as it was. `SaveError` says why it was not written.
    """
    if isinstance(content, bytes):
        _core.replace_file(path, content)
        return
    write = content

    def fill(temporary: Path) -> None:
        with temporary.open("wb", buffering=1 << 20) as file:
            write(file)

    try:
        _core.replace_file(path, fill)
    except SaveError:
        raise
    except OSError as error:
        raise SaveError(
            f"writing {os.fspath(path)} failed: {error.strerror or error}",
            hint="check the directory and the free space on the disk",
            path=os.fspath(path),
        ) from None


def replace_own(path: str | os.PathLike[str], content: bytes) -> None:
    """`replace` for a file of a directory that only superword writes to.

    A symbolic link is replaced and not followed. Whoever made the directory could otherwise choose
    which file is overwritten.
    """
    drop_link(path)
    replace(path, content)


def drop_link(path: str | os.PathLike[str]) -> None:
    """Remove a symbolic link where a file of superword will be written. The target stays."""
    if Path(path).is_symlink():
        Path(path).unlink(missing_ok=True)


def make_directory(path: str | os.PathLike[str]) -> Path:
    """Create a directory and its parents, unless it exists."""
    _core.create_directory(path)
    return Path(path)

"""Reads small files whole, with errors that say what is wrong with the path."""

from __future__ import annotations

from pathlib import Path

from superword.errors import MissingModelError, ModelFileError

__all__ = ["read_file"]


def read_file(path: Path, hint: str) -> bytes:
    """The content of a file. `hint` says what to give instead if the path is wrong."""
    reason = None
    try:
        # Checked first: some systems report a directory as a missing permission.
        if path.is_dir():
            reason = "is a directory, not a file"
        elif path.exists() and not path.is_file():
            reason = "is a device or a pipe, not a regular file"
        else:
            return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise MissingModelError(f"there is no file {path}", hint=hint, path=str(path)) from None
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
    except ValueError:  # A null character.
        reason = "is not the name of a file"
    raise ModelFileError(f"{path} {reason}", hint=hint, path=str(path))

"""Writing exports: whole files or none, and errors that say where."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from superword.errors import SaveError

__all__ = ["make_folder", "write"]


def make_folder(path: str | os.PathLike[str]) -> Path:
    """The folder at `path`, made if it is not there."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise SaveError(
            f"cannot export to {folder}: it is a file, not a folder",
            hint="name a folder",
            path=str(folder),
        ) from None
    except OSError as error:
        raise SaveError(
            f"cannot make the folder {folder}: {error.strerror}", path=str(folder)
        ) from None
    return folder


def write(path: Path, data: bytes) -> None:
    """Write a file to a temporary name beside it, then rename it: never a half file."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            # mkstemp makes files for the owner alone; others may read what was exported.
            umask = os.umask(0)
            os.umask(umask)
            temporary.chmod(0o666 & ~umask)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise SaveError(
            f"cannot write {path}: {error.strerror}",
            hint="check that the folder exists and can be written",
            path=str(path),
        ) from None

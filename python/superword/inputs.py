"""What to read: files, directories, globs and standard input, made into a list of sources.

The result depends on the arguments and the files alone, and is the same in any order of listing.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from superword._text import suggestion
from superword.errors import InputError, MissingInputError

__all__ = ["STDIN", "Input", "Texts", "expand"]

STDIN = "-"

# Names that say that a file in a directory holds documents. What kind of documents, the engine
# tells from the name; a file that is named itself is read whatever its name.
SUFFIXES = (".jsonl", ".ndjson", ".jsonlines", ".json", ".txt", ".text", ".md")
COMPRESSIONS = (".gz", ".gzip", ".zst", ".zstd")


class Texts:
    """Texts at hand, each a document, where files are taken: `Texts(["one text", "another"])`.

    They are read once and kept in a temporary file.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = texts


class Input(NamedTuple):
    """A file to read (or `-`), its format if given, and its size on disk (None: not known)."""

    path: str
    format: str | None
    size: int | None


def expand(
    inputs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], format: str | None = None
) -> list[Input]:
    """The files that `inputs` stand for, each once, in the order given.

    A directory stands for the files below it whose names say that they hold documents (all files,
    if `format` is given), sorted, without hidden ones. A name that is no file and has `*`, `?` or
    `[` in it is a glob; `**` goes through directories. `-` is standard input.
    """
    if isinstance(inputs, str | os.PathLike):
        inputs = [inputs]
    found: dict[str, Input] = {}
    given = 0
    for item in inputs:
        given += 1
        path = os.fspath(item)
        if not isinstance(path, str):
            raise InputError(f"an input must be a str or a path, not {path!r}")
        for name in _files(path, format):
            if name == STDIN:
                found.setdefault(STDIN, Input(STDIN, format or "lines", None))
                continue
            # One file by two names (a.txt, ./a.txt) is still to be read once.
            key = os.path.realpath(name)
            if key not in found:
                found[key] = Input(name, format, Path(name).stat().st_size)
    if not given:
        raise MissingInputError(
            "there is nothing to read", hint="name files, directories or globs, or - for stdin"
        )
    return list(found.values())


def _suffix(path: str) -> str:
    name = Path(path).name.lower()
    for compression in COMPRESSIONS:
        name = name.removesuffix(compression)
    return Path(name).suffix


def _files(path: str, format: str | None) -> Iterator[str]:
    if path == STDIN:
        yield path
    elif path and Path(path).is_dir():
        yield from _directory(path, format)
    elif path and Path(path).exists():
        yield path
    elif glob.has_magic(path):
        yield from _glob(path)
    else:
        raise MissingInputError(
            f"no such file or directory: {path or repr(path)}", hint=_near_files(path), path=path
        )


def _directory(path: str, format: str | None) -> list[str]:
    files = []
    for folder, folders, names in os.walk(path, onerror=_raise):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            full = Path(folder, name)
            known = format is not None or _suffix(name) in SUFFIXES
            if known and not name.startswith(".") and full.is_file():
                files.append(str(full))
    if not files:
        raise MissingInputError(
            f"no documents in the directory {path}",
            hint=f"it has no {', '.join(SUFFIXES)} files (.gz and .zst too); "
            "name the files, or say their format to read them all",
            path=path,
        )
    return files


def _glob(pattern: str) -> list[str]:
    # Path.glob takes no absolute patterns.
    matches = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207
    files = [match for match in matches if Path(match).is_file()]
    if not files:
        what = "only directories" if matches else "nothing"
        hint = "name the directory itself to read all of it" if matches else None
        raise MissingInputError(
            f"the glob {pattern} matches {what}",
            hint=hint or "check the pattern; ** goes through directories",
            path=pattern,
        )
    return files


def _near_files(path: str) -> str:
    try:
        names = [entry.name for entry in Path(path).parent.iterdir()]
    except OSError:
        return f"there is no directory {Path(path).parent}"
    said = suggestion(Path(path).name, names)
    # All the names of a folder are no help where none is near.
    return said if said.startswith("did you mean") else "check the path"


def _raise(error: OSError) -> None:
    raise InputError(
        f"cannot read the directory {error.filename}: {error.strerror}", path=error.filename
    )

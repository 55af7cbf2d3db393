"""Inputs: which files to read, and the documents in them.

>>> for document in documents(["docs/*.jsonl"], text_field="body"):
...     print(len(document))

Files, directories, globs, standard input, Arrow tables and batches, and Hugging Face datasets are
accepted everywhere. The list of files depends only on the arguments and on the files, not on the
order in which the file system lists them.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from superword import _core
from superword._support.faces import option
from superword._support.text import suggestion
from superword.errors import InputError, MissingInputError, OptionError

if TYPE_CHECKING:
    import pyarrow

    from superword.options import Format, OnError

__all__ = [
    "STDIN",
    "Batches",
    "Input",
    "Texts",
    "documents",
    "expand",
    "groups_of",
    "is_data",
    "listed",
    "name_of",
    "parse_groups",
]

STDIN = "-"

# Suffixes of the files that are read from a directory. The engine detects the format from the
# name. A file that is given by name is read whatever its suffix is.
COLUMNAR = {".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow"}
SUFFIXES = (".jsonl", ".ndjson", ".jsonlines", ".json", ".txt", ".text", ".md", *COLUMNAR)
COMPRESSIONS = (".gz", ".gzip", ".zst", ".zstd")


class Texts:
    """Texts in memory, each of which is a document: `Texts(["one text", "another"])`.

    Accepted wherever files are. They are read once and kept in a temporary file.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = texts


class Batches:
    """Arrow record batches from an iterator, which is read once: `Batches(reader)`.

    Accepted wherever files are. The counting stages and `documents` read the text once, and keep
    only the current batch in memory. Everything else collects all batches first. A
    `pyarrow.RecordBatchReader` is treated the same way. `name` is for messages.
    """

    def __init__(self, batches: Iterable[pyarrow.RecordBatch], *, name: str = "batches") -> None:
        self.batches = batches
        self.name = name


class Input(NamedTuple):
    """A file to read (or `-`), its format if given, and its size on disk (None if unknown).

    `group` is the name of its input group, if any. `data` holds `Texts`, `Batches`, an Arrow
    table or a dataset; `path` is then a name for messages.
    """

    path: str
    format: str | None
    size: int | None
    group: str | None = None
    data: Any = None

    @property
    def is_columnar(self) -> bool:
        """Whether the input is a table with a text column."""
        if self.data is not None:
            return not isinstance(self.data, Texts)
        return columnar_format(self.path, self.format) is not None


def is_data(item: object) -> bool:
    """Whether an input is data of the program instead of a file.

    That is `Texts`, `Batches`, an Arrow table of any package, or a dataset.
    """
    return (
        isinstance(item, Texts | Batches)
        or hasattr(item, "__arrow_c_stream__")
        or hasattr(item, "__arrow_c_array__")
        or is_dataset(item)
    )


def is_dataset(item: object) -> bool:
    """Whether an input is a dataset of Hugging Face's package `datasets`, which is not imported."""
    return type(item).__module__.split(".")[0] == "datasets"


def columnar_format(path: str, format: str | None) -> str | None:
    """`parquet` or `arrow` if `format` or the file name says so, else None."""
    if format is not None:
        return format if format in COLUMNAR.values() else None
    return COLUMNAR.get(Path(path).suffix.lower())


def documents(
    inputs: Any,
    *,
    text_field: str = "text",
    max_bytes: int | str | None = None,
    sample: int | str | None = None,
    seed: int = 0,
    on_error: OnError = "stop",
    format: Format | None = None,
) -> Iterator[str]:
    """Iterate over the documents of the inputs, in order.

    >>> sum(len(text) for text in documents("corpus/", on_error="skip"))

    Inputs and options are those of `superword.train`. Files are read as they are needed, on a
    thread of the engine, and only a few megabytes ahead. Call `close()` on the iterator, or drop
    it, to stop early. With `on_error="skip"`, a `SkippedWarning` at the end says how many documents
    were skipped.
    """
    from superword._reading.documents import read
    from superword.options import ReadOptions

    options = ReadOptions(
        text_field=text_field,
        max_bytes=max_bytes,
        sample=sample,
        seed=seed,
        on_error=on_error,
        format=format,
    )
    return read(expand(inputs, options.format), options)


def expand(
    inputs: Any, format: str | None = None, *, work_dir: str | os.PathLike[str] | None = None
) -> list[Input]:
    """The files that `inputs` refer to, each once, in the order given.

    A directory stands for all files below it that have a known suffix (all files if `format` is
    given), sorted, without hidden files. A name with `*`, `?` or `[` that is not a file is a glob;
    `**` matches directories. `-` is standard input. Data in memory (see `is_data`) is kept as it
    is. A mapping, or pairs of a name and an input, define groups. Files in `work_dir` are left out.
    """
    kept = None if work_dir is None else Path(os.path.realpath(work_dir))
    found: dict[str, Input] = {}
    given = 0
    for group, item in listed(inputs):
        given += 1
        if is_data(item):
            found[f"\0{len(found)}"] = Input(name_of(item), None, None, group, item)
            continue
        path = os.fspath(item)
        if not isinstance(path, str):
            raise InputError(f"an input must be a str or a path, not {path!r}")
        for name in _files(path, format, kept):
            if name == STDIN:
                found.setdefault(STDIN, Input(STDIN, format or "lines", None, group))
                continue
            # A file with two names (a.txt, ./a.txt) is read once.
            # On Windows, names that differ in case only are the same file.
            key = os.path.normcase(os.path.realpath(name))
            if key not in found:
                found[key] = Input(name, format, Path(name).stat().st_size, group)
            elif found[key].group != group:
                raise InputError(
                    f"{name} is in two groups: {found[key].group} and {group}",
                    hint="put each file into one group",
                    path=name,
                )
    if not given:
        raise MissingInputError(
            "there is nothing to read", hint="give files, directories or globs, or - for stdin"
        )
    return list(found.values())


def name_of(data: object) -> str:
    """A name for messages of data that is no file."""
    if isinstance(data, Batches):
        return data.name
    return "texts" if isinstance(data, Texts) else type(data).__name__


def listed(inputs: Any) -> Iterator[tuple[str | None, Any]]:
    """Each input with the name of its group."""
    if isinstance(inputs, str | os.PathLike) or is_data(inputs):
        yield None, inputs
    elif isinstance(inputs, Mapping):
        for group, items in inputs.items():
            yield from ((str(group), item) for _, item in listed(items))
    else:
        for item in inputs:
            yield item if isinstance(item, tuple) else (None, item)


def parse_groups(arguments: Iterable[str]) -> list[str | tuple[str, str]]:
    """Inputs of the command line: `de=corpus/de` puts `corpus/de` into the group `de`."""
    parsed: list[str | tuple[str, str]] = []
    for argument in arguments:
        name, equals, path = argument.partition("=")
        if equals and name.replace("-", "").replace("_", "").isalnum() and not _exists(argument):
            parsed.append((name, path))
        else:
            parsed.append(argument)
    return parsed


def _exists(path: str) -> bool:
    return Path(path).exists()


def groups_of(
    inputs: Sequence[Input], weights: Mapping[str, float]
) -> tuple[list[tuple[str, float]], list[int]] | None:
    """The groups with their weights, and the group of each input. None if there are no groups."""
    names = dict.fromkeys(item.group for item in inputs)
    for name in weights:
        if name not in names:
            known = [group for group in names if group is not None]
            raise OptionError(
                f"`weights` names the group {name!r}, but no input is in that group",
                hint=suggestion(name, known)
                if known
                else f"put inputs into the group: {option('inputs', {name: 'PATH'})}",
                option="weights",
            )
    if list(names) == [None]:
        return None
    order = {name: index for index, name in enumerate(names)}
    groups = [("" if name is None else name, weights.get(name or "", 1.0)) for name in names]
    return groups, [order[item.group] for item in inputs]


def _suffix(path: str) -> str:
    name = Path(path).name.lower()
    for compression in COMPRESSIONS:
        name = name.removesuffix(compression)
    return Path(name).suffix


def _files(path: str, format: str | None, kept: Path | None) -> Iterator[str]:
    if path == STDIN:
        yield path
    elif path and Path(path).is_dir():
        yield from _directory(path, format, kept)
    elif path and Path(path).exists():
        yield path
    elif glob.has_magic(path):
        yield from _glob(path, kept)
    elif path and Path(path).is_symlink():
        raise MissingInputError(
            f"{path} is a symbolic link to {Path(path).readlink()}, which does not exist",
            hint="restore the target of the link, or remove the link",
            path=path,
        )
    else:
        raise MissingInputError(
            f"no such file or directory: {path or repr(path)}", hint=_near_files(path), path=path
        )


def _is_kept(path: str, kept: Path | None) -> bool:
    return kept is not None and kept in Path(os.path.realpath(path)).parents


def _directory(path: str, format: str | None, kept: Path | None) -> list[str]:
    files = []
    for folder, folders, names in os.walk(path, onerror=_raise):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if kept is not None and Path(os.path.realpath(folder)) == kept:
            folders[:] = names = []
        if any(name.startswith("shard-") for name in names):
            # What `encode_files` wrote is not text, even if it is JSON or Parquet.
            ours = set(_core.files_of_shards(folder, False))
            names = [name for name in names if name not in ours]
        for name in sorted(names):
            full = Path(folder, name)
            known = format is not None or _suffix(name) in SUFFIXES
            if known and not name.startswith(".") and full.is_file():
                files.append(str(full))
    if not files:
        raise MissingInputError(
            f"no documents in the directory {path}",
            hint=f"files that end in {', '.join(SUFFIXES)} are read, also with .gz or .zst; "
            "give the files by name, or give `format` to read all files",
            path=path,
        )
    return files


def _glob(pattern: str, kept: Path | None) -> list[str]:
    # Path.glob takes no absolute patterns.
    matches = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207
    files = [match for match in matches if Path(match).is_file() and not _is_kept(match, kept)]
    if not files:
        what = "only directories" if matches else "nothing"
        hint = "give the directory itself to read all of it" if matches else None
        raise MissingInputError(
            f"the glob {pattern} matches {what}",
            hint=hint or "check the pattern; ** matches directories",
            path=pattern,
        )
    return files


def _near_files(path: str) -> str:
    try:
        names = [entry.name for entry in Path(path).parent.iterdir()]
    except OSError:
        return f"there is no directory {Path(path).parent}"
    said = suggestion(Path(path).name, names)
    # A list of all files would not help.
    return said if said.startswith("did you mean") else "check the path"


def _raise(error: OSError) -> None:
    raise InputError(
        f"cannot read the directory {error.filename}: {error.strerror}", path=error.filename
    )

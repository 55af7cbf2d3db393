"""Documents from and to streams, in constant memory and without delay."""

from __future__ import annotations

import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

import click

from superword.errors import DocumentError, InputError, MissingInputError, OptionError

__all__ = [
    "Batch",
    "Documents",
    "document_options",
    "file_argument",
    "ids_of",
    "open_input",
    "place_of",
    "read_batches",
    "read_documents",
    "separator",
    "texts_of",
]

CHUNK = 1 << 20

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Documents(NamedTuple):
    """Documents that arrived together, and the number of the first one, from 1."""

    first: int
    documents: list[bytes]


class Batch(NamedTuple):
    """Whole documents with their separators, and the number of the first one, from 1."""

    first: int
    data: bytes


def file_argument(command: _Command) -> _Command:
    """Add the argument FILE, by default standard input."""
    return click.argument("file", default="-", type=click.Path(), metavar="[FILE]")(command)


def document_options(command: _Command) -> _Command:
    """Add the options that define what a document is."""
    command = click.option(
        "--null", "-0", is_flag=True, help="Separate documents by NUL bytes instead of newlines."
    )(command)
    return click.option("--whole", is_flag=True, help="Treat the whole input as one document.")(
        command
    )


def separator(whole: bool, null: bool) -> bytes | None:
    """What ends a document: newline or NUL, or None if the whole input is one document."""
    if whole and null:
        raise OptionError(
            "`whole` and `null` cannot be combined", hint="leave one of them out", option="null"
        )
    return None if whole else b"\0" if null else b"\n"


@contextmanager
def open_input(path: str) -> Iterator[BinaryIO]:
    """The file to read, or standard input for `-`."""
    if path == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed", hint="give a file", path=path)
        yield sys.stdin.buffer
        return
    try:
        stream = Path(path).open("rb")  # noqa: SIM115 - closed below.
    except FileNotFoundError:
        raise MissingInputError(f"no such file: {path}", hint="check the path", path=path) from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", path=path) from None
    with stream:
        yield stream


def read_batches(stream: BinaryIO, end: bytes | None) -> Iterator[Batch]:
    """Whole documents with their separators. The last document may lack its separator.

    Yields the available data without waiting for more, up to a limit. So `yes | superword encode`
    runs in constant memory, and a typed line is answered immediately.
    """
    if end is None:
        yield Batch(1, stream.read())
        return
    first = 1
    begun: list[bytes] = []  # Parts of an incomplete document.
    for chunk in _chunks(stream):
        cut = chunk.rfind(end) + 1
        if cut:
            data = b"".join([*begun, chunk[:cut]])
            begun = []
            yield Batch(first, data)
            first += data.count(end)
        if cut < len(chunk):
            begun.append(chunk[cut:])
    if begun:
        yield Batch(first, b"".join(begun))


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    """The data that is available, in chunks that are as large as possible."""
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    while chunk := read(CHUNK):
        parts, size = [chunk], len(chunk)
        # A pipe holds little data at a time, but a large batch keeps all cores busy.
        while size < CHUNK and _has_more(stream) and (chunk := read(CHUNK - size)):
            parts.append(chunk)
            size += len(chunk)
        yield b"".join(parts)


def _has_more(stream: BinaryIO) -> bool:
    """Whether data is available. False if that is unknown."""
    try:
        return bool(select.select([stream], [], [], 0)[0])
    except (OSError, ValueError, TypeError):
        return False


def read_documents(stream: BinaryIO, end: bytes | None) -> Iterator[Documents]:
    """Documents without their separators."""
    for first, data in read_batches(stream, end):
        if end is None:
            yield Documents(first, [data])
        else:
            yield Documents(first, data.removesuffix(end).split(end))


def texts_of(batch: Documents, path: str) -> list[str]:
    """The documents as text. A document that is not UTF-8 is an error with its position."""
    texts = []
    for line, document in enumerate(batch.documents, start=batch.first):
        try:
            texts.append(document.decode())
        except UnicodeDecodeError as error:
            raise DocumentError(
                f"{place_of(path, line)}: invalid UTF-8 at byte {error.start}",
                hint="convert it to UTF-8 first, for example with iconv",
                path=path,
                line=line,
                position=error.start,
            ) from None
    return texts


def ids_of(batch: Documents, path: str) -> list[list[int]]:
    """The documents as ids. Anything but a list of numbers is an error with its position."""
    batch_ids = []
    for line, document in enumerate(batch.documents, start=batch.first):
        words = document.split()
        try:
            if b"_" in document or b"+" in document:
                raise ValueError  # Python reads 1_0 and +10 as 10, but no program writes ids so.
            batch_ids.append([int(word) for word in words])
        except ValueError:
            # Python also refuses numbers of thousands of digits.
            wrong = next((word for word in words if not word.isdigit()), max(words, key=len))
            raise DocumentError(
                f"{place_of(path, line)}: {wrong[:40].decode(errors='replace')!r} is not an id",
                hint="write ids as numbers separated by spaces, as superword encode does",
                path=path,
                line=line,
            ) from None
    return batch_ids


def place_of(path: str, line: int) -> str:
    """A line of an input, for messages: `stdin:3`."""
    return f"{'stdin' if path == '-' else path}:{line}"

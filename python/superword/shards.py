"""A directory of shards: what is in it, who may write to it, whether it can be gone on with."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from superword._support.text import plural
from superword.errors import SaveError, ShardsMismatchError
from superword.inputs import STDIN, Input

__all__ = [
    "EncodedCorpus",
    "Held",
    "Shard",
    "check_same",
    "complete",
    "finished_shards",
    "held",
    "identity_of",
    "read_manifest",
    "remove_all",
    "remove_partial",
    "write_manifest",
]

MANIFEST = "manifest.json"
PROGRESS = "progress.json"
HEADER_BYTES = 128  # of an array of one dimension, as numpy writes it


@dataclass(frozen=True)
class Shard:
    """One shard: its two files, and what they hold."""

    tokens_file: str
    documents_file: str
    tokens: int
    documents: int
    bytes: int


@dataclass(frozen=True)
class EncodedCorpus:
    """What `encode_files` wrote.

    >>> shard = corpus.shards[0]
    >>> ids = numpy.load(corpus.path / shard.tokens_file, mmap_mode="r")
    """

    path: Path
    dtype: str
    shards: tuple[Shard, ...]
    skipped: int = 0
    skipped_examples: tuple[str, ...] = ()
    # Shards that an earlier run had finished.
    resumed: int = field(default=0, compare=False)

    @property
    def tokens(self) -> int:
        """The tokens of all shards, those that end documents included."""
        return sum(shard.tokens for shard in self.shards)

    @property
    def documents(self) -> int:
        """The documents of all shards."""
        return sum(shard.documents for shard in self.shards)

    @property
    def bytes(self) -> int:
        """The bytes of the text of all shards."""
        return sum(shard.bytes for shard in self.shards)

    def skipped_text(self) -> str:
        """The skipped documents in words, with the first few of them."""
        lines = [f"skipped {plural(self.skipped, 'document')} that could not be read"]
        return "\n  ".join([*lines, *self.skipped_examples])


class Held:
    """A directory that no other run writes to until all that hold it have closed it."""

    def __init__(self, handle: int) -> None:
        self._handle: int | None = handle

    def again(self) -> Held:
        """Another holder of the same."""
        assert self._handle is not None
        return Held(os.dup(self._handle))

    def close(self) -> None:
        """Let go of it."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __del__(self) -> None:
        # Where it never got to those who would have closed it.
        self.close()


@contextmanager
def held(folder: Path) -> Iterator[Held]:
    """Make the directory if it is not there, and keep other runs from writing to it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise SaveError(
            f"{folder} cannot be written: {error.strerror}",
            hint="name a directory that can be made",
            path=str(folder),
        ) from None
    holder = Held(handle)
    try:
        try:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            pass  # Systems without it go unguarded.
        except BlockingIOError:
            raise SaveError(
                f"another run is writing to {folder}",
                hint="wait for it, or choose another directory",
                path=str(folder),
            ) from None
        except OSError:
            pass  # Some network drives cannot do it.
        yield holder
    finally:
        holder.close()


def remove_partial(folder: Path) -> None:
    """Remove what is not finished."""
    for leftover in folder.glob("*.partial"):
        leftover.unlink(missing_ok=True)


def _shard_files(folder: Path) -> list[Path]:
    return [path for path in folder.glob("shard-*") if path.name.endswith((".npy", ".partial"))]


def remove_all(folder: Path) -> None:
    """Remove all that an earlier run wrote."""
    # The manifest first: it never speaks of shards that are not there.
    for path in [folder / MANIFEST, folder / PROGRESS, *_shard_files(folder)]:
        path.unlink(missing_ok=True)


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """What `manifest.json` says, or None if not all is done."""
    return _read(folder / MANIFEST)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        content = None
    except OSError as error:
        raise SaveError(f"{path} cannot be read: {error.strerror}", path=str(path)) from None
    if not isinstance(content, dict):
        raise ShardsMismatchError(
            f"{path} is not what superword writes there",
            hint="choose another directory, or write over it with `overwrite=True`",
            path=str(path.parent),
        )
    return content


def check_same(
    folder: Path, before: dict[str, Any], identity: dict[str, Any], found: list[Input]
) -> None:
    """Raise if the directory holds shards that were made of something else."""
    changed = [*_changes(before, identity), *filter(None, map(_unknown, found))]
    if changed:
        raise ShardsMismatchError(
            f"{folder} holds shards that were made of something else: {'; '.join(changed)}",
            hint="choose another directory, or write over it with `overwrite=True`",
            path=str(folder),
            changed=changed,
        )


def identity_of(item: Input) -> dict[str, Any]:
    """What tells whether an input is the same as before, as far as that can be told."""
    described: dict[str, Any] = {"path": item.path, "format": item.format}
    if item.data is not None:
        if (fingerprint := _fingerprint(item.data)) is not None:
            described["fingerprint"] = fingerprint
    elif item.path != STDIN:
        status = Path(item.path).stat()
        described |= {"bytes": status.st_size, "modified_ns": status.st_mtime_ns}
    return described


def _fingerprint(data: Any) -> str | None:
    """A Hugging Face dataset knows what it was made of; one that is streamed does not."""
    if type(data).__module__.split(".")[0] != "datasets":
        return None
    fingerprint = getattr(data, "_fingerprint", None)
    return fingerprint if isinstance(fingerprint, str) else None


def _unknown(item: Input) -> str | None:
    """Why it cannot be told whether an input is the same as before; None if it can."""
    if item.data is not None:
        if _fingerprint(item.data) is not None:
            return None
        return f"{item.path} is data at hand, which may be other data than before"
    if item.path == STDIN:
        return "standard input, which cannot be read again"
    if not Path(item.path).is_file():
        return f"{item.path} is a pipe, which cannot be read again"
    return None


def _changes(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    for name, value in now.items():
        old = before.get(name)
        if old == value:
            continue
        if name == "model":
            yield "another model"
        elif name != "inputs" or not isinstance(old, list):
            yield f"{name} was {old!r} and is {value!r}"
        elif [item.get("path") for item in old] != [item["path"] for item in value]:
            yield f"{plural(len(old), 'other input')}, or in another order"
        else:
            for was, item in zip(old, value, strict=True):
                if was != item:
                    yield f"{item['path']} was changed"


def finished_shards(
    folder: Path, identity: dict[str, Any], found: list[Input]
) -> list[dict[str, Any]]:
    """The shards that an earlier run finished, as far as their files are whole."""
    before = _read(folder / PROGRESS)
    if before is None:
        if strange := _shard_files(folder):
            raise ShardsMismatchError(
                f"{folder} holds {strange[0].name}, and nothing says what it was made of",
                hint="choose another directory, or write over it with `overwrite=True`",
                path=str(folder),
            )
        return []
    shards: list[dict[str, Any]] = before.get("shards") or []
    if not shards:
        return []  # Nothing to lose.
    check_same(folder, before.get("identity") or {}, identity, found)
    whole = []
    for number, shard in enumerate(shards):
        size = 2 if identity["dtype"] == "uint16" else 4
        tokens = folder / f"shard-{number:05}.npy"
        documents = folder / f"shard-{number:05}.documents.npy"
        if not (
            _has_size(tokens, shard["tokens"] * size)
            and _has_size(documents, (shard["documents"] + 1) * 8)
        ):
            break  # This one and those behind it are made again.
        whole.append(shard)
    return whole


def _has_size(path: Path, data: int) -> bool:
    with suppress(OSError):
        return path.stat().st_size == HEADER_BYTES + data
    return False


def write_manifest(corpus: EncodedCorpus, identity: dict[str, Any]) -> None:
    """Say that all is done."""
    manifest = {
        "format": "superword shards",
        "version": 1,
        **identity,
        "documents": corpus.documents,
        "tokens": corpus.tokens,
        "bytes": corpus.bytes,
        "skipped": corpus.skipped,
        "shards": [vars(shard) for shard in corpus.shards],
    }
    path = corpus.path / MANIFEST
    partial = path.with_name(MANIFEST + ".partial")
    try:
        with partial.open("w", encoding="utf-8") as file:
            json.dump(manifest, file, ensure_ascii=False, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
        (corpus.path / PROGRESS).unlink(missing_ok=True)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise SaveError(
            f"{path} cannot be written: {error.strerror}",
            hint="make room and run it again: all shards are kept",
            path=str(path),
        ) from None


def complete(folder: Path, manifest: dict[str, Any]) -> EncodedCorpus:
    """All was done before: what the manifest says, if the files are still there."""
    shards = tuple(Shard(**shard) for shard in manifest["shards"])
    size = 2 if manifest["dtype"] == "uint16" else 4
    for shard in shards:
        for name, data in (
            (shard.tokens_file, shard.tokens * size),
            (shard.documents_file, (shard.documents + 1) * 8),
        ):
            if not _has_size(folder / name, data):
                raise ShardsMismatchError(
                    f"{folder / name} is missing or was changed after it was written",
                    hint="make all shards again with `overwrite=True`",
                    path=str(folder),
                )
    return EncodedCorpus(
        folder, manifest["dtype"], shards, manifest["skipped"], resumed=len(shards)
    )

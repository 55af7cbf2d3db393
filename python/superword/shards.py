"""What `Tokenizer.encode_files` returns, and readers of the shards that it writes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from superword._support.text import plural
from superword.errors import ShardFileError

if TYPE_CHECKING:
    from superword._encoding.packed import PackedShard
    from superword._encoding.packing import pack

__all__ = [
    "DTYPES",
    "FORMATS",
    "Dtype",
    "EncodedCorpus",
    "PackedShard",
    "Shard",
    "ShardFormat",
    "open_ids",
    "pack",
]

ShardFormat = Literal["npy", "raw", "megatron", "datatrove", "parquet", "packed"]
Dtype = Literal["auto", "uint16", "uint32", "int32"]

FORMATS = ("npy", "raw", "megatron", "datatrove", "parquet", "packed")
DTYPES = ("auto", "uint16", "uint32", "int32")


@dataclass(frozen=True)
class Shard:
    """One shard: its files and what they hold.

    `tokens_file` holds the ids. `documents_file` says where the documents are; in Parquet it is
    None. `files` names all files of the shard, those two first.
    """

    tokens_file: str
    documents_file: str | None
    tokens: int
    documents: int
    bytes: int
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class EncodedCorpus:
    """A directory of shards.

    >>> shard = corpus.shards[0]
    >>> ids = open_ids(corpus.path / shard.tokens_file)

    `resumed` is the number of shards that an earlier run had finished.
    """

    path: Path
    dtype: str
    shards: tuple[Shard, ...]
    skipped: int = 0
    skipped_examples: tuple[str, ...] = ()
    resumed: int = field(default=0, compare=False)
    format: ShardFormat = "npy"

    @property
    def tokens(self) -> int:
        """The number of tokens in all shards, including those that end documents."""
        return sum(shard.tokens for shard in self.shards)

    @property
    def documents(self) -> int:
        """The number of documents in all shards."""
        return sum(shard.documents for shard in self.shards)

    @property
    def bytes(self) -> int:
        """The size of the text in all shards, in bytes."""
        return sum(shard.bytes for shard in self.shards)

    def skipped_text(self) -> str:
        """A message about the skipped documents, with the first few errors."""
        lines = [f"skipped {plural(self.skipped, 'document')} that could not be read"]
        return "\n  ".join([*lines, *self.skipped_examples])


def open_ids(path: str | os.PathLike[str]) -> Any:
    """Map the ids of an npy or a packed shard into memory.

    Both results have a length and a `dtype`, and `ids[start:stop]` is an array. `.npy` files give a
    `numpy.memmap`, and all others a `PackedShard`. A damaged file raises a `ShardFileError`.
    """
    import numpy as np

    from superword._encoding.packed import NOT_NPY, PackedShard

    if Path(path).suffix == ".npy":
        try:
            return np.lib.format.open_memmap(path, mode="r")
        except NOT_NPY:
            raise ShardFileError(
                f"{os.fspath(path)} cannot be read: it is truncated, or not a numpy file of ids",
                hint="copy the file again, or encode the corpus again",
                path=os.fspath(path),
            ) from None
    return PackedShard(path)


def __getattr__(name: str) -> Any:
    # They need numpy, which the command line does not always need.
    if name == "PackedShard":
        from superword._encoding.packed import PackedShard

        return PackedShard
    if name == "pack":
        from superword._encoding.packing import pack

        return pack
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

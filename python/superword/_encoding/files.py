"""Encodes a corpus into shards of ids, for training a language model.

The engine writes the shards, the manifest and the progress file, and decides whether a directory
can be resumed (`encode/shards` in the engine). This module prepares its arguments.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from superword import _core
from superword._encoding.vocabulary import END_OF_TEXT
from superword._reading.sources import open_sources
from superword._support.checks import whole
from superword._support.faces import option
from superword._support.text import suggestion
from superword.errors import MissingInputError, OptionError, SkippedWarning, SpecialTokenError
from superword.inputs import STDIN, Input, expand, is_dataset
from superword.options import Format, OnError, ReadOptions
from superword.progress import Progress
from superword.shards import EncodedCorpus, Shard
from superword.training import Inputs, watching

if TYPE_CHECKING:
    from superword.tokenizer import Tokenizer

__all__ = ["SHARD_SIZE", "Dtype", "EncodedCorpus", "Shard", "encode_files", "run"]

SHARD_SIZE = 100_000_000  # tokens

Dtype = Literal["auto", "uint16", "uint32"]
ProgressOption = bool | Callable[[Progress], object] | None


def encode_files(
    tokenizer: Tokenizer, inputs: Inputs, out_dir: Any, **options: Any
) -> EncodedCorpus:
    """`Tokenizer.encode_files`, which warns about skipped documents."""
    corpus = run(tokenizer, inputs, out_dir, **options)
    if corpus.skipped:
        # 3: the line that called Tokenizer.encode_files.
        warnings.warn(corpus.skipped_text(), SkippedWarning, stacklevel=3)
    return corpus


def run(
    tokenizer: Tokenizer,
    inputs: Inputs,
    out_dir: str | os.PathLike[str],
    *,
    dtype: Dtype = "auto",
    shard_size: int = SHARD_SIZE,
    eot: bool | str = True,
    threads: int | None = None,
    text_field: str = "text",
    on_error: OnError = "stop",
    format: Format | None = None,
    overwrite: bool = False,
    progress: ProgressOption = None,
) -> EncodedCorpus:
    """Encode files into shards, or resume an earlier run that was stopped."""
    reading = ReadOptions(
        threads=threads,
        text_field=text_field,
        on_error=on_error,
        format=format,
    )
    shard_size = whole("shard_size", shard_size, at_least=1)
    dtype = _dtype(dtype, tokenizer.n_vocab)
    recipe = {
        "model_sha256": tokenizer._digest().hex(),
        "n_vocab": tokenizer.n_vocab,
        "dtype": dtype,
        "eot_token": _end_of_document(tokenizer, eot),
        "shard_size": shard_size,
        "text_field": reading.text_field,
        "on_error": reading.on_error,
    }
    found = _without_shards(expand(inputs, reading.format), out_dir)
    shards = _core.ShardRun(out_dir, recipe, [_described(item) for item in found], overwrite)
    try:
        report = shards.complete()
        if report is None:
            sources = open_sources(found, reading.text_field, read_twice=False)
            with watching(progress or False) as tell:
                report = tokenizer._model.encode_files(sources, shards, reading.threads or 0, tell)
    finally:
        shards.close()
    return EncodedCorpus(
        path=Path(out_dir),
        dtype=dtype,
        shards=tuple(Shard(**shard) for shard in report["shards"]),
        skipped=report["skipped"],
        skipped_examples=tuple(report["skipped_examples"]),
        resumed=report["resumed"],
    )


def _without_shards(found: list[Input], out_dir: str | os.PathLike[str]) -> list[Input]:
    """The inputs without the files that an earlier run wrote to `out_dir`."""
    directory = Path(os.path.realpath(out_dir))

    def is_ours(item: Input) -> bool:
        if item.data is not None or item.path == STDIN:
            return False
        path = Path(os.path.realpath(item.path))
        return path.parent == directory and _core.is_shard_directory_file(path.name)

    kept = [item for item in found if not is_ours(item)]
    if not kept:
        raise MissingInputError(
            f"the only inputs are shards of an earlier run in {directory}",
            hint="name the files or directories that hold the text",
            path=str(directory),
        )
    return kept


def _described(item: Input) -> tuple[str, str, str | None, str | None]:
    """An input as the engine records it: kind, name, format, fingerprint."""
    if item.data is not None:
        return "data", item.path, item.format, _fingerprint(item.data)
    return "stdin" if item.path == STDIN else "file", item.path, item.format, None


def _fingerprint(data: Any) -> str | None:
    """The fingerprint of a Hugging Face dataset. Streamed datasets have none."""
    if not is_dataset(data):
        return None
    fingerprint = getattr(data, "_fingerprint", None)
    return fingerprint if isinstance(fingerprint, str) else None


def _dtype(dtype: str, n_vocab: int) -> Literal["uint16", "uint32"]:
    fits = n_vocab <= 1 << 16
    if dtype == "auto":
        return "uint16" if fits else "uint32"
    if dtype == "uint16" and not fits:
        raise OptionError(
            f"`dtype` uint16 holds ids below 65,536, but the vocabulary has {n_vocab:,} tokens",
            hint='set `dtype="uint32"` or `dtype="auto"`',
            option="dtype",
            value=dtype,
        )
    if dtype == "uint16":
        return "uint16"
    if dtype == "uint32":
        return "uint32"
    raise OptionError(
        f"`dtype` cannot be {dtype!r}",
        hint=suggestion(str(dtype), ["auto", "uint16", "uint32"]),
        option="dtype",
        value=dtype,
    )


def _end_of_document(tokenizer: Tokenizer, eot: bool | str) -> int | None:
    if eot is False:
        return None
    name = END_OF_TEXT if eot is True else eot
    special = tokenizer.special_tokens
    if name not in special:
        others = f", or use another: {option('eot', next(iter(special)))}" if special else ""
        raise SpecialTokenError(
            f"the tokenizer has no special token {name!r} to end documents with",
            hint=f"train it with {option('special_tokens', [name])}, or set `eot=False` to write "
            f"nothing between documents{others}",
            token=str(name),
        )
    return special[name]

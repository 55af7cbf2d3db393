"""Encodes a corpus into shards of ids, for training a language model.

The engine writes the shards, the manifest and the progress file, and decides whether a directory
can be resumed (`encode/shards` in the engine). This module prepares its arguments.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from superword import _core
from superword._encoding.vocabulary import END_OF_TEXT
from superword._reading.sources import open_sources
from superword._support.checks import check_choice, whole
from superword._support.faces import option
from superword.errors import (
    MissingInputError,
    OptionError,
    SaveError,
    SkippedWarning,
    SpecialTokenError,
    SuperwordError,
)
from superword.inputs import STDIN, Input, expand, is_dataset
from superword.options import FORMATS as INPUT_FORMATS
from superword.options import Format, OnError, ReadOptions
from superword.progress import Progress
from superword.shards import DTYPES, FORMATS, Dtype, EncodedCorpus, Shard, ShardFormat
from superword.training import Inputs, watching

if TYPE_CHECKING:
    from superword.tokenizer import Tokenizer

__all__ = ["SHARD_SIZE", "encode_files", "run"]

SHARD_SIZE = 100_000_000  # tokens

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
    format: ShardFormat = "npy",
    dtype: Dtype = "auto",
    shard_size: int = SHARD_SIZE,
    eot: bool | str = True,
    threads: int | None = None,
    text_field: str = "text",
    on_error: OnError = "stop",
    input_format: Format | None = None,
    overwrite: bool = False,
    progress: ProgressOption = None,
) -> EncodedCorpus:
    """Encode files into shards, or resume an earlier run that was stopped."""
    _check_format(format)
    create_table = _parquet() if format == "parquet" else None
    shard_size = whole("shard_size", shard_size, at_least=1)
    stored = _dtype(dtype, format, tokenizer.n_vocab)
    with _as_input_format():
        reading = ReadOptions(
            threads=threads,
            text_field=text_field,
            on_error=on_error,
            format=input_format,
        )
        recipe = {
            "model_sha256": tokenizer._digest().hex(),
            "n_vocab": tokenizer.n_vocab,
            "format": format,
            "dtype": stored,
            "eot_token": _end_of_document(tokenizer, eot),
            "shard_size": shard_size,
            "text_field": reading.text_field,
            "on_error": reading.on_error,
        }
        found = _without_shards(expand(inputs, reading.format), out_dir, format)
        described = [_described(item) for item in found]
        shards = _core.ShardRun(out_dir, recipe, described, overwrite, create_table)
        try:
            report = shards.complete()
            if report is None:
                sources = open_sources(found, reading.text_field, read_twice=False)
                workers = reading.threads or 0
                with watching(progress or False) as tell:
                    report = tokenizer._model.encode_files(sources, shards, workers, tell)
        finally:
            shards.close()
    return EncodedCorpus(
        path=Path(out_dir),
        format=format,
        dtype=stored,
        shards=tuple(Shard(**shard) for shard in report["shards"]),
        skipped=report["skipped"],
        skipped_examples=tuple(report["skipped_examples"]),
        resumed=report["resumed"],
    )


def _check_format(format: str) -> None:
    if format in INPUT_FORMATS and format not in FORMATS:
        raise OptionError(
            f"`format` is the format of the shards, and cannot be {format!r}",
            hint=f"for the format of the inputs, set {option('input_format', format)}",
            option="format",
            value=format,
        )
    check_choice("format", format, FORMATS)


def _parquet() -> Callable[[Path], object]:
    """The writer of Parquet files, or an error that says how to install what it needs."""
    from superword._encoding.parquet import ParquetShard, check_installed

    check_installed()
    return ParquetShard


@contextmanager
def _as_input_format() -> Iterator[None]:
    """Call the format of inputs `input_format` in errors. Elsewhere the option is `format`."""
    try:
        yield
    except SuperwordError as error:
        message, hint = map(_renamed, error._texts)
        if (message, hint) == error._texts:
            raise
        facts = dict(error.facts)
        if error.option == "format":
            facts["option"] = "input_format"
        raise type(error)(message or "", hint=hint, **facts) from error.__cause__


def _renamed(text: str | None) -> str | None:
    if text is None:
        return None
    return text.replace("`format`", "`input_format`").replace("`format=", "`input_format=")


def _without_shards(
    found: list[Input], out_dir: str | os.PathLike[str], format: ShardFormat
) -> list[Input]:
    """The inputs without the files that an earlier run wrote to `out_dir`."""
    directory = Path(os.path.realpath(out_dir))
    ours = set(_core.files_of_shards(directory, True))

    def name_there(item: Input) -> str | None:
        """The name of an input that is in `out_dir`."""
        if item.data is not None or item.path == STDIN:
            return None
        path = Path(os.path.realpath(item.path))
        return path.name if path.parent == directory else None

    kept = [item for item in found if name_there(item) not in ours]
    if not kept:
        raise MissingInputError(
            f"the only inputs are shards of an earlier run in {directory}",
            hint="name the files or directories that hold the text",
            path=str(directory),
        )
    for item in kept:
        name = name_there(item)
        if name is not None and _core.is_shard_file_name(format, name):
            raise SaveError(
                f"the input {item.path} is in the output directory and is named like a shard",
                hint="write the shards to another directory",
                path=item.path,
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


def _dtype(dtype: str, format: ShardFormat, n_vocab: int) -> str:
    check_choice("dtype", dtype, DTYPES)
    possible = _core.shard_dtypes(format, n_vocab)
    if dtype == "auto":
        return possible[0]
    if dtype in possible:
        return dtype
    hint = f"set {' or '.join(option('dtype', name) for name in (*possible, 'auto'))}"
    if dtype in _core.shard_dtypes(format, 0):
        raise OptionError(
            f"`dtype` {dtype} holds ids below 65,536, but the vocabulary has {n_vocab:,} tokens",
            hint=hint,
            option="dtype",
            value=dtype,
        )
    raise OptionError(
        f"`dtype` {dtype} is not possible in the format {format}",
        hint=hint,
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

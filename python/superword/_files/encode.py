"""A corpus to shards of ids, for training a language model.

A directory of shards holds, for each shard, the ids of whole documents one after the other
(`shard-00000.npy`, `uint16` or `uint32`) and where each document starts and ends in it
(`shard-00000.documents.npy`, `uint64`, one more than documents), and
`manifest.json`, which is there once all is done. `progress.json` is there until then.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from superword._reading.sources import open_sources
from superword._support.checks import whole
from superword._support.faces import option
from superword._support.text import suggestion
from superword.errors import OptionError, SkippedWarning, SpecialTokenError
from superword.inputs import expand
from superword.options import Format, OnError, ReadOptions
from superword.progress import Progress
from superword.shards import (
    EncodedCorpus,
    Shard,
    check_same,
    complete,
    finished_shards,
    held,
    identity_of,
    read_manifest,
    remove_all,
    remove_partial,
    write_manifest,
)
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
    """What `Tokenizer.encode_files` does; a warning says which documents were skipped."""
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
    """Encode files into shards, or go on where an earlier run was stopped."""
    reading = ReadOptions(
        threads=threads,
        text_field=text_field,
        on_error=on_error,
        format=format,
    )
    shard_size = whole("shard_size", shard_size, at_least=1)
    dtype = _dtype(dtype, tokenizer.n_vocab)
    eot_id = _end_of_document(tokenizer, eot)
    found = expand(inputs, reading.format)
    identity: dict[str, Any] = {
        "model": {"sha256": tokenizer._digest().hex(), "n_vocab": tokenizer.n_vocab},
        "dtype": dtype,
        "eot_token": eot_id,
        "shard_size": shard_size,
        "text_field": reading.text_field,
        "on_error": reading.on_error,
        "inputs": [identity_of(item) for item in found],
    }
    folder = Path(out_dir)
    with held(folder) as holder:
        if overwrite:
            remove_all(folder)
        before = read_manifest(folder)
        if before is not None:
            check_same(folder, before, identity, found)
            return complete(folder, before)
        finished = finished_shards(folder, identity, found)
        remove_partial(folder)
        sources = open_sources(found, reading.text_field, read_twice=False)
        try:
            with watching(progress or False) as tell:
                told = tokenizer._model.encode_files(
                    sources,
                    {
                        "folder": str(folder),
                        "held": holder.again(),
                        "dtype": dtype,
                        "shard_size": shard_size,
                        "end_of_document": eot_id,
                        "identity": json.dumps(identity),
                        "finished": json.dumps(finished),
                        "text_field": reading.text_field,
                        "on_error": reading.on_error,
                        "threads": reading.threads or 0,
                    },
                    tell,
                )
        except BaseException:
            # Stopped in the middle of a long document, the engine has yet to clean up.
            remove_partial(folder)
            raise
        corpus = EncodedCorpus(
            folder,
            dtype,
            tuple(Shard(**shard) for shard in told["shards"]),
            told["skipped"],
            tuple(told["skipped_examples"]),
            len(finished),
        )
        write_manifest(corpus, identity)
    return corpus


def _dtype(dtype: str, n_vocab: int) -> Literal["uint16", "uint32"]:
    fits = n_vocab <= 1 << 16
    if dtype == "auto":
        return "uint16" if fits else "uint32"
    if dtype == "uint16" and not fits:
        raise OptionError(
            f"`dtype` uint16 holds ids below 65,536, and this tokenizer has {n_vocab:,}",
            hint="use uint32, or auto",
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
    name = "<|endoftext|>" if eot is True else eot
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

"""`superword encode-files`: encodes a corpus into shards of ids."""

from __future__ import annotations

import time
from dataclasses import fields
from functools import partial
from typing import Any

import click

from superword import progress
from superword._encoding.files import SHARD_SIZE, run
from superword._support.text import format_bytes, format_seconds, plural
from superword.cli.engines import check_engine, engine_options
from superword.cli.faces import as_shown
from superword.cli.group import SectionedCommand, examples, on_stop, tell
from superword.cli.options import quiet_option, read_options, sectioned
from superword.options import FORMATS as INPUT_FORMATS
from superword.options import ReadOptions
from superword.shards import DTYPES, FORMATS, EncodedCorpus
from superword.tokenizer import Tokenizer

__all__ = ["encode_files"]


INPUT_FORMAT = next(given for given in fields(ReadOptions) if given.name == "format")


class _ShardFormat(click.Choice):  # type: ignore[type-arg]
    """Leaves formats of inputs to the package, which has a better message for them."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return value if value in INPUT_FORMATS else super().convert(value, param, ctx)


@click.command(
    "encode-files",
    cls=SectionedCommand,
    short_help="Encode a corpus as shards of ids.",
    epilog=examples(
        "superword encode-files corpus/ -m wiki.superword -o shards",
        "superword encode-files corpus/ -m wiki.superword -o out --format megatron",
        "superword encode-files corpus/ -m wiki.superword -o out --format packed",
        "superword encode-files 'docs/*.jsonl.zst' -m wiki.superword -o out --no-eot",
        "superword encode-files web.parquet -m wiki.superword -o out --text-field content",
    ),
)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("-m", "--model", required=True, type=click.Path(), help="The tokenizer.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(),
    metavar="DIR",
    help="The directory to write.",
)
@click.option(
    "--format",
    type=_ShardFormat(FORMATS),
    default="npy",
    show_default=True,
    help="The format of the shards: numpy arrays, ids without a header, the files that Megatron, "
    "datatrove or Parquet readers expect, or ids in as few bits as possible (packed).",
)
@click.option(
    "--dtype",
    type=click.Choice(DTYPES),
    default="auto",
    show_default=True,
    help="The type of the ids, or of packed ids when they are read. auto: uint16 if all ids fit "
    "and the format has it, else 32 bits.",
)
@click.option(
    "--shard-size",
    type=click.IntRange(min=1),
    default=SHARD_SIZE,
    show_default=True,
    metavar="TOKENS",
    help="A shard ends with the document that brings it to this size.",
)
@click.option(
    "--eot",
    metavar="TOKEN",
    help="The special token that ends each document.  [default: <|endoftext|>]",
)
@click.option("--no-eot", is_flag=True, help="Write no token between documents.")
@read_options("max_bytes", "sample", "seed", "weights", "max_memory", "format")
@sectioned(
    INPUT_FORMAT.metadata["section"],
    "--input-format",
    type=click.Choice(INPUT_FORMATS),
    help=INPUT_FORMAT.metadata["meaning"],
)
@click.option(
    "--cache-bytes",
    metavar="SIZE",
    help="Memory for the cache of each thread, such as 64MB. More is faster on rare words.",
)
@engine_options
@click.option("--overwrite", is_flag=True, help="Remove the shards in DIR first.")
@quiet_option
def encode_files(
    inputs: tuple[str, ...],
    model: str,
    output: str,
    eot: str | None,
    no_eot: bool,
    cache_bytes: str | None,
    engine: str,
    address: str | None,
    quiet: bool,
    **values: Any,
) -> None:
    """Encode documents into shards of ids for training a language model.

    By default, DIR gets two files per shard: shard-00000.npy has the ids,
    shard-00000.documents.npy says where each document starts and ends. Other formats have other
    files. manifest.json is written last. INPUT is as in superword train. To resume a run that was
    stopped, run the same command again.
    """
    if eot is not None and no_eot:
        raise click.UsageError("--eot and --no-eot cannot be combined")
    started = time.monotonic()
    on_stop("stopped; finished shards are kept: run the same command again to resume")
    tokenizer = Tokenizer.load(model, cache_bytes=cache_bytes)
    values["eot"] = False if no_eot else True if eot is None else eot
    encode = partial(_on_ray, address) if check_engine(engine, address) else run
    if quiet:
        corpus = encode(tokenizer, inputs, output, **values)
    else:
        with progress.show() as callback:
            corpus = encode(tokenizer, inputs, output, progress=callback, **values)
    if corpus.skipped:
        tell(f"warning: {as_shown(corpus.skipped_text())}", color="yellow")
    if quiet:
        return
    if corpus.resumed:
        tell(f"kept {plural(corpus.resumed, 'shard')} of an earlier run")
    seconds = time.monotonic() - started
    kind = "packed ids" if corpus.format == "packed" else corpus.dtype
    tell(
        f"{plural(corpus.documents, 'document')}, {format_bytes(corpus.bytes)} of text: "
        f"{plural(corpus.tokens, 'token')} in {plural(len(corpus.shards), 'shard')} of {kind}, "
        f"in {format_seconds(seconds)}"
    )


def _on_ray(
    address: str | None,
    tokenizer: Tokenizer,
    inputs: tuple[str, ...],
    output: str,
    *,
    threads: int | None,
    overwrite: bool,
    progress: Any = False,
    **options: Any,
) -> EncodedCorpus:
    from superword.integrations.ray import shards

    return shards.run(
        tokenizer,
        inputs,
        output,
        options,
        threads=threads,
        address=address,
        overwrite=overwrite,
        progress=progress,
    )

"""Commands for streams of documents: encode, decode, pretokenize."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

import click

from superword._encoding.specials import thread_count
from superword._support.visible import token_text
from superword.cli.group import SectionedCommand, examples
from superword.cli.json_text import as_json_text
from superword.cli.pretokenizers import pretokenizer_of, pretokenizer_options
from superword.cli.streams import (
    Batch,
    Documents,
    document_options,
    file_argument,
    ids_of,
    open_input,
    place_of,
    read_batches,
    read_documents,
    separator,
    texts_of,
)
from superword.errors import SaveError, TokenError
from superword.tokenizer import Tokenizer

__all__ = ["decode", "encode", "pretokenize"]


def _write(lines: Iterable[bytes]) -> None:
    """Write a batch of lines to stdout and flush it."""
    if sys.stdout is None:
        raise SaveError("standard output is closed", hint="redirect it to a file or a pipe")
    sys.stdout.buffer.write(b"".join(lines))
    sys.stdout.buffer.flush()


def _each_text(file: str, end: bytes | None, answer: Callable[[list[str]], Iterable[str]]) -> None:
    """Write one line for each document, batch by batch."""
    with open_input(file) as stream:
        for batch in read_documents(stream, end):
            _write(line.encode() + b"\n" for line in answer(texts_of(batch, file)))


@click.command(
    short_help="Encode text as ids.",
    epilog=examples(
        "superword encode wiki.superword text.txt > ids.txt",
        "echo 'as well as' | superword encode wiki.superword --tokens",
        "find . -name '*.md' -print0 | xargs -0 cat | superword encode wiki.superword --whole",
    ),
)
@click.argument("model", type=click.Path())
@file_argument
@document_options
@click.option("--tokens", is_flag=True, help="Print a JSON array of tokens instead of ids.")
@click.option("--special", is_flag=True, help="Encode special tokens in the text as such.")
@click.option(
    "--threads", type=click.IntRange(min=0), default=0, help="Number of threads; 0 uses all cores."
)
def encode(
    model: str, file: str, whole: bool, null: bool, tokens: bool, special: bool, threads: int
) -> None:
    """Encode text: print one line of ids, separated by spaces, for each document.

    Each line of FILE (default: standard input) is a document. With --tokens, bytes that are only
    part of a character are shown like \\xe2.
    """
    threads = thread_count(threads)
    end = separator(whole, null)
    tokenizer = Tokenizer.load(model)

    if not tokens:
        _encode_lines(tokenizer, file, end, special, threads)
        return

    def answer(texts: list[str]) -> Iterable[str]:
        allowed: Any = "all" if special else frozenset()
        for ids in tokenizer.encode_batch(texts, allowed_special=allowed, threads=threads):
            yield as_json_text([token_text(tokenizer.token_bytes(id)) for id in ids])

    _each_text(file, end, answer)


def _encode_lines(
    tokenizer: Tokenizer, file: str, end: bytes | None, special: bool, threads: int
) -> None:
    """Lines of ids, made by the engine without a Python object for each document or id."""
    allowed = list(tokenizer.special_tokens) if special else []
    with open_input(file) as stream:
        for batch in read_batches(stream, end):
            lines = tokenizer._model.encode_lines(batch.data, end or b"", allowed, threads)
            if lines is None:
                # Find the bad document and its position. The documents before it are written.
                _each_document(tokenizer, batch, file, end, allowed)
            else:
                _write([lines])


def _each_document(
    tokenizer: Tokenizer, batch: Batch, file: str, end: bytes | None, allowed: list[str]
) -> None:
    parts = [batch.data] if end is None else batch.data.removesuffix(end).split(end)
    for number, document in enumerate(parts, start=batch.first):
        text = texts_of(Documents(number, [document]), file)[0]
        ids = tokenizer.encode(text, allowed_special=set(allowed))
        _write([" ".join(map(str, ids)).encode() + b"\n"])


@click.command(
    short_help="Decode ids as text.",
    epilog=examples(
        "superword decode wiki.superword ids.txt",
        "superword encode m.superword < a.txt | superword decode m.superword | cmp - a.txt",
    ),
)
@click.argument("model", type=click.Path())
@file_argument
@document_options
def decode(model: str, file: str, whole: bool, null: bool) -> None:
    """Decode ids: the inverse of encode with the same options.

    Each line of ids in FILE (default: standard input) becomes a document, followed by a newline (by
    a NUL byte with --null, by nothing with --whole). Bytes are written unchanged.
    """
    end = separator(whole, null) or b""
    tokenizer = Tokenizer.load(model)
    with open_input(file) as stream:
        # Lines of ids end with a newline, whatever separates the documents.
        for batch in read_batches(stream, b"\n"):
            quick = tokenizer._model.decode_lines(batch.data, end)
            if quick is not None:
                _write([quick])
                continue
            # Something is wrong. Decode line by line to find out what and where.
            decoded = []
            lines = Documents(batch.first, batch.data.removesuffix(b"\n").split(b"\n"))
            for line, ids in enumerate(ids_of(lines, file), start=batch.first):
                try:
                    decoded.append(tokenizer.decode_bytes(ids) + end)
                except TokenError as error:
                    # The lines before the bad one are written.
                    _write(decoded)
                    raise error._at(place_of(file, line)) from None
            _write(decoded)


@click.command(
    cls=SectionedCommand,
    short_help="Split text into pretokens.",
    epilog=examples(
        "echo 'Of the 12 words' | superword pretokenize",
        "superword pretokenize text.txt --pretokenizer gpt2",
        r"superword pretokenize text.txt --pattern '\w+|\W+'",
    ),
)
@file_argument
@document_options
@pretokenizer_options
def pretokenize(file: str, whole: bool, null: bool, **values: Any) -> None:
    """Split text into pretokens: print a JSON array of strings for each document.

    Each line of FILE (default: standard input) is a document.
    """
    end = separator(whole, null)
    pretokenizer = pretokenizer_of(values)
    _each_text(file, end, lambda texts: [as_json_text(pretokenizer.split(text)) for text in texts])

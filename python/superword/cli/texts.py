"""Commands that turn streams of documents into ids, tokens or pretokens, and back."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

import click

from superword._encoding.specials import thread_count
from superword.cli.group import examples
from superword.cli.pretokenizers import pretokenizer_of, pretokenizer_options
from superword.cli.streams import (
    Batch,
    Documents,
    document_options,
    file_argument,
    ids_of,
    open_input,
    read_batches,
    read_documents,
    separator,
    texts_of,
)
from superword.errors import TokenError
from superword.tokenizer import Tokenizer

__all__ = ["decode", "encode", "pretokenize"]


def _write(lines: Iterable[bytes]) -> None:
    """Write what came together and hand it on at once."""
    sys.stdout.buffer.write(b"".join(lines))
    sys.stdout.buffer.flush()


def _each_text(file: str, end: bytes | None, answer: Callable[[list[str]], Iterable[str]]) -> None:
    """Answer each document with a line, batch by batch."""
    with open_input(file) as stream:
        for batch in read_documents(stream, end):
            _write(line.encode() + b"\n" for line in answer(texts_of(batch, file)))


def _json(strings: list[str]) -> str:
    return json.dumps(strings, ensure_ascii=False)


@click.command(
    short_help="Text to ids.",
    epilog=examples(
        "superword encode wiki.superword text.txt > ids.txt",
        "echo 'as well as' | superword encode wiki.superword --tokens",
        "find . -name '*.md' -print0 | xargs -0 cat | superword encode wiki.superword --whole",
    ),
)
@click.argument("model", type=click.Path())
@file_argument
@document_options
@click.option("--tokens", is_flag=True, help="Show the tokens as a JSON array instead of the ids.")
@click.option("--special", is_flag=True, help="Special tokens in the text become their ids.")
@click.option("--threads", type=click.IntRange(min=0), default=0, help="0: all cores.")
def encode(
    model: str, file: str, whole: bool, null: bool, tokens: bool, special: bool, threads: int
) -> None:
    """Encode text: a line of ids, separated by spaces, for each document.

    A document is a line of FILE (default: standard input), without its newline. In the output of
    --tokens, bytes that are only a part of a character are shown like \\xe2.
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
            yield _json([_shown(tokenizer.token_bytes(id)) for id in ids])

    _each_text(file, end, answer)


def _encode_lines(
    tokenizer: Tokenizer, file: str, end: bytes | None, special: bool, threads: int
) -> None:
    """Lines of ids, made by the engine without an object for each document or id."""
    allowed = list(tokenizer.special_tokens) if special else []
    with open_input(file) as stream:
        for batch in read_batches(stream, end):
            lines = tokenizer._model.encode_lines(batch.data, end or b"", allowed, threads)
            if lines is None:
                # Found again with its place; what comes before is right and is not held back.
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
    short_help="Ids to text.",
    epilog=examples(
        "superword decode wiki.superword ids.txt",
        "superword encode m.superword < a.txt | superword decode m.superword | cmp - a.txt",
    ),
)
@click.argument("model", type=click.Path())
@file_argument
@document_options
def decode(model: str, file: str, whole: bool, null: bool) -> None:
    """Decode ids: the inverse of encode, given the same options.

    Each line of ids in FILE (default: standard input) gives back a document, followed by a newline
    (--null: by a NUL byte; --whole: by nothing). Bytes are written as they are.
    """
    end = separator(whole, null) or b""
    tokenizer = Tokenizer.load(model)
    with open_input(file) as stream:
        # Lines of ids end with a newline whatever ends the documents.
        for batch in read_batches(stream, b"\n"):
            quick = tokenizer._model.decode_lines(batch.data, end)
            if quick is not None:
                _write([quick])
                continue
            # Something is wrong: the slow way finds out what and where.
            decoded = []
            lines = Documents(batch.first, batch.data.removesuffix(b"\n").split(b"\n"))
            for line, ids in enumerate(ids_of(lines, file), start=batch.first):
                try:
                    decoded.append(tokenizer.decode_bytes(ids) + end)
                except TokenError as error:
                    # What comes before the wrong line is right and is not held back.
                    _write(decoded)
                    where = f"{'stdin' if file == '-' else file}:{line}"
                    raise TokenError(
                        f"{where}: {error.message}", hint=error.hint, **error.facts
                    ) from None
            _write(decoded)


@click.command(
    short_help="Text to pretokens.",
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
    """Cut text into pretokens: a JSON array of strings for each document.

    A document is a line of FILE (default: standard input), without its newline.
    """
    end = separator(whole, null)
    pretokenizer = pretokenizer_of(values)
    _each_text(file, end, lambda texts: [_json(pretokenizer.split(text)) for text in texts])


def _shown(token: bytes) -> str:
    return token.decode(errors="backslashreplace")

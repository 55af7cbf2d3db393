"""Compare an export with its model: both tokenizers on the same text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from superword.errors import ConversionError, MissingModelError
from superword.export.huggingface import load_huggingface
from superword.export.tiktoken import load_tiktoken, read_sidecar
from superword.tokenizer import Tokenizer

__all__ = ["Comparison", "Difference", "Export", "open_export", "verify"]

Encode = Callable[[str], list[int]]


@dataclass(frozen=True)
class Export:
    """An export, run by its own program, with the ids of the model."""

    format: str
    encode: Encode
    token_bytes: Callable[[int], bytes]


@dataclass(frozen=True)
class Difference:
    """A part of a document that the two split differently."""

    document: int
    position: int
    """The byte offset in the document at which it starts."""
    ours: list[bytes]
    theirs: list[bytes]


@dataclass
class Comparison:
    """The number of differences. Tokens and bytes are those in parts that are split differently."""

    documents: int = 0
    tokens: int = 0
    bytes: int = 0
    documents_differ: int = 0
    tokens_differ: int = 0
    bytes_differ: int = 0
    tokens_theirs: int = 0
    differences: list[Difference] = field(default_factory=list)
    """The first few differences."""

    @property
    def identical(self) -> bool:
        """Whether every document has the same ids."""
        return self.documents_differ == 0


def open_export(path: str | os.PathLike[str], tokenizer: Tokenizer) -> Export:
    """Open an export: a directory, a `tokenizer.json`, or a `.tiktoken` file."""
    place = Path(path)
    if not place.exists():
        raise MissingModelError(
            f"there is no export at {place}",
            hint="give the directory, or the .tiktoken file, of the export",
            path=str(place),
        )
    if place.is_dir() or (place.suffix == ".json" and not place.name.endswith(".tiktoken.json")):
        if place.is_dir() and not (place / "tokenizer.json").is_file():
            raise ConversionError(
                f"there is no tokenizer.json in {place}",
                hint="give the directory, or the .tiktoken file, of the export",
                path=str(place),
            )
        theirs = load_huggingface(place)
        return Export(
            "huggingface",
            lambda text: theirs.encode(text, add_special_tokens=False).ids,
            tokenizer.token_bytes,
        )
    if place.name.endswith(".tiktoken.json"):
        place = place.with_suffix("")
    encoding = load_tiktoken(place)
    ids = read_sidecar(place).get("ids")

    def encode(text: str) -> list[int]:
        found: list[int] = encoding.encode(text, allowed_special="all")
        return found if ids is None else [ids[id] for id in found]

    return Export("tiktoken", encode, tokenizer.token_bytes)


def verify(
    tokenizer: Tokenizer, export: Export, documents: Iterable[str], *, show: int = 10
) -> Comparison:
    """Encode every document with both, count the differences and keep the first `show` of them.

    Special tokens in the text become their ids, as they always do in Hugging Face's tokenizers.
    """
    found = Comparison()
    for number, text in enumerate(documents):
        ours = tokenizer.encode(text, allowed_special="all")
        theirs = export.encode(text)
        found.documents += 1
        found.tokens += len(ours)
        found.tokens_theirs += len(theirs)
        found.bytes += len(text.encode())
        if ours == theirs:
            continue
        found.documents_differ += 1
        for difference in _stretches(number, _known(tokenizer, ours), _known(tokenizer, theirs)):
            found.tokens_differ += len(difference.ours)
            found.bytes_differ += sum(map(len, difference.ours))
            if len(found.differences) < show:
                found.differences.append(difference)
    return found


def _known(tokenizer: Tokenizer, ids: list[int]) -> list[tuple[int, bytes]]:
    known = []
    for id in ids:
        inside = 0 <= id < tokenizer.n_vocab
        known.append((id, tokenizer.token_bytes(id) if inside else b""))
    return known


def _stretches(
    document: int, ours: list[tuple[int, bytes]], theirs: list[tuple[int, bytes]]
) -> Iterable[Difference]:
    """The stretches between common token boundaries in which the two have different tokens."""
    a = b = 0
    position = 0
    while a < len(ours) or b < len(theirs):
        if a < len(ours) and b < len(theirs) and ours[a] == theirs[b]:
            position += len(ours[a][1])
            a, b = a + 1, b + 1
            continue
        start = position
        left: list[bytes] = []
        right: list[bytes] = []
        ends = [start, start]
        while True:
            take_left = ends[0] <= ends[1] if a < len(ours) else False
            if take_left:
                left.append(ours[a][1])
                ends[0] += len(ours[a][1])
                a += 1
            elif b < len(theirs):
                right.append(theirs[b][1])
                ends[1] += len(theirs[b][1])
                b += 1
            elif a < len(ours):
                left.append(ours[a][1])
                ends[0] += len(ours[a][1])
                a += 1
            else:
                break
            if ends[0] == ends[1] and left and right:
                break
        position = ends[0]
        yield Difference(document, start, left, right)

"""Compares imported tokenizers with the programs they come from."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import superword
from superword import Tokenizer

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.nasty import nasty_texts  # noqa: E402

Ids = list[int]


@dataclass
class Origin:
    """The original program: ids with special tokens as tokens, and as plain text; and decoding."""

    encode: Callable[[str], Ids]
    encode_plain: Callable[[str], Ids]
    decode: Callable[[Ids], bytes]


def open_origin(folder: Path) -> Origin:
    """The original program of a fetched family."""
    if (folder / "tokenizer.json").is_file():
        return _huggingface(folder / "tokenizer.json")
    if (folder / "tekken.json").is_file():
        return _tekken(folder / "tekken.json")
    return _tiktoken(folder / "ranks.tiktoken")


def _huggingface(file: Path) -> Origin:
    import tokenizers

    special = tokenizers.Tokenizer.from_file(str(file))
    plain = tokenizers.Tokenizer.from_file(str(file))
    plain.encode_special_tokens = True
    return Origin(
        lambda text: special.encode(text, add_special_tokens=False).ids,
        lambda text: plain.encode(text, add_special_tokens=False).ids,
        lambda ids: special.decode(ids, skip_special_tokens=False).encode(),
    )


def _tiktoken(file: Path) -> Origin:
    import tiktoken

    sidecar = json.loads(Path(f"{file}.json").read_text(encoding="utf-8"))
    lines = [line.split() for line in file.read_bytes().splitlines()]
    encoding = tiktoken.Encoding(
        file.parent.name,
        pat_str=sidecar["pat_str"],
        mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in lines},
        special_tokens=sidecar["special_tokens"],
    )
    return Origin(
        lambda text: encoding.encode(text, allowed_special="all"),
        encoding.encode_ordinary,
        encoding.decode_bytes,
    )


def _tekken(file: Path) -> Origin:
    """As Mistral's program does it: ranks in tiktoken, moved by the number of special tokens.

    It never looks for special tokens in a text.
    """
    import tiktoken

    data = json.loads(file.read_text(encoding="utf-8"))
    config = data["config"]
    first = config["default_num_special_tokens"]
    used = config["default_vocab_size"] - first
    entries = data["vocab"][:used]
    encoding = tiktoken.Encoding(
        "tekken",
        pat_str=config["pattern"],
        mergeable_ranks={base64.b64decode(e["token_bytes"]): e["rank"] for e in entries},
        special_tokens={},
    )

    def encode(text: str) -> Ids:
        return [id + first for id in encoding.encode_ordinary(text)]

    return Origin(encode, encode, lambda ids: encoding.decode_bytes([id - first for id in ids]))


def documents(corpus: Path, size: int) -> Iterator[tuple[str, list[str]]]:
    """The first documents of each file of a corpus, up to this many bytes."""
    for file in sorted([*corpus.glob("*.jsonl.zst"), *(corpus / "multi").glob("*.jsonl.zst")]):
        found, seen = [], 0
        for text in superword.documents([file]):
            found.append(text)
            seen += len(text.encode())
            if seen >= size:
                break
        yield file.name, found


@dataclass
class Comparison:
    """How an imported tokenizer compares with its origin."""

    texts: int = 0
    ids: int = 0
    decoded: int = 0
    """How many texts decode to something else."""
    plain: int = 0
    """How many have other ids with special tokens as plain text."""
    first: list[str] = field(default_factory=list)

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not (self.ids or self.decoded or self.plain)


def compare(
    origin: Origin, model: Tokenizer, texts: Iterable[str], tekken: bool = False
) -> Comparison:
    """Encode and decode texts with both, and count those that differ."""
    found = Comparison()
    special = list(model.special_tokens)
    for text in texts:
        found.texts += 1
        has_special = any(token in text for token in special)
        if not (tekken and has_special):
            theirs = origin.encode(text)
            ours = model.encode(text, allowed_special="all")
            if ours != theirs:
                found.ids += 1
                _note(found, "ids", text, ours, theirs)
            if model.decode_bytes(theirs).decode(errors="replace") != origin.decode(theirs).decode(
                errors="replace"
            ):
                found.decoded += 1
                _note(found, "decoded", text, model.decode_bytes(theirs), origin.decode(theirs))
        if has_special:
            theirs = origin.encode_plain(text)
            ours = model.encode(text)
            if ours != theirs:
                found.plain += 1
                _note(found, "plain", text, ours, theirs)
    return found


def _note(found: Comparison, what: str, text: str, ours: Any, theirs: Any) -> None:
    if len(found.first) < 5:
        at = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), 0)
        ours, theirs = ours[at : at + 8], theirs[at : at + 8]
        found.first.append(f"{what}: {text[:60]!r}, from {at}: {ours} instead of {theirs}")


def check_nasty(origin: Origin, model: Tokenizer, tekken: bool = False) -> Comparison:
    """Compare on the nasty texts, with the added tokens of the model in some of them."""
    added = [token.content for token in model.added_tokens]
    ordinary = [token.content for token in model.added_tokens if not token.special]
    texts = nasty_texts([*ordinary[:30], *added])
    # Tokens that only a look-up of the whole pretoken finds.
    unmade = [token.decode(errors="ignore") for token in list(model.unmade_tokens)[:1000]]
    texts += [" ".join(unmade), "\n".join(unmade), "".join(unmade), *unmade[:200]]
    return compare(origin, model, texts, tekken)

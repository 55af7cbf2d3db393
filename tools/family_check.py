"""Compares imported tokenizers with the programs they come from."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from superword import Tokenizer
from superword.inputs import documents as read_documents

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.nasty import nasty_texts  # noqa: E402

Ids = list[int]


@dataclass
class Origin:
    """The original program: ids with special tokens as tokens, and as plain text; and decoding."""

    encode: Callable[[list[str]], list[Ids]]
    encode_plain: Callable[[list[str]], list[Ids]]
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
        lambda texts: [e.ids for e in special.encode_batch_fast(texts, add_special_tokens=False)],
        lambda texts: [e.ids for e in plain.encode_batch_fast(texts, add_special_tokens=False)],
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
        lambda texts: encoding.encode_batch(texts, num_threads=2, allowed_special="all"),
        lambda texts: encoding.encode_ordinary_batch(texts, num_threads=2),
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

    def encode(texts: list[str]) -> list[Ids]:
        batch = encoding.encode_ordinary_batch(texts, num_threads=2)
        return [[id + first for id in ids] for ids in batch]

    return Origin(encode, encode, lambda ids: encoding.decode_bytes([id - first for id in ids]))


def documents(corpus: Path, size: int) -> Iterator[tuple[str, list[str]]]:
    """The first documents of each file of a corpus, up to this many bytes."""
    for file in sorted([*corpus.glob("*.jsonl.zst"), *(corpus / "multi").glob("*.jsonl.zst")]):
        found, seen = [], 0
        for text in read_documents([file]):
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
    has_special = _finder(list(model.special_tokens))
    remaining = iter(texts)
    while batch := list(islice(remaining, 200)):
        found.texts += len(batch)
        # Mistral's program never looks for special tokens in a text.
        tokens = [text for text in batch if not (tekken and has_special(text))]
        ours = model.encode_batch(tokens, allowed_special="all")
        for text, mine, theirs in zip(tokens, ours, origin.encode(tokens), strict=True):
            if mine != theirs:
                found.ids += 1
                _note(found, "ids", text, mine, theirs)
            decoded, expected = _text(model.decode_bytes(theirs)), _text(origin.decode(theirs))
            if decoded != expected:
                found.decoded += 1
                _note(found, "decoded", text, decoded, expected)
        plain = [text for text in batch if has_special(text)]
        ours = model.encode_batch(plain)
        for text, mine, theirs in zip(plain, ours, origin.encode_plain(plain), strict=True):
            if mine != theirs:
                found.plain += 1
                _note(found, "plain", text, mine, theirs)
    return found


def _finder(tokens: list[str]) -> Callable[[str], bool]:
    """Tells whether a text holds one of the tokens. Few tokens start in different ways."""
    starts = {token[:2] for token in tokens}

    def finds(text: str) -> bool:
        if not any(start in text for start in starts):
            return False
        return any(token in text for token in tokens)

    return finds


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


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

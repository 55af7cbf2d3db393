"""docs/data/choosing.json, and the numbers that follow from it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from superword.evaluation import ModelShape
from superword.evaluation.numbers import cost

DOCS = Path(__file__).resolve().parents[2] / "docs"
DATA = DOCS / "data" / "choosing.json"

TEXTS = {"en": "English", "code": "source code", "mixed": "mixed"}
SIZES = (8_192, 16_384, 32_768, 65_536, 131_072)
# The size at which presets, restrictions and languages are compared.
SIZE = 65_536
SIXTEENTHS = {0: "none", 1: "1/16", 2: "1/8", 4: "1/4", 6: "3/8", 8: "1/2", 12: "3/4"}
SHAPES = {
    "0.1 billion": ModelShape(
        layers=12, hidden=768, heads=12, kv_heads=12, feed_forward=2048, context=2048
    ),
    "1 billion": ModelShape(layers=16, hidden=2048, heads=32, kv_heads=8, feed_forward=8192),
    "8 billion": ModelShape(),
    "70 billion": ModelShape(layers=80, hidden=8192, heads=64, kv_heads=8, feed_forward=28672),
}


@dataclass(frozen=True)
class Row:
    """A model on a group of a text."""

    tokens: int
    bytes: int
    superwords: int
    partial: int
    """Tokens of the vocabulary that hold part of a character."""
    edges: dict[str, list[int]]

    @property
    def density(self) -> float:
        """Bytes per token."""
        return self.bytes / self.tokens

    def edge(self, place: str) -> float:
        """The share of the places of a kind that are inside a token."""
        part, total = self.edges[place]
        return part / total


class Data:
    """What was measured."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record

    @classmethod
    def load(cls) -> Data:
        """The recorded measurement."""
        return cls(json.loads(DATA.read_text(encoding="utf-8")))

    @cached_property
    def bytes(self) -> dict[str, dict[str, int]]:
        """The held-out bytes, by text and group."""
        found = {}
        for text, groups in self.record["held_out"].items():
            sizes = {group: size for group, (_, size) in groups.items()}
            found[text] = {**sizes, "all": sum(sizes.values())}
        return found

    @cached_property
    def languages(self) -> list[str]:
        """The groups of the mixed text."""
        return list(self.record["held_out"]["mixed"])

    def row(self, section: str, name: str, model: str, group: str = "all") -> Row:
        """One model on one group. The name of an entry begins with its text, or is a method."""
        found = self.record[section][name][model]
        numbers = found["groups"][group]
        text = name.split()[0] if name.split()[0] in self.bytes else "mixed"
        return Row(
            numbers["tokens"],
            self.bytes[text][group],
            found["superwords"],
            found["partial_characters"],
            numbers["edges"],
        )

    def method(self, text: str, method: str, size: int) -> Row:
        """BPE or BoundlessBPE with a vocabulary of this size."""
        return self.row("methods", text, f"{method} {size}")

    def supermerges(self, text: str, size: int, sixteenths: int) -> Row:
        """SuperBPE with this share of supermerges."""
        return self.row("supermerges", f"{text} {size}", f"{size * sixteenths // 16}")

    def fewer(self, group: str) -> float:
        """The tokens that the default saves, compared with words split as GPT-4o does."""
        words = self.row("presets", "bpe", "gpt4o", group)
        default = self.row("presets", "boundless", "gpt4o-portable", group)
        return 1 - default.tokens / words.tokens

    def curve(self, text: str, method: str) -> list[tuple[int, int]]:
        """Vocabulary sizes, and the tokens of the held-out text at that size."""
        found = self.record["methods"][text][f"{method} {SIZES[-1]}"]["curve"]
        return [(size, tokens) for size, tokens in found]

    def operations(self, text: str, size: int, shape: ModelShape) -> float:
        """What a language model computes to write a megabyte of the text."""
        return self._operations(text, self.method(text, "boundless", size).tokens, size, shape)

    def best_size(self, text: str, shape: ModelShape) -> int:
        """The vocabulary size with the fewest operations."""
        points = self.curve(text, "boundless")
        return min(points, key=lambda point: self._operations(text, point[1], point[0], shape))[0]

    def _operations(self, text: str, tokens: int, size: int, shape: ModelShape) -> float:
        found = cost(tokens, self.bytes[text]["all"], size, shape).decode_flops
        if found is None:
            raise ValueError(f"there is no held-out text of the kind {text}")
        return found

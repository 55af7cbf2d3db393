"""Measure what the guide to choosing says, and write its tables and figures.

    python tools/measure_choosing.py CORPUS    # measure, record in docs/data/choosing.json, render
    python tools/measure_choosing.py           # render docs/choosing.md and docs/faq.md again

CORPUS is a directory with en-1.jsonl.zst, code.jsonl.zst and multi/*.jsonl.zst. Three texts of
about 40 MB are made of it: English, source code, and a mix of languages and code. A small one is
Khmer, with and without zero-width spaces. Models learn from nine tenths of the documents of each
text and are evaluated on the rest. Nothing here is timed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import superword
from guide import choosing_page
from superword import Tokenizer
from superword.evaluation import ModelResult
from superword.inputs import documents

SIZES = (8_192, 16_384, 32_768, 65_536, 131_072)
DEFAULT_SIZE = 65_536
# SuperBPE learns this share of its vocabulary by supermerges, in sixteenths.
SIXTEENTHS = (0, 1, 2, 4, 6, 8, 12)
PRESETS = (
    "gpt4o-portable",
    "gpt4o-script",
    "gpt4o",
    "gpt4",
    "llama3",
    "qwen2",
    "qwen3.5",
    "tekken",
    "kimi-k2",
    "deepseek-v3",
    "command-r",
    "gpt2",
)
RESTRICTIONS: dict[str, dict[str, Any]] = {
    "boundary any": {"boundary": "any"},
    "boundary exportable": {"boundary": "exportable"},
    "boundary space": {"boundary": "space"},
    "max_words 4": {"max_words": 4},
    "max_words 3": {"max_words": 3},
    "max_words 2": {"max_words": 2},
    "gpt4o, boundary any": {"pretokenizer": "gpt4o", "boundary": "any"},
    "gpt4o, boundary exportable": {"pretokenizer": "gpt4o", "boundary": "exportable"},
}
AMOUNTS = ("1MB", "2MB", "4MB", "8MB", "16MB", "32MB")
LANGUAGES = ("ar", "de", "es", "fa", "fr", "he", "hi", "ja", "km", "ko", "ru", "th", "zh")
# The texts that methods and numbers of supermerges are compared on.
KINDS = ("en", "code", "mixed")
ZERO_WIDTH_SPACE = "\u200b"
# A figure needs no more points than this.
POINTS = 64


class Text:
    """A text of one kind: one file to learn from, and held-out files by group."""

    def __init__(self, kind: str, parts: dict[str, tuple[Path, str]], folder: Path) -> None:
        leave_out = ZERO_WIDTH_SPACE if kind == "km-joined" else None
        self.train = folder / f"{kind}.jsonl"
        self.held_out: dict[str, str | Path] = {}
        self.bytes: dict[str, int] = {}
        with self.train.open("w", encoding="utf-8") as learn:
            for group, (source, size) in parts.items():
                path = folder / f"{kind}-{group}.jsonl"
                self.held_out[group] = path
                self.bytes[group] = 0
                with path.open("w", encoding="utf-8") as rest:
                    for place, text in enumerate(documents([source], max_bytes=size)):
                        if leave_out is not None:
                            text = text.replace(leave_out, "")
                        line = json.dumps({"text": text}) + "\n"
                        if place % 10:
                            self.bytes[group] += len(text.encode())
                        (learn if place % 10 else rest).write(line)

    def model(self, **options: Any) -> Tokenizer:
        """A model of the training part."""
        return superword.train([self.train], threads=1, **options)

    def measured(self, models: dict[str, Tokenizer], curves: bool = False) -> dict[str, Any]:
        """The numbers of each model, by group."""
        result = superword.evaluate(models, self.held_out, threads=1)
        return {model.name: _numbers(model, curves) for model in result.models}


def _numbers(model: ModelResult, curves: bool) -> dict[str, Any]:
    row: dict[str, Any] = {
        "n_vocab": model.n_vocab,
        "superwords": model.vocabulary.superwords,
        "partial_characters": model.vocabulary.partial_characters,
        "groups": {
            name: {
                "tokens": one.size.tokens,
                "saved": one.superwords.saved,
                "used": one.use.used.part,
                "edges": {
                    place: [edge.part, edge.total]
                    for place in ("words", "sentences", "lines")
                    for edge in [getattr(one.edges, place)]
                },
            }
            for name, one in model.numbers.items()
        },
    }
    if curves and model.curves.vocabulary_sizes is not None:
        row["curve"] = _thinned(model.curves.vocabulary_sizes["all"])
    return row


def _thinned(points: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """About `POINTS` of the points, evenly spaced on a logarithmic axis."""
    kept: list[tuple[int, int]] = []
    step = (points[-1][0] / 1_000) ** (1 / POINTS)
    least = 1_000.0
    for size, tokens in points:
        if size >= least or size == points[-1][0]:
            kept.append((size, tokens))
            while least <= size:
                least *= step
    return kept


def methods(texts: dict[str, Text]) -> Iterator[tuple[str, dict[str, Any]]]:
    """BPE and BoundlessBPE at every size, which are truncations of the largest."""
    for kind in KINDS:
        text = texts[kind]
        models = {}
        for method in ("bpe", "boundless"):
            largest = text.model(method=method, vocab_size=SIZES[-1])
            models |= {f"{method} {size}": largest.truncate(size) for size in SIZES}
        yield kind, text.measured(models, curves=True)


def supermerges(texts: dict[str, Text]) -> Iterator[tuple[str, dict[str, Any]]]:
    """SuperBPE with more and more supermerges in a vocabulary of one size."""
    for kind in KINDS:
        text = texts[kind]
        for size in SIZES[2:] if kind == "en" else (DEFAULT_SIZE,):
            models = {}
            for share in SIXTEENTHS:
                some = size * share // 16
                how = {"method": "superbpe", "supermerges": some} if some else {"method": "bpe"}
                models[f"{some}"] = text.model(vocab_size=size, **how)
            yield f"{kind} {size}", text.measured(models)


def presets(texts: dict[str, Text]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every preset, with and without superwords."""
    text = texts["mixed"]
    for method in ("bpe", "boundless"):
        models = {
            name: text.model(method=method, vocab_size=DEFAULT_SIZE, pretokenizer=name)
            for name in PRESETS
        }
        yield method, text.measured(models)


def restrictions(texts: dict[str, Text]) -> Iterator[tuple[str, dict[str, Any]]]:
    """BoundlessBPE with options that leave superwords out."""
    for kind in ("en", "mixed"):
        text = texts[kind]
        models = {
            name: text.model(vocab_size=DEFAULT_SIZE, **options)
            for name, options in RESTRICTIONS.items()
        }
        yield kind, text.measured(models)


def amounts(texts: dict[str, Text]) -> Iterator[tuple[str, dict[str, Any]]]:
    """BoundlessBPE from more and more text."""
    text = texts["en"]
    models = {
        f"{method} {amount}": text.model(method=method, vocab_size=SIZES[2], max_bytes=amount)
        for method in ("bpe", "boundless")
        for amount in AMOUNTS
    }
    yield "en", text.measured(models)


def zero_width(texts: dict[str, Text]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Khmer with the zero-width spaces between its words, and without."""
    for kind in ("km", "km-joined"):
        text = texts[kind]
        models = {
            f"{method} {preset}": text.model(
                method=method, vocab_size=SIZES[0], pretokenizer=preset
            )
            for method, preset in (
                ("bpe", "gpt4o"),
                ("boundless", "gpt4o-portable"),
                ("boundless", "gpt4o"),
            )
        }
        yield kind, text.measured(models)


SECTIONS = {
    "methods": methods,
    "supermerges": supermerges,
    "presets": presets,
    "restrictions": restrictions,
    "amounts": amounts,
    "zero_width": zero_width,
}


def measure(corpus: Path, output: Path, only: list[str]) -> None:
    """Measure and record. Each section is recorded when it is done."""
    multi = {name: (corpus / "multi" / f"{name}.jsonl.zst", "2MB") for name in LANGUAGES}
    en, code = corpus / "en-1.jsonl.zst", corpus / "code.jsonl.zst"
    plan = {
        "en": {"en": (en, "40MB")},
        "code": {"code": (code, "40MB")},
        "mixed": {"en": (en, "8MB"), "code": (code, "6MB"), **multi},
        "km": {"km": multi["km"]},
        "km-joined": {"km": multi["km"]},
    }
    record: dict[str, Any] = {}
    if only and output.exists():
        record = json.loads(output.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        texts = {kind: Text(kind, parts, Path(folder)) for kind, parts in plan.items()}
        record |= {
            "command": "python tools/measure_choosing.py CORPUS",
            "superword": superword.__version__,
            "learned_from_bytes": {kind: text.bytes for kind, text in texts.items()},
            "held_out": {
                kind: {
                    group: [sum(1 for _ in documents([path])), _size(path)]
                    for group, path in text.held_out.items()
                }
                for kind, text in texts.items()
            },
        }
        for section in only or SECTIONS:
            record[section] = {}
            for name, numbers in SECTIONS[section](texts):
                print(section, name, flush=True)
                record[section][name] = numbers
            output.write_text(json.dumps(record, separators=(",", ":")) + "\n", encoding="utf-8")


def _size(path: str | Path) -> int:
    return sum(len(text.encode()) for text in documents([path]))


def main() -> None:
    """Measure if there is a corpus, then render."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, nargs="?")
    parser.add_argument("--only", action="append", choices=SECTIONS, default=[])
    options = parser.parse_args()
    if options.corpus is not None:
        measure(options.corpus, choosing_page.DATA, options.only)
    choosing_page.render()


if __name__ == "__main__":
    main()

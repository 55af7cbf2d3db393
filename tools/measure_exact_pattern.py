"""Measure the size and speed of the pattern of the exact export.

    python tools/measure_exact_pattern.py MODEL TEXT... --leaves 25000

The leaves are those of the superwords of MODEL, and its most frequent words up to --leaves. The
TEXT files (plain text) are split by the fine pattern and by the exact one.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import tiktoken
from superword import Pretokenizer, Tokenizer
from superword.export.leaves import Shapes, leaf_pattern
from superword.export.unicode import pinned
from tokenizers import Regex, pre_tokenizers


def leaves_of(model: Tokenizer, wanted: int) -> dict[str, int]:
    """Leaves with their counts, filled up with other words."""
    fine, shapes = model.pretokenizer, Shapes()
    made = {left + right for left, right, _ in model.supermerges}
    leaves: dict[str, int] = {}
    for left, right, count in model.supermerges:
        for part in (left, right):
            if part not in made:
                leaves[part.decode()] = leaves.get(part.decode(), 0) + count
    for left, right, count in model.merges:
        if len(leaves) >= wanted:
            break
        text = (left + right).decode(errors="replace")
        if shapes.of(text) is not None and fine.is_eligible(text) and fine.split(text) == [text]:
            leaves.setdefault(text, count)
    return leaves


def main() -> None:
    """Print a line for each pattern and engine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--leaves", type=int, default=0)
    options = parser.parse_args()
    text = "\n".join(path.read_text(encoding="utf-8") for path in options.texts)
    size = len(text.encode()) / 1e6
    leaves = leaves_of(Tokenizer.load(options.model), options.leaves)
    fine = Pretokenizer("gpt4o-export").pattern
    exact = pinned(leaf_pattern(leaves, Shapes()) + "|" + fine)
    print(f"{len(leaves)} leaves, {size:.2f} MB of text")
    for name, pattern in (("fine", pinned(fine)), ("exact", exact)):
        start = time.perf_counter()
        split = pre_tokenizers.Split(Regex(pattern), "isolated")
        split.pre_tokenize_str("x")
        compiled = time.perf_counter() - start
        best = min(_seconds(lambda: split.pre_tokenize_str(text)) for _ in range(3))  # noqa: B023
        print(
            f"{name}: {len(pattern.encode()) / 1000:.1f} kB; Hugging Face: compiled in "
            f"{compiled:.3f} s, cuts {size / best:.1f} MB/s"
        )
        ranks = {bytes([byte]): byte for byte in range(256)}
        start = time.perf_counter()
        encoding = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        encoding.encode_ordinary("x")
        compiled = time.perf_counter() - start
        best = min(_seconds(lambda: encoding.encode_ordinary(text)) for _ in range(3))  # noqa: B023
        print(
            f"{name}: tiktoken: compiled in {compiled:.3f} s, cuts and gives bytes at "
            f"{size / best:.1f} MB/s"
        )


def _seconds(work: object) -> float:
    assert callable(work)
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()

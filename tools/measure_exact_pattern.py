"""Measure the size and speed of the pattern of an exact export.

    python tools/measure_exact_pattern.py MODEL TEXT...

The TEXT files (plain text) are split by the fine pattern of MODEL and by that of its exact export.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import tiktoken
from superword import Tokenizer
from superword.export import make_plan
from superword.export.patterns import fine_of
from superword.export.unicode import pinned
from tokenizers import Regex, pre_tokenizers


def main() -> None:
    """Print the size of both patterns, and the speed of both engines with each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("texts", nargs="+", type=Path)
    options = parser.parse_args()
    model = Tokenizer.load(options.model)
    plan = make_plan(model, "exact")
    texts = [text for file in options.texts for text in file.read_text().split("\n\n")]
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    if plan.runs is not None:
        print(f"{len(plan.runs.leaves):,} leaves, {len(plan.runs.parts):,} superwords")
    ranks = {bytes([byte]): byte for byte in range(256)}
    for name, pattern in (("fine", pinned(fine_of(model.pretokenizer))), ("exact", plan.pattern)):
        start = time.perf_counter()
        split = pre_tokenizers.Split(Regex(pattern), "isolated")
        encoding = tiktoken.Encoding(
            name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
        )
        compiled = time.perf_counter() - start
        start = time.perf_counter()
        for text in texts:
            split.pre_tokenize_str(text)
        huggingface = megabytes / (time.perf_counter() - start)
        start = time.perf_counter()
        for text in texts:
            encoding.encode_ordinary(text)
        print(
            f"{name}: {len(pattern.encode()):,} bytes, compiled in {compiled:.2f} s, "
            f"Hugging Face {huggingface:.2f} MB/s, "
            f"tiktoken {megabytes / (time.perf_counter() - start):.2f} MB/s"
        )


if __name__ == "__main__":
    main()

"""`python -m benches.large corpus DIR`: make the corpus. `measure DIR`: train on it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benches import RECORDED
from benches.large import corpus
from benches.large.measure import METHODS, SHARES, measure


def main(arguments: list[str] | None = None) -> None:
    """Run one of the two steps."""
    parser = argparse.ArgumentParser(prog="python -m benches.large", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    make = steps.add_parser("corpus", help="download source packages and write JSONL")
    make.add_argument("directory", type=Path)
    make.add_argument("--gigabytes", type=float, default=9.5, help="bytes of text (default: 9.5)")
    make.add_argument("--mirror", help="address of a Debian mirror (default: the one of apt)")
    make.add_argument("--release", help="its release, such as stable")
    train = steps.add_parser("measure", help="train on the corpus")
    train.add_argument("directory", type=Path)
    train.add_argument("--output", type=Path, default=RECORDED / "large")
    train.add_argument("--vocab-size", type=int, default=131_072)
    train.add_argument("--methods", default=",".join(METHODS))
    train.add_argument("--shares", default=",".join(SHARES), help="of the peak, as max_memory")
    given = parser.parse_args(arguments)
    if given.step == "corpus":
        address, release = given.mirror, given.release or "stable"
        if address is None:
            address, release = corpus.mirror()
            release = given.release or release
        made = corpus.make(given.directory, int(given.gigabytes * 1e9), address, release)
        print(
            f"{made['bytes']:,} bytes of text in {made['documents']:,} documents "
            f"({made['jsonl_bytes']:,} bytes of JSONL) from {made['packages']:,} packages",
            file=sys.stderr,
        )
    else:
        shares = [share for share in given.shares.split(",") if share]
        methods = given.methods.split(",")
        path = measure(given.directory, given.output, given.vocab_size, methods, shares)
        print(f"recorded in {path}", file=sys.stderr)


if __name__ == "__main__":
    main()

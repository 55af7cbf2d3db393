"""`python -m benches.large corpus DIR`: make the corpus. `measure DIR`: train on it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benches.large import corpus


def main(arguments: list[str] | None = None) -> None:
    """Run one of the two steps."""
    parser = argparse.ArgumentParser(prog="python -m benches.large", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    make = steps.add_parser("corpus", help="download source packages and write JSONL")
    make.add_argument("directory", type=Path)
    make.add_argument("--gigabytes", type=float, default=9.5, help="bytes of text (default: 9.5)")
    make.add_argument("--mirror", help="address of a Debian mirror (default: the one of apt)")
    make.add_argument("--release", help="its release, such as stable")
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


if __name__ == "__main__":
    main()

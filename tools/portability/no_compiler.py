#!/usr/bin/env python3
"""Stands in for a C compiler and its archiver where nothing is linked: writes empty files.

`cargo check` runs the build scripts of crates with C sources, and those need a compiler for the
target. The objects are never used.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main(arguments: list[str]) -> None:
    """Create every file that a compiler or an archiver would write."""
    if "-E" in arguments or "/E" in arguments:
        # The crate `cc` asks which compiler this is.
        print("clang")
        return
    for place, argument in enumerate(arguments):
        if argument == "-o" and place + 1 < len(arguments):
            Path(arguments[place + 1]).touch()
        elif argument.startswith(("-Fo", "/Fo")):
            Path(argument[3:]).touch()
        elif argument.startswith(("-out:", "/out:", "-OUT:", "/OUT:")):
            Path(argument[5:]).touch()
        elif argument.endswith((".a", ".lib")):
            Path(argument).touch()


if __name__ == "__main__":
    main(sys.argv[1:])

"""Import the `tekken.json` files of Mistral."""

from __future__ import annotations

import os
from pathlib import Path

from superword import _core
from superword._files.read import read_file
from superword.imports.contents import content_of
from superword.tokenizer import Tokenizer

__all__ = ["from_tekken"]


def from_tekken(path: str | os.PathLike[str]) -> Tokenizer:
    """Import a `tekken.json`. See `Tokenizer.from_file`."""
    file = Path(path)
    content = content_of(file, read_file(file, "give a tekken.json"))
    return Tokenizer._wrap(_core.import_tekken(content))

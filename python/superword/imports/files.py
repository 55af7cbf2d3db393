"""One way in for every file: recognise what a path is, and import it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from superword import _core
from superword._files.read import read_file
from superword.errors import ConversionError, OptionError
from superword.imports.contents import content_of
from superword.imports.huggingface import from_huggingface
from superword.imports.paper import from_paper
from superword.imports.tekken import from_tekken
from superword.imports.tiktoken import from_tiktoken
from superword.tokenizer import Tokenizer

__all__ = ["open_any"]

# What a directory is searched for, in this order.
_IN_DIRECTORY = ("tokenizer.json", "vocab.json", "tekken.json", "tiktoken.model", "tokenizer.model")
_HINT = (
    "give a tokenizer.json, its directory, a .tiktoken file, a tekken.json, or a model of "
    "superword or of the paper's program"
)


def open_any(
    path: str | os.PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    ignore_normalizer: bool = False,
) -> Tokenizer:
    """Import any file or directory that superword can read. See `Tokenizer.from_file`."""
    file = _file_in(Path(path))
    kind = _kind_of(file)
    given = {
        "pattern": pattern is not None,
        "special_tokens": special_tokens is not None,
        "ignore_normalizer": ignore_normalizer,
    }
    known = {"tiktoken": {"pattern", "special_tokens"}, "huggingface": {"ignore_normalizer"}}
    for option, is_given in given.items():
        if is_given and option not in known.get(kind, set()):
            raise OptionError(
                f"`{option}` cannot be used with {file}",
                hint="it is for .tiktoken files, which lack it"
                if option in known["tiktoken"]
                else "it is for tokenizers of Hugging Face",
                option=option,
            )
    if kind == "huggingface":
        return from_huggingface(file, ignore_normalizer=ignore_normalizer)
    if kind == "tiktoken":
        return from_tiktoken(file, pattern, special_tokens)
    if kind == "tekken":
        return from_tekken(file)
    if kind == "paper":
        return from_paper(file)
    return Tokenizer.load(file)


def _file_in(path: Path) -> Path:
    """The file that stands for a directory."""
    if not path.is_dir():
        return path
    for name in _IN_DIRECTORY:
        if (path / name).is_file():
            return path / name
    found = sorted([*path.glob("*.superword"), *path.glob("*.tiktoken")])
    if len(found) == 1:
        return found[0]
    if found:
        raise ConversionError(
            f"there are several tokenizers in {path}: {', '.join(file.name for file in found)}",
            hint="give one of the files",
            path=str(path),
        )
    raise ConversionError(
        f"there is no tokenizer in {path}",
        hint=f"superword looks for {', '.join(_IN_DIRECTORY)}",
        path=str(path),
    )


def _kind_of(file: Path) -> str:
    content = read_file(file, _HINT)
    if file.name == "merges.txt":
        return "huggingface"
    return _core.file_kind(content_of(file, content))

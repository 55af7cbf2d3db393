"""`vocab.json` and `merges.txt`, the files of GPT-2 and of other models before `tokenizer.json`."""

from __future__ import annotations

from pathlib import Path

from superword._files.read import read_file
from superword.errors import ConversionError
from superword.imports.contents import Content, content_of

__all__ = ["old_files"]


def old_files(path: Path) -> tuple[Content, Content, Content | None] | None:
    """`vocab.json`, `merges.txt` and `added_tokens.json`, if they are a tokenizer.

    They are in a directory without a tokenizer.json, or at and beside one of the first two.
    """
    folder = path if path.is_dir() else path.parent
    if path.is_dir() and (path / "tokenizer.json").exists():
        return None
    if not path.is_dir() and path.name not in ("vocab.json", "merges.txt"):
        return None
    files = (folder / "vocab.json", folder / "merges.txt")
    missing = [file for file in files if not file.is_file()]
    if path.is_dir() and len(missing) == 2:
        return None
    if missing:
        raise ConversionError(
            f"there is no file {missing[0]}",
            hint="vocab.json and merges.txt belong together; give both, or a tokenizer.json",
            path=str(missing[0]),
        )
    vocab, merges = (content_of(file, read_file(file, f"give a {file.name}")) for file in files)
    added = folder / "added_tokens.json"
    if not added.is_file():
        return vocab, merges, None
    return vocab, merges, content_of(added, read_file(added, "check the file"))

"""Import byte-level BPE of Hugging Face: the `tokenizer.json` of GPT-2, Llama 3, Qwen, ...

The engine converts the contents. This module reads the files, and turns the objects of `tokenizers`
and `transformers` into the contents of files.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from superword import _core
from superword._files.read import read_file
from superword.errors import OptionError
from superword.imports.config_files import config_of, configs_beside
from superword.imports.contents import Content, content_of
from superword.imports.old_files import old_files
from superword.tokenizer import Tokenizer

__all__ = ["from_huggingface"]

_HINT = "give a tokenizer.json, or the directory that holds it"


def from_huggingface(
    source: str | os.PathLike[str] | Any, *, ignore_normalizer: bool = False
) -> Tokenizer:
    """Import a file, a directory or an object. See `Tokenizer`."""
    if not isinstance(source, str | os.PathLike):
        content, configs = _object(source)
        return Tokenizer._wrap(_core.import_huggingface(content, configs, ignore_normalizer))
    path = Path(source)
    file = path / "tokenizer.json" if path.is_dir() else path
    old = old_files(path)
    configs = configs_beside(file.parent)
    if old is not None:
        vocab, merges, added = old
        return Tokenizer._wrap(
            _core.import_old_huggingface(vocab, merges, added, configs, ignore_normalizer)
        )
    content = content_of(file, read_file(file, _HINT))
    return Tokenizer._wrap(_core.import_huggingface(content, configs, ignore_normalizer))


def _object(source: Any) -> tuple[Content, list[Content]]:
    """The contents of a `tokenizers.Tokenizer` or of a tokenizer of transformers."""
    backend = getattr(source, "backend_tokenizer", source)
    if not hasattr(backend, "to_str"):
        raise OptionError(
            "a tokenizer is given as a path, a tokenizers.Tokenizer or a fast tokenizer of "
            f"transformers, not as {type(source).__name__}",
            hint="a slow tokenizer of transformers has no tokenizer.json; load it with "
            "AutoTokenizer.from_pretrained(..., use_fast=True)",
            option="source",
        )
    configs = [config_of(source)] if backend is not source else []
    return (None, backend.to_str().encode()), configs

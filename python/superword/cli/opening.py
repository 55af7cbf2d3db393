"""Open the tokenizers that a command gets, and tell them from a text."""

from __future__ import annotations

import difflib
import re
import shlex
from pathlib import Path

from superword import _core
from superword.errors import ConversionError, MissingModelError, OptionError, SuperwordError
from superword.tokenizer import Tokenizer

__all__ = ["CHECK_PATH", "check_not_mistyped", "exists", "is_model", "open_model"]

_MODEL_NAMES = {"tokenizer.json", "vocab.json", "merges.txt", "tekken.json"}
_MODEL_SUFFIXES = {".superword", ".tiktoken", ".model"}
_FILE_NAME = re.compile(r"\S*\.[A-Za-z][A-Za-z0-9_]{1,9}")  # `U.S.` and `v1.2` are texts.
_START = 16
CHECK_PATH = "check the path"


def open_model(path: str) -> Tokenizer:
    """Open a tokenizer of any kind. Raises `MissingModelError` if there is nothing."""
    if not exists(path):
        near = _near(path)
        raise MissingModelError(
            f"no such model: {path}",
            hint=f"did you mean {near}?" if near else CHECK_PATH,
            path=path,
        )
    try:
        return Tokenizer.from_file(path)
    except OptionError as error:
        if error.facts.get("option") != "pattern":
            raise
        raise ConversionError(
            f"{path} has no pattern: a .tiktoken file needs its .json file beside it",
            hint=f"import it first: superword import {path} --pattern gpt4o -o model.superword",
            path=path,
        ) from None


def exists(path: str) -> bool:
    """Whether there is a file or directory. A long text is not an error."""
    try:
        return bool(path) and Path(path).exists()  # An empty path is this directory.
    except (OSError, ValueError):
        return False


def is_model(path: str) -> bool:
    """Whether an existing file or directory is meant as a model, even if it is a damaged one."""
    file = Path(path)
    if file.is_dir() or file.name in _MODEL_NAMES or file.suffix in _MODEL_SUFFIXES:
        return True
    try:
        with file.open("rb") as stream:
            if _core.is_model_start(stream.read(_START)):
                return True
        Tokenizer.from_file(path)
    except (OSError, SuperwordError):
        return False
    return True


def check_not_mistyped(text: str) -> None:
    """Raise `MissingModelError` if a text looks like the name of a file that does not exist.

    A text of several words is a text, unless it ends like the name of a model.
    """
    word = re.search(r"\s", text) is None
    near = _near(text) if word else None
    if near is None and not (_is_file_name(text) if word else _has_model_suffix(text)):
        return
    raise MissingModelError(
        f"no such model or file: {text}",
        hint=(f"did you mean {near}? " if near else f"{CHECK_PATH}. ")
        + f"To show these characters as text, use --text {shlex.quote(text)}",
        path=text,
    )


def _is_file_name(text: str) -> bool:
    if "://" in text:
        return False
    if text.startswith(("/", "./", "../", "~/")) or _FILE_NAME.fullmatch(text):
        return True
    # `and/or` is a text, unless there is a directory of that name.
    return "/" in text and Path(text).parent.is_dir()


def _has_model_suffix(text: str) -> bool:
    return any(text.endswith(suffix) for suffix in _MODEL_SUFFIXES)


def _near(path: str) -> str | None:
    """The name of an existing file that is almost the same."""
    file = Path(path)
    try:
        names = [entry.name for entry in file.parent.iterdir()]
    except (OSError, ValueError):
        return None
    near = difflib.get_close_matches(file.name, names, n=1, cutoff=0.8)
    return str(file.parent / near[0]) if near else None

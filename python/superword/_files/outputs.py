"""Protects files from being overwritten by mistake.

An output replaces a file of the same kind: a model replaces a model, counts replace counts. Any
other file is replaced only with `overwrite=True` (`--force` on the command line). A file that is
being read is never replaced.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

from superword import _core
from superword._support.json_values import parse_json
from superword.errors import SaveError
from superword.inputs import STDIN, Input

__all__ = [
    "Kind",
    "check_not_read",
    "check_output",
    "check_replaceable",
    "is_counts",
    "is_hidden",
]

Kind = Literal[
    "model",
    "counts",
    "tiktoken",
    "tiktoken sidecar",
    "tokenizer.json",
    "config",
    "evaluation",
    "report",
    "page",
    "packed shard",
    "documents",
]

_NAMES: dict[Kind, str] = {
    "model": "a superword model",
    "counts": "a file of counts that superword wrote",
    "tiktoken": "a .tiktoken file",
    "tiktoken sidecar": "the .json file of a tiktoken export",
    "tokenizer.json": "a tokenizer.json that superword wrote",
    "config": "the tokenizer_config.json of a fast tokenizer",
    "evaluation": "the result of an evaluation",
    "report": "a report that superword wrote",
    "page": "a page of the playground",
    "packed shard": "a packed shard",
    "documents": "the second file of a shard, which says where its documents are",
}

_SAMPLES: dict[Kind, str] = {
    "evaluation": "result.json",
    "report": "report.html",
    "page": "playground.html",
    "packed shard": "ids.packed",
}

_RANK = re.compile(rb"[A-Za-z0-9+/]+=* [0-9]+\r?\n")
_START = 1 << 16

# How a report in HTML, Markdown or CSV begins.
REPORT_MARKS = (
    b'<meta name="generator" content="superword report">',
    b"<!-- superword report -->",
    b"model,group,number,value",
)


def check_replaceable(path: str | os.PathLike[str], kind: Kind, overwrite: bool = False) -> None:
    """Raise `SaveError` if `path` is a file of another kind, unless `overwrite` is set.

    An empty file may be replaced. A path that is not a regular file passes this check, but the
    engine refuses to replace it.
    """
    target = Path(path)
    try:
        status = target.stat()
        if overwrite or not stat.S_ISREG(status.st_mode) or not status.st_size:
            return
        if _LOOKS_LIKE[kind](target):
            return
        reason = f"the file exists and is not {_NAMES[kind]}"
    except FileNotFoundError:
        return
    except OSError as error:
        reason = f"the file exists and cannot be read: {error.strerror}"
    raise SaveError(
        f"{target} is not replaced: {reason}",
        hint="choose another name, or give `overwrite=True` to replace the file",
        path=str(target),
    )


def check_output(path: str | os.PathLike[str], kind: Kind, overwrite: bool) -> None:
    """Raise `SaveError` if `path` cannot or may not be written, before the work is done."""
    target = Path(path)
    folder = target.parent
    reason = hint = None
    if str(target) == STDIN:
        reason, hint = "it stands for standard output", "give the name of a file"
    elif target.is_dir():
        sample = target / _SAMPLES.get(kind, "m.superword")
        reason, hint = "it is a directory", f"give a file in it, such as {sample}"
    elif not folder.is_dir():
        reason, hint = f"there is no directory {folder}", f"create it first: mkdir -p {folder}"
    elif not os.access(folder, os.W_OK | os.X_OK):
        reason, hint = f"the directory {folder} is not writable", "choose another directory"
    if reason:
        raise SaveError(f"cannot save to {target}: {reason}", hint=hint, path=str(target))
    check_replaceable(target, kind, overwrite)


def check_not_read(
    outputs: Iterable[str | os.PathLike[str]], inputs: Callable[[], Iterable[Input | str | None]]
) -> None:
    """Raise `SaveError` if an output is one of the inputs, by whatever name.

    `inputs` is called only if an output exists: listing them may take a while.
    """
    existing = {
        (status.st_dev, status.st_ino): output
        for output in outputs
        if (status := _status(output)) is not None
    }
    if not existing:
        return
    for item in inputs():
        if item is None or (isinstance(item, Input) and item.data is not None):
            continue
        name = item.path if isinstance(item, Input) else item
        status = _stdin_status() if name == STDIN else _status(name)
        if status is not None and (status.st_dev, status.st_ino) in existing:
            output = os.fspath(existing[status.st_dev, status.st_ino])
            if name == STDIN:
                same = "it is being read as standard input"
            else:
                same = "it is one of the inputs" if name == output else f"it is the input {name}"
            raise SaveError(
                f"cannot save to {output}: {same}", hint="choose another name", path=output
            )


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def _stdin_status() -> os.stat_result | None:
    try:
        return os.fstat(sys.stdin.fileno())
    except (OSError, ValueError, AttributeError):
        return None  # There is no standard input, or it is not a file.


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_START)


def _is_model(path: Path) -> bool:
    return _core.is_model_start(_start(path))


def is_hidden(path: Path) -> bool:
    """Whether a file is hidden, as temporary files are."""
    return path.name.startswith(".")


def is_counts(path: Path) -> bool:
    """Whether a file holds counts that superword wrote. False if it cannot be read."""
    try:
        return path.is_file() and _is_counts(path)
    except OSError:
        return False


def _is_counts(path: Path) -> bool:
    start = _start(path)
    if start.startswith(b"PAR1"):
        # The metadata are at the end, before their length and the magic.
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 8))
            length = int.from_bytes(file.read(4), "little")
            file.seek(max(0, size - 8 - length))
            return b"superword" in file.read(length)
    if start.startswith(b"ARROW1"):
        return b"superword" in start
    return start.startswith(b"#superword\t")


def _is_ranks(path: Path) -> bool:
    return _RANK.match(_start(path)) is not None


def _json(path: Path) -> dict[str, Any]:
    try:
        content = parse_json(path.read_bytes())
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _is_sidecar(path: Path) -> bool:
    return {"pat_str", "special_tokens", "mode"} <= _json(path).keys()


def _is_tokenizer_json(path: Path) -> bool:
    """Whether it has the steps that every export has, unlike tokenizers of other programs."""
    content = _json(path)
    before = content.get("pre_tokenizer")
    steps = before.get("pretokenizers") if isinstance(before, dict) else None
    steps = steps if isinstance(steps, list) else []
    kinds = [step.get("type") for step in steps if isinstance(step, dict)]
    after = content.get("post_processor")
    return (
        kinds == ["Split", "ByteLevel"]
        and content.get("normalizer") is None
        and isinstance(after, dict)
        and after.get("type") == "ByteLevel"
    )


def _is_config(path: Path) -> bool:
    content = _json(path)
    return content.get("tokenizer_class") == "PreTrainedTokenizerFast"


def _is_evaluation(path: Path) -> bool:
    return {"format", "superword", "groups", "models"} <= _json(path).keys()


def _is_report(path: Path) -> bool:
    return any(mark in _start(path)[:400] for mark in REPORT_MARKS)


def _is_page(path: Path) -> bool:
    return b"<title>superword playground</title>" in _start(path)[:4096]


def _is_packed(path: Path) -> bool:
    return _start(path).startswith(b"\x93SWIDS\r\n")


def _is_documents(path: Path) -> bool:
    """Whether it is an array of `uint64`, in numpy's format."""
    start = _start(path)[:128]
    return start.startswith(b"\x93NUMPY") and b"'descr': '<u8'" in start


_LOOKS_LIKE: dict[Kind, Callable[[Path], bool]] = {
    "model": _is_model,
    "counts": _is_counts,
    "tiktoken": _is_ranks,
    "tiktoken sidecar": _is_sidecar,
    "tokenizer.json": _is_tokenizer_json,
    "config": _is_config,
    "evaluation": _is_evaluation,
    "report": _is_report,
    "page": _is_page,
    "packed shard": _is_packed,
    "documents": _is_documents,
}

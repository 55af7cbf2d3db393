"""The work directory: lock it for a run, and report what has changed since the last run in it.

The engine names each file there after everything that its content depends on, so work that no
longer applies is never used. This module only tells the user that something will be recomputed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from superword import _core
from superword._files.replace import replace_own
from superword._support.json_values import parse_json
from superword._support.text import plural
from superword.errors import OptionError, SaveError, WorkDirError
from superword.inputs import STDIN, Input
from superword.options import GREEDY_SPLIT, TrainOptions
from superword.pretokenizer import Pretokenizer

__all__ = ["check_inputs", "described", "held"]

RUN = "run.json"

# Options that never change the model.
_WITHOUT_EFFECT = ("threads", "work_dir", "max_memory")


def check_inputs(inputs: Sequence[Input]) -> None:
    """Raise unless all inputs are files: only then can a later run tell whether they changed."""
    for item in inputs:
        if item.data is not None or item.path == STDIN or not Path(item.path).is_file():
            name = "standard input" if item.path == STDIN else item.path
            raise OptionError(
                f"`work_dir` needs files: a later run could not tell whether {name} has changed",
                hint="write it to a file first, or leave `work_dir` out",
                option="work_dir",
            )


@contextmanager
def held(
    options: TrainOptions, names: Sequence[str]
) -> Iterator[tuple[_core.WorkDir | None, list[str]]]:
    """Lock the work directory, and list what has changed since the last run in it.

    Without `work_dir`, nothing is locked and nothing has changed.
    """
    if options.work_dir is None:
        yield None, []
        return
    folder = _core.WorkDir(os.fspath(options.work_dir))
    try:
        yield folder, _begin(Path(options.work_dir), options, names)
    finally:
        folder.close()


def _begin(folder: Path, options: TrainOptions, names: Sequence[str]) -> list[str]:
    """List what has changed since the last run in the directory, and record the new run."""
    now = {"options": described(options), "inputs": {name: _identity(name) for name in names}}
    try:
        before = _read(folder / RUN)
    except OSError as error:
        raise WorkDirError(
            f"{folder}: {error.strerror or error}",
            hint="choose a directory that can be read and written",
            path=str(folder),
        ) from None
    try:
        replace_own(folder / RUN, json.dumps(now, indent=1).encode())
    except SaveError as error:
        raise WorkDirError(
            error.message,
            hint="check the directory and the free space on its disk; the same command resumes "
            "from the finished work",
            path=str(folder),
        ) from None
    return [] if before is None else _changes(before, now)


def described(options: TrainOptions) -> dict[str, Any]:
    """Return the options that can change the model, as JSON values."""
    described: dict[str, Any] = {}
    for option in fields(TrainOptions):
        value = getattr(options, option.name)
        if option.name in _WITHOUT_EFFECT:
            continue
        if isinstance(value, Pretokenizer):
            value = list(value._config())
        elif option.name == "greedy_split":
            value = next(word for word, meant in GREEDY_SPLIT.items() if meant == value)
        elif isinstance(value, tuple):
            value = list(value)
        described[option.name] = value
    described_json: dict[str, Any] = json.loads(json.dumps(described))
    return described_json


def _identity(name: str) -> list[Any] | None:
    """Return the identity of a file as a JSON value, or None if there is no file."""
    found = _core.identity(name)
    return None if found is None else list(found)


def _read(path: Path) -> dict[str, Any] | None:
    """Return the record of the last run; None if there is none or it is damaged."""
    try:
        before = parse_json(path.read_bytes())
        known = all(isinstance(before[name], dict) for name in ("inputs", "options"))
        return before if known else None
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        return None


def _changes(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Describe the differences between two runs, one sentence each."""
    changes = []
    for name, value in now["options"].items():
        old = before["options"].get(name)
        if old != value:
            shown = "other patterns" if name == "pretokenizer" else f"{value!r}"
            was = "" if name == "pretokenizer" else f" (it was {old!r})"
            changes.append(
                f"`{name}` has changed to {shown}{was}: what depends on it will be recomputed"
            )
    old_inputs, inputs = before["inputs"], now["inputs"]
    for words, names in (
        ("changed", [n for n in inputs if n in old_inputs and old_inputs[n] != inputs[n]]),
        ("new", [n for n in inputs if n not in old_inputs]),
        ("removed", [n for n in old_inputs if n not in inputs]),
    ):
        if names:
            shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
            changes.append(
                f"{plural(len(names), 'input')} {words} ({shown}): what depends on it will be "
                "recomputed"
            )
    return changes

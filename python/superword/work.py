"""The directory of `work_dir`: what has changed since the work in it was begun.

The engine keeps each finished stage there under a name that follows from all that it depends on,
so what has changed is simply done again. This module notices and says it, and keeps other runs
out while one works.
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
from superword._files.replace import replace
from superword._support.text import plural
from superword.errors import OptionError, SaveError, WorkDirError
from superword.inputs import STDIN, Input
from superword.options import GREEDY_SPLIT, TrainOptions
from superword.pretokenizer import Pretokenizer

__all__ = ["check_inputs", "held"]

RUN = "run.json"

# These change no result.
_NO_MATTER = ("threads", "work_dir", "max_memory")


def check_inputs(inputs: Sequence[Input]) -> None:
    """Refuse what a later run could not tell from something else: all that is no file."""
    for item in inputs:
        if item.data is not None or item.path == STDIN or not Path(item.path).is_file():
            name = "standard input" if item.path == STDIN else item.path
            raise OptionError(
                f"`work_dir` needs files: a later run could not tell whether {name} is the same",
                hint="write it to a file first, or leave `work_dir` out",
                option="work_dir",
            )


@contextmanager
def held(
    options: TrainOptions, names: Sequence[str]
) -> Iterator[tuple[_core.WorkDir | None, list[str]]]:
    """Keep other runs out of the directory, and say what has changed since the run before.

    Nothing is held where there is no `work_dir`.
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
    """What is different from the run that used the directory before; the new one is recorded."""
    now = {"options": _described(options), "inputs": {name: _identity(name) for name in names}}
    try:
        before = _read(folder / RUN)
    except OSError as error:
        raise WorkDirError(
            f"{folder}: {error.strerror or error}",
            hint="choose a directory that can be read and written",
            path=str(folder),
        ) from None
    try:
        replace(folder / RUN, json.dumps(now, indent=1).encode())
    except SaveError as error:
        raise WorkDirError(
            error.message,
            hint="check the directory and the free space on its disk; what was finished is kept, "
            "and the same command goes on from it",
            path=str(folder),
        ) from None
    return [] if before is None else _changes(before, now)


def _described(options: TrainOptions) -> dict[str, Any]:
    described: dict[str, Any] = {}
    for option in fields(TrainOptions):
        value = getattr(options, option.name)
        if option.name in _NO_MATTER:
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
    """What the engine tells files apart by, as JSON has it; None if there is no such file."""
    found = _core.identity(name)
    return None if found is None else list(found)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        before = json.loads(path.read_text())
        known = all(isinstance(before[name], dict) for name in ("inputs", "options"))
        return before if known else None
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        return None  # Damaged: nothing is known of the run before.


def _changes(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    changes = []
    for name, value in now["options"].items():
        old = before["options"].get(name)
        if old != value:
            shown = "other patterns" if name == "pretokenizer" else f"{value!r}"
            was = "" if name == "pretokenizer" else f" (it was {old!r})"
            changes.append(
                f"`{name}` has changed to {shown}{was}: what depends on it is done again"
            )
    old_inputs, inputs = before["inputs"], now["inputs"]
    for words, names in (
        ("changed", [n for n in inputs if n in old_inputs and old_inputs[n] != inputs[n]]),
        ("new", [n for n in inputs if n not in old_inputs]),
        ("gone", [n for n in old_inputs if n not in inputs]),
    ):
        if names:
            shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
            changes.append(
                f"{plural(len(names), 'input')} {words} ({shown}): what depends on it is done again"
            )
    return changes

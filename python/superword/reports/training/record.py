"""Read what a work directory records about its last run, and check that the text is the same."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from superword import _core
from superword._files.timeline import runs_in
from superword._files.work import RUN
from superword._support.json_values import parse_json
from superword._support.text import plural
from superword.errors import InputError, MissingInputError, SuperwordError, WorkDirError
from superword.reports.training.results import Course, Phase, Reused
from superword.tokenizer import Tokenizer

__all__ = ["Record", "inputs_of", "read"]

_TRAIN = "give the directory that was the `work_dir` of a training run"


@dataclass(frozen=True)
class Record:
    """The last run in a work directory."""

    options: dict[str, Any]
    groups: dict[str, list[str]]
    """The files of each group. A run without groups has one, without a name."""
    words: Tokenizer
    model: Tokenizer
    courses: tuple[Course, ...]


def inputs_of(folder: str | os.PathLike[str]) -> list[str]:
    """The files that the last run in a work directory read."""
    path = Path(folder)
    _, inputs = _run(path)
    return [str(_base(runs_in(path)) / name) for name in inputs]


def _run(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options and inputs of the last run."""
    if not path.is_dir():
        raise MissingInputError(f"there is no directory {path}", hint=_TRAIN, path=str(path))
    try:
        run = parse_json((path / RUN).read_text(encoding="utf-8"))
        options, inputs = dict(run["options"]), dict(run["inputs"])
        options |= {"method": str(options["method"]), "vocab_size": int(options["vocab_size"])}
    except FileNotFoundError:
        raise WorkDirError(
            f"{path} is not a work directory: it has no {RUN}", hint=_TRAIN, path=str(path)
        ) from None
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise WorkDirError(
            f"{path / RUN} cannot be read: {error}", hint="train again", path=str(path)
        ) from None
    return options, inputs


def _base(runs: list[dict[str, Any]]) -> Path:
    """The directory that the names of inputs are relative to."""
    return Path(str(runs[-1]["directory"])) if runs and "directory" in runs[-1] else Path()


def read(folder: str | os.PathLike[str]) -> Record:
    """Read the record. Raises if there is none, if the run is not complete, or if files changed."""
    path = Path(folder)
    options, inputs = _run(path)
    method, vocab_size = options["method"], options["vocab_size"]
    runs = [
        run
        for run in runs_in(path)
        if (run.get("method"), run.get("vocab_size")) == (method, vocab_size)
    ]
    files = _unchanged(path, inputs, runs)
    groups: dict[str, list[str]] = {}
    named = runs[-1].get("groups", {}) if runs else {}
    for name, file in files.items():
        groups.setdefault(named.get(name) or "", []).append(file)
    return Record(
        options=options,
        groups=groups,
        words=_newest(path, "words", options, _words_size(options), runs),
        model=_newest(path, "words" if method == "bpe" else "model", options, vocab_size, runs),
        courses=tuple(_courses(runs)),
    )


def _unchanged(path: Path, inputs: dict[str, Any], runs: list[dict[str, Any]]) -> dict[str, str]:
    """The files of the run, by the names it had for them. They must not have changed since."""
    base = _base(runs)
    found = {}
    changed = []
    for name, identity in inputs.items():
        file = str(base / name)
        now = _core.identity(file)
        if now is None:
            raise MissingInputError(
                f"{file} was an input of the run in {path}, but it is gone",
                hint="put it back, or train again",
                path=file,
            )
        if identity is None or list(now) != list(identity):
            changed.append(file)
        found[name] = file
    if changed:
        raise InputError(
            f"{plural(len(changed), 'input')} changed after the run in {path}: {changed[0]}",
            hint="train again, so that the report is about one text",
            path=changed[0],
        )
    return found


def _words_size(options: dict[str, Any]) -> int:
    """The vocabulary of the words that a run learns before superwords."""
    size = int(options["vocab_size"])
    if options["method"] == "bpe":
        return size
    return size - (options.get("supermerges") or 0) - len(options.get("special_tokens") or ())


def _newest(
    path: Path, kind: str, options: dict[str, Any], size: int, runs: list[dict[str, Any]]
) -> Tokenizer:
    """The newest model of a kind that the directory has for these options and this text."""
    read = next((run.get("bytes") for run in reversed(runs) if run.get("complete")), None)
    files = sorted(path.glob(f"{kind}-*.superword"), key=lambda file: -file.stat().st_mtime_ns)
    for file in files:
        try:
            model = Tokenizer.load(file)
        except SuperwordError:
            continue  # Of another version, or damaged. A run would make it again.
        made = model.facts.get("options", {})
        same = all(
            made.get(name) == options.get(name) for name in ("alphabet", "min_count", "picky")
        )
        same = same and read in (None, model.facts.get("bytes"))
        if made.get("vocab_size") == size and same and _splits_as(model, options):
            return model
    raise WorkDirError(
        f"the last run in {path} is not complete: it has not learned its "
        f"{'words' if kind == 'words' else 'superwords'}",
        hint="train again with the same options; it resumes from the finished work",
        path=str(path),
    )


def _splits_as(model: Tokenizer, options: dict[str, Any]) -> bool:
    patterns = json.loads(json.dumps(list(model.pretokenizer._config())))
    return bool(patterns == options.get("pretokenizer"))


def _courses(runs: list[dict[str, Any]]) -> list[Course]:
    """The complete runs. Those that reused least are first, then the latest."""
    found = []
    for run in reversed(runs):
        try:
            if run["complete"]:
                found.append(_course(run))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            continue  # Someone has edited it.
    return sorted(found, key=lambda course: sum(phase.reused != "no" for phase in course.phases))


def _course(run: dict[str, Any]) -> Course:
    phases = []
    found, added = dict(run["found"]), dict(run["added"])
    for name in found:
        told = run["phases"].get(name)
        if told is None and name not in run["seconds_by_phase"] and not found[name]:
            continue  # This method has no such phase.
        points = () if told is None else tuple((float(s), int(n)) for s, n in told["points"])
        phases.append(
            Phase(
                name=str(name),
                seconds=float(run["seconds_by_phase"].get(name, 0.0)),
                unit="" if told is None else str(told["unit"]),
                total=None if told is None else int(told["total"]),
                points=points,
                reused=_reused(str(name), found, added),
                peak_memory=_whole(dict(run.get("peak_memory_by_phase", {})).get(name)),
            )
        )
    return Course(int(run["documents"]), int(run["bytes"]), float(run["seconds"]), tuple(phases))


def _whole(value: Any) -> int | None:
    return None if value is None else int(value)


def _reused(name: str, found: dict[str, int], added: dict[str, int]) -> Reused:
    """Whether a phase used files that were there before. Files may also be of other options."""
    if not added[name]:
        return "yes"
    # New words make new candidates, and words and models are single files.
    if not found[name] or name in ("merge", "supermerge") or (name != "count" and added["merge"]):
        return "no"
    return "perhaps"

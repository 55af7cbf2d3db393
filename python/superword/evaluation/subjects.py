"""The models that are evaluated: where they come from, and what they are called."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from superword import _core
from superword._support.faces import option
from superword._support.text import suggestion
from superword.errors import OptionError
from superword.evaluation.results import OVERALL, Group
from superword.tokenizer import Tokenizer

__all__ = ["Models", "Subject", "find_reference", "subjects", "trained_on"]

# A path of any kind, a tokenizer, several of these, or either by name.
Models = (
    str
    | os.PathLike[str]
    | Tokenizer
    | Iterable[str | os.PathLike[str] | Tokenizer]
    | Mapping[str, str | os.PathLike[str] | Tokenizer]
)

# Files whose name says what they are, not which model.
_GENERIC = ("tokenizer.json", "vocab.json", "merges.txt", "tekken.json", "tokenizer.model")
_SUFFIXES = (".superword", ".tiktoken", ".json", ".model")


@dataclass(frozen=True)
class Subject:
    """A model to evaluate."""

    name: str
    path: str | None
    tokenizer: Tokenizer

    @property
    def kind(self) -> str:
        """`"superword"`, or the format that the tokenizer was imported from."""
        if self.path is not None and _is_model(Path(self.path)):
            return "superword"
        imported = self.tokenizer.facts.get("imported")
        return str(imported["format"]) if isinstance(imported, dict) else "superword"

    @property
    def pretokenizer(self) -> str:
        """The preset that splits like the model, or `"custom"`."""
        found = self.tokenizer.pretokenizer
        return found.name or found.meaning or "custom"


def _is_model(path: Path) -> bool:
    if path.is_dir():
        return False
    with path.open("rb") as file:
        return _core.is_model_start(file.read(16))


def subjects(models: Models) -> list[Subject]:
    """Open all models. Each has a name of its own."""
    given: list[tuple[str | None, Any]]
    if isinstance(models, str | os.PathLike | Tokenizer):
        given = [(None, models)]
    elif isinstance(models, Mapping):
        given = list(models.items())
    else:
        given = [item if isinstance(item, tuple) else (None, item) for item in models]
    if not given:
        raise OptionError("there is no model to evaluate", hint="give one or more", option="models")
    names = _names(given)
    # Names are checked first: opening a model may take a second.
    return [_open(name, item) for name, (_, item) in zip(names, given, strict=True)]


def _open(name: str, item: Any) -> Subject:
    if isinstance(item, Tokenizer):
        return Subject(name, None, item)
    return Subject(name, os.fspath(item), Tokenizer.from_file(item))


def _names(given: list[tuple[str | None, Any]]) -> list[str]:
    names = []
    for number, (name, item) in enumerate(given, start=1):
        if name is not None:
            names.append(name)
        elif isinstance(item, Tokenizer):
            names.append(f"model {number}" if len(given) > 1 else "model")
        elif isinstance(item, str | os.PathLike):
            names.append(_short_name(Path(os.fspath(item))))
        else:
            raise OptionError(
                f"a model must be a path or a Tokenizer, not {item!r}", option="models"
            )
    # Two files of the same name are called by their paths.
    names = [
        os.fspath(item)
        if name is None and names.count(short) > 1 and not isinstance(item, Tokenizer)
        else short
        for short, (name, item) in zip(names, given, strict=True)
    ]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(
                f"two models have the name {name!r}",
                hint="give each model once, or give them names: NAME=MODEL on the command line, a "
                "mapping in Python",
                option="models",
            )
    return names


def _short_name(path: Path) -> str:
    if path.name in _GENERIC:
        path = path.absolute().parent
    elif path.suffix in _SUFFIXES:
        return path.stem
    return path.name or path.absolute().name or str(path)


def find_reference(models: list[Subject], reference: str | None) -> Subject | None:
    """The model that lengths are relative to, by its name or path."""
    if reference is None:
        return None
    for model in models:
        if reference in (model.name, model.path):
            return model
    raise OptionError(
        f"{option('reference')} is {reference!r}, which is none of the models",
        hint=suggestion(reference, [model.name for model in models]),
        option="reference",
        value=reference,
    )


def trained_on(tokenizer: Tokenizer, groups: list[Group], whole: Group) -> tuple[str, ...]:
    """The groups that have as many documents and bytes as a part of the training text.

    Models record these numbers, but not the text itself.
    """
    facts = tokenizer.facts
    parts = facts.get("groups")
    read = [facts, *(parts.values() if isinstance(parts, dict) else ())]
    known = {(part.get("documents"), part.get("bytes")) for part in read if isinstance(part, dict)}
    found = [group.name for group in groups if (group.documents, group.bytes) in known]
    if len(groups) > 1 and (whole.documents, whole.bytes) in known:
        found.append(OVERALL)
    return tuple(found)

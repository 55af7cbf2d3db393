"""Everything that can go wrong, one class for each kind of broken promise.

Each error says what is wrong and where, and, where something can be done, what to do next:

>>> error = InputError("no such file: corpus.jsonl", hint="check the path", path="corpus.jsonl")
>>> print(error)
no such file: corpus.jsonl
hint: check the path
>>> error.path
'corpus.jsonl'

All are `SuperwordError`; those about values are `ValueError` too, those about files `OSError`
where Python's own functions would raise one.
"""

from __future__ import annotations

from typing import Any

from superword._support.paths import printable

__all__ = [
    "ChangedWorkWarning",
    "ConversionError",
    "CountsError",
    "DamagedInputError",
    "DamagedModelError",
    "DocumentError",
    "EmptyCorpusError",
    "ExportError",
    "InputError",
    "InternalError",
    "MemoryLimitError",
    "MissingExtraError",
    "MissingInputError",
    "MissingModelError",
    "ModelFileError",
    "NewerModelError",
    "NotAModelError",
    "OptionError",
    "OutOfMemoryError",
    "PatternError",
    "SaveError",
    "ShardsMismatchError",
    "ShortfallWarning",
    "SkippedWarning",
    "SpecialTokenError",
    "SuperwordError",
    "SuperwordWarning",
    "TextError",
    "ThreadError",
    "TokenError",
    "UnknownScriptError",
    "WorkDirError",
    "WorkDirInUseError",
]


class SuperwordError(Exception):
    """The root of all errors of this package.

    `message` says what and where, `hint` what to do next (or None), `facts` holds the facts of
    the case by name; each fact is an attribute as well.
    """

    message: str
    hint: str | None
    facts: dict[str, Any]

    def __init__(self, message: str, *, hint: str | None = None, **facts: Any) -> None:
        # A message may hold a file name, which may hold bytes that are not UTF-8.
        message = printable(message)
        super().__init__(message)
        self.message = message
        self.hint = None if hint is None else printable(hint)
        self.facts = facts
        for name, value in facts.items():
            setattr(self, name, value)

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.message, self.hint, self.facts)


def _rebuild(
    kind: type[SuperwordError], message: str, hint: str | None, facts: dict[str, Any]
) -> SuperwordError:
    return kind(message, hint=hint, **facts)


class OptionError(SuperwordError, ValueError):
    """An option has a value that cannot be used, alone or with the others. Fact: `option`."""

    option: str | None = None


class PatternError(OptionError):
    """A pattern does not compile or may match nothing at all. Fact: `position`, if known."""

    position: int | None = None


class UnknownScriptError(PatternError):
    """A script name that Unicode does not know."""


class InputError(SuperwordError):
    """Something is wrong with the text to read. Facts: `path`, `line`, where known."""

    path: str | None = None
    line: int | None = None


class MissingInputError(InputError, FileNotFoundError):
    """A file that does not exist, a glob that matches none, a directory without documents."""


class DocumentError(InputError, ValueError):
    """One document cannot be read: not JSON, without the field, not UTF-8."""


class DamagedInputError(InputError):
    """A compressed file is cut short or damaged."""


class EmptyCorpusError(InputError):
    """There is no text to learn from."""


class CountsError(SuperwordError, ValueError):
    """Counts that cannot be used: damaged, of another pretokenizer, or not of this model.

    Fact: `path`, where known.
    """

    path: str | None = None


class WorkDirError(SuperwordError, OSError):
    """The directory for work cannot be used, or its disk is full. Fact: `path`."""

    path: str | None = None


class WorkDirInUseError(WorkDirError):
    """Another run works in the directory; two would step on each other. Fact: `path`."""


class MemoryLimitError(SuperwordError, MemoryError):
    """The work does not fit into `max_memory`; the hint says what is needed."""


class OutOfMemoryError(SuperwordError, MemoryError):
    """The system has no memory left for the work."""


class ThreadError(SuperwordError, RuntimeError):
    """The system refuses to start a thread."""


class ModelFileError(SuperwordError):
    """A model file cannot be used. Fact: `path`, where known."""

    path: str | None = None


class MissingModelError(ModelFileError, FileNotFoundError):
    """There is no file at the path of the model."""


class NotAModelError(ModelFileError):
    """The file is not a superword model at all."""


class DamagedModelError(ModelFileError):
    """The file is cut short, altered or breaks a rule of the format."""


class NewerModelError(ModelFileError):
    """The file was written by a newer version of superword."""


class SaveError(SuperwordError, OSError):
    """A file could not be written; a model that was there before still is. Fact: `path`."""

    path: str | None = None


class ShardsMismatchError(SuperwordError):
    """A directory holds shards of another model, input or options. Facts: `path`, `changed`."""

    path: str | None = None
    changed: list[str] | None = None


class TextError(SuperwordError, ValueError):
    """A text cannot be split or encoded, such as one with a lone surrogate. Fact: `position`."""

    position: int | None = None


class TokenError(SuperwordError, ValueError):
    """An id or a token that the vocabulary does not have. Facts: `id`, `position`."""

    id: int | None = None
    position: int | None = None


class SpecialTokenError(SuperwordError, ValueError):
    """A special token was found where it is not allowed, or named and not known. Fact: `token`."""

    token: str | None = None


class ExportError(SuperwordError, ValueError):
    """A model has no form in the format asked for. Facts: `reason`, and `token` where known."""

    reason: str | None = None
    token: str | None = None


class ConversionError(SuperwordError, ValueError):
    """A tokenizer of another program cannot be taken over as it is. Fact: `path`, where known."""

    path: str | None = None


class MissingExtraError(SuperwordError, ImportError):
    """A package that is only needed for what was asked is not installed. Fact: `extra`."""

    extra: str | None = None


class InternalError(SuperwordError):
    """The engine failed in a way that is no fault of the caller: a bug of superword."""


class SuperwordWarning(UserWarning):
    """The root of all warnings of this package."""


class ShortfallWarning(SuperwordWarning):
    """The vocabulary is smaller than asked for; the message says why."""


class ChangedWorkWarning(SuperwordWarning):
    """An option or an input has changed since the work in `work_dir` was begun."""


class SkippedWarning(SuperwordWarning):
    """Documents were skipped because they could not be read, as `on_error="skip"` asks."""

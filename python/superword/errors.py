"""Every error and warning of the package.

Each error says what is wrong and where, and what to do next where there is something to do:

>>> error = InputError("no such file: corpus.jsonl", hint="check the path", path="corpus.jsonl")
>>> print(error)
no such file: corpus.jsonl
hint: check the path
>>> error.path
'corpus.jsonl'

All of them derive from `SuperwordError`. Errors about values are also `ValueError`; errors about
files are also `OSError` where Python's own functions would raise one.
"""

from __future__ import annotations

from typing import Any

from superword._support.faces import for_python
from superword._support.paths import as_unicode

__all__ = [
    "ChangedWorkWarning",
    "ClusterError",
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
    "PlanError",
    "PlaygroundError",
    "ResultFileError",
    "SaveError",
    "ShardFileError",
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
    """The base class of all errors of this package.

    `message` says what is wrong and where. `hint` says what to do next, or is None. `facts` holds
    the details by name; each of them is an attribute as well. `option` is the name of the option
    that the error is about, if there is one.

    Options are marked with backquotes in the texts passed in (see `superword._support.faces`), so
    that the command line can show them as flags.
    """

    message: str
    hint: str | None
    facts: dict[str, Any]
    option: str | None = None
    _texts: tuple[str, str | None]

    def __init__(self, message: str, *, hint: str | None = None, **facts: Any) -> None:
        # Messages hold file names, and file names may hold bytes that are not UTF-8.
        message = as_unicode(message)
        hint = None if hint is None else as_unicode(hint)
        self.message = for_python(message)
        self.hint = None if hint is None else for_python(hint)
        super().__init__(self.message)
        self.facts = facts
        self._texts = (message, hint)
        for name, value in facts.items():
            setattr(self, name, value)

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), *self._texts, self.facts)

    def _at(self, place: str, **facts: Any) -> SuperwordError:
        """The same error with the place it happened in front of its message."""
        message, hint = self._texts
        if not message.startswith(place):
            message = f"{place}: {message}"
        return type(self)(message, hint=hint, **{**self.facts, **facts})


def _rebuild(
    kind: type[SuperwordError], message: str, hint: str | None, facts: dict[str, Any]
) -> SuperwordError:
    return kind(message, hint=hint, **facts)


class OptionError(SuperwordError, ValueError):
    """An option has a value that cannot be used, alone or together with others. Fact: `option`."""


class PatternError(OptionError):
    """A pattern does not compile, or it can match the empty string. Fact: `position`, if known."""

    position: int | None = None


class UnknownScriptError(PatternError):
    """A script name that is not defined by Unicode."""


class InputError(SuperwordError):
    """An input cannot be read. Facts: `path` and `line`, where known."""

    path: str | None = None
    line: int | None = None


class MissingInputError(InputError, FileNotFoundError):
    """A file does not exist, a glob matches nothing, or a directory holds no documents."""


class DocumentError(InputError, ValueError):
    """A document cannot be read: it is not JSON, lacks the text field, or is not UTF-8."""


class DamagedInputError(InputError):
    """A compressed or columnar file is truncated or damaged."""


class EmptyCorpusError(InputError):
    """There is no text to train on."""


class CountsError(SuperwordError, ValueError):
    """Counts cannot be used: damaged, of another pretokenizer, or of another model.

    Facts, where known: `path`; `missing`, the tasks of a plan that are not finished; `next`, where
    to cut candidates instead.
    """

    path: str | None = None
    missing: list[str] | None = None
    next: int | None = None


class PlanError(SuperwordError, ValueError):
    """A plan cannot be made, read or followed."""


class ResultFileError(SuperwordError, ValueError):
    """A file is not the result of an evaluation, or a field of it is wrong.

    Facts, where known: `path`; `field`, such as `models[0].vocabulary.tokens`.
    """

    path: str | None = None
    field: str | None = None


class WorkDirError(SuperwordError, OSError):
    """The work directory cannot be used, or its disk is full. Fact: `path`."""

    path: str | None = None


class WorkDirInUseError(WorkDirError):
    """Another run is using the work directory. Fact: `path`."""


class MemoryLimitError(SuperwordError, MemoryError):
    """The work does not fit into `max_memory`. The hint says how much is needed."""


class OutOfMemoryError(SuperwordError, MemoryError):
    """The system has no memory left for the work."""


class ThreadError(SuperwordError, RuntimeError):
    """The system refuses to start a thread."""


class ClusterError(SuperwordError, RuntimeError):
    """A cluster cannot be reached, or lost a task for good.

    Facts, where known: `address` and `path`.
    """

    address: str | None = None
    path: str | None = None


class ModelFileError(SuperwordError):
    """A model file cannot be used. Fact: `path`, where known."""

    path: str | None = None


class MissingModelError(ModelFileError, FileNotFoundError):
    """There is no file at the given path."""


class NotAModelError(ModelFileError):
    """The file is not a superword model."""


class DamagedModelError(ModelFileError):
    """The file is truncated, was altered, or violates the format."""


class NewerModelError(ModelFileError):
    """The file was written by a newer version of superword."""


class SaveError(SuperwordError, OSError):
    """A file could not be written. A file that was there before is unchanged. Fact: `path`."""

    path: str | None = None


class ShardFileError(SuperwordError, ValueError):
    """A file is not a packed or an npy shard, or it is truncated or damaged. Fact: `path`."""

    path: str | None = None


class ShardsMismatchError(SuperwordError):
    """A directory holds shards of another model, other inputs or other options.

    Facts: `path`, `changed`.
    """

    path: str | None = None
    changed: list[str] | None = None


class TextError(SuperwordError, ValueError):
    """A text cannot be encoded, for example because of a lone surrogate. Fact: `position`."""

    position: int | None = None


class TokenError(SuperwordError, ValueError):
    """The vocabulary has no such id or token. Facts: `id`, `position`."""

    id: int | None = None
    position: int | None = None


class SpecialTokenError(SuperwordError, ValueError):
    """A special token is not allowed here, or does not exist. Fact: `token`."""

    token: str | None = None


class ExportError(SuperwordError, ValueError):
    """A model cannot be exported to the format. Facts: `reason`, and `token` where known."""

    reason: str | None = None
    token: str | None = None


class ConversionError(SuperwordError, ValueError):
    """A tokenizer of another program cannot be imported. Fact: `path`, where known."""

    path: str | None = None


class MissingExtraError(SuperwordError, ImportError):
    """An optional package is not installed. Fact: `extra`, which installs it."""

    extra: str | None = None


class InternalError(SuperwordError):
    """The engine failed unexpectedly. This is a bug in superword."""


class PlaygroundError(SuperwordError, FileNotFoundError):
    """The page of the playground is not part of this installation."""


class SuperwordWarning(UserWarning):
    """The base class of all warnings of this package."""


class ShortfallWarning(SuperwordWarning):
    """The vocabulary is smaller than requested. The message says why."""


class ChangedWorkWarning(SuperwordWarning):
    """An option or an input has changed since the last run in `work_dir`."""


class SkippedWarning(SuperwordWarning):
    """Documents that could not be read were skipped, because of `on_error="skip"`."""

"""Pretokenizers: how text is split before tokens are learned or looked up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from superword import _core
from superword._support.checks import check_unicode
from superword._support.text import lone_surrogate, suggestion
from superword.errors import OptionError

__all__ = ["DEFAULT", "Pretokenizer", "preset_names", "script_names"]

DEFAULT = "gpt4o-portable"


def preset_names() -> list[str]:
    """The names of the built-in pretokenizers."""
    return _core.preset_names()


def script_names() -> list[str]:
    """The names of the Unicode scripts that `scripts=` accepts."""
    return _core.script_names()


class Pretokenizer:
    """Splits text into pretokens. The pretokens joined together are always the text.

    Choose a preset by name, or give custom patterns:

    >>> Pretokenizer("gpt4o-script").split("Of the 12 words")
    ['Of', ' the', ' ', '12', ' words']
    >>> Pretokenizer(pattern=r"\\w+|\\s+").split("a b!")
    ['a', ' ', 'b', '!']

    `pattern` is matched at each position, with its branches in order. Text that it does not match
    becomes a pretoken too. With `script_pattern`, text is first split where the script changes,
    and runs of the given `scripts` use that pattern instead. Only pretokens that match `eligible`
    (by default: that contain a letter) can become part of a superword. `eligible` can also be
    combined with a preset.

    Pretokenizers are immutable and can be pickled. Two are equal if their patterns are.
    """

    __slots__ = ("_engine",)

    _engine: _core.Pretokenizer

    def __init__(
        self,
        name: str | None = None,
        *,
        pattern: str | None = None,
        script_pattern: str | None = None,
        scripts: Iterable[str] | None = None,
        eligible: str | None = None,
    ) -> None:
        given = {"pattern": pattern, "script_pattern": script_pattern, "eligible": eligible}
        for option, text in given.items():
            if isinstance(text, str):
                check_unicode(option, text)
        if pattern is None:
            if script_pattern is not None or scripts is not None:
                raise OptionError(
                    "`script_pattern` and `scripts` need a `pattern` for all other text",
                    hint="give `pattern` as well",
                    option="pattern",
                )
            engine = _preset(DEFAULT if name is None else name)
            if eligible is not None and eligible != engine.eligible:
                scripts_used = engine.scripts if engine.script_pattern is not None else None
                engine = _core.Pretokenizer.custom(
                    engine.pattern, engine.script_pattern, scripts_used, eligible
                )
        else:
            engine = _custom(name, pattern, script_pattern, scripts, eligible)
        object.__setattr__(self, "_engine", engine)

    @classmethod
    def _wrap(cls, engine: _core.Pretokenizer) -> Pretokenizer:
        self = cls.__new__(cls)
        object.__setattr__(self, "_engine", engine)
        return self

    @property
    def name(self) -> str | None:
        """The name of the preset, or None for custom patterns."""
        return self._engine.name

    @property
    def meaning(self) -> str | None:
        """The first preset that splits every text in the same way, or None if none is known to.

        A pattern is recognised in every spelling in which it is published:

        >>> words = "'(?:[sdmt]|ll|ve|re)| ?\\\\p{L}++| ?\\\\p{N}++| ?[^\\\\s\\\\p{L}\\\\p{N}]++"
        >>> Pretokenizer(pattern=words + "|\\\\s++$|\\\\s+(?!\\\\S)|\\\\s").meaning
        'gpt2'

        Eligibility does not matter, a script pattern does.
        """
        return self._engine.meaning

    @property
    def pattern(self) -> str:
        """The main pattern."""
        return self._engine.pattern

    @property
    def script_pattern(self) -> str | None:
        """The pattern for runs of `scripts`, if there is one."""
        return self._engine.script_pattern

    @property
    def scripts(self) -> list[str]:
        """The scripts that use `script_pattern`."""
        return self._engine.scripts

    @property
    def eligible(self) -> str:
        """The pattern that a pretoken must match to become part of a superword."""
        return self._engine.eligible

    def split(self, text: str) -> list[str]:
        """Split `text` into pretokens. `"".join(p.split(text)) == text` for every text."""
        try:
            return self._engine.split(text)
        except UnicodeEncodeError as error:
            raise lone_surrogate(error) from None

    def is_eligible(self, pretoken: str) -> bool:
        """Whether `pretoken` matches `eligible`."""
        try:
            return self._engine.is_eligible(pretoken)
        except UnicodeEncodeError as error:
            raise lone_surrogate(error) from None

    def _config(self) -> tuple[str | None, str, str | None, tuple[str, ...], str]:
        engine = self._engine
        scripts = tuple(engine.scripts)
        return engine.name, engine.pattern, engine.script_pattern, scripts, engine.eligible

    def _described(self) -> dict[str, Any]:
        """The name and the patterns, as count files and `superword inspect --json` show them."""
        return {
            "name": self.name,
            "pattern": self.pattern,
            "script_pattern": self.script_pattern,
            "scripts": self.scripts,
            "eligible": self.eligible,
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pretokenizer):
            return NotImplemented
        # The name is only a label: the same patterns split the same way.
        return self._config()[1:] == other._config()[1:]

    def __hash__(self) -> int:
        return hash(self._config()[1:])

    def __repr__(self) -> str:
        name, pattern, script_pattern, scripts, eligible = self._config()
        if name is not None:
            return f"Pretokenizer({name!r})"
        parts = [f"pattern={pattern!r}"]
        if script_pattern is not None:
            parts += [f"script_pattern={script_pattern!r}", f"scripts={list(scripts)!r}"]
        return f"Pretokenizer({', '.join(parts)}, eligible={eligible!r})"

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError("a Pretokenizer is immutable; make another one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a Pretokenizer is immutable; make another one")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, self._config()


def _preset(name: str) -> _core.Pretokenizer:
    names = _core.preset_names()
    if name not in names:
        raise OptionError(
            f"there is no pretokenizer named {name!r}",
            hint=suggestion(name, names) + "; or give a custom `pattern`",
            option="pretokenizer",
        )
    return _core.Pretokenizer.preset(name)


def _custom(
    name: str | None,
    pattern: str,
    script_pattern: str | None,
    scripts: Iterable[str] | None,
    eligible: str | None,
) -> _core.Pretokenizer:
    if name is not None:
        raise OptionError(
            f"`pretokenizer` {name!r} and `pattern` were both given",
            hint="leave one of them out",
            option="pretokenizer",
        )
    if isinstance(scripts, str):
        scripts = [scripts]
    listed = None if scripts is None else list(scripts)
    if (script_pattern is None) != (not listed):
        given, absent = ("scripts", "script_pattern") if listed else ("script_pattern", "scripts")
        raise OptionError(
            f"`{given}` was given without `{absent}`",
            hint=r"give both, such as `script_pattern='\\p{L}\\p{M}*'` and "
            "`scripts=['Han', 'Thai']`, or neither",
            option=absent,
        )
    return _core.Pretokenizer.custom(
        pattern, script_pattern, listed, r"\p{L}" if eligible is None else eligible
    )


def _rebuild(
    name: str | None, pattern: str, script_pattern: str | None, scripts: Any, eligible: str
) -> Pretokenizer:
    if name is not None and name in _core.preset_names():
        preset = Pretokenizer(name)
        # A later version may change the patterns of a preset; the pickled ones win.
        if preset._config()[1:] == (pattern, script_pattern, tuple(scripts), eligible):
            return preset
    return Pretokenizer(
        pattern=pattern,
        script_pattern=script_pattern,
        scripts=list(scripts) if script_pattern is not None else None,
        eligible=eligible,
    )

"""The arguments that all encoding methods share: special tokens, texts, threads."""

from __future__ import annotations

from collections.abc import Callable, Collection
from collections.abc import Set as AbstractSet
from typing import Any, Literal, TypeVar

from superword import _core
from superword._encoding.texts import Batch, Text, Texts, not_text, several, text_at
from superword._support import checks
from superword._support.checks import wrong_type
from superword._support.faces import option
from superword._support.text import suggestion
from superword.errors import OptionError, SpecialTokenError

__all__ = ["Allowed", "Disallowed", "allowed_names", "each_text", "one_text", "thread_count"]

Allowed = Literal["all"] | AbstractSet[str]
Disallowed = Literal["all"] | Collection[str]

_Result = TypeVar("_Result")


def allowed_names(model: _core.Model, allowed: Allowed) -> list[str]:
    """The special tokens that become their ids. An unknown name is an error."""
    if not allowed:
        return []  # Without asking for all special tokens, of which there may be thousands.
    special = model.special_tokens
    if allowed == "all":
        return list(special)
    names = _names("allowed_special", allowed)
    for name in names:
        if name not in special:
            # Without this check, a misspelt name would silently become plain text.
            raise SpecialTokenError(
                f"{name!r} is not a special token of this tokenizer",
                hint=suggestion(name, special)
                if special
                else "the tokenizer has no special tokens",
                token=name,
            )
    return names


def _disallowed_names(model: _core.Model, disallowed: Disallowed, allowed: list[str]) -> list[str]:
    if not disallowed:
        return []
    if disallowed == "all":
        return [name for name in model.special_tokens if name not in allowed]
    return _names("disallowed_special", disallowed)


def _names(name: str, given: Collection[str]) -> list[str]:
    if isinstance(given, str):
        raise SpecialTokenError(
            f'`{name}` must be "all" or a set of special tokens, not {given!r}',
            hint=f"write {option(name, {given})}",
            token=given,
        )
    try:
        wrong = [token for token in given if not isinstance(token, str)]
    except TypeError:
        raise wrong_type(name, given, '"all" or a set of special tokens') from None
    if wrong:
        raise OptionError(
            f"`{name}` must hold the names of special tokens, not {wrong[0]!r}",
            hint="special tokens are strings, not ids",
            option=name,
            value=wrong[0],
        )
    return sorted(given)


def _refuse(text: Any, disallowed: list[str], where: str) -> None:
    for name in disallowed:
        position, unit = _find(text, name) if name else (-1, "")
        if position >= 0:
            raise SpecialTokenError(
                f"{where} has the disallowed special token {name!r} at {unit} {position}",
                hint=f"set {option('allowed_special', {name})} to encode it as that token, or "
                "leave it out of `disallowed_special`, or call encode_ordinary, for plain text",
                token=name,
                position=position,
            )


def _find(text: Any, name: str) -> tuple[int, str]:
    """The position of a special token, and what it counts. -1 if it is not in the text."""
    if isinstance(text, str):
        return text.find(name), "character"
    try:
        return bytes(memoryview(text)).find(name.encode()), "byte"
    except TypeError:
        return -1, ""  # The engine says what is wrong with it.


def one_text(
    model: _core.Model,
    text: Text,
    allowed_special: Allowed,
    disallowed_special: Disallowed,
    call: Callable[[Text, list[str]], _Result],
) -> _Result:
    """Call the engine with a text and the special tokens that are allowed in it."""
    allowed = allowed_names(model, allowed_special)
    _refuse(text, _disallowed_names(model, disallowed_special, allowed), "the text")
    try:
        return call(text, allowed)
    except _core.NotTextError:
        raise not_text(text) from None


def each_text(
    model: _core.Model,
    texts: Texts,
    allowed_special: Allowed,
    disallowed_special: Disallowed,
    call: Callable[[Batch, list[str]], _Result],
) -> _Result:
    """The same for several texts. An error names the text that it is about."""
    given, batch = several(texts)
    allowed = allowed_names(model, allowed_special)
    disallowed = _disallowed_names(model, disallowed_special, allowed)
    if disallowed:
        for index in range(len(given)):
            _refuse(text_at(given, index), disallowed, f"text {index}")
    try:
        return call(batch, allowed)
    except _core.NotTextError as error:
        index = error.args[0]
        raise not_text(text_at(given, index), f"text {index}") from None


def thread_count(threads: int | None) -> int:
    """Return the number of threads as the engine takes it: 0 means one per core."""
    return 0 if threads is None else checks.threads(threads)

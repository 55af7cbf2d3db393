"""The arguments that all ways of encoding share: special tokens, texts, threads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, TypeVar

from superword._support.text import lone_surrogate, suggestion, surrogate_in
from superword.errors import OptionError, SpecialTokenError

__all__ = ["Allowed", "Disallowed", "allowed_names", "each_text", "one_text", "thread_count"]

Allowed = Literal["all"] | AbstractSet[str]
Disallowed = Literal["all"] | Collection[str]

_Result = TypeVar("_Result")


def allowed_names(special: dict[str, int], allowed: Allowed) -> list[str]:
    """The special tokens that become their ids; one that is not known is an error."""
    if not allowed:
        return []
    if allowed == "all":
        return list(special)
    names = _names("allowed_special", allowed)
    for name in names:
        if name not in special:
            # Left alone, a misspelt name would quietly become plain text.
            raise SpecialTokenError(
                f"{name!r} is not a special token of this tokenizer",
                hint=suggestion(name, special) if special else "it has none",
                token=name,
            )
    return names


def _disallowed_names(
    special: dict[str, int], disallowed: Disallowed, allowed: list[str]
) -> list[str]:
    if not disallowed:
        return []
    if disallowed == "all":
        return [name for name in special if name not in allowed]
    return _names("disallowed_special", disallowed)


def _names(option: str, names: Collection[str]) -> list[str]:
    if isinstance(names, str):
        raise SpecialTokenError(
            f'{option} must be "all" or a set of special tokens, not {names!r}',
            hint=f"write {option}={{{names!r}}}",
            token=names,
        )
    return sorted(names)


def _refuse(text: str, disallowed: list[str], where: str) -> None:
    for name in disallowed:
        position = text.find(name) if name else -1
        if position >= 0:
            raise SpecialTokenError(
                f"{where} has the disallowed special token {name!r} at character {position}",
                hint=f"to encode it as that token: allowed_special={{{name!r}}}; as plain "
                "text: leave it out of disallowed_special, or use encode_ordinary",
                token=name,
                position=position,
            )


def one_text(
    special: dict[str, int],
    text: str,
    allowed_special: Allowed,
    disallowed_special: Disallowed,
    call: Callable[[str, list[str]], _Result],
) -> _Result:
    """Call the engine with a text and the names it may find in it, or say what is wrong."""
    allowed = allowed_names(special, allowed_special)
    _refuse(text, _disallowed_names(special, disallowed_special, allowed), "the text")
    try:
        return call(text, allowed)
    except UnicodeEncodeError as error:
        raise lone_surrogate(error) from None


def each_text(
    special: dict[str, int],
    texts: Iterable[str],
    allowed_special: Allowed,
    disallowed_special: Disallowed,
    call: Callable[[Sequence[str], list[str]], _Result],
) -> _Result:
    """The same for many texts; an error says which of them it is about."""
    if isinstance(texts, str):
        raise TypeError("texts must be many texts, such as a list; for one text use encode")
    batch = texts if isinstance(texts, list) else list(texts)
    allowed = allowed_names(special, allowed_special)
    disallowed = _disallowed_names(special, disallowed_special, allowed)
    if disallowed:
        for index, text in enumerate(batch):
            _refuse(text, disallowed, f"text {index}")
    try:
        return call(batch, allowed)
    except UnicodeEncodeError:
        for index, text in enumerate(batch):
            error = surrogate_in(text)
            if error is not None:
                raise lone_surrogate(error, f"text {index}") from None
        raise


def thread_count(threads: int | None) -> int:
    """Threads as the engine takes them: 0 for all cores."""
    if threads is None:
        return 0
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 0:
        raise OptionError(
            f"threads must be a number of threads, not {threads!r}",
            hint="leave it out to use all cores",
            option="threads",
            value=threads,
        )
    return min(threads, 1024)

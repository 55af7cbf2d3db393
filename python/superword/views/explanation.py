"""How a token came about: the facts, and how they are written for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

from superword._support.text import plural
from superword._support.visible import quoted, token_text

__all__ = ["Explanation", "Origin", "Step", "Use"]

Origin = Literal["byte", "merge", "superword", "special", "added", "unmade", "deleted", "none"]


@dataclass(frozen=True)
class Step:
    """A node of the tree of merges that make a token."""

    depth: int
    """0 for the token itself. The parts of a step follow it, one level deeper."""
    token: bytes
    id: int | None
    """None if the token was deleted later."""
    superword: bool
    count: int | None
    """How often its two parts were adjacent when it was made. None for bytes and if unknown."""
    repeated: bool
    """Whether its parts are left out, because they are listed further up."""


@dataclass(frozen=True)
class Use:
    """A longer token that a token is part of, or a similar token."""

    token: bytes
    id: int
    superword: bool
    count: int | None


@dataclass(frozen=True)
class Explanation:
    """How a token came about and where it is used. Made by `superword.views.explain`."""

    token: bytes
    id: int | None
    """None if the vocabulary has no such token."""
    origin: Origin
    """`"deleted"` and `"none"` mean that the vocabulary has no such token."""
    count: int | None
    """How often its two parts were adjacent when it was made. None for bytes and if unknown."""
    rank: int | None
    """The number of the merge that made it, from 1, among all merges and supermerges."""
    ranks: int
    """The number of merges and supermerges of the model."""
    vocab_size: int | None
    """The smallest vocabulary with the token, as `truncate` makes it. None if it cannot."""
    words: tuple[bytes, ...]
    """The pretokens that a superword joins. Empty for other tokens."""
    tree: tuple[Step, ...]
    superwords: int
    """The number of superwords that the token is part of."""
    longer: int
    """The number of other longer tokens that the token is part of."""
    uses: tuple[Use, ...]
    """The most frequent of them. Without counts, the first that were made."""
    encoded: tuple[bytes, ...] | None
    """The tokens that its text is encoded as. None if it is not whole characters."""
    similar: tuple[Use, ...]
    """If there is no such token: tokens that differ in a space before it or in case."""

    @property
    def reachable(self) -> bool | None:
        """Whether the text of the token is encoded as the token. None if it has no text."""
        if self.encoded is None or self.id is None:
            return None
        return self.encoded == (self.token,)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON. Tokens are text, and bytes that are no characters are escaped."""
        return {
            "token": token_text(self.token),
            "bytes": self.token.hex(),
            "id": self.id,
            "origin": self.origin,
            "count": self.count,
            "rank": self.rank,
            "vocab_size": self.vocab_size,
            "words": [token_text(word) for word in self.words],
            "tree": [
                {
                    "depth": step.depth,
                    "token": token_text(step.token),
                    "id": step.id,
                    "superword": step.superword,
                    "count": step.count,
                    "repeated": step.repeated,
                }
                for step in self.tree
            ],
            "part_of": {
                "superwords": self.superwords,
                "other_tokens": self.longer,
                "most_frequent": [_use(use) for use in self.uses],
            },
            "encoded": None if self.encoded is None else [token_text(t) for t in self.encoded],
            "reachable": self.reachable,
            "similar": [_use(use) for use in self.similar],
        }

    def __str__(self) -> str:
        return "\n".join([*_facts(self), *_sections(self)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def _use(use: Use) -> dict[str, Any]:
    return {
        "token": token_text(use.token),
        "id": use.id,
        "superword": use.superword,
        "count": use.count,
    }


def _facts(told: Explanation) -> Iterator[str]:
    yield quoted(told.token) + ("" if told.id is None else f"  id {told.id}")
    match told.origin:
        case "none":
            yield "  not in the vocabulary"
        case "byte":
            yield "  a byte of the alphabet; no merge makes it"
        case "special":
            yield "  a special token; it is found only in texts where special tokens are allowed"
        case "added":
            yield "  an added token; it is found in texts before they are split"
        case "unmade":
            yield "  no merge makes it; it is found only as a whole pretoken, if at all"
        case "deleted":
            yield "  not in the vocabulary: it was made, used in longer tokens, and deleted"
        case "superword":
            words = " + ".join(map(quoted, told.words))
            yield f"  a superword of {plural(len(told.words), 'pretoken')}: {words}"
    if told.rank is not None:
        made = "supermerge" if told.origin == "superword" else "merge"
        line = f"  made by a {made}, step {told.rank:,} of {told.ranks:,}"
        if told.count is not None:
            line += f", when its parts were adjacent {_times(told.count)}"
        yield line
    if told.vocab_size is not None:
        yield f"  in vocabularies of {plural(told.vocab_size, 'token')} and more"
    yield "  " + _encoding(told)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _encoding(told: Explanation) -> str:
    if told.encoded is None:
        return "not whole characters, so no text consists of it alone"
    if told.reachable:
        return "its text is encoded as this token"
    parts = " ".join(map(quoted, told.encoded)) or "nothing"
    if told.id is None:
        return f"the text is encoded as {parts}"
    if told.origin == "special":
        return f"where it is not allowed, its text is encoded as {parts}"
    return f"unreachable: its text is encoded as {parts}"


def _sections(told: Explanation) -> Iterator[str]:
    if len(told.tree) > 1:
        yield ""
        yield from _drawn(told.tree)
    if told.superwords or told.longer:
        yield ""
        counted = ((told.superwords, "superword"), (told.longer, "other token"))
        title = "part of " + " and ".join(plural(n, noun) for n, noun in counted if n)
        total = told.superwords + told.longer
        yield title + (", such as" if len(told.uses) < total else "")
        yield from _listed(told.uses)
    if told.similar:
        yield ""
        yield "similar tokens"
        yield from _listed(told.similar)


def _drawn(tree: tuple[Step, ...]) -> Iterator[str]:
    """The tree with lines. A step is the last part of its parent if none follows at its depth."""
    rows = []
    open_levels: list[bool] = []  # Whether a part follows at each depth. Every step has two parts.
    for step in tree:
        if step.depth:
            # The second part closes the level that the first one opened.
            first = len(open_levels) < step.depth or not open_levels[step.depth - 1]
            open_levels[step.depth - 1 :] = [first]
            lead = "".join("│  " if is_open else "   " for is_open in open_levels[:-1])
            lead += "├─ " if first else "└─ "
        else:
            lead = ""
        name = lead + quoted(step.token) + (" (as above)" if step.repeated else "")
        id = "deleted" if step.id is None else str(step.id)
        rows.append((name, id, "" if step.count is None else f"{step.count:,}"))
    from rich.cells import cell_len

    width = max(cell_len(name) for name, _, _ in rows)
    ids = max(len(id) for _, id, _ in rows)
    counts = max(len(count) for _, _, count in rows)
    head = f"{'merges':<{width}}  {'id':>{max(ids, 2)}}"
    yield head + (f"  {'count':>{max(counts, 5)}}" if counts else "")
    for name, id, count in rows:
        line = name + " " * (width - cell_len(name)) + f"  {id:>{max(ids, 2)}}"
        yield (line + (f"  {count:>{max(counts, 5)}}" if counts else "")).rstrip()


def _listed(uses: tuple[Use, ...]) -> Iterator[str]:
    ids = max(len(str(use.id)) for use in uses)
    counts = max(0 if use.count is None else len(f"{use.count:,}") for use in uses)
    for use in uses:
        count = "" if use.count is None else f"{use.count:,}"
        lead = f"{count:>{counts}}  " if counts else ""
        kind = "  superword" if use.superword else ""
        yield f"  {lead}{use.id:>{ids}}  {quoted(use.token)}{kind}"

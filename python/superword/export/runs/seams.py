"""Where two leaves may stand in one piece of an export, and where a run has to be cut.

A *seam* is the boundary between two neighbouring leaves. It is *safe* if the ordinary merges turn
the two leaves, written together, into exactly these two tokens. If all seams of a run are safe, no
ordinary merge crosses any of them (docs/concepts-exact-export.md). Every seam inside a superword
must be safe. Runs are cut at the other seams that are not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from superword.errors import ExportError
from superword.export.patterns import char_class, escaped
from superword.pretokenizer import Pretokenizer

__all__ = ["Cuts", "Rule", "Seam", "find_cuts", "merged"]

Rule = tuple[bytes, bytes]
Seam = tuple[str, str]


@dataclass(frozen=True)
class Cuts:
    """Patterns for the places where a run ends: between the text before and the text after."""

    before_space: str
    """For a leaf that starts with a space. Empty if there is nothing to cut."""
    elsewhere: str
    """For the other leaves."""


def merged(text: bytes, ranks: Mapping[Rule, int]) -> list[bytes]:
    """Apply the merges to bytes, one at a time: the lowest rank first, from left to right.

    >>> merged(b"abcab", {(b"a", b"b"): 0, (b"ab", b"c"): 1})
    [b'abc', b'ab']
    """
    parts = [text[at : at + 1] for at in range(len(text))]
    none = len(ranks)
    found = [ranks.get(pair, none) for pair in pairwise(parts)]
    while found:
        best = min(found)
        if best == none:
            break
        at = found.index(best)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del found[at]
        if at > 0:
            found[at - 1] = ranks.get((parts[at - 1], parts[at]), none)
        if at < len(found):
            found[at] = ranks.get((parts[at], parts[at + 1]), none)
    return parts


def find_cuts(
    leaves: Collection[str],
    later: Collection[str],
    needed: Mapping[Seam, str],
    ranks: Mapping[Rule, int],
    pretokenizer: Pretokenizer,
    check_of: Callable[[str], str],
) -> Cuts:
    """The places to cut. `ExportError` if a superword needs a seam that is not safe.

    `later` are the leaves that may follow another one. `needed` has a superword for each seam
    inside superwords. `check_of` gives the lookahead that fails if a leaf goes on.
    """
    for (left, right), superword in needed.items():
        if not _is_safe(left, right, ranks):
            raise ExportError(
                f"the superword {superword!r} joins {left!r} and {right!r}, and an ordinary merge "
                "crosses the boundary between them in other programs",
                hint="train with `boundary='exportable'`, which leaves such superwords out, or "
                "export with `mode='approximate'`",
                reason="seam",
                token=superword,
            )
    contexts, exact = _contexts(leaves, later, needed, ranks, pretokenizer)

    def cuts(is_spaced: bool) -> str:
        written = _pattern(seam for seam in contexts if seam[1].startswith(" ") == is_spaced)
        for left, right in exact:
            if right.startswith(" ") == is_spaced:
                # A leaf without a space never comes directly after one, so this is not " left".
                before = f"(?<={_literal(left)})(?<! {_literal(left)})"
                written.append(before + _literal(right) + check_of(right))
        return "|".join(written)

    return Cuts(cuts(True), cuts(False))


def _is_safe(left: str, right: str, ranks: Mapping[Rule, int]) -> bool:
    first, second = left.encode(), right.encode()
    return merged(first + second, ranks) == [first, second]


def _contexts(
    leaves: Collection[str],
    later: Collection[str],
    needed: Mapping[Seam, str],
    ranks: Mapping[Rule, int],
    pretokenizer: Pretokenizer,
) -> tuple[list[Seam], list[Seam]]:
    """The ends and beginnings of leaves between which a run is cut, and whole leaves.

    A merge that crosses a seam joins a token at the end of the left leaf with one at the beginning
    of the right leaf. Both are on the way from the bytes to the leaf. So the rules whose parts are
    such tokens show all seams that can be unsafe. Most of them are no seams of superwords, and
    cutting there changes nothing.
    """
    parts = {left + right: (left, right) for left, right in ranks}
    ends: dict[bytes, dict[str, list[str]]] = {}
    for leaf in leaves:
        for token in _spine(leaf.encode(), parts, 1):
            ends.setdefault(token, {}).setdefault(leaf[-1], []).append(leaf)
    begins: dict[bytes, dict[str, list[str]]] = {}
    for leaf in later:
        for token in _spine(leaf.encode(), parts, 0):
            begins.setdefault(token, {}).setdefault(_beginning(leaf), []).append(leaf)
    wanted = {(left[-1], _beginning(right)) for left, right in needed}
    found: set[Seam] = set()
    exact: set[Seam] = set()
    seen: set[Seam] = set()
    for left_token, right_token in ranks:
        if left_token not in ends or right_token not in begins:
            continue
        for end, lefts in ends[left_token].items():
            for begin, rights in begins[right_token].items():
                if (end, begin) not in wanted:
                    found.add((end, begin))
                    continue
                for left in lefts:
                    for right in rights:
                        if (left, right) in seen or (left, right) in needed:
                            continue
                        seen.add((left, right))
                        if _is_unsafe_in_text(left, right, ranks, pretokenizer):
                            context = _context(left, right, needed)
                            if context is not None:
                                found.add(context)
                            else:
                                _check_told_apart(left, right, needed)
                                exact.add((left, right))
    return sorted(found), sorted(exact)


def _spine(token: bytes, parts: Mapping[bytes, Rule], side: int) -> Iterable[bytes]:
    """A token and the tokens that it is made of at its beginning (0) or its end (1)."""
    while True:
        yield token
        if token not in parts:
            return
        token = parts[token][side]


def _beginning(leaf: str) -> str:
    return leaf[:2] if leaf.startswith(" ") else leaf[:1]


def _is_unsafe_in_text(
    left: str, right: str, ranks: Mapping[Rule, int], pretokenizer: Pretokenizer
) -> bool:
    # Leaves that are never neighbours, like "th" and "ey", need no cut.
    return not _is_safe(left, right, ranks) and pretokenizer.split(left + right) == [left, right]


def _context(left: str, right: str, needed: Mapping[Seam, str]) -> Seam | None:
    """The shortest end of `left` and beginning of `right` that no seam of a superword has."""
    for length in range(3, len(left) + len(right) + 1):
        for of_left in range(max(1, length - len(right)), min(len(left), length - 1) + 1):
            end, begin = left[-of_left:], right[: length - of_left]
            if not any(a.endswith(end) and b.startswith(begin) for a, b in needed):
                return end, begin
    return None


def _check_told_apart(left: str, right: str, needed: Mapping[Seam, str]) -> None:
    """The whole leaves must not be the end of a seam of a superword, apart from a space."""
    for (a, b), superword in needed.items():
        if b == right and a.endswith(left) and a != " " + left:
            raise ExportError(
                f"the superword {superword!r} cannot be told apart from {left + right!r}, where an "
                "ordinary merge crosses the boundary between two words in other programs",
                hint="train with `boundary='space'`, or export with `mode='approximate'`",
                reason="seam",
                token=superword,
            )


def _pattern(contexts: Iterable[Seam]) -> list[str]:
    """The contexts as alternatives. Those with the same beginnings are written as one."""
    begins: dict[str, set[str]] = {}
    for end, begin in contexts:
        begins.setdefault(end, set()).add(begin)
    together: dict[tuple[frozenset[str], bool], list[str]] = {}
    for end, after in begins.items():
        key = frozenset(after), len(end) == 1
        together.setdefault(key, []).append(end)
    written = []
    for (tail, one), ends in sorted(together.items(), key=lambda item: sorted(item[1])):
        single = [begin for begin in tail if len(begin) == 1]
        tails = [char_class(single)] if single else []
        tails += [_literal(begin) for begin in sorted(tail) if len(begin) > 1]
        either = tails[0] if len(tails) == 1 else f"(?:{'|'.join(tails)})"
        before = [char_class(ends)] if one else [_literal(end) for end in sorted(ends)]
        written += [f"(?<={end}){either}" for end in before]
    return written


def _literal(text: str) -> str:
    return "".join(map(escaped, text))

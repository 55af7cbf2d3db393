"""The pattern of the exact export, which matches runs of the words in superwords.

The proof that it is exact is in docs/concepts-exact-export.md; the names here are the same. A
*leaf* is a whole pretoken that occurs in a superword. `leaf_pattern` matches a run of leaves, each
after the first with a space in front, where the fine pattern would end a word after each of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from superword.export.patterns import EXPORTABLE
from superword.pretokenizer import Pretokenizer

__all__ = ["Shapes", "leaf_pattern"]

_LOWER = r"\p{Ll}\p{Lm}\p{Lo}\p{M}"  # The characters of the second part of a word.
_WORD_GOES_ON = r"['’]\p{L}"

# By shape: the characters that must not follow, because the fine pattern would continue the word.
_CHECKS = {
    "lower": rf"(?![{_LOWER}]|{_WORD_GOES_ON})",
    "caseless": rf"(?![\p{{Lu}}\p{{Lt}}]*[{_LOWER}]|{_WORD_GOES_ON})",
    "closed": rf"(?![\p{{L}}\p{{M}}]|{_WORD_GOES_ON})",
}

# Nodes with more than twice as many children are searched in groups of this size behind a
# lookahead for any of the group. Engines that try branch after branch then skip whole groups:
# on mixed text with 25,000 leaves, 4 to 16 were equally fast, and a flat list 10 % slower.
_GROUP = 8

_APOSTROPHES = "'’"


class Shapes:
    """Classifies leaves by the characters that must not follow them."""

    def __init__(self) -> None:
        self._classes = {
            name: Pretokenizer(EXPORTABLE, eligible=pattern)
            for name, pattern in (
                ("lower", r"\p{Ll}"),
                ("upper", r"[\p{Lu}\p{Lt}]"),
                ("caseless", r"[\p{Lm}\p{Lo}\p{M}]"),
            )
        }
        self._known: dict[str, str | None] = {}

    def of(self, leaf: str) -> str | None:
        """`"lower"`, `"caseless"` or `"closed"`. None if it is not a word of letters and marks.

        lower: no apostrophe, and a lowercase letter. caseless: no apostrophe, no lowercase letter,
        and a letter without case or a mark at the end. closed: all others.
        """
        body = leaf.removeprefix(" ")
        kinds = [self._kind(char) for char in body]
        if not kinds or None in kinds or kinds[0] == "apostrophe":
            return None
        if "apostrophe" in kinds:
            return "closed"
        if "lower" in kinds:
            return "lower"
        return "caseless" if kinds[-1] == "caseless" else "closed"

    def _kind(self, char: str) -> str | None:
        if char in _APOSTROPHES:
            return "apostrophe"
        if char not in self._known:
            self._known[char] = next(
                (name for name, found in self._classes.items() if found.is_eligible(char)), None
            )
        return self._known[char]


class _Node:
    __slots__ = ("children", "ends", "weight")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.ends = False
        self.weight = 0


def leaf_pattern(leaves: Mapping[str, int], shapes: Shapes) -> str:
    """A pattern for a run of leaves, given with their counts. Frequent leaves come first.

    >>> leaf_pattern({" of": 9, " the": 5}, Shapes())
    '(?: (?:(?=[ot])(?>(?:of|the))(?!...)))+'
    """
    spaced = {leaf[1:]: count for leaf, count in leaves.items() if leaf.startswith(" ")}
    bare = {leaf: count for leaf, count in leaves.items() if not leaf.startswith(" ")}
    run = f"(?: {_either(spaced, shapes)})+"
    # A single leaf is left to the fine pattern, which gives the same result.
    return f"(?:{_either(bare, shapes)})?{run}" if bare else run


def _either(leaves: Mapping[str, int], shapes: Shapes) -> str:
    by_shape: dict[str, dict[str, int]] = {}
    for leaf, count in leaves.items():
        shape = shapes.of(leaf)
        assert shape is not None  # The caller has rejected all others.
        by_shape.setdefault(shape, {})[leaf] = count
    parts = []
    for shape, check in _CHECKS.items():
        of_shape = by_shape.get(shape)
        if of_shape:
            first = _class({leaf[0] for leaf in of_shape})
            # Atomic, because only the longest matching leaf can be the word (see the proof).
            parts.append(f"(?={first})(?>{_trie(of_shape)}){check}")
    return f"(?:{'|'.join(parts)})"


def _trie(leaves: Mapping[str, int]) -> str:
    root = _Node()
    for leaf, count in leaves.items():
        node = root
        for char in leaf:
            node.weight += count
            node = node.children.setdefault(char, _Node())
        node.weight += count
        node.ends = True
    return _written(root)


def _written(node: _Node) -> str:
    """A pattern for what may follow a node, longest first. Shared endings are written once."""
    by_rest: dict[str, list[str]] = {}
    for char, child in sorted(node.children.items(), key=lambda item: (-item[1].weight, item[0])):
        by_rest.setdefault(_written(child), []).append(char)
    if not by_rest:
        return ""
    parts = [(_class(chars) + rest, chars) for rest, chars in by_rest.items()]
    if len(parts) > 2 * _GROUP:
        parts = [_grouped(parts[at : at + _GROUP]) for at in range(0, len(parts), _GROUP)]
    if len(parts) == 1 and not node.ends:
        return parts[0][0]
    if list(by_rest) == [""]:
        return parts[0][0] + "?"  # One character, or one of several, and the end.
    either = f"(?:{'|'.join(text for text, _ in parts)})"
    return either + "?" if node.ends else either


def _grouped(parts: list[tuple[str, list[str]]]) -> tuple[str, list[str]]:
    chars = [char for _, own in parts for char in own]
    return f"(?={_class(chars)})(?:{'|'.join(text for text, _ in parts)})", chars


def _class(chars: list[str] | set[str]) -> str:
    # Letters, marks and apostrophes: none of them means anything else in a pattern.
    return next(iter(chars)) if len(chars) == 1 else f"[{''.join(sorted(chars))}]"

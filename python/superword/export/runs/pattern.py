"""The pattern of the exact export, which matches runs of the words in superwords.

The proof that it is exact is in docs/concepts-exact-export.md; the names here are the same. A
*leaf* is a whole pretoken that occurs in a superword. `run_pattern` matches a run of leaves where
the fine pattern would end a word after each of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from superword.export.patterns import char_class
from superword.export.runs.seams import Cuts
from superword.pretokenizer import Pretokenizer

__all__ = ["Shapes", "run_pattern"]

# Nodes with more than twice as many children are searched in groups of this size behind a
# lookahead for any of the group. Engines that try branch after branch then skip whole groups:
# on mixed text with 25,000 leaves, 4 to 16 were equally fast, and a flat list 10 % slower.
_GROUP = 8


class Shapes:
    """Classifies the words of a pretokenizer by what must not follow them.

    >>> Shapes(Pretokenizer("gpt4")).of(" the")
    'word'
    """

    def __init__(self, pretokenizer: Pretokenizer) -> None:
        found = pretokenizer._engine.word_shapes()
        self.known = found is not None
        self._matchers: list[tuple[str, Pretokenizer]] = []
        self._checks: dict[str, str] = {}
        self._never: dict[str, Pretokenizer] = {}
        for name, word, not_before, not_joined_to in found or []:
            self._matchers.append((name, _matcher(word)))
            self._checks[name] = f"(?!{not_before})" if not_before else ""
            if not_joined_to:
                self._never[name] = _matcher(f"^(?:{not_joined_to})")

    def of(self, word: str) -> str | None:
        """The name of the shape of a word. None if it has no known shape."""
        return next((name for name, match in self._matchers if match.is_eligible(word)), None)

    def may_join(self, left: str, right: str) -> bool:
        """Whether two neighbouring words are never parts of one longer pretoken."""
        never = self._never.get(self.of(left) or "")
        return never is None or not never.is_eligible(right)

    def check(self, shape: str) -> str:
        """A lookahead that fails if a word of this shape goes on."""
        return self._checks[shape]

    def names(self) -> list[str]:
        """The shapes in order."""
        return list(self._checks)


def _matcher(pattern: str) -> Pretokenizer:
    # Whether a pretoken is eligible is how the engine offers a search for a pattern.
    return Pretokenizer("gpt2", eligible=pattern)


class _Node:
    __slots__ = ("children", "ends", "weight")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.ends = False
        self.weight = 0


def run_pattern(
    leaves: Mapping[str, int],
    first: Collection[str],
    later: Collection[str],
    cuts: Cuts,
    by: Shapes,
) -> str:
    """A pattern for a run of leaves, given with their counts. Frequent leaves come first.

    `first` are the leaves without a space that may start a run of several, `later` those that may
    follow another leaf. A leaf with a space may be anywhere. `cuts` are places where a run ends.
    """
    shape_of = {leaf: by.of(leaf) for leaf in leaves}

    def either(chosen: Collection[str], skip: int = 0) -> str:
        return _either({leaf: leaves[leaf] for leaf in chosen}, shape_of, by, skip)

    spaced = [leaf for leaf in leaves if leaf.startswith(" ")]
    starts = either(first)
    goes_on = [f" {either(spaced, 1)}"] if spaced else []
    if spaced and cuts.before_space:
        goes_on = [f"(?!{cuts.before_space}) {either(spaced, 1)}"]
    if later:
        guard = f"(?!{cuts.elsewhere})" if cuts.elsewhere else ""
        goes_on.append(guard + either(later))
    rest = f"(?:{'|'.join(goes_on)})+"
    if spaced and cuts.before_space:
        # A cut ends a run, but it does not prevent the leaf after it from starting one.
        start = [f" {either(spaced, 1)}"]
        return f"(?:{'|'.join([starts, *start] if first else start)}){rest}"
    if not spaced:
        return starts + rest
    # A leaf with a space is matched by the rest. A single leaf is left to the fine pattern or
    # matched here, which is the same.
    if not later:
        return f"(?:{starts})?{rest}" if first else rest
    return f"(?:{starts}|(?= )){rest}" if first else f"(?= ){rest}"


def _either(
    leaves: Mapping[str, int], shape_of: Mapping[str, str | None], shapes: Shapes, skip: int
) -> str:
    """A pattern for one of the leaves, without their first `skip` characters."""
    by_shape: dict[str | None, dict[str, int]] = {}
    for leaf, count in leaves.items():
        by_shape.setdefault(shape_of[leaf], {})[leaf[skip:]] = count
    parts = []
    for shape in shapes.names():
        of_shape = by_shape.get(shape)
        if of_shape:
            first = char_class({leaf[0] for leaf in of_shape})
            # Atomic, because only the longest matching leaf can be the word (see the proof).
            parts.append(f"(?={first})(?>{_trie(of_shape)}){shapes.check(shape)}")
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
    parts = [(char_class(chars) + rest, chars) for rest, chars in by_rest.items()]
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
    return f"(?={char_class(chars)})(?:{'|'.join(text for text, _ in parts)})", chars

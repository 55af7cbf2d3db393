"""The exact export of superwords: a pattern for runs of leaves, and the conditions it needs.

The conditions are those of the proof in docs/concepts-exact-export.md. They are checked on the
tokens and merges of the model, not on the options of its training.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from superword._support.faces import option
from superword.errors import ExportError
from superword.export.runs.pattern import Shapes, run_pattern
from superword.export.runs.seams import Cuts, Rule, Seam, find_cuts
from superword.pretokenizer import DEFAULT, Pretokenizer
from superword.tokenizer import Tokenizer

__all__ = ["Runs", "find_runs"]


@dataclass(frozen=True)
class Runs:
    """The leaves of the superwords of a model, and the pattern that matches runs of them."""

    pretokenizer: Pretokenizer
    leaves: Mapping[str, int]
    """How often each leaf was joined directly."""
    parts: Mapping[str, tuple[str, ...]]
    """The leaves of each superword."""
    cuts: Cuts
    pattern: str
    """Without the fine pattern, which comes after it."""

    def other_parts(self, superword: str) -> tuple[str, ...] | None:
        """Other leaves that are neighbours in some text and have the bytes of a superword."""
        own = self.parts[superword]
        # By end and last leaf: at most two ways to get there, so at least one that is not `own`.
        ways: list[dict[str, list[tuple[str, ...]]]] = [{"": [()]}]
        for end in range(1, len(superword) + 1):
            here: dict[str, list[tuple[str, ...]]] = {}
            for start in range(end):
                leaf = superword[start:end]
                if leaf not in self.leaves:
                    continue
                for last, found in ways[start].items():
                    if not last or self._neighbours(last, leaf):
                        here.setdefault(leaf, []).extend((*way, leaf) for way in found)
            ways.append({leaf: found[:2] for leaf, found in here.items()})
        all_ways = (way for found in ways[-1].values() for way in found)
        return next((way for way in all_ways if len(way) > 1 and way != own), None)

    def _neighbours(self, left: str, right: str) -> bool:
        return self.pretokenizer.split(left + right) == [left, right]

    def is_run(self, text: str) -> bool:
        """Whether a text is a run of two or more leaves, so that it is one piece of the export."""
        parts = self.pretokenizer.split(text)
        return len(parts) > 1 and all(part in self.leaves for part in parts)


def find_runs(tokenizer: Tokenizer, ranks: Mapping[Rule, int]) -> Runs:
    """The runs of a model with superwords. `ExportError` names the condition that fails."""
    pretokenizer = tokenizer.pretokenizer
    shapes = Shapes(pretokenizer)
    if not shapes.known:
        raise ExportError(
            "superwords cannot be exported exactly with this pattern, because it is unknown where "
            "its words end",
            hint=f"train with a preset such as {option('pretokenizer', DEFAULT)}, or export with "
            "`mode='approximate'`",
            reason="pattern",
        )
    if tokenizer._model.has_ngrams:
        raise ExportError(
            "the model splits runs of words at recorded n-grams (`greedy_split`), which no other "
            "format can express",
            hint="train without `greedy_split='encode'`, or export with `mode='approximate'`",
            reason="ngrams",
        )
    leaves, parts, needed = _superwords(tokenizer)
    for leaf in leaves:
        _check_leaf(tokenizer, shapes, leaf)
    for (left, right), superword in needed.items():
        if not shapes.may_join(left, right):
            raise ExportError(
                f"the superword {superword!r} joins {left!r} and {right!r}, which can also be "
                "parts of one longer word, where other programs would join them too",
                hint="train with `boundary='exportable'`, which leaves such superwords out, or "
                "export with `mode='approximate'`",
                reason="seam",
                token=superword,
            )
    spaced = [leaf for leaf in leaves if leaf.startswith(" ")]
    first = sorted({left for left, _ in needed if not left.startswith(" ")})
    later = sorted({right for _, right in needed if not right.startswith(" ")})
    cuts = find_cuts(
        leaves,
        [*spaced, *later],
        needed,
        ranks,
        pretokenizer,
        lambda leaf: shapes.check(shapes.of(leaf) or ""),
    )
    pattern = run_pattern(leaves, first, later, cuts, shapes)
    return Runs(pretokenizer, leaves, parts, cuts, pattern)


def _superwords(
    tokenizer: Tokenizer,
) -> tuple[dict[str, int], dict[str, tuple[str, ...]], dict[Seam, str]]:
    """The leaves with their counts, the leaves of each superword, and a superword for each seam."""
    words = {left + right for left, right, _ in tokenizer.merges} | tokenizer.unmade_tokens.keys()
    made: dict[bytes, tuple[str, ...]] = {}
    leaves: dict[str, int] = {}
    needed: dict[Seam, str] = {}
    for left, right, count in tokenizer.supermerges:
        joined = left + right
        text = joined.decode(errors="replace")
        if joined in made or joined in words:
            other = "two supermerges" if joined in made else "a merge and a supermerge"
            raise ExportError(
                f"{other} make {text!r}, and other programs cannot tell them apart",
                hint="train with `boundary='exportable'`, which leaves such superwords out, or "
                "export with `mode='approximate'`",
                reason="ambiguous",
                token=text,
            )
        both: list[tuple[str, ...]] = []
        for part in (left, right):
            if part not in made:
                leaf = part.decode(errors="replace")
                leaves[leaf] = leaves.get(leaf, 0) + count
                both.append((leaf,))
            else:
                both.append(made[part])
        needed.setdefault((both[0][-1], both[1][0]), text)
        made[joined] = both[0] + both[1]
    return leaves, {word.decode(): of for word, of in made.items()}, needed


def _check_leaf(tokenizer: Tokenizer, shapes: Shapes, leaf: str) -> None:
    hint = (
        "train with `boundary='exportable'`, and do not change `eligible`, or export with "
        "`mode='approximate'`"
    )
    if shapes.of(leaf) is None or tokenizer.pretokenizer.split(leaf) != [leaf]:
        raise ExportError(
            f"a superword has the part {leaf!r}, and it is not certain where such a word ends",
            hint=hint,
            reason="leaf",
            token=leaf,
        )
    if not tokenizer.pretokenizer.is_eligible(leaf) or len(tokenizer.encode_ordinary(leaf)) != 1:
        raise ExportError(
            f"a superword has the part {leaf!r}, which the model itself never joins: it is "
            "not eligible, or not one token",
            hint=hint,
            reason="leaf",
            token=leaf,
        )

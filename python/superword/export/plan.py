"""Decide how a model can be exported, or why it cannot, for every format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from superword._support.faces import option
from superword._support.text import suggestion
from superword.errors import ExportError, OptionError
from superword.export.leaves import Shapes, leaf_pattern
from superword.export.patterns import EXPORTABLE, coarse_of, fine_of, preset_of
from superword.export.unicode import pinned
from superword.tokenizer import Tokenizer

__all__ = ["MODES", "Mode", "Plan", "make_plan"]

Mode = Literal["auto", "exact", "approximate"]
MODES = ("auto", "exact", "approximate")

Rule = tuple[bytes, bytes]


@dataclass(frozen=True)
class Plan:
    """The content of an export: one pattern, and merges for a single pass of BPE."""

    tokenizer: Tokenizer
    mode: Literal["exact", "approximate"]
    pattern: str
    merges: list[Rule]
    """The merges in order, then the supermerges in order."""
    n_words: int
    """The number of merges before the first supermerge."""
    why_not_exact: ExportError | None
    """Why the mode `auto` became `approximate`, if it did."""


def make_plan(tokenizer: Tokenizer, mode: Mode = "auto") -> Plan:
    """The plan for a model. `ExportError` says why it cannot be exported and what to do."""
    if mode not in MODES:
        raise OptionError(
            f"`mode` cannot be {mode!r}", hint=suggestion(str(mode), MODES), option="mode"
        )
    _refuse_what_no_format_has(tokenizer)
    words = [(left, right) for left, right, _ in tokenizer.merges]
    supermerges = tokenizer.supermerges
    merges = words + [(left, right) for left, right, _ in supermerges]
    if not supermerges:
        # A model of words is exact in either mode.
        pattern = fine_of(tokenizer.pretokenizer)
        return Plan(tokenizer, "exact", pattern, merges, len(words), None)
    why_not = None
    if mode != "approximate":
        try:
            pattern = exact_pattern(tokenizer)
            return Plan(tokenizer, "exact", pattern, merges, len(words), None)
        except ExportError as error:
            if mode == "exact":
                raise
            why_not = error
    coarse = coarse_of(tokenizer.pretokenizer)
    if coarse is None:
        raise ExportError(
            "superwords cannot be exported with a custom pattern, because it is unknown which of "
            "its branches match words",
            hint=f"train with {option('pretokenizer', EXPORTABLE)}",
            reason="pattern",
        )
    return Plan(tokenizer, "approximate", coarse, merges, len(words), why_not)


def _refuse_what_no_format_has(tokenizer: Tokenizer) -> None:
    use = "or use the tokenizer itself: superword.integrations.transformers, tok.as_tiktoken()"
    if tokenizer._model.has_deletions:
        raise ExportError(
            "the model has deletions (`picky`), which neither Hugging Face nor tiktoken can "
            "express",
            hint=f"train without `picky`, {use}",
            reason="deletions",
        )
    if tokenizer.pretokenizer.script_pattern is not None:
        scripts = ", ".join(tokenizer.pretokenizer.scripts[:3])
        raise ExportError(
            f"the model splits text by script (with another pattern for {scripts}, ...), "
            "which neither Hugging Face nor tiktoken can express",
            hint=f"train with {option('pretokenizer', EXPORTABLE)} (words and superwords) or "
            f"`pretokenizer='gpt4o'` (words), {use}",
            reason="scripts",
        )
    made: set[bytes] = set()
    for left, right, _ in tokenizer.merges:
        if left + right in made:
            raise ExportError(
                f"two merges make the token {left + right!r}; other programs may apply them in "
                "another order",
                hint="train the model again without `picky`",
                reason="ambiguous",
                token=repr(left + right),
            )
        made.add(left + right)


def exact_pattern(tokenizer: Tokenizer) -> str:
    """The pattern of the exact export, or `ExportError` with the condition that fails.

    The conditions are those of the proof in docs/concepts-exact-export.md. They are checked on
    the tokens and merges of the model, not on the options of its training.
    """
    remedy = (
        f"train with {option('pretokenizer', EXPORTABLE)} and `boundary='space'`, or export with "
        "`mode='approximate'`"
    )
    pretokenizer = tokenizer.pretokenizer
    if preset_of(pretokenizer.pattern) != EXPORTABLE:
        raise ExportError(
            f"an exact export is only possible with the pretokenizer {EXPORTABLE!r}",
            hint=remedy,
            reason="pattern",
        )
    if tokenizer._model.has_ngrams:
        raise ExportError(
            "the model splits runs of words at recorded n-grams (`greedy_split`), which no other "
            "format can express",
            hint="train without `greedy_split='encode'`, or export with `mode='approximate'`",
            reason="ngrams",
        )
    leaves = _leaves(tokenizer, remedy)
    shapes = Shapes()
    texts: dict[str, int] = {}
    for leaf, count in leaves.items():
        text = leaf.decode(errors="replace")
        if shapes.of(text) is None or pretokenizer.split(text) != [text]:
            raise ExportError(
                f"a superword has the part {text!r}, which is not a word of letters",
                hint=remedy + "; do not change `eligible`",
                reason="leaf",
                token=text,
            )
        if not pretokenizer.is_eligible(text) or len(tokenizer.encode_ordinary(text)) != 1:
            raise ExportError(
                f"a superword has the part {text!r}, which the model itself never joins: it is "
                "not eligible, or not one token",
                hint=remedy,
                reason="leaf",
                token=text,
            )
        texts[text] = count
    _refuse_crossing(tokenizer, leaves)
    return pinned(leaf_pattern(texts, shapes) + "|" + pretokenizer.pattern)


def _leaves(tokenizer: Tokenizer, remedy: str) -> dict[bytes, int]:
    """The whole words in superwords, with the number of times they were joined directly."""
    supermerges = tokenizer.supermerges
    superwords: set[bytes] = set()
    for left, right, _ in supermerges:
        if not right.startswith(b" "):
            raise ExportError(
                f"a supermerge joins {left.decode(errors='replace')!r} and "
                f"{right.decode(errors='replace')!r}, which does not start with a space",
                hint=remedy,
                reason="boundary",
                token=right.decode(errors="replace"),
            )
        if left + right in superwords:
            raise ExportError(
                f"two supermerges make {(left + right).decode(errors='replace')!r}",
                hint=remedy,
                reason="ambiguous",
                token=(left + right).decode(errors="replace"),
            )
        superwords.add(left + right)
    leaves: dict[bytes, int] = {}
    for left, right, count in supermerges:
        for part in (left, right):
            if part not in superwords:
                leaves[part] = leaves.get(part, 0) + count
    return leaves


def _refuse_crossing(tokenizer: Tokenizer, leaves: dict[bytes, int]) -> None:
    """No word token may span the end of a leaf and the space after it.

    Only tokens of other white space before a space could: U+3000 ends with the byte 0x80, as some
    letters do, and a merge of that byte alone with a space would join them.
    """
    for left, right, _ in tokenizer.merges:
        token = left + right
        at = token.find(b" ", 1)
        while at > 0:
            before = token[:at]
            # Leaves do not end in ASCII white space; looking at all of them is rarely needed.
            leaf = next((leaf for leaf in leaves if leaf.endswith(before)), None)
            if leaf is not None:
                raise ExportError(
                    f"the token {token!r} could join the end of {leaf.decode()!r} with the space "
                    "after it",
                    hint="export with `mode='approximate'`",
                    reason="crossing",
                    token=repr(token),
                )
            at = token.find(b" ", at + 1)

"""Decide how a model can be exported, or why it cannot, for every format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from superword._support.faces import option
from superword._support.text import suggestion
from superword.errors import ExportError, OptionError
from superword.export.patterns import coarse_of, fine_of
from superword.export.runs.find import Runs, find_runs
from superword.export.runs.seams import Rule
from superword.export.unicode import pinned
from superword.pretokenizer import DEFAULT
from superword.tokenizer import Tokenizer

__all__ = ["MODES", "UNICODE", "Mode", "Plan", "Unicode", "make_plan"]

Mode = Literal["auto", "exact", "approximate"]
MODES = ("auto", "exact", "approximate")

Unicode = Literal["engine", "17"]
UNICODE = ("engine", "17")


@dataclass(frozen=True)
class Plan:
    """The content of an export: one pattern, and merges for a single pass of BPE."""

    tokenizer: Tokenizer
    mode: Literal["exact", "approximate"]
    pattern: str
    merges: list[Rule]
    """The merges in the order of their ranks, then the supermerges in order."""
    n_words: int
    """The number of merges before the first supermerge."""
    unicode: Unicode
    """`"17"` if the pattern lists the characters that are new in Unicode 17."""
    runs: Runs | None
    """The runs of superwords, if the export has superwords and is exact."""
    why_not_exact: ExportError | None
    """Why the mode `auto` became `approximate`, if it did."""

    @property
    def is_published(self) -> bool:
        """Whether the pattern is that of a preset, written as everybody else writes it."""
        preset = self.tokenizer.pretokenizer.meaning
        return preset is not None and self.n_words == len(self.merges) and self.unicode != "17"


def make_plan(tokenizer: Tokenizer, mode: Mode = "auto", unicode: Unicode | None = None) -> Plan:
    """The plan for a model. `ExportError` says why it cannot be exported and what to do.

    `unicode` is `"engine"` for models of words and `"17"` for superwords if it is not given.
    """
    for name, value, choices in (("mode", mode, MODES), ("unicode", unicode, (*UNICODE, None))):
        if value not in choices:
            known = [choice for choice in choices if choice is not None]
            raise OptionError(
                f"`{name}` cannot be {value!r}", hint=suggestion(str(value), known), option=name
            )
    _refuse_what_no_format_has(tokenizer)
    words = _rules_by_rank(tokenizer)
    merges = words + [(left, right) for left, right, _ in tokenizer.supermerges]
    pretokenizer = tokenizer.pretokenizer
    if len(merges) == len(words):
        # A model of words is exact in either mode.
        chosen: Unicode = unicode or "engine"
        pattern = _with_unicode(fine_of(pretokenizer), chosen)
        return Plan(tokenizer, "exact", pattern, merges, len(words), chosen, None, None)
    chosen = unicode or "17"
    why_not = None
    if mode != "approximate":
        try:
            runs = find_runs(tokenizer, {rule: rank for rank, rule in enumerate(words)})
            pattern = _with_unicode(f"{runs.pattern}|{fine_of(pretokenizer)}", chosen)
            return Plan(tokenizer, "exact", pattern, merges, len(words), chosen, runs, None)
        except ExportError as error:
            if mode == "exact":
                raise
            why_not = error
    coarse = coarse_of(pretokenizer)
    if coarse is None:
        raise ExportError(
            "superwords cannot be exported with this pattern, because it is unknown which of its "
            "branches match words",
            hint=f"train with a preset such as {option('pretokenizer', DEFAULT)}",
            reason="pattern",
        )
    pattern = _with_unicode(coarse, chosen)
    return Plan(tokenizer, "approximate", pattern, merges, len(words), chosen, None, why_not)


def _with_unicode(pattern: str, unicode: Unicode) -> str:
    return pinned(pattern) if unicode == "17" else pattern


def _rules_by_rank(tokenizer: Tokenizer) -> list[Rule]:
    rules = [(left, right) for left, right, _ in tokenizer.merges]
    order = tokenizer._model.order
    if order is None:
        return rules
    return [rule for _, rule in sorted(zip(order, rules, strict=True))]


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
            hint=f"train with {option('pretokenizer', 'gpt4o-portable')}, which splits nearly the "
            f"same, {use}",
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

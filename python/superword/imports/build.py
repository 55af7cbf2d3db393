"""Make a `Tokenizer` from merges and ids."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from superword import _core
from superword.errors import ConversionError, PatternError
from superword.export.patterns import preset_of
from superword.imports.rules import Rule
from superword.options import Method
from superword.pretokenizer import Pretokenizer
from superword.tokenizer import Tokenizer

__all__ = ["build", "pretokenizer_for"]

# Patterns that split like a preset but are written differently.
_SAME_AS = {
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
}


def pretokenizer_for(pattern: str) -> Pretokenizer:
    """A pretokenizer with this pattern: a preset if there is one, because presets are faster."""
    name = _SAME_AS.get(pattern) or preset_of(pattern)
    if name is not None:
        return Pretokenizer(name)
    try:
        return Pretokenizer(pattern=pattern)
    except PatternError as error:
        raise ConversionError(
            f"the pattern cannot be used: {error._texts[0]}", hint=error._texts[1]
        ) from error


def build(
    *,
    method: Method,
    pretokenizer: Pretokenizer,
    alphabet: str,
    merges: Sequence[Rule],
    ids: Mapping[bytes, int],
    special_tokens: Mapping[str, int],
    facts: dict[str, Any],
    supermerges: Sequence[Rule] = (),
    counts: Mapping[Rule, int] | None = None,
) -> Tokenizer:
    """The tokenizer of these parts. Unknown counts are 1, and the facts record that."""
    known = counts or {}
    events = [("merge", *rule, known.get(rule, 1)) for rule in merges]
    events += [("supermerge", *rule, known.get(rule, 1)) for rule in supermerges]
    facts = {"version": _core.__version__, "imported": facts}
    if not known:
        facts["imported"]["counts"] = "not known, written as 1"
    model = _core.Model.from_parts(
        method,
        pretokenizer._engine,
        alphabet,
        events,
        dict(ids),
        [
            (text, id, True, False, False, False, False)
            for text, id in sorted(special_tokens.items(), key=lambda item: item[1])
        ],
        json.dumps(facts),
    )
    return Tokenizer._wrap(model)

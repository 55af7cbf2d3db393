"""Make a `Tokenizer` from what other programs store."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from superword import _core
from superword.errors import ConversionError, PatternError
from superword.imports.rules import Rules
from superword.options import Method
from superword.pretokenizer import Pretokenizer, preset_names
from superword.tokenizer import Tokenizer

__all__ = ["Added", "build", "not_byte_level", "pretokenizer_for", "refusal"]

NOT_BYTE_LEVEL = (
    "only byte-level BPE can be imported exactly, such as GPT-2, Llama 3, Qwen, DeepSeek or "
    "GPT-4o; train a new tokenizer on your text instead: superword train"
)


class Added(NamedTuple):
    """An added token, as the engine takes it."""

    content: str
    id: int
    special: bool = True
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False
    normalized: bool = False


def refusal(message: str, hint: str | None = None) -> ConversionError:
    """The error for a tokenizer that superword cannot express."""
    return ConversionError(message, hint=hint or "this tokenizer cannot be imported exactly")


def not_byte_level(what: str) -> ConversionError:
    """The error for a tokenizer of another kind."""
    return ConversionError(f"it is {what}, not byte-level BPE", hint=NOT_BYTE_LEVEL)


def pretokenizer_for(pattern: str, **more: Any) -> Pretokenizer:
    """The pretokenizer with this pattern, stored as it is written. `more` are its other patterns.

    If a preset has the same patterns, it is that preset, and the model shows its name.
    """
    try:
        made = Pretokenizer(pattern=pattern, **more)
    except PatternError as error:
        raise ConversionError(
            f"the pattern cannot be used: {error._texts[0]}", hint=error._texts[1]
        ) from error
    presets = (Pretokenizer(name) for name in preset_names())
    return next((preset for preset in presets if _parts(preset) == _parts(made)), made)


def _parts(made: Pretokenizer) -> tuple[Any, ...]:
    # Scripts are a set. Other programs list them in another order.
    return made.pattern, made.script_pattern, sorted(made.scripts), made.eligible


def build(
    *,
    method: Method,
    pretokenizer: Pretokenizer,
    alphabet: str,
    rules: Rules,
    ids: Mapping[bytes, int],
    facts: dict[str, Any],
    added: Sequence[Added] = (),
    unmade: Sequence[tuple[bytes, int]] = (),
    normalizer: str | None = None,
    whole_pieces: bool = False,
    settings: Mapping[str, Any] | None = None,
) -> Tokenizer:
    """The tokenizer of a vocabulary whose counts are not known. They are written as 1.

    `ids` has the tokens of the alphabet and those of `rules`, made or not. `unmade` lists more
    tokens that nothing makes, whatever their bytes are.
    """
    events = [("merge", left, right, 1) for left, right in rules.merges]
    made = {token: id for token, id in ids.items() if token not in rules.unmade}
    found = [(token, ids[token]) for token in rules.unmade]
    facts = {
        "version": _core.__version__,
        "imported": facts | {"counts": "not known, written as 1"},
    }
    model = _core.Model.from_parts(
        method,
        pretokenizer._engine,
        alphabet,
        events,
        made,
        list(added),
        json.dumps(facts),
        normalizer=normalizer,
        # Without unmade tokens, looking up whole pretokens finds what merging makes. A pretoken is
        # never empty.
        whole_pieces=whole_pieces and any(token for token, _ in found),
        order=rules.order,
        unmade=sorted([*found, *unmade], key=lambda item: item[1]),
        settings=json.dumps(dict(settings or {})),
    )
    return Tokenizer._wrap(model)

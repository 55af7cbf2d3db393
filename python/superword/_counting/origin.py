"""Where counts are from: what a file of them says about itself, and which may be added up."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from superword import _core
from superword.errors import CountsError
from superword.pretokenizer import Pretokenizer
from superword.tokenizer import Tokenizer

__all__ = ["Origin", "origin_of", "sum_facts", "together", "words_key"]

FORMAT = 1


class Origin(NamedTuple):
    """What counts come from: pretokenizer, options of reading, inputs; for candidates the words.

    An input is a dict of its name, documents, bytes and skipped documents.
    """

    pretokenizer: Pretokenizer | None = None
    options: Mapping[str, Any] = {}
    inputs: tuple[Mapping[str, Any], ...] = ()
    words: str | None = None

    def describe(self, kind: str, facts: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        """What a file says about the counts in it."""
        described: dict[str, Any] = {"format": FORMAT, "kind": kind, "version": _core.__version__}
        if self.pretokenizer is not None:
            p = self.pretokenizer
            described["pretokenizer"] = {
                "name": p.name,
                "pattern": p.pattern,
                "script_pattern": p.script_pattern,
                "scripts": p.scripts,
                "eligible": p.eligible,
            }
        if self.words is not None:
            described["words"] = self.words
        described["options"] = dict(self.options)
        described["inputs"] = [dict(item) for item in self.inputs]
        return {**described, **more, "facts": dict(facts)}

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> Origin:
        """The inverse of `describe`."""
        return cls(
            pretokenizer=_pretokenizer_of(described.get("pretokenizer")),
            options=dict(described.get("options", {})),
            inputs=tuple(described.get("inputs", ())),
            words=described.get("words"),
        )


def words_key(words: Tokenizer) -> str:
    """What tells words apart: a hash of all that decides how text becomes words."""
    pretokenizer = words.pretokenizer
    what = (
        words.alphabet,
        words._model.picky_split,
        pretokenizer._config()[1:],
        [event[:3] for event in words._model.events()],
    )
    return hashlib.sha256(repr(what).encode()).hexdigest()[:32]


def origin_of(
    described: Mapping[str, Any] | None, kind: str, pretokenizer: str | Pretokenizer | None
) -> tuple[Origin, dict[str, Any] | None]:
    """Where counts are from and the facts, of what a file says (None: it says nothing)."""
    given = Pretokenizer(pretokenizer) if isinstance(pretokenizer, str) else pretokenizer
    if described is None:
        if kind == "counts" and given is None:
            raise CountsError(
                "it does not say which pretokenizer cut the text",
                hint="give the pretokenizer that was used; superword's own files say it",
            )
        return Origin(given), None
    if described.get("kind") != kind:
        raise CountsError(
            f"it holds {described.get('kind')}, not {kind}",
            hint="counts of pretokens are for words, candidates for superwords",
        )
    if described.get("format") != FORMAT:
        raise CountsError(
            f"it has format {described.get('format')}, which this version does not know",
            hint="a newer superword wrote it; update this one",
        )
    origin = Origin.of(described)
    if given is not None and given != origin.pretokenizer:
        raise CountsError(
            f"the text was cut by {origin.pretokenizer!r}, not by {given!r}",
            hint="leave the pretokenizer out to use the one of the counts",
        )
    facts = described.get("facts")
    return origin, dict(facts) if isinstance(facts, Mapping) else {}


def _pretokenizer_of(described: Any) -> Pretokenizer | None:
    if described is None:
        return None
    try:
        name = described["name"]
        if name is not None and name in _core.preset_names():
            preset = Pretokenizer(name)
            if preset.pattern == described["pattern"] and preset.eligible == described["eligible"]:
                return preset
        return Pretokenizer(
            pattern=described["pattern"],
            script_pattern=described["script_pattern"],
            scripts=described["scripts"] or None,
            eligible=described["eligible"],
        )
    except (KeyError, TypeError):
        raise CountsError("what it says about the pretokenizer is damaged") from None


def together(origins: Sequence[Origin], allow_repeats: bool) -> Origin:
    """Where the sum of counts is from; an error if they do not belong together."""
    if not origins:
        raise CountsError("there are no counts to add up", hint="give one or more")
    first = origins[0]
    for origin in origins[1:]:
        if origin.pretokenizer != first.pretokenizer:
            raise CountsError(
                "the texts were cut by different pretokenizers: "
                f"{first.pretokenizer!r} and {origin.pretokenizer!r}",
                hint="count again with one of them",
            )
        if origin.words != first.words:
            raise CountsError(
                "the candidates were counted with different words",
                hint="count all of them with one model of words",
            )
        if dict(origin.options) != dict(first.options):
            raise CountsError(
                "the texts were read with different options: "
                f"{dict(first.options)} and {dict(origin.options)}",
                hint="count again with the same ones",
            )
    seen: set[str] = set()
    for item in (item for origin in origins for item in origin.inputs):
        key = json.dumps(item, sort_keys=True)
        if key in seen and not allow_repeats:
            raise CountsError(
                f"the input {item.get('name')} was counted twice",
                hint="leave one of them out, or allow repeats if it is meant",
            )
        seen.add(key)
    return first._replace(inputs=tuple(item for origin in origins for item in origin.inputs))


def sum_facts(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Numbers that all parts know, added up."""
    shared = [name for name in parts[0] if all(name in part for part in parts)]
    return {
        name: sum(part[name] for part in parts)
        for name in shared
        if all(type(part[name]) is int for part in parts)
    }

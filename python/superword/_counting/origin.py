"""Where counts come from: what their file records, and which counts may be added up."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from superword import _core
from superword.errors import CountsError
from superword.pretokenizer import Pretokenizer
from superword.tokenizer import Tokenizer

__all__ = ["Origin", "cut_below_of", "origin_of", "sum_facts", "together", "words_key"]

FORMAT = 1


class Origin(NamedTuple):
    """The pretokenizer, read options and inputs of counts; for candidates, also the words.

    An input is a dict with its name, documents, bytes and skipped documents. The option `weights`
    holds the weight of every group, including groups with the default weight of 1. `bounds` is a
    hash of the bounds of the whole text by which candidates were cut, if they were.
    """

    pretokenizer: Pretokenizer | None = None
    options: Mapping[str, Any] = {}
    inputs: tuple[Mapping[str, Any], ...] = ()
    words: str | None = None
    bounds: str | None = None

    def describe(self, kind: str, facts: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        """What a count file records about its counts."""
        described: dict[str, Any] = {"format": FORMAT, "kind": kind, "version": _core.__version__}
        if self.pretokenizer is not None:
            described["pretokenizer"] = self.pretokenizer._described()
        if self.words is not None:
            described["words"] = self.words
        if self.bounds is not None:
            described["bounds"] = self.bounds
        described["options"] = dict(self.options)
        described["inputs"] = [dict(item) for item in self.inputs]
        return {**described, **more, "facts": dict(facts)}

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> Origin:
        """The inverse of `describe`. `CountsError` if something else was recorded."""
        options, inputs = described.get("options", {}), described.get("inputs", [])
        words, bounds = described.get("words"), described.get("bounds")
        if not (
            isinstance(options, dict)
            and _are_weights(options.get("weights", {}))
            and isinstance(inputs, list)
            and all(isinstance(item, dict) for item in inputs)
            and all(digest is None or isinstance(digest, str) for digest in (words, bounds))
        ):
            raise _damaged()
        return cls(
            pretokenizer=pretokenizer_described(described.get("pretokenizer")),
            options=options,
            inputs=tuple(inputs),
            words=words,
            bounds=bounds,
        )


def _are_weights(value: object) -> bool:
    return isinstance(value, dict) and all(type(w) in (int, float) for w in value.values())


def cut_below_of(described: Mapping[str, Any] | None) -> int:
    """At which count candidates were cut, as their file records it."""
    cut_below = (described or {}).get("cut_below", 1)
    if type(cut_below) is not int or not 0 < cut_below < 2**64:
        raise _damaged()
    return cut_below


def _damaged() -> CountsError:
    return CountsError(
        "what the file records about its counts is damaged", hint="count this part again"
    )


def words_key(words: Tokenizer) -> str:
    """A hash of everything that decides how text is encoded as words."""
    pretokenizer, model = words.pretokenizer, words._model
    what: tuple[Any, ...] = (
        words.alphabet,
        model.picky_split,
        pretokenizer._config()[1:],
        [event[:3] for event in model.events()],
    )
    added = [token for token in model.added_tokens if not token[2]]
    imported = (model.normalizer, model.whole_pieces, model.order, model.unmade, added)
    if any(imported):
        what += imported
    return hashlib.sha256(repr(what).encode()).hexdigest()[:32]


def origin_of(
    described: Mapping[str, Any] | None, kind: str, pretokenizer: str | Pretokenizer | None
) -> tuple[Origin, dict[str, Any] | None]:
    """The origin and the facts that a file records. `described` is None if it records nothing."""
    given = Pretokenizer(pretokenizer) if isinstance(pretokenizer, str) else pretokenizer
    if described is None:
        if kind == "counts" and given is None:
            raise CountsError(
                "the file does not record the pretokenizer",
                hint="give the `pretokenizer` that was used; files of superword record it",
            )
        return Origin(given), None
    if described.get("kind") != kind:
        raise CountsError(
            f"the file holds {described.get('kind') or 'something else'}, not {kind}",
            hint="words are learned from counts, superwords from candidates",
            kind=described.get("kind"),
        )
    if described.get("format") != FORMAT:
        raise CountsError(
            f"the file has format {described.get('format')}, which this version cannot read",
            hint="update superword: a newer version wrote the file",
        )
    origin = Origin.of(described)
    if given is not None and given != origin.pretokenizer:
        raise CountsError(
            f"the counts were made with {origin.pretokenizer!r}, not with {given!r}",
            hint="leave `pretokenizer` out to use that of the counts",
        )
    facts = described.get("facts")
    return origin, dict(facts) if isinstance(facts, Mapping) else {}


def pretokenizer_described(described: Any) -> Pretokenizer | None:
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
        raise CountsError("the recorded pretokenizer is damaged") from None


def together(origins: Sequence[Origin], allow_repeats: bool) -> Origin:
    """The origin of the sum of counts. Raises an error if they do not belong together."""
    if not origins:
        raise CountsError("there are no counts to add up", hint="give at least one")
    first = origins[0]
    for origin in origins[1:]:
        if origin.pretokenizer != first.pretokenizer:
            raise CountsError(
                "the counts were made with different pretokenizers: "
                f"{first.pretokenizer!r} and {origin.pretokenizer!r}",
                hint="count again with one of them",
            )
        if origin.words != first.words:
            raise CountsError(
                "the candidates were counted with different words",
                hint="count all of them with the same model of words",
            )
        if origin.bounds != first.bounds:
            raise CountsError(
                "the candidates were cut by the bounds of different texts",
                hint="count all of them with the bounds of the whole text",
            )
        if _without_weights(origin) != _without_weights(first):
            raise CountsError(
                "the texts were read with different options: "
                f"{_without_weights(first)} and {_without_weights(origin)}",
                hint="count again with the same options",
            )
    seen: set[str] = set()
    for item in (item for origin in origins for item in origin.inputs):
        key = json.dumps(item, sort_keys=True)
        if key in seen and not allow_repeats:
            raise CountsError(
                f"the input {item.get('name')} was counted twice",
                hint="leave one of them out, or set `allow_repeats=True` if this is intended",
            )
        seen.add(key)
    options = _without_weights(first)
    weights = _all_weights(origins)
    if weights:
        options["weights"] = weights
    inputs = tuple(item for origin in origins for item in origin.inputs)
    return first._replace(options=options, inputs=inputs)


def _without_weights(origin: Origin) -> dict[str, Any]:
    return {name: value for name, value in origin.options.items() if name != "weights"}


def _all_weights(origins: Sequence[Origin]) -> dict[str, float]:
    """The weight of each group. A group may be spread over several parts, with one weight."""
    weights: dict[str, float] = {}
    for origin in origins:
        for group, weight in origin.options.get("weights", {}).items():
            if weights.setdefault(group, weight) != weight:
                raise CountsError(
                    f"the group {group!r} was counted with the weights {weights[group]:g} and "
                    f"{weight:g}",
                    hint="count the group again with one weight",
                    group=group,
                )
    return weights


def sum_facts(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The numbers that all parts have, added up; the facts of groups are added up by name."""
    if len(parts) == 1:
        return dict(parts[0])
    shared = [name for name in parts[0] if all(name in part for part in parts)]
    facts: dict[str, Any] = {
        name: sum(part[name] for part in parts)
        for name in shared
        if all(type(part[name]) is int for part in parts)
    }
    if any(part.get("groups") for part in parts):
        facts["groups"] = _sum_groups(parts)
    return facts


def _sum_groups(parts: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    groups: dict[str, dict[str, Any]] = {}
    for part in parts:
        # A run over all inputs would put a part without groups into the group with the empty name.
        of_part = part.get("groups") or {"": {"weight": 1.0, **_read(part)}}
        for name, facts in of_part.items():
            known = groups.setdefault(name, {"weight": facts["weight"], "documents": 0, "bytes": 0})
            for number, value in _read(facts).items():
                known[number] += value
    return groups


def _read(facts: Mapping[str, Any]) -> dict[str, int]:
    return {name: facts.get(name, 0) for name in ("documents", "bytes")}

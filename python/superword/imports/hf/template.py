"""What surrounds a text: the post-processor of a `tokenizer.json` as lists of tokens."""

from __future__ import annotations

from typing import Any

from superword.imports.build import refusal

__all__ = ["Template", "surrounded", "template_of"]

# What surrounds one text ("$A"), and what surrounds two ("$A" and "$B").
Template = tuple[list[str], list[str]]

PLAIN: Template = (["$A"], ["$A", "$B"])


def template_of(config: dict[str, Any] | None) -> Template:
    """The template of a post-processor. ByteLevel only changes offsets, so it has none."""
    if config is None or config["type"] == "ByteLevel":
        return PLAIN
    kind = config["type"]
    if kind == "Sequence":
        found = [made for step in config["processors"] if (made := template_of(step)) != PLAIN]
        if len(found) > 1:
            raise refusal("it puts tokens around a text in several steps (post_processor)")
        return found[0] if found else PLAIN
    if kind == "TemplateProcessing":
        return _items(config, "single"), _items(config, "pair")
    if kind in ("RobertaProcessing", "BertProcessing"):
        first, last = config["cls"][0], config["sep"][0]
        middle = [last, last] if kind == "RobertaProcessing" else [last]
        return [first, "$A", last], [first, "$A", *middle, "$B", last]
    raise refusal(f"it has the post_processor {kind}, which superword does not know")


def surrounded(before: str | None, after: str | None) -> Template:
    """The template that transformers makes for `add_bos_token` and `add_eos_token`."""
    start = [before] if before is not None else []
    end = [after] if after is not None else []
    return [*start, "$A", *end], [*start, "$A", *end, *start, "$B", *end]


def _items(config: dict[str, Any], which: str) -> list[str]:
    items: list[str] = []
    for item in config[which]:
        if "Sequence" in item:
            items.append("$" + item["Sequence"]["id"])
        else:
            special = config["special_tokens"][item["SpecialToken"]["id"]]
            items += special["tokens"]
    return items

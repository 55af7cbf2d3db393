"""The pattern that splits text as the pre-tokenizers of Hugging Face do.

A model has one pattern. Two sequences of several splits are published by families that many people
use, and presets express them as one pattern each: that of Command R and Aya, and that of DeepSeek.
"""

from __future__ import annotations

import re
from typing import Any

from superword.export.patterns import DEEPSEEK_SPLITS
from superword.imports.build import not_byte_level, pretokenizer_for, refusal
from superword.pretokenizer import Pretokenizer

__all__ = ["BYTE_LEVEL", "pretokenizer_of"]

# The pattern of ByteLevel, as Hugging Face writes it.
BYTE_LEVEL = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
DIGITS = "Digits"
_SEQUENCES = {(DIGITS, BYTE_LEVEL): "command-r", DEEPSEEK_SPLITS: "deepseek-v3"}
_METACHARACTERS = re.compile(r"[\\.+*?()|\[\]{}^$#&\-~]")


def pretokenizer_of(config: dict[str, Any] | None) -> Pretokenizer:
    """The pretokenizer of a `pre_tokenizer`: splits, and then ByteLevel."""
    if config is None:
        raise not_byte_level("BPE without a pre-tokenizer")
    steps = list(_flat(config))
    kinds = [step["type"] for step in steps]
    if "ByteLevel" not in kinds:
        raise not_byte_level(f"a tokenizer with the pre-tokenizer {', '.join(kinds) or 'Sequence'}")
    if kinds[-1] != "ByteLevel" or kinds.count("ByteLevel") > 1:
        after = kinds[kinds.index("ByteLevel") + 1]
        raise refusal(
            f"the pre-tokenizer {after} comes after ByteLevel, and so it sees bytes, not text"
        )
    splits = [split for step in steps if (split := _split(step)) is not None]
    if not splits:
        return pretokenizer_for(r"[\s\S]+")  # Nothing splits the text.
    if len(splits) == 1 and splits[0] != DIGITS:
        return pretokenizer_for(splits[0])
    preset = _SEQUENCES.get(tuple(splits))
    if preset is not None:
        return Pretokenizer(preset)
    raise refusal(
        f"it splits text in {len(splits)} steps ({', '.join(kinds)}), and superword has no single "
        "pattern for them",
        "the sequences of Command R, Aya and DeepSeek are known; for another one, write a pattern "
        "that splits in the same way, put it into one Split of a copy of tokenizer.json, and "
        "compare the two",
    )


def _flat(config: dict[str, Any]) -> list[dict[str, Any]]:
    if config["type"] != "Sequence":
        return [config]
    return [step for part in config["pretokenizers"] for step in _flat(part)]


def _split(step: dict[str, Any]) -> str | None:
    """What a step splits by: a pattern, or `DIGITS` for single digits. None: it does not split."""
    kind = step["type"]
    if kind == "ByteLevel":
        if step.get("add_prefix_space"):
            raise refusal("it puts a space in front of every text (add_prefix_space)")
        return BYTE_LEVEL if step.get("use_regex", True) else None
    if kind == "Digits" and step.get("individual_digits"):
        return DIGITS
    if kind == "Split":
        return _split_pattern(step)
    if kind == "Metaspace":
        raise not_byte_level("a SentencePiece tokenizer (the pre-tokenizer Metaspace)")
    raise refusal(f"its pre-tokenizer has the step {kind}, which superword does not know")


def _split_pattern(step: dict[str, Any]) -> str:
    behavior, invert = step["behavior"].lower(), step.get("invert", False)
    # Isolated keeps the text that does not match, and so does superword. Removed with invert drops
    # it, but the published patterns that are used in this way match all text.
    if behavior != "isolated" and (behavior, invert) != ("removed", True):
        raise refusal(
            f"its Split is {step['behavior']}, {'inverted' if invert else 'not inverted'}",
            "superword knows Split with Isolated, and with Removed and invert",
        )
    pattern = step["pattern"]
    if "Regex" in pattern:
        return str(pattern["Regex"])
    return _METACHARACTERS.sub(lambda found: "\\" + found[0], str(pattern["String"]))

"""Import byte-level BPE of Hugging Face: the `tokenizer.json` of GPT-2, Llama 3, Qwen, ..."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, NoReturn

from superword._files.read import read_file
from superword._support.bytechars import to_bytes
from superword.errors import ConversionError
from superword.imports.build import build, pretokenizer_for
from superword.imports.rules import check_alphabet, rules_of
from superword.pretokenizer import Pretokenizer
from superword.tokenizer import Tokenizer

__all__ = ["from_huggingface"]


def from_huggingface(path: str | os.PathLike[str], *, ignore_normalizer: bool = False) -> Tokenizer:
    """Import a `tokenizer.json`, or the directory it is in. See `Tokenizer`."""
    file = Path(path)
    if file.is_dir():
        file = file / "tokenizer.json"
    content = read_file(file, "give a tokenizer.json, or the directory that holds it")
    try:
        data = json.loads(content)
    except ValueError as error:
        raise ConversionError(f"{file} is not JSON: {error}", path=str(file)) from None
    if not isinstance(data, dict) or not isinstance(data.get("model"), dict):
        raise ConversionError(
            f"{file} is not a tokenizer.json of Hugging Face: it has no model",
            hint="tokenizer_config.json and vocab.json are other files",
            path=str(file),
        )
    try:
        return _convert(data, ignore_normalizer, str(file))
    except ConversionError as error:
        raise error._at(str(file), path=str(file)) from None
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ConversionError(
            f"{file}: not laid out as expected ({type(error).__name__}: {error})", path=str(file)
        ) from error


def _convert(data: dict[str, Any], ignore_normalizer: bool, path: str) -> Tokenizer:
    model = data["model"]
    _check_model(model)
    normalizer = data.get("normalizer")
    if normalizer is not None and not ignore_normalizer:
        _refuse(
            f"it changes text before encoding (the normalizer {normalizer.get('type')}), and "
            "superword encodes text unchanged",
            "give ignore_normalizer=True and normalize texts yourself; for NFC: "
            'unicodedata.normalize("NFC", text)',
        )
    special: dict[str, int] = {}
    for token in data.get("added_tokens") or []:
        for option in ("lstrip", "rstrip", "single_word"):
            if token.get(option):
                _refuse(f"the added token {token['content']!r} has {option}", None)
        special[token["content"]] = token["id"]
    ids: dict[bytes, int] = {}
    for token, id in model["vocab"].items():
        if special.get(token) == id:
            continue  # The vocabulary may also list special tokens, which no merge creates.
        try:
            ids[to_bytes(token)] = id
        except KeyError as error:
            _refuse(
                f"the token {token!r} has the character {error.args[0]!r}, which is not in the "
                "alphabet of bytes",
                "only byte-level BPE can be imported",
            )
    ranks: dict[tuple[bytes, bytes], int] = {}
    for rank, merge in enumerate(model["merges"]):
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        ranks.setdefault((to_bytes(left), to_bytes(right)), rank)
    alphabet = check_alphabet(ids)
    rules = rules_of(ids, lambda left, right: ranks.get((left, right)))
    facts: dict[str, Any] = {
        "format": "huggingface",
        "added_tokens": len(special),
        "merges_left_out": len(ranks) - len(rules),
    }
    if normalizer is not None:
        facts["normalizer_left_out"] = normalizer.get("type")
    post = data.get("post_processor")
    if post is not None and post.get("type") != "ByteLevel":
        facts["post_processor_left_out"] = post.get("type")
    return build(
        method="bpe",
        pretokenizer=_pretokenizer(data.get("pre_tokenizer")),
        alphabet=alphabet,
        merges=rules,
        ids=ids,
        special_tokens=special,
        facts=facts,
    )


def _check_model(model: dict[str, Any]) -> None:
    kind = model.get("type", "BPE")
    if kind != "BPE":
        _refuse(f"it is a {kind} model", "only byte-level BPE can be imported")
    if model.get("byte_fallback"):
        _refuse("it is BPE over characters with bytes as a fallback (SentencePiece)", None)
    for option in ("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"):
        if model.get(option):
            _refuse(f"its model has {option} {model[option]!r}", None)


def _pretokenizer(config: dict[str, Any] | None) -> Pretokenizer:
    """The pattern of a pre-tokenizer: ByteLevel, or one Split and then ByteLevel."""
    if config is None:
        _refuse("it has no pre-tokenizer", "only byte-level BPE can be imported")
    steps = config["pretokenizers"] if config["type"] == "Sequence" else [config]
    patterns: list[str] = []
    byte_level = False
    for step in steps:
        if byte_level:
            _refuse(f"the pre-tokenizer {step['type']} comes after ByteLevel", None)
        if step["type"] == "ByteLevel":
            byte_level = True
            if step.get("add_prefix_space"):
                _refuse("it puts a space in front of every text (add_prefix_space)", None)
            if step.get("use_regex", True):
                patterns.append(Pretokenizer("gpt2").pattern)
        elif step["type"] == "Split":
            patterns.append(_split_pattern(step))
        else:
            _refuse(f"the pre-tokenizer {step['type']} has no counterpart here", None)
    if not byte_level:
        _refuse("its pre-tokenizer has no ByteLevel", "only byte-level BPE can be imported")
    if len(patterns) > 1:
        _refuse(f"it cuts text with {len(patterns)} patterns, one after the other", None)
    # Without any pattern the whole text is one piece.
    return pretokenizer_for(patterns[0] if patterns else r"[\s\S]+")


def _split_pattern(step: dict[str, Any]) -> str:
    behavior, invert = step["behavior"].lower(), step.get("invert", False)
    # For text that does not match, Isolated keeps it; Removed with invert drops it. superword
    # always keeps it.
    if (behavior, invert) not in (("isolated", False), ("removed", True)):
        _refuse(
            f"its Split is {step['behavior']}, {'inverted' if invert else 'not inverted'}", None
        )
    pattern = step["pattern"]
    if "Regex" in pattern:
        return str(pattern["Regex"])
    return re.escape(str(pattern["String"]))


def _refuse(message: str, hint: str | None) -> NoReturn:
    raise ConversionError(message, hint=hint or "this tokenizer cannot be imported")

"""Import byte-level BPE of Hugging Face: the `tokenizer.json` of GPT-2, Llama 3, Qwen, ...

Older models have `vocab.json` and `merges.txt` instead. They become the same data as a
`tokenizer.json`, and so do the objects of `tokenizers` and `transformers`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from superword._files.read import read_file
from superword._support.bytechars import to_bytes
from superword.errors import ConversionError, OptionError
from superword.imports.build import build, not_byte_level, refusal
from superword.imports.hf.added import added_tokens
from superword.imports.hf.config import Config, config_beside, config_of
from superword.imports.hf.old_files import old_files, read_old_files
from superword.imports.hf.splits import pretokenizer_of
from superword.imports.hf.template import template_of
from superword.imports.json_files import laid_out, parse_object
from superword.imports.rules import check_alphabet, rules_of
from superword.tokenizer import Tokenizer

__all__ = ["from_huggingface"]

_HINT = "give a tokenizer.json, or the directory that holds it"
_OTHER_NORMALIZERS = (
    "superword knows NFC and NFKC; give `ignore_normalizer` to encode texts without it, and "
    "normalize them yourself"
)
_NORMALIZERS = {"NFC": "nfc", "NFKC": "nfkc"}


def from_huggingface(
    source: str | os.PathLike[str] | Any, *, ignore_normalizer: bool = False
) -> Tokenizer:
    """Import a file, a directory or an object. See `Tokenizer`."""
    if not isinstance(source, str | os.PathLike):
        data, config = _object(source)
        with laid_out(None):
            return _convert(data, config, ignore_normalizer)
    path = Path(source)
    file = path / "tokenizer.json" if path.is_dir() else path
    old = old_files(path)
    config = config_beside(file.parent)
    if old is not None:
        with laid_out(old.vocab):
            return _convert(read_old_files(old, config), config, ignore_normalizer)
    data = parse_object(file, read_file(file, _HINT))
    if not isinstance(data.get("model"), dict):
        raise ConversionError(
            f"{file} is not a tokenizer.json of Hugging Face: it has no model",
            hint=_HINT,
            path=str(file),
        )
    with laid_out(file):
        return _convert(data, config, ignore_normalizer)


def _object(source: Any) -> tuple[dict[str, Any], Config]:
    """The content of a `tokenizers.Tokenizer` or of a tokenizer of transformers."""
    backend = getattr(source, "backend_tokenizer", source)
    if not hasattr(backend, "to_str"):
        raise OptionError(
            "a tokenizer is given as a path, a tokenizers.Tokenizer or a fast tokenizer of "
            f"transformers, not as {type(source).__name__}",
            hint="a slow tokenizer of transformers has no tokenizer.json; load it with "
            "AutoTokenizer.from_pretrained(..., use_fast=True)",
            option="source",
        )
    config = config_of(source) if backend is not source else Config()
    return json.loads(backend.to_str()), config


def _convert(data: dict[str, Any], config: Config, ignore_normalizer: bool) -> Tokenizer:
    model = data["model"]
    _check_model(model, data)
    pretokenizer = pretokenizer_of(data.get("pre_tokenizer"))
    left_out = data.get("normalizer") if ignore_normalizer else None
    normalizer = None if ignore_normalizer else _normalizer(data.get("normalizer"))
    added, renumbered = added_tokens(data, config.added_tokens)
    texts = {token.content: token.id for token in added}
    ids: dict[bytes, int] = {}
    names: list[tuple[bytes, int]] = []  # Tokens with a name that no text is turned into.
    listed: list[bytes] = []  # Added tokens that the vocabulary lists as well.
    for token, id in model["vocab"].items():
        try:
            spelled = to_bytes(token)
        except KeyError:
            if token not in texts:
                names.append((token.encode(), id))
            continue
        if texts.get(token) == id:
            if spelled != token.encode():
                raise refusal(f"the added token {token!r} has the id of another token, {spelled!r}")
            listed.append(spelled)
        ids[spelled] = id
    ranks = _ranks(model["merges"])
    rules = rules_of(ids, lambda left, right: ranks.get((left, right)))
    for token in rules.unmade.intersection(listed):
        rules.unmade.remove(token)  # Only the added token has this id.
        del ids[token]
    whole_pieces = bool(model.get("ignore_merges"))
    if whole_pieces and names and rules.unmade:
        raise refusal(
            f"it looks up whole pretokens and has {len(names)} tokens that are not spelled in "
            f"bytes, such as {names[0][0].decode()!r}"
        )
    facts: dict[str, Any] = {
        "format": "huggingface",
        "merges_left_out": len(ranks) - len(rules.merges),
    }
    if renumbered:
        facts["added_tokens_renumbered"] = renumbered
    if left_out is not None:
        facts["normalizer_left_out"] = left_out["type"]
    return build(
        method="bpe",
        pretokenizer=pretokenizer,
        alphabet=check_alphabet(ids),
        rules=rules,
        ids=ids,
        added=added,
        unmade=names,
        normalizer=normalizer,
        whole_pieces=whole_pieces,
        settings=config.settings(texts, template_of(data.get("post_processor"))),
        facts=facts,
    )


def _ranks(merges: list[Any]) -> dict[tuple[bytes, bytes], int]:
    """The rank of each pair. A pair that is listed twice has the last rank, as in Hugging Face."""
    ranks: dict[tuple[bytes, bytes], int] = {}
    for rank, merge in enumerate(merges):
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        try:
            ranks[to_bytes(left), to_bytes(right)] = rank
        except KeyError:
            continue  # No text is turned into these characters, so the merge never applies.
    return ranks


def _check_model(model: dict[str, Any], data: dict[str, Any]) -> None:
    kind = model.get("type", "BPE")
    if kind == "Unigram":
        raise not_byte_level("a Unigram model, as SentencePiece trains them (T5, XLM-R, ...)")
    if kind == "WordPiece":
        raise not_byte_level("a WordPiece model, as BERT has")
    if kind != "BPE":
        raise not_byte_level(f"a {kind} model")
    if model.get("byte_fallback"):
        raise not_byte_level(
            "BPE over characters with bytes as a fallback, as SentencePiece trains it "
            "(Llama 2, Gemma, Mistral 7B, ...)"
        )
    if model.get("dropout"):
        raise refusal(
            f"it drops merges at random (dropout {model['dropout']!r})",
            "set dropout to null in tokenizer.json, if you only want to encode with it",
        )
    for option in ("continuing_subword_prefix", "end_of_word_suffix"):
        if model.get(option):
            raise not_byte_level(f"BPE that marks parts of words ({option} {model[option]!r})")


def _normalizer(config: dict[str, Any] | None) -> str | None:
    """`"nfc"`, `"nfkc"` or None. A `Sequence` of one normalizer is that normalizer."""
    while config is not None and config["type"] == "Sequence":
        steps = config["normalizers"]
        if len(steps) > 1:
            kinds = ", ".join(step["type"] for step in steps)
            if kinds == "Prepend, Replace":
                raise not_byte_level(
                    "a SentencePiece tokenizer (the normalizers Prepend and Replace)"
                )
            raise refusal(f"it changes text with the normalizers {kinds}", _OTHER_NORMALIZERS)
        config = steps[0] if steps else None
    if config is None:
        return None
    kind = config["type"]
    if kind not in _NORMALIZERS:
        raise refusal(f"it changes text with the normalizer {kind}", _OTHER_NORMALIZERS)
    return _NORMALIZERS[kind]

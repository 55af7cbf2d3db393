"""Export to Hugging Face: a directory that `tokenizers` and `transformers` can load."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from superword._files.outputs import check_replaceable
from superword._files.replace import make_directory, replace
from superword._support.bytechars import to_bytes, to_chars
from superword.errors import ExportError, SpecialTokenError
from superword.export.plan import Mode, Plan, make_plan
from superword.tokenizer import END_OF_TEXT, Tokenizer

__all__ = [
    "export_huggingface",
    "load_huggingface",
    "roles_of",
    "to_bytes",
    "to_chars",
    "tokenizer_json",
]

_PAD_NAMES = ("<|pad|>", "<pad>", "[PAD]")


def export_huggingface(
    tokenizer: Tokenizer,
    folder: str | os.PathLike[str],
    mode: Mode = "auto",
    *,
    chat_template: str | None = None,
    bos_token: str | None = None,
    eos_token: str | None = None,
    pad_token: str | None = None,
    overwrite: bool = False,
) -> Plan:
    """Write `tokenizer.json` and `tokenizer_config.json` into `folder`; see `Tokenizer`."""
    plan = make_plan(tokenizer, mode)
    roles = roles_of(tokenizer, bos_token=bos_token, eos_token=eos_token, pad_token=pad_token)
    config: dict[str, Any] = {
        "added_tokens_decoder": {
            str(id): _added(token) for token, id in tokenizer.special_tokens.items()
        },
        "clean_up_tokenization_spaces": False,
        "model_max_length": int(1e30),  # "No limit" in transformers.
        "tokenizer_class": "PreTrainedTokenizerFast",
        **roles,
    }
    if chat_template is not None:
        config["chat_template"] = chat_template
    data = _json(tokenizer_json(plan))
    target = make_directory(folder)
    check_replaceable(target / "tokenizer.json", "tokenizer.json", overwrite)
    check_replaceable(target / "tokenizer_config.json", "config", overwrite)
    replace(target / "tokenizer.json", data)
    replace(target / "tokenizer_config.json", _json(config))
    return plan


def roles_of(tokenizer: Tokenizer, **given: str | None) -> dict[str, str]:
    """The special tokens that begin, end and pad a text.

    By default, `<|endoftext|>` ends a text, and `<|pad|>`, `<pad>` or `[PAD]` pads it, if these are
    special tokens of the model.
    """
    special = tokenizer.special_tokens
    roles = {role: token for role, token in given.items() if token is not None}
    for role, token in roles.items():
        if token not in special:
            raise SpecialTokenError(
                f"`{role}` is {token!r}, which is not a special token of the model",
                hint=f"the special tokens are {', '.join(special) or 'none'}; add others with "
                "`special_tokens` when training",
                token=token,
            )
    if END_OF_TEXT in special:
        roles.setdefault("eos_token", END_OF_TEXT)
    for name in _PAD_NAMES:
        if name in special:
            roles.setdefault("pad_token", name)
    return roles


def tokenizer_json(plan: Plan) -> dict[str, Any]:
    """The content of `tokenizer.json`. The ids are those of the model."""
    tokenizer = plan.tokenizer
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += [left + right for left, right in plan.merges]
    vocab = {}
    for token in tokens:
        id = tokenizer._model.token_to_id(token)
        if id is not None:  # A byte outside of the alphabet has no id and occurs in no text.
            vocab[to_chars(token)] = id
    for token_text, id in tokenizer.special_tokens.items():
        if token_text in vocab:
            raise ExportError(
                f"the special token {token_text!r} has the same name as an ordinary token, which "
                "Hugging Face cannot express",
                hint="give it another name in training, such as <|name|>, or export to tiktoken",
                reason="special",
                token=token_text,
            )
        # Listed here as well, so that they keep their ids.
        vocab[token_text] = id
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": id, **_added(token)} for token, id in tokenizer.special_tokens.items()
        ],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {
                    "type": "Split",
                    "pattern": {"Regex": plan.pattern},
                    "behavior": "Isolated",
                    "invert": False,
                },
                {
                    "type": "ByteLevel",
                    "add_prefix_space": False,
                    "trim_offsets": False,
                    "use_regex": False,
                },
            ],
        },
        "post_processor": {
            "type": "ByteLevel",
            "add_prefix_space": False,
            "trim_offsets": False,
            "use_regex": False,
        },
        "decoder": {
            "type": "ByteLevel",
            "add_prefix_space": False,
            "trim_offsets": False,
            "use_regex": False,
        },
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": dict(sorted(vocab.items(), key=lambda item: item[1])),
            "merges": [[to_chars(left), to_chars(right)] for left, right in plan.merges],
        },
    }


def _added(token: str) -> dict[str, Any]:
    return {
        "content": token,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }


def _json(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def load_huggingface(path: Path) -> Any:
    """Load an export with `tokenizers`. `path` is the directory or the `tokenizer.json`."""
    from superword._support.extras import need

    tokenizers = need("tokenizers", "huggingface", "loading a Hugging Face export")
    file = path / "tokenizer.json" if path.is_dir() else path
    try:
        return tokenizers.Tokenizer.from_buffer(file.read_bytes())  # Its name may not be UTF-8.
    except Exception as error:  # It raises no specific class.
        raise ExportError(
            f"Hugging Face's tokenizers cannot load {file}: {str(error)[:300]}",
            hint="its regex engine may not support a custom pattern; for superwords, "
            '`mode="approximate"` uses a short pattern',
            reason="engine",
        ) from error

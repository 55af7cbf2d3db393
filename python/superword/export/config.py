"""The `tokenizer_config.json` of an export: roles, added tokens, chat template."""

from __future__ import annotations

import json
from typing import Any

from superword import _core
from superword.errors import SpecialTokenError
from superword.tokenizer import END_OF_TEXT, AddedToken, Tokenizer

__all__ = ["ROLES", "added_json", "json_bytes", "roles_of", "tokenizer_config"]

ROLES = tuple(_core.roles())
_PAD_NAMES = ("<|pad|>", "<pad>", "[PAD]")
_NO_LIMIT = int(1e30)  # What transformers writes for "no limit".


def tokenizer_config(
    tokenizer: Tokenizer, roles: dict[str, str], chat_template: str | None
) -> dict[str, Any]:
    """The content of the file. `roles` are those of `roles_of`."""
    settings = tokenizer.settings
    single = settings.get("single", ["$A"])
    config: dict[str, Any] = {
        "added_tokens_decoder": _decoder(tokenizer),
        "clean_up_tokenization_spaces": settings.get("clean_up_tokenization_spaces", False),
        "model_max_length": settings.get("model_max_length", _NO_LIMIT),
        "tokenizer_class": "PreTrainedTokenizerFast",
        **roles,
    }
    if "single" in settings:
        config["add_bos_token"] = single[0] == roles.get("bos_token")
        config["add_eos_token"] = single[-1] == roles.get("eos_token")
    for side in ("padding_side", "truncation_side"):
        if side in settings:
            config[side] = settings[side]
    template = chat_template if chat_template is not None else settings.get("chat_template")
    if template is not None:
        config["chat_template"] = template
    return config


def roles_of(tokenizer: Tokenizer, **given: str | None) -> dict[str, str]:
    """The added tokens that begin, end and pad a text, and so on.

    Those of the model's settings, unless others are given. If the settings name none, then
    `<|endoftext|>` ends a text, and `<|pad|>`, `<pad>` or `[PAD]` pads it, if the model has them.
    """
    added = {token.content for token in tokenizer.added_tokens}
    settings = tokenizer.settings
    roles = {role: settings[role] for role in ROLES if role in settings}
    is_named = bool(roles)
    for role, token in given.items():
        if token is None:
            continue
        if token not in added:
            raise SpecialTokenError(
                f"`{role}` is {token!r}, which is not a special token of the model",
                hint=f"the special tokens are {', '.join(tokenizer.special_tokens) or 'none'}; "
                "add others with `special_tokens` when training",
                token=token,
            )
        roles[role] = token
    if is_named:
        return roles
    if END_OF_TEXT in added:
        roles.setdefault("eos_token", END_OF_TEXT)
    for name in _PAD_NAMES:
        if name in added:
            roles.setdefault("pad_token", name)
    return roles


def _decoder(tokenizer: Tokenizer) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for token in tokenizer.added_tokens:
        described = added_json(token)
        del described["id"]
        # The first of several names for an id is the one that decoding shows.
        found.setdefault(str(token.id), described)
    return found


def added_json(token: AddedToken) -> dict[str, Any]:
    """An added token as `tokenizer.json` lists it."""
    return {
        "id": token.id,
        "content": token.content,
        "single_word": token.single_word,
        "lstrip": token.lstrip,
        "rstrip": token.rstrip,
        "normalized": token.normalized,
        "special": token.special,
    }


def json_bytes(value: dict[str, Any]) -> bytes:
    """JSON for a file."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()

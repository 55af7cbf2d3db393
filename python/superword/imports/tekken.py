"""Import the `tekken.json` files of Mistral.

`config` has the pattern and the sizes, `vocab` the tokens with their ranks as in tiktoken, and
`special_tokens` the special tokens with their ids. Special tokens come first: the id of any other
token is its rank plus `default_num_special_tokens`. Only the first tokens of `vocab` are used, so
that there are `default_vocab_size` ids. Ids of special tokens that have no name are named
`<SPECIAL_20>` and so on, as Mistral's own program does.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any

from superword._files.read import read_file
from superword.errors import ConversionError
from superword.imports.build import Added
from superword.imports.json_files import laid_out, parse_object
from superword.imports.tiktoken import from_ranks
from superword.tokenizer import Tokenizer

__all__ = ["from_tekken"]

# The special tokens of files that do not list them (versions up to v7).
_UNLISTED = (
    "<unk> <s> </s> [INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] "
    "[/TOOL_RESULTS] [TOOL_CALLS] [IMG] <pad> [IMG_BREAK] [IMG_END] [PREFIX] [MIDDLE] [SUFFIX] "
    "[SYSTEM_PROMPT] [/SYSTEM_PROMPT] [TOOL_CONTENT]"
)
_ROLES = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}


def from_tekken(path: str | os.PathLike[str]) -> Tokenizer:
    """Import a `tekken.json`. See `Tokenizer.from_file`."""
    file = Path(path)
    data = parse_object(file, read_file(file, "give a tekken.json"))
    if not isinstance(data.get("vocab"), list) or not isinstance(data.get("config"), dict):
        raise ConversionError(
            f"{file} is not a tekken.json: it has no list of tokens",
            hint="give a tekken.json of Mistral",
            path=str(file),
        )
    with laid_out(file):
        return _convert(data)


def _convert(data: dict[str, Any]) -> Tokenizer:
    config = data["config"]
    reserved = int(config["default_num_special_tokens"])
    used = int(config["default_vocab_size"]) - reserved
    ranks = {
        base64.b64decode(entry["token_bytes"]): int(entry["rank"])
        for entry in data["vocab"]
        if int(entry["rank"]) < used
    }
    listed = data.get("special_tokens")
    if listed is None:
        named = dict(enumerate(_UNLISTED.split()))
    else:
        named = {int(token["rank"]): str(token["token_str"]) for token in listed}
    added = [Added(named.get(id, f"<SPECIAL_{id}>"), id) for id in range(reserved)]
    texts = {token.content for token in added}
    settings = {role: text for role, text in _ROLES.items() if text in texts}
    facts = {"format": "tekken", "version": config.get("version")}
    return from_ranks(
        ranks, str(config["pattern"]), added, facts, first_id=reserved, settings=settings
    )

"""The `tokenizer_config.json` of a tokenizer, and the files beside it.

The engine takes the roles of tokens, the chat template and a few options from them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from superword import _core
from superword._files.read import read_file
from superword.errors import ConversionError
from superword.imports.contents import Content, content_of

__all__ = ["config_of", "configs_beside"]

_OPTIONS = ("clean_up_tokenization_spaces", "padding_side", "truncation_side")


def configs_beside(folder: Path) -> list[Content]:
    """The configuration in a directory. Later files replace what earlier ones say."""
    files = (folder / "special_tokens_map.json", folder / "tokenizer_config.json")
    found = [
        content_of(file, read_file(file, "check the file")) for file in files if file.is_file()
    ]
    template = folder / "chat_template.jinja"
    if template.is_file():
        text = json.dumps({"chat_template": _chat_templates(template)})
        found.append(content_of(template, text.encode()))
    return found


def _chat_templates(default: Path) -> str | list[dict[str, str]]:
    """Templates in separate files, which replace the one in the configuration."""
    named = sorted((default.parent / "additional_chat_templates").glob("*.jinja"))
    text = _template(default)
    if not named:
        return text
    more = [{"name": path.stem, "template": _template(path)} for path in named]
    return [{"name": "default", "template": text}, *more]


def _template(file: Path) -> str:
    try:
        return read_file(file, "check the file").decode()
    except UnicodeDecodeError as error:
        raise ConversionError(
            f"{file} is not UTF-8 at byte {error.start}",
            hint="the file is damaged; download it again",
            path=str(file),
        ) from None


def config_of(tokenizer: Any) -> Content:
    """The configuration of a tokenizer of transformers."""
    data: dict[str, Any] = {}
    for role in _core.roles():
        token = getattr(tokenizer, role, None)
        data[role] = None if token is None else str(token)
    template = getattr(tokenizer, "chat_template", None)
    if isinstance(template, Mapping):
        template = [{"name": name, "template": text} for name, text in template.items()]
    data["chat_template"] = template
    limit = getattr(tokenizer, "model_max_length", None)
    if isinstance(limit, int | float) and limit < 1e30:  # Infinity is not JSON.
        data["model_max_length"] = limit
    for name in _OPTIONS:
        data[name] = getattr(tokenizer, name, None)
    return None, json.dumps(data).encode()

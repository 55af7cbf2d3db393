"""What `tokenizer_config.json` and the files beside it say about a tokenizer.

The roles of tokens, whether they are put around a text, the chat template, and a few options. It
becomes the settings of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from superword._files.read import read_file
from superword.errors import ConversionError
from superword.export.config import ROLES
from superword.imports.build import Added
from superword.imports.hf.added import added_of
from superword.imports.hf.template import PLAIN, Template, surrounded
from superword.imports.json_files import laid_out, parse_object

__all__ = ["Config", "config_beside", "config_of"]

_SIDES = ("padding_side", "truncation_side")
# transformers writes 10 ** 30 for "no limit".
_NO_LIMIT = 10**20


@dataclass(frozen=True)
class Config:
    """The data of a `tokenizer_config.json`, and where it comes from."""

    data: Mapping[str, Any] = field(default_factory=dict)
    file: Path | None = None

    @property
    def added_tokens(self) -> list[Added]:
        """The tokens of `added_tokens_decoder`, by id."""
        listed = self.data.get("added_tokens_decoder") or {}
        by_id = sorted((int(id), token) for id, token in listed.items())
        return [added_of(token, id) for id, token in by_id]

    def settings(self, ids: Mapping[str, int], template: Template) -> dict[str, Any]:
        """The settings of a model that has the added tokens `ids`."""
        with laid_out(self.file):
            return self._settings(ids, template)

    def _settings(self, ids: Mapping[str, int], template: Template) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for role in ROLES:
            text = _text_of(self.data.get(role))
            if text is None:
                continue
            if text not in ids:
                raise ConversionError(
                    f"the {role} is {text!r}, and the tokenizer has no such added token",
                    hint="add the token to added_tokens in tokenizer.json, or change the "
                    f"{role}; without this file the tokenizer can be imported as it is",
                    token=text,
                )
            found[role] = text
        # transformers 5 ignores the two switches if there is a tokenizer.json. They matter where
        # its post-processor adds nothing, as in DeepSeek V3.
        if template == PLAIN:
            template = surrounded(
                found.get("bos_token") if self.data.get("add_bos_token") else None,
                found.get("eos_token") if self.data.get("add_eos_token") else None,
            )
        if template != PLAIN:
            found["single"], found["pair"] = template
        if self.data.get("chat_template"):
            found["chat_template"] = self.data["chat_template"]
        limit = self.data.get("model_max_length")
        if isinstance(limit, int | float) and 0 < limit < _NO_LIMIT:
            found["model_max_length"] = int(limit)
        for side in _SIDES:
            if self.data.get(side) in ("left", "right"):
                found[side] = self.data[side]
        if isinstance(self.data.get("clean_up_tokenization_spaces"), bool):
            found["clean_up_tokenization_spaces"] = self.data["clean_up_tokenization_spaces"]
        return found


def config_beside(folder: Path) -> Config:
    """The configuration in a directory. It is empty if there is none."""
    data: dict[str, Any] = {}
    file = folder / "tokenizer_config.json"
    for path in (folder / "special_tokens_map.json", file):
        if path.is_file():
            data |= _read(path)
    templates = _chat_templates(folder)
    if templates:
        data["chat_template"] = templates
    return Config(data, file if file.is_file() else None)


def _read(path: Path) -> dict[str, Any]:
    return parse_object(path, read_file(path, "check the file"))


def _chat_templates(folder: Path) -> str | list[dict[str, str]] | None:
    """Templates in files of their own, which replace the one in the configuration."""
    default = folder / "chat_template.jinja"
    named = sorted((folder / "additional_chat_templates").glob("*.jinja"))
    if not default.is_file():
        return None
    text = default.read_text(encoding="utf-8")
    if not named:
        return text
    more = [{"name": path.stem, "template": path.read_text(encoding="utf-8")} for path in named]
    return [{"name": "default", "template": text}, *more]


def config_of(tokenizer: Any) -> Config:
    """The configuration of a tokenizer of transformers."""
    data: dict[str, Any] = {role: getattr(tokenizer, role, None) for role in ROLES}
    template = getattr(tokenizer, "chat_template", None)
    if isinstance(template, Mapping):
        template = [{"name": name, "template": text} for name, text in template.items()]
    data["chat_template"] = template
    for name in ("model_max_length", "clean_up_tokenization_spaces", *_SIDES):
        data[name] = getattr(tokenizer, name, None)
    return Config(data)


def _text_of(token: Any) -> str | None:
    """The text of a role: a string, or an object with its `content`."""
    if isinstance(token, Mapping):
        token = token.get("content")
    if token is None or token == "":
        return None
    return str(token)

"""Export to Hugging Face: a directory that `tokenizers` and `transformers` can load."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from superword._files.outputs import check_replaceable
from superword._files.replace import make_directory, replace
from superword._support.bytechars import to_bytes, to_chars
from superword.errors import ExportError
from superword.export.config import added_json, json_bytes, roles_of, tokenizer_config
from superword.export.patterns import DEEPSEEK_SPLITS
from superword.export.plan import Mode, Plan, Unicode, make_plan
from superword.export.whole import refuse_whole_runs
from superword.tokenizer import Tokenizer

__all__ = [
    "export_huggingface",
    "load_huggingface",
    "roles_of",
    "to_bytes",
    "to_chars",
    "tokenizer_json",
]


def export_huggingface(
    tokenizer: Tokenizer,
    folder: str | os.PathLike[str],
    mode: Mode = "auto",
    *,
    unicode: Unicode | None = None,
    chat_template: str | None = None,
    bos_token: str | None = None,
    eos_token: str | None = None,
    pad_token: str | None = None,
    overwrite: bool = False,
) -> Plan:
    """Write `tokenizer.json` and `tokenizer_config.json` into `folder`; see `Tokenizer`."""
    plan = make_plan(tokenizer, mode, unicode)
    roles = roles_of(tokenizer, bos_token=bos_token, eos_token=eos_token, pad_token=pad_token)
    data = json_bytes(tokenizer_json(plan))
    config = json_bytes(tokenizer_config(tokenizer, roles, chat_template))
    target = make_directory(folder)
    check_replaceable(target / "tokenizer.json", "tokenizer.json", overwrite)
    check_replaceable(target / "tokenizer_config.json", "config", overwrite)
    replace(target / "tokenizer.json", data)
    replace(target / "tokenizer_config.json", config)
    return plan


def tokenizer_json(plan: Plan) -> dict[str, Any]:
    """The content of `tokenizer.json`. The ids are those of the model."""
    tokenizer = plan.tokenizer
    if plan.runs is not None and tokenizer.whole_pieces:
        refuse_whole_runs(plan, "Hugging Face")
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [added_json(token) for token in tokenizer.added_tokens],
        "normalizer": {"type": tokenizer.normalizer.upper()} if tokenizer.normalizer else None,
        "pre_tokenizer": _pre_tokenizer(plan),
        "post_processor": _post_processor(tokenizer),
        "decoder": _byte_level(use_regex=False),
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": tokenizer.whole_pieces,
            "vocab": _vocab(plan),
            "merges": [[to_chars(left), to_chars(right)] for left, right in plan.merges],
        },
    }


def _vocab(plan: Plan) -> dict[str, int]:
    tokenizer = plan.tokenizer
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += [left + right for left, right in plan.merges]
    vocab = {}
    for token in tokens:
        id = tokenizer._model.token_to_id(token)
        if id is not None:  # A byte outside of the alphabet has no id and occurs in no text.
            vocab[to_chars(token)] = id
    for token, id in tokenizer.unmade_tokens.items():
        name = to_chars(token)
        # Some vocabularies have the same bytes twice, once in plain characters.
        vocab[name if name not in vocab else token.decode(errors="replace")] = id
    for added in tokenizer.added_tokens:
        if vocab.get(added.content, added.id) != added.id:
            raise ExportError(
                f"the special token {added.content!r} has the same name as an ordinary token, "
                "which Hugging Face cannot express",
                hint="give it another name in training, such as <|name|>, or export to tiktoken",
                reason="special",
                token=added.content,
            )
        # Listed here as well, so that they keep their ids.
        vocab[added.content] = added.id
    return dict(sorted(vocab.items(), key=lambda item: item[1]))


def _byte_level(*, use_regex: bool) -> dict[str, Any]:
    return {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": False,
        "use_regex": use_regex,
    }


def _split(pattern: str) -> dict[str, Any]:
    return {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": "Isolated",
        "invert": False,
    }


def _pre_tokenizer(plan: Plan) -> dict[str, Any]:
    """As the tokenizers that others know are published, where the pattern is one of theirs."""
    preset = plan.tokenizer.pretokenizer.meaning if plan.is_published else None
    if preset == "gpt2":
        return _byte_level(use_regex=True)
    steps: list[dict[str, Any]]
    if preset == "command-r":
        steps = [{"type": "Digits", "individual_digits": True}, _byte_level(use_regex=True)]
    elif preset == "deepseek-v3":
        steps = [*map(_split, DEEPSEEK_SPLITS), _byte_level(use_regex=False)]
    else:
        steps = [_split(plan.pattern), _byte_level(use_regex=False)]
    return {"type": "Sequence", "pretokenizers": steps}


def _post_processor(tokenizer: Tokenizer) -> dict[str, Any]:
    """What is put around a text: `single` and `pair` of the settings."""
    settings = tokenizer.settings
    if "single" not in settings:
        return _byte_level(use_regex=False)
    ids = {token.content: token.id for token in tokenizer.added_tokens}
    single = settings["single"]
    pair = settings.get("pair", ["$A", "$B"])

    def steps(template: list[str]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        of_second = 0
        for place, step in enumerate(template):
            # What stands before the second text belongs to it, as its beginning.
            of_second |= step == "$B" or (
                step != "$A" and "$A" in template[:place] and "$B" in template[place:]
            )
            if step in ("$A", "$B"):
                found.append({"Sequence": {"id": step[1], "type_id": int(step == "$B")}})
            else:
                found.append({"SpecialToken": {"id": step, "type_id": int(of_second)}})
        return found

    used = {step for step in [*single, *pair] if step not in ("$A", "$B")}
    return {
        "type": "TemplateProcessing",
        "single": steps(single),
        "pair": steps(pair),
        "special_tokens": {
            name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in sorted(used)
        },
    }


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

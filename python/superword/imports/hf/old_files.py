"""`vocab.json` and `merges.txt`, the files of GPT-2 and of other models before `tokenizer.json`.

The files do not say how text is split. `tokenizer_class` in `tokenizer_config.json` names the
program that does; without it, they are read as those of GPT-2.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from superword._files.read import read_file
from superword.errors import ConversionError
from superword.imports.build import refusal
from superword.imports.hf.config import Config
from superword.imports.json_files import parse_object
from superword.pretokenizer import Pretokenizer

__all__ = ["OldFiles", "old_files", "read_old_files"]

_GPT2 = {"gpt2", "roberta", "longformer", "bart", "led", "deberta", "codegen", "phi"}
_QWEN2 = {"qwen2"}


class OldFiles(NamedTuple):
    """The two files of a tokenizer."""

    vocab: Path
    merges: Path


def old_files(path: Path) -> OldFiles | None:
    """The two files in a directory without a tokenizer.json, or at and beside one of the two."""
    folder = path if path.is_dir() else path.parent
    if path.is_dir() and (path / "tokenizer.json").exists():
        return None
    if not path.is_dir() and path.name not in ("vocab.json", "merges.txt"):
        return None
    files = OldFiles(folder / "vocab.json", folder / "merges.txt")
    missing = [file for file in files if not file.is_file()]
    if not missing:
        return files
    if path.is_dir() and len(missing) == 2:
        return None
    raise ConversionError(
        f"there is no file {missing[0]}",
        hint="vocab.json and merges.txt belong together; give both, or a tokenizer.json",
        path=str(missing[0]),
    )


def read_old_files(files: OldFiles, config: Config) -> dict[str, Any]:
    """The data of the two files, laid out as in a `tokenizer.json`."""
    vocab = parse_object(files.vocab, read_file(files.vocab, "give a vocab.json"))
    try:
        lines = read_file(files.merges, "give a merges.txt").decode().split("\n")
    except UnicodeDecodeError as error:
        raise ConversionError(
            f"{files.merges} is not UTF-8 at byte {error.start}", path=str(files.merges)
        ) from None
    merges = [line.split() for line in lines if line.strip() and not line.startswith("#version")]
    for number, merge in enumerate(merges, start=1):
        if len(merge) != 2:
            raise ConversionError(
                f"{files.merges}: merge {number} is not two tokens: {' '.join(merge)[:60]!r}",
                hint="check that this is the merges.txt of a byte-level BPE",
                path=str(files.merges),
            )
    pretokenizer, normalizer = _splits(config)
    return {
        "model": {"type": "BPE", "vocab": vocab, "merges": merges},
        "pre_tokenizer": pretokenizer,
        "normalizer": normalizer,
        "added_tokens": _added(files.vocab.parent, config),
    }


def _added(folder: Path, config: Config) -> list[dict[str, Any]]:
    """Tokens of `added_tokens.json`, where `tokenizer_config.json` does not list them."""
    file = folder / "added_tokens.json"
    if config.data.get("added_tokens_decoder") or not file.is_file():
        return []
    listed = parse_object(file, read_file(file, "check the file"))
    by_id = sorted((int(id), text) for text, id in listed.items())
    return [{"content": text, "id": id} for id, text in by_id]


def _splits(config: Config) -> tuple[dict[str, Any], dict[str, Any] | None]:
    name = str(config.data.get("tokenizer_class") or "GPT2Tokenizer")
    family = name.removesuffix("Fast").removesuffix("Tokenizer").lower()
    byte_level: dict[str, Any] = {
        "type": "ByteLevel",
        "add_prefix_space": config.data.get("add_prefix_space", False),
    }
    if family in _GPT2:
        return byte_level, None
    if family in _QWEN2:
        split = {
            "type": "Split",
            "pattern": {"Regex": Pretokenizer("qwen2").pattern},
            "behavior": "Isolated",
        }
        steps = [split, byte_level | {"use_regex": False}]
        return {"type": "Sequence", "pretokenizers": steps}, {"type": "NFC"}
    raise refusal(
        "vocab.json and merges.txt do not say how text is split, and superword does not know "
        f"the class {name}",
        "load it with transformers and give the object, or save it there with save_pretrained, "
        "which writes a tokenizer.json",
    )

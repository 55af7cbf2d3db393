"""Puts models into the page of the playground."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from superword._files.outputs import check_not_read, check_output
from superword._files.replace import replace
from superword._support.text import lone_surrogate, surrogate_in
from superword.errors import PlaygroundError
from superword.tokenizer import Tokenizer

__all__ = ["LARGE", "Models", "page", "write"]

LARGE = 25_000_000
"""Pages with more bytes than this are slow to open, and too large for most mail."""

Models: TypeAlias = Iterable["str | os.PathLike[str] | Tokenizer"] | Mapping[str, Tokenizer]
"""Paths of tokenizers of any kind, `Tokenizer` objects, or such objects with their names."""

ASSETS = Path(__file__).parent / "assets"

_MARK = re.compile("(?<=>)@(?:ENGINE|MODELS|START)@(?=</script>)")


def page(models: Models = (), text: str = "") -> str:
    """The playground as an HTML document that contains these models and shows this text.

    A path can lead to anything that `Tokenizer.from_file` takes. Without models, the page asks for
    one. Raises `PlaygroundError` if the assets of the page were not built.
    """
    template, engine = _asset("page.html"), _asset("engine.wasm.gz")
    surrogate = surrogate_in(text)
    if surrogate is not None:
        raise lone_surrogate(surrogate)
    inlined = [
        {"name": name, "file": _packed(tokenizer.to_bytes())}
        for name, tokenizer in _named(models).items()
    ]
    parts = {
        "@ENGINE@": base64.b64encode(engine).decode("ascii"),
        "@MODELS@": _json(inlined),
        "@START@": _json({"text": text}),
    }
    document = template.decode("utf-8")
    missing = parts.keys() - _MARK.findall(document)
    if missing:
        raise _unusable(f"page.html has no {min(missing)}")
    # In one step, because a text or the name of a model may look like a mark.
    return _MARK.sub(lambda mark: parts[mark[0]], document)


def write(
    path: str | os.PathLike[str],
    models: Models = (),
    text: str = "",
    *,
    overwrite: bool = False,
) -> Path:
    """Write the playground with these models to a file, and return its path.

    An older page is replaced. Another file is replaced only with `overwrite=True`.
    """
    check_output(path, "page", overwrite)
    if not isinstance(models, Mapping):
        models = list(models)
        read = [os.fspath(model) for model in models if not isinstance(model, Tokenizer)]
        check_not_read([path], lambda: read)
    content = page(models, text).encode("utf-8")
    replace(path, content)
    return Path(path)


def _asset(name: str) -> bytes:
    try:
        return (ASSETS / name).read_bytes()
    except FileNotFoundError:
        raise _unusable("the page of the playground is not built") from None


def _unusable(reason: str) -> PlaygroundError:
    return PlaygroundError(
        reason, hint="install superword from a wheel, or run make playground in its repository"
    )


def _named(models: Models) -> dict[str, Tokenizer]:
    """Load the models, and give each a name of its own."""
    if isinstance(models, Mapping):
        return dict(models)
    named: dict[str, Tokenizer] = {}
    for model in models:
        tokenizer = model if isinstance(model, Tokenizer) else Tokenizer.from_file(model)
        wanted: str = model.method if isinstance(model, Tokenizer) else _name_of(Path(model))
        name, number = wanted, 1
        while name in named:
            number += 1
            name = f"{wanted} ({number})"
        named[name] = tokenizer
    return named


def _name_of(path: Path) -> str:
    """`wiki` for `models/wiki.superword`, and `Qwen3` for `Qwen3/tokenizer.json`."""
    resolved = path.resolve()
    if resolved.is_dir():
        return resolved.name
    if resolved.suffix == ".json" and resolved.parent.name:
        return resolved.parent.name
    return resolved.stem


def _packed(content: bytes) -> str:
    # The same content always gives the same page: no time in the header.
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode("ascii")


def _json(value: Any) -> str:
    """JSON for a script element. No `<` in it can end the element or start a comment."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")

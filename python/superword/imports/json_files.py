"""Reading JSON files of other programs, with errors that name the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from superword.errors import ConversionError, SuperwordError

__all__ = ["laid_out", "parse_object"]


def parse_object(file: Path, content: bytes | str) -> dict[str, Any]:
    """The JSON object in a file."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ConversionError(
            f"{file} is not JSON: {error}",
            hint="the file is damaged or incomplete; download it again",
            path=str(file),
        ) from None
    if not isinstance(data, dict):
        raise ConversionError(
            f"{file} is not a JSON object",
            hint="give a tokenizer.json, or the directory that holds it",
            path=str(file),
        )
    return data


@contextmanager
def laid_out(file: Path | None) -> Iterator[None]:
    """Name the file in every `ConversionError`, and turn surprises in its layout into one."""
    where = str(file) if file is not None else "the tokenizer"
    path = str(file) if file is not None else None
    try:
        yield
    except ConversionError as error:
        if "path" in error.facts:
            raise  # It names another file.
        raise error._at(where, path=path) from None
    except SuperwordError:
        raise
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise ConversionError(
            f"{where}: not laid out as expected ({type(error).__name__}: {error})",
            hint="the file is damaged, or of a version that superword does not know",
            path=path,
        ) from error

"""Reading JSON files of other programs, with errors that name the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from superword.errors import ConversionError, SuperwordError

__all__ = ["laid_out"]


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

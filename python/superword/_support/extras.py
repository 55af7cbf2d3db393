"""Packages that are needed for some things only: imported when used, named when missing."""

from __future__ import annotations

import importlib
from typing import Any

from superword.errors import MissingExtraError

__all__ = ["need"]


def need(module: str, extra: str, what: str) -> Any:
    """Import `module`, or say which extra brings it: `need("tiktoken", "tiktoken", "...")`."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        if error.name is not None and error.name.split(".")[0] != module.split(".")[0]:
            raise  # It is there, and something that it needs is not: its own message says more.
        raise MissingExtraError(
            f"{what} needs the package {module.split('.')[0]}, which is not installed",
            hint=f"pip install 'superword[{extra}]'",
            extra=extra,
        ) from None

"""Optional packages: imported when they are used, with a clear error if they are missing."""

from __future__ import annotations

import importlib
from typing import Any

from superword.errors import MissingExtraError

__all__ = ["need", "pyarrow"]


def need(module: str, extra: str, what: str) -> Any:
    """Import `module`, or raise an error that names the extra which installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        if error.name is not None and error.name.split(".")[0] != module.split(".")[0]:
            raise  # The package is installed, but one that it imports is not.
        raise MissingExtraError(
            f"{what} needs the package {module.split('.')[0]}, which is not installed",
            hint=f"pip install 'superword[{extra}]'",
            extra=extra,
        ) from None


def pyarrow() -> Any:
    """The package `pyarrow`, or an error that says how to install it."""
    return need("pyarrow", "arrow", "reading and writing Parquet and Arrow")

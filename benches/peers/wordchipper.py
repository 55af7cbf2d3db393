"""wordchipper: encoding only, and only tokenizers that it knows by name."""

from __future__ import annotations

from typing import Any

from benches.peers import CannotHoldError, Exported


def load(exported: Exported) -> Any:
    """Not possible: it cannot load a custom vocabulary."""
    import wordchipper

    known = ", ".join(wordchipper.Tokenizer.available_models())
    raise CannotHoldError(f"it loads only {known}, by name")

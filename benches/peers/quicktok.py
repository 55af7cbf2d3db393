"""quicktok: BPE over whole texts, without a pattern."""

from __future__ import annotations

from typing import Any

from benches.peers import CannotHoldError, Exported


def load(exported: Exported) -> Any:
    """Not possible: its tokenizers have no pretokenizer."""
    import quicktok

    assert quicktok.BasicTokenizer
    raise CannotHoldError("it has no pretokenizer, so no tokenizer with a pattern fits it")

"""A model with so few merges that texts can be encoded by hand."""

from __future__ import annotations

from superword import Tokenizer, _core

__all__ = ["toy"]


def toy(*, supermerge: bool = True) -> Tokenizer:
    """`the`, ` the`, `of` and the superword `of the`; 262 tokens and one special token."""
    events = [
        ("merge", b"t", b"h", 30),
        ("merge", b"th", b"e", 20),
        ("merge", b" ", b"the", 10),
        ("merge", b"o", b"f", 9),
    ]
    if supermerge:
        events.append(("supermerge", b"of", b" the", 4))
    made = 256 + len(events)
    end = ("<|end|>", made, True, False, False, False, False)
    model = _core.Model.from_parts(
        "boundless", _core.Pretokenizer.preset("gpt2"), "bytes", events, None, [end], "{}"
    )
    return Tokenizer._wrap(model)

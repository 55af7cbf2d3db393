"""The numbers below a shown text."""

from __future__ import annotations

from collections.abc import Sequence

from superword._support.text import plural, printable
from superword.views.encoded import Encoded

__all__ = ["HEAD", "left_out", "rows"]

HEAD = ("", "tokens", "bytes per token", "superwords", "")


def rows(models: Sequence[Encoded]) -> list[tuple[str, str, str, str, str]]:
    """The cells below `HEAD` for each model. The last compares it with the first model."""
    found = []
    for model in models:
        density = model.bytes_per_token
        found.append(
            (
                printable(model.name),
                f"{len(model):,}",
                "–" if density is None else f"{density:.2f}",
                f"{model.superwords:,}",
                "" if model is models[0] else _difference(models[0], model),
            )
        )
    return found


def _difference(first: Encoded, other: Encoded) -> str:
    if len(first) == len(other):
        return "the same number of tokens"
    share = len(other) / len(first) - 1  # Only an empty text has no tokens.
    return f"{abs(share):.1%} {'fewer' if share < 0 else 'more'} tokens"


def left_out(model: Encoded, limit: int | None) -> str:
    """What to say about the tokens after the limit. Empty if there are none."""
    more = 0 if limit is None else len(model) - limit
    return f"… and {plural(more, 'more token')}" if more > 0 else ""

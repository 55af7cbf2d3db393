"""Checks for programs that look up whole pieces, and that join tokens by their bytes.

tiktoken does both. Hugging Face looks up whole pieces if `ignore_merges` is set.
"""

from __future__ import annotations

from collections.abc import Sequence

from superword.errors import ExportError
from superword.export.plan import Plan
from superword.export.runs.seams import merged

__all__ = ["refuse_other_joins", "refuse_whole_runs"]


def refuse_whole_runs(plan: Plan, program: str) -> None:
    """No run of leaves may be a token that the model does not make of it."""
    assert plan.runs is not None
    tokenizer = plan.tokenizer
    for token in tokenizer.unmade_tokens:
        text = token.decode(errors="replace")
        if plan.runs.is_run(text):
            raise ExportError(
                f"{program} would take the token {text!r} for a run of words, which the model "
                "never does",
                hint="export with `mode='approximate'`",
                reason="unmade",
                token=text,
            )
    for superword in plan.runs.parts:
        if tokenizer.encode_ordinary(superword) != [tokenizer.token_to_id(superword.encode())]:
            raise ExportError(
                f"{program} would use the superword {superword!r} where the model does not, "
                "because other superwords come first",
                hint="export to Hugging Face instead, or with `mode='approximate'`",
                reason="unreached",
                token=superword,
            )


def refuse_other_joins(plan: Plan, unmade: Sequence[bytes]) -> None:
    """Two neighbours that join to the bytes of a token must be the parts of its merge.

    For words this holds if each is what its own merges make of its bytes, and for superwords if
    only one sequence of leaves has their bytes. Training creates only such words; an imported model
    may have others. An `unmade` token must never be two neighbours.
    """
    ranks = {rule: rank for rank, rule in enumerate(plan.merges[: plan.n_words])}
    made = [(left + right, 1) for left, right in ranks]
    for joined, least in [*made, *((token, 3) for token in unmade)]:
        parts = len(merged(joined, ranks))
        if parts < least or (least == 1 and parts > 1):
            token = joined.decode(errors="backslashreplace")
            raise ExportError(
                f"the token {token!r} is not what its own merges make of its bytes, and tiktoken "
                "would use it where the model does not",
                hint="export to Hugging Face instead",
                reason="unreached",
                token=token,
            )
    if plan.runs is None:
        return
    for superword in plan.runs.parts:
        other = plan.runs.other_parts(superword)
        if other is not None:
            raise ExportError(
                f"the superword {superword!r} is also the words {other!r}, and tiktoken cannot "
                "tell the two apart",
                hint="export to Hugging Face instead",
                reason="ambiguous",
                token=superword,
            )

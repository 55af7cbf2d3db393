"""Evaluate tokenizers on text: `superword.evaluate` and its typed result.

>>> result = superword.evaluate(["wiki.superword", "gpt2/"], {"de": "corpus/de", "en": "corpus/en"})
>>> result.models[0].numbers["de"].size.bytes_per_token
"""

from typing import TYPE_CHECKING, Any

from superword.evaluation.checks import Check, Failure, check
from superword.evaluation.results import (
    OVERALL,
    Cost,
    Curves,
    Distribution,
    Edges,
    Evaluation,
    Group,
    ModelResult,
    ModelShape,
    Morphemes,
    Numbers,
    Pairs,
    Parallel,
    ParallelLines,
    Share,
    Size,
    Superwords,
    Use,
    Vocabulary,
    Words,
)

if TYPE_CHECKING:
    from superword.evaluation.run import evaluate

__all__ = [
    "OVERALL",
    "Check",
    "Cost",
    "Curves",
    "Distribution",
    "Edges",
    "Evaluation",
    "Failure",
    "Group",
    "ModelResult",
    "ModelShape",
    "Morphemes",
    "Numbers",
    "Pairs",
    "Parallel",
    "ParallelLines",
    "Share",
    "Size",
    "Superwords",
    "Use",
    "Vocabulary",
    "Words",
    "check",
    "evaluate",
]


def __getattr__(name: str) -> Any:
    # `evaluate` needs numpy, which takes long to import. Reading a result does not.
    if name != "evaluate":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from superword.evaluation.run import evaluate

    return evaluate

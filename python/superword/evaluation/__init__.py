"""Evaluate tokenizers on text: `superword.evaluate` and its typed result.

>>> result = superword.evaluate(["wiki.superword", "gpt2/"], {"de": "corpus/de", "en": "corpus/en"})
>>> result.models[0].numbers["de"].size.bytes_per_token
"""

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

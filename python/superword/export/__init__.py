"""Models for other programs: Hugging Face and tiktoken, and how faithful an export is.

Exact where the format allows it, the paper's approximation elsewhere, refused where even that
would be wrong. `verify` counts what differs on real text.
"""

from superword.export.huggingface import export_huggingface, load_huggingface
from superword.export.plan import MODES, Mode, Plan, make_plan
from superword.export.tiktoken import export_tiktoken, load_tiktoken
from superword.export.verify import Comparison, Difference, open_export, verify

__all__ = [
    "MODES",
    "Comparison",
    "Difference",
    "Mode",
    "Plan",
    "export_huggingface",
    "export_tiktoken",
    "load_huggingface",
    "load_tiktoken",
    "make_plan",
    "open_export",
    "verify",
]

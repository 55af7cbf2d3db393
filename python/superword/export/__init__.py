"""Export models to Hugging Face and tiktoken, and compare an export with its model.

An export is exact where the format allows it, and the paper's approximation elsewhere. If neither
is possible, `ExportError` says why. `verify` counts the differences on real text.
"""

from superword.export.huggingface import export_huggingface, load_huggingface
from superword.export.plan import MODES, UNICODE, Mode, Plan, Unicode, make_plan
from superword.export.tiktoken import export_tiktoken, load_tiktoken
from superword.export.verify import Comparison, Difference, open_export, verify

__all__ = [
    "MODES",
    "UNICODE",
    "Comparison",
    "Difference",
    "Mode",
    "Plan",
    "Unicode",
    "export_huggingface",
    "export_tiktoken",
    "load_huggingface",
    "load_tiktoken",
    "make_plan",
    "open_export",
    "verify",
]

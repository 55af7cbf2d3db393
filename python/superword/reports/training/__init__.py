"""Reports on training: how a run in a work directory went, and how its text repeats itself.

>>> from superword import reports
>>> from superword.reports.training import measure, sections
>>> reports.write(None, "training.html", sections=sections(measure("work/")))
"""

from typing import TYPE_CHECKING, Any

from superword.reports.training.record import inputs_of
from superword.reports.training.results import (
    MOST_BYTES,
    Amount,
    Course,
    GroupRatios,
    Phase,
    Ratio,
    Training,
)

if TYPE_CHECKING:
    from superword.reports.training.drawing import sections
    from superword.reports.training.measuring import measure

__all__ = [
    "MOST_BYTES",
    "Amount",
    "Course",
    "GroupRatios",
    "Phase",
    "Ratio",
    "Training",
    "inputs_of",
    "measure",
    "sections",
]


_DEFINED_IN = {"measure": "measuring", "sections": "drawing"}


def __getattr__(name: str) -> Any:
    # They need numpy and the plots, which the command line should not import for its help.
    if name not in _DEFINED_IN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_DEFINED_IN[name]}"), name)

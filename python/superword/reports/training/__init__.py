"""Reports on training: how a run in a work directory went, and how its text repeats itself.

>>> from superword import reports
>>> from superword.reports.training import measure, sections
>>> reports.write(None, "training.html", sections=sections(measure("work/")))
"""

from superword.reports.training.measure import MOST_BYTES, measure
from superword.reports.training.record import inputs_of
from superword.reports.training.results import (
    Amount,
    Course,
    GroupRatios,
    Phase,
    Ratio,
    Training,
)
from superword.reports.training.sections import sections

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

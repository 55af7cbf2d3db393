"""The figures of a report, drawn from the result of an evaluation.

Each function returns a `Figure`, or a `Note` that says why there is none.
"""

from superword.reports.figures.curves import merge_counts, supermerges, vocabulary_sizes
from superword.reports.figures.distributions import coverage, lengths, rank_frequency, words
from superword.reports.figures.groups import density_bars, density_map, parity_bars, relative_map

__all__ = [
    "coverage",
    "density_bars",
    "density_map",
    "lengths",
    "merge_counts",
    "parity_bars",
    "rank_frequency",
    "relative_map",
    "supermerges",
    "vocabulary_sizes",
    "words",
]

"""What a report tells about a training run: plain data, which `sections` draws."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["MOST_BYTES", "Amount", "Course", "GroupRatios", "Phase", "Ratio", "Reused", "Training"]

Reused = Literal["no", "perhaps", "yes"]

MOST_BYTES = "50MB"
"""How much text is read again by default, of all groups together."""


@dataclass(frozen=True)
class Amount:
    """The counts of the first documents of a text."""

    documents: int
    bytes: int
    pretokens: int
    unique_pretokens: int
    candidates: int
    """Candidates are counted without cutting, with the words that the run learned."""
    unique_candidates: int


@dataclass(frozen=True)
class Ratio:
    """Distinct ones and all of them. The type-token ratio is their quotient."""

    unique: int
    total: int

    @property
    def value(self) -> float | None:
        """The type-token ratio. None if there are none."""
        return self.unique / self.total if self.total else None


@dataclass(frozen=True)
class GroupRatios:
    """The type-token ratios of the first documents of a group."""

    name: str
    documents: int
    bytes: int
    pretokens: Ratio
    candidates: Ratio
    split: Ratio
    """What greedy splitting leaves of the candidates."""
    split_below: int
    """Greedy splitting did not use n-grams that occur less often."""


@dataclass(frozen=True)
class Phase:
    """A phase of a run."""

    name: str
    seconds: float
    """How long the phase took."""
    unit: str
    """What `points` count: `"bytes"` of the input files or `"tokens"`."""
    total: int | None
    points: tuple[tuple[float, int], ...]
    """Seconds since the start of the run, and how much was done."""
    reused: Reused
    """Whether results of earlier runs were used. `"perhaps"`: of some parts of the text."""
    peak_memory: int | None = None
    """The most memory that the process used in the phase, in bytes. None if it is not known."""


@dataclass(frozen=True)
class Course:
    """How a complete run went."""

    documents: int
    bytes: int
    seconds: float
    phases: tuple[Phase, ...]


@dataclass(frozen=True)
class Training:
    """The numbers of the training section of a report."""

    method: str
    vocab_size: int
    amounts: tuple[Amount, ...]
    """Growing parts of the text that was read again. The last one is all of it."""
    groups: tuple[GroupRatios, ...]
    """One without a name if the run had no groups."""
    whole: bool
    """Whether all text of the run was read again, not only its beginning."""
    limit: int
    """How many bytes of each group were read again at most."""
    courses: tuple[Course, ...]
    """The complete runs with these options, the one to draw first."""
    merges: tuple[tuple[int, int], ...]
    """For some merges: the number of the merge, from 1, and the count of its pair."""
    supermerges: tuple[tuple[int, int], ...]
    notes: tuple[str, ...]
    """What the reader must know about these numbers."""

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, strings and numbers, with the names of the fields."""
        return asdict(self)

"""How long a run still takes: one estimate for all phases together.

The engine reports how much of each step is done. The speed of the current step is measured. The
steps that follow are predicted from the pass that counts pretokens, since they work on the same
text with the same threads. The numbers of the prediction are the constants below and in
`_expected`, and nowhere else.
`python -m benches.estimates` compares estimates with what a run really took.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Expected", "Forecast", "Outlook", "Run"]

# The steps of each phase, in order.
STEPS = {
    "sample": ("read",),
    "count": ("read", "add up"),
    "merge": ("prepare", "merge"),
    "candidates": ("read", "add up", "cut"),
    "supermerge": ("prepare", "merge"),
}
WORDS = ("count", "merge")
SUPERWORDS = (*WORDS, "candidates", "supermerge")

# Counting a byte on one thread takes about this long. Only used if nothing was measured.
_SECONDS_PER_BYTE = 5e-9
# What learning takes for a million tokens in its sequences and for a thousand merges. One is what
# counting the pretokens of a megabyte of text takes on one thread.
_WORDS = (8.0, 0.2)
_SUPERWORDS = (12.0, 0.2)
# Tokens in the distinct words and in the cut runs of words of a megabyte of text, in millions. The
# second number is for a vocabulary of superwords only.
_TOKENS = (0.1, 0.25)
# How long counting candidates takes, compared with counting pretokens.
_CANDIDATES = 1.4
# A measured speed is trusted fully once this share of a step was measured. The first number is for
# the first pass, for which nothing better than a guess is known.
_TRUSTED_FIRST = 0.05
_TRUSTED = 0.4
# A speed that was measured for less than this many seconds means nothing.
_SHORTEST = 0.2
# Before a phase is over, no more than this share of it is done.
_ALMOST = 0.999

_Step = tuple[str, str]
_FIRST: _Step = ("count", "read")


@dataclass(frozen=True)
class Run:
    """What is known about a training run before it starts."""

    method: str
    vocab_size: int
    threads: int
    text_bytes: int | None
    """The size of the text, not compressed. None if it is not known."""
    sample: bool = False
    supermerges: int | None = None


# By phase: the tokens that it works on and the merges that it makes, each None if not known yet.
Expected = Mapping[str, tuple[int | None, int | None]]


class Outlook(NamedTuple):
    """The share of the current phase that is done, and how long the whole run still takes."""

    share: float | None
    seconds_left: float | None


class Forecast:
    """Estimates how long a run still takes. Without a `Run`, only the current step is estimated."""

    def __init__(self, run: Run | None = None) -> None:
        self.run = run
        phases: Sequence[str] = ()
        if run is not None:
            phases = WORDS if run.method == "bpe" else SUPERWORDS
            if run.sample:
                phases = ("sample", *phases)
        self.plan: list[_Step] = [(phase, step) for phase in phases for step in STEPS[phase]]
        self.text_bytes = None if run is None else run.text_bytes
        # How long finished steps took, at the speed they had in the end.
        self.took: dict[_Step, float] = {}
        self.current: _Step | None = None
        self.started = 0.0
        self.points: list[tuple[float, float]] = []
        self.phase_share = 0.0
        self.expected: Expected = {}

    def tell(
        self,
        seconds: float,
        phase: str,
        step: str,
        share: float | None,
        total: int | None = None,
        expected: Expected | None = None,
    ) -> Outlook:
        """The outlook after `seconds`, when `share` of a step is done (None if not known).

        `total` is the number of bytes that are read in this phase, if it reads. `expected` is what
        the engine knows about later phases.
        """
        self.expected = expected or {}
        if (phase, step) != self.current:
            self._begin(seconds, phase, step)
        if self.text_bytes is None and phase == "count":
            self.text_bytes = total
        if share is None:
            return Outlook(None, None)
        self.points.append((seconds, share))
        # The second half of the time tells the present speed. It also leaves out what was found in
        # a work directory at the start.
        half = (self.started + seconds) / 2
        while len(self.points) > 2 and self.points[1][0] <= half:
            del self.points[0]
        most = _ALMOST if phase in STEPS else 1.0
        whole = self._whole(seconds, share)
        if whole is None:
            return Outlook(min(most, share), None)
        spent = seconds - self.started
        if share > 0:
            done, left = whole * share, whole * (1 - share)
        else:
            # It is not known how far it has come. If it is overdue, it takes a while longer.
            done, left = spent, max(whole - spent, 0.2 * spent)
        done += sum(self.took.get(earlier, 0.0) for earlier in self._earlier_in_phase())
        following = self._following()
        left_of_phase = left + sum(following[step] for step in following if step[0] == phase)
        if done > 0:
            share_of_phase = done / (done + left_of_phase)
            self.phase_share = min(most, max(self.phase_share, share_of_phase))
        return Outlook(self.phase_share, left + sum(following.values()))

    def _begin(self, seconds: float, phase: str, step: str) -> None:
        if self.current is not None:
            end, share = self.points[-1]
            self.took[self.current] = self._whole(end if share >= 1 else seconds, 1.0) or 0.0
            if self.current[0] != phase:
                self.phase_share = 0.0
        self.current = (phase, step)
        self.started = seconds
        self.points = [(seconds, 0.0)]

    def _whole(self, seconds: float, share: float) -> float | None:
        """How long the whole current step takes at its present speed. None if nothing is known."""
        assert self.current is not None
        expected = self.took.get(self.current) or self._expected(self.current)
        return self._at_speed(seconds, share, expected)

    def _at_speed(self, seconds: float, share: float, expected: float | None) -> float | None:
        """How long the current step takes by its speed, and by what is expected at first."""
        start, before = self.points[0]
        measured = share - before
        if measured <= 0 or seconds <= start:
            return expected
        by_speed = (seconds - start) / measured
        if expected is None:
            return by_speed if seconds - start > _SHORTEST else None
        enough = _TRUSTED_FIRST if self.current == _FIRST else _TRUSTED
        trust = min(1.0, measured / enough)
        return trust * by_speed + (1 - trust) * expected

    def _earlier_in_phase(self) -> list[_Step]:
        """The steps of the current phase before the current one."""
        assert self.current is not None
        phase, current = self.current
        steps = STEPS.get(phase, (current,))
        before = steps[: steps.index(current)] if current in steps else ()
        return [(phase, step) for step in before]

    def _following(self) -> dict[_Step, float]:
        """How long each step after the current one takes."""
        if self.current not in self.plan:
            return {}
        after = self.plan[self.plan.index(self.current) + 1 :]
        return {step: self.took.get(step) or self._expected(step) or 0.0 for step in after}

    def _expected(self, step: _Step) -> float | None:
        """How long a step is expected to take on this machine."""
        if self.run is None or step not in self.plan:
            return None
        run = self.run
        read = self._seconds_of_pass()
        if read is None:
            return None
        megabytes = max(1.0, (self.text_bytes or 0) / 1e6)
        # What it takes to count a megabyte of text on one thread. Counting bigrams as well, which
        # only superwords need, makes the pass longer.
        unit = read * run.threads / megabytes * (1.7 if run.method == "bpe" else 1.0)
        # Learning uses threads too, but not as well as counting.
        unit /= run.threads**0.5
        tokens, merges = self._amounts("merge", megabytes)
        words = unit * (_WORDS[0] * tokens / 1e6 + _WORDS[1] * merges / 1e3)
        tokens, merges = self._amounts("supermerge", megabytes)
        superwords = unit * (_SUPERWORDS[0] * tokens / 1e6 + _SUPERWORDS[1] * merges / 1e3)
        seconds: dict[_Step, float] = {
            ("sample", "read"): 0.5 * read,
            ("count", "read"): read,
            ("count", "add up"): 0.07 * read,
            ("merge", "prepare"): 0.15 * words,
            ("merge", "merge"): 0.85 * words,
            ("candidates", "read"): _CANDIDATES * read,
            ("candidates", "add up"): 0.07 * read,
            ("candidates", "cut"): 0.01 * read,
            ("supermerge", "prepare"): 0.5 * superwords,
            ("supermerge", "merge"): 0.5 * superwords,
        }
        return seconds[step]

    def _amounts(self, phase: str, megabytes: float) -> tuple[float, float]:
        """The tokens that a phase works on and the merges that it makes, guessed if not known."""
        assert self.run is not None
        known_tokens, known_merges = self.expected.get(phase, (None, None))
        # Distinct words and runs of words grow more slowly than the text.
        words, runs = 1e6 * megabytes**0.85, 1e6 * megabytes**0.8
        size = self.run.vocab_size
        if phase == "merge":
            return known_tokens or _TOKENS[0] * words, known_merges or size
        merges = known_merges or self.run.supermerges or 0.35 * size
        return known_tokens or _TOKENS[1] * runs * merges / size, merges

    def _seconds_of_pass(self) -> float | None:
        """How long a pass over the whole text that counts pretokens takes."""
        assert self.run is not None
        guess = None
        if self.text_bytes is not None:
            guess = self.text_bytes * _SECONDS_PER_BYTE / self.run.threads
        if self.current == _FIRST:
            return self._at_speed(*self.points[-1], guess)
        took = self.took.get(_FIRST)
        # Too fast to be true: the counts were in the work directory.
        if took is None or (guess is not None and took < guess / 10):
            return guess
        return took

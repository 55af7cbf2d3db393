"""Axes: from numbers to places on the screen, and where the ticks are."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Axis", "Scale", "linear_ticks", "log_ticks", "scale_for"]

_MINOR = ((1, 2, 5), (1, 3), (1,))


@dataclass(frozen=True)
class Axis:
    """What an axis shows. The title has the unit: `"size of the vocabulary (tokens)"`."""

    title: str
    log: bool = False
    percents: bool = False
    zero: bool = False
    """Whether a linear axis begins at 0."""


@dataclass(frozen=True)
class Scale:
    """A linear or logarithmic map from `low..high` to `start..end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool
    ticks: tuple[float, ...]

    def __call__(self, value: float) -> float:
        """The place of a value."""
        low, high = self.low, self.high
        if self.log:
            value, low, high = math.log(max(value, low)), math.log(low), math.log(high)
        return self.start + (value - low) / (high - low) * (self.end - self.start)


def linear_ticks(low: float, high: float, most: int) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten from `low` to `high`, at most `most` of them.

    >>> linear_ticks(0, 10, 6)
    [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    """
    if high <= low:
        return [low]
    power = math.floor(math.log10((high - low) / max(1, most))) - 1
    while True:
        for factor in (1, 2, 5):
            step = factor * 10.0**power
            first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
            if last - first + 1 <= max(2, most):
                # Rounded, because 3 * 0.1 is not 0.3.
                digits = max(0, -power)
                return [round(i * step, digits) for i in range(first, last + 1)]
        power += 1


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """Ticks of a logarithmic axis: 1-2-5, 1-3 or powers of ten, whatever fits.

    >>> log_ticks(1, 1000, 4)
    [1.0, 10.0, 100.0, 1000.0]
    """
    powers = range(math.floor(math.log10(low) - 1e-9), math.ceil(math.log10(high) + 1e-9) + 1)
    inside: list[float] = []
    for factors in _MINOR:
        inside = [
            factor * 10.0**power
            for power in powers
            for factor in factors
            if low * (1 - 1e-9) <= factor * 10.0**power <= high * (1 + 1e-9)
        ]
        if len(inside) <= most:
            break
    if len(inside) > most:
        every = math.ceil(len(inside) / max(1, most))
        inside = inside[::every]
    return inside if len(inside) >= 2 else linear_ticks(low, high, most)


def scale_for(
    axis: Axis, values: Iterable[float], start: float, end: float, most: int, *, nice: bool
) -> Scale:
    """The scale for these values. With `nice`, there is some room at both ends, up to a tick."""
    found = [value for value in values if not axis.log or value > 0] or [1.0]
    low, high = min(found), max(found)
    if axis.log:
        if high <= low:
            low, high = low / 2, high * 2
        if nice:
            low, high = _outward(low, high, down=True), _outward(high, low, down=False)
        ticks = [tick for tick in log_ticks(low, high, most) if tick > 0]
        return Scale(low, high, start, end, True, tuple(ticks))
    if axis.zero:
        low, high = min(0.0, low), max(0.0, high)
    if high <= low:
        margin = abs(low) / 10 or 1.0
        low, high = low - margin, high + margin
    if nice:
        ticks = linear_ticks(low, high, most)
        step = ticks[1] - ticks[0] if len(ticks) > 1 else high - low
        low, high = _widened(low, high, step, axis.zero)
    return Scale(low, high, start, end, False, tuple(linear_ticks(low, high, most)))


def _widened(low: float, high: float, step: float, zero: bool) -> tuple[float, float]:
    """Move both ends to the next tick if it is near, and a little otherwise."""
    room, little = 0.15 * (high - low), 0.03 * (high - low)
    down = math.floor(low / step + 1e-9) * step
    up = math.ceil(high / step - 1e-9) * step
    new_low = down if low - down <= room else low - little
    new_high = up if up - high <= room else high + little
    # An axis that begins at 0 begins exactly there.
    return (0.0 if zero and low == 0 else new_low), (0.0 if zero and high == 0 else new_high)


def _outward(value: float, other: float, *, down: bool) -> float:
    """The next power of ten below or above, or 2 or 5 times one if the axis is short."""
    power = 10.0 ** math.floor(math.log10(value) + 1e-12)
    short = abs(math.log10(value / other)) < 2
    steps = [factor * power for factor in ((1, 2, 5, 10) if short else (1, 10))]
    if down:
        return max(step for step in steps if step <= value * (1 + 1e-9))
    return min(step for step in steps if step >= value * (1 - 1e-9))

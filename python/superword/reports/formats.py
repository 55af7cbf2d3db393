"""How a report writes numbers. Every table, sentence and label uses these functions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from superword._support.text import format_bytes
from superword.evaluation.results import Share

__all__ = [
    "bits",
    "compact",
    "count",
    "flops",
    "number",
    "of",
    "percent",
    "percent_of_key",
    "size",
    "ticks",
]

NONE = "–"
# Between a number and its unit, so that a line never breaks there.
_GAP = "\u00a0"
_PREFIXES = ("", "k", "M", "G", "T", "P", "E", "Z")


def count(value: int | None) -> str:
    """A whole number: `'1,234,567'`."""
    return NONE if value is None else f"{value:,}"


def number(value: float | None) -> str:
    """A number with four significant digits: `'4.312'`, `'0.08731'`, `'1,234'`."""
    if value is None:
        return NONE
    if not value:
        return "0"
    digits = 3 - math.floor(math.log10(abs(value)))
    if digits > 9:
        return f"{value:.3g}"
    shown = f"{value:,.{max(0, digits)}f}"
    # Rounding may add a digit: 9.9999 is 10.00, not 10.000.
    return f"{value:,.{max(0, digits - 1)}f}" if _rounded_up(value, shown) else shown


def _rounded_up(value: float, shown: str) -> bool:
    before = math.floor(math.log10(abs(value)))
    after = abs(float(shown.replace(",", "")))
    return after > 0 and math.floor(math.log10(after)) > before


def percent(share: float | None) -> str:
    """A share in percent: `'12.3%'`, `'0.042%'`."""
    if share is None:
        return NONE
    value = 100 * share
    if not value:
        shown = "0"
    elif abs(value) >= 10:
        shown = f"{value:.1f}"
    elif abs(value) >= 1:
        shown = f"{value:.2f}"
    else:
        shown = f"{value:.{min(9, 1 - math.floor(math.log10(abs(value))))}f}"
    return f"{shown}%"


def of(share: Share) -> tuple[str, str]:
    """A part of a total, as a cell of a table: `('12.3%', '123 of 1,000')`."""
    return percent(share.share), f"{share.part:,} of {share.total:,}".replace(" ", _GAP)


def percent_of_key(key: str) -> str:
    """A share that is the key of a mapping: `'0.99'` is `'99%'`."""
    try:
        return f"{100 * float(key):.6g}%"
    except ValueError:  # From a file that another program wrote.
        return key


def bits(value: float | None) -> str:
    """An entropy: `'10.41 bits'`."""
    return NONE if value is None else f"{number(value)}{_GAP}bits"


def size(value: float | None) -> str:
    """A size in bytes: `'34.2 GB'`."""
    return NONE if value is None else format_bytes(value).replace(" ", _GAP)


def flops(value: float | None) -> str:
    """A number of floating-point operations: `'3.412 PFLOP'`."""
    if value is None:
        return NONE
    prefix = 0
    while abs(value) >= 999.95 and prefix < len(_PREFIXES) - 1:
        value /= 1000
        prefix += 1
    return f"{number(value)}{_GAP}{_PREFIXES[prefix]}FLOP"


def compact(value: float) -> str:
    """A short number for an axis: `'0.5'`, `'20k'`, `'1.5M'`."""
    prefix = 0
    while abs(value) >= 1000 and prefix < 4:
        value /= 1000
        prefix += 1
    return f"{value:.6g}{('', 'k', 'M', 'G', 'T')[prefix]}"


def ticks(values: Sequence[float], percents: bool) -> list[str]:
    """The numbers at an axis, with equally many decimals: `['0', '1.5', '3.0']`."""
    shown = [f"{100 * value:.6g}" if percents else compact(value) for value in values]
    plain = [text for text in shown if text != "0"]
    if all(text[-1].isdigit() and "e" not in text for text in plain):
        decimals = max((len(text.partition(".")[2]) for text in plain), default=0)
        shown = [text if text == "0" else f"{float(text):.{decimals}f}" for text in shown]
    return [f"{text}%" for text in shown] if percents else shown

"""Numbers are written the same everywhere, with sensible digits."""

from __future__ import annotations

import pytest
from superword.evaluation.results import Share
from superword.reports import formats


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (4.31234, "4.312"),
        (0.0873149, "0.08731"),
        (12.3456, "12.35"),
        (1234.56, "1,235"),
        (9.99996, "10.00"),
        (0.99996, "1.000"),
        (-3.14159, "-3.142"),
        (1_234_567.8, "1,234,568"),
        (1e-9, "1e-09"),
        (None, "–"),
    ],
)
def test_numbers_have_four_significant_digits(value: float | None, shown: str) -> None:
    assert formats.number(value) == shown


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0.12345, "12.3%"),
        (1.0, "100.0%"),
        (0.0123, "1.23%"),
        (0.000421, "0.042%"),
        (0.0, "0%"),
        (-0.05, "-5.00%"),
        (None, "–"),
    ],
)
def test_shares_are_percents(share: float | None, shown: str) -> None:
    assert formats.percent(share).replace("\u00a0", " ") == shown


def test_counts_sizes_and_operations_have_separators_and_units() -> None:
    plain = [
        formats.count(1234567),
        formats.size(34_200_000_000),
        formats.flops(3.4123e15),
        formats.flops(999.99e12),
        formats.bits(10.414),
        *formats.of(Share(123, 1000)),
        formats.of(Share(0, 0))[0],
        formats.percent_of_key("0.99"),
        formats.percent_of_key("x"),
    ]
    assert [text.replace("\u00a0", " ") for text in plain] == [
        "1,234,567",
        "34.2 GB",
        "3.412 PFLOP",
        "1.000 PFLOP",
        "10.41 bits",
        "12.3%",
        "123 of 1,000",
        "–",
        "99%",
        "x",
    ]


def test_labels_of_an_axis_have_equally_many_decimals() -> None:
    assert formats.ticks([0, 0.5, 1], percents=False) == ["0", "0.5", "1.0"]
    assert formats.ticks([1.43, 1.435, 1.44], percents=False) == ["1.430", "1.435", "1.440"]
    assert formats.ticks([500, 1000, 1500, 20_000], percents=False) == ["500", "1k", "1.5k", "20k"]
    assert formats.ticks([0, 0.25, 0.5], percents=True) == ["0%", "25%", "50%"]

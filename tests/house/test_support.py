"""The examples in the docstrings of `tests/support` are true."""

from __future__ import annotations

import doctest

import pytest
from support import rust_modules, seeded


@pytest.mark.parametrize("module", [rust_modules, seeded], ids=lambda module: module.__name__)
def test_examples_of_the_support_modules(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted > 0
    assert result.failed == 0

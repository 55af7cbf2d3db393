"""The examples in the docstrings of the reference are correct."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest
from superword import reference

MODULES = [
    reference.__name__,
    *(f"{reference.__name__}.{module.name}" for module in pkgutil.iter_modules(reference.__path__)),
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_show_what_happens(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0


def test_reference_stands_on_nothing_but_itself_and_regex() -> None:
    # The package `superword` loads the engine. A stand-in proves that the reference needs none.
    code = """
import sys, types
package = types.ModuleType("superword")
package.__path__ = [sys.argv[1]]
sys.modules["superword"] = package
import superword.reference
ours = {name for name in sys.modules if name.startswith("superword.")}
assert all(name.startswith("superword.reference") for name in ours), ours
assert "numpy" not in sys.modules
"""
    folder = reference.__path__[0].removesuffix("reference")
    subprocess.run([sys.executable, "-c", code, folder], check=True)

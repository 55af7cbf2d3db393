"""What `import superword` gives, and what it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest
import superword

MODULES = ("counts", "export", "imports", "inputs", "integrations", "options", "shards", "stages")


def fresh(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


@pytest.mark.parametrize("name", MODULES)
def test_public_modules_are_attributes_after_a_plain_import(name: str) -> None:
    code = f"import superword; print(superword.{name}.__name__, {name!r} in dir(superword))"
    assert fresh(code) == f"superword.{name} True"


def test_names_of_modules_are_found_through_the_package() -> None:
    assert fresh("import superword; print(superword.export.load_tiktoken.__name__)")
    assert fresh("import superword; print(superword.integrations.tiktoken.Encoding.__name__)")


def test_import_loads_no_module_before_it_is_used() -> None:
    loaded = (
        "print(sum(name.split('.')[0] in ('superword', 'numpy', 'rich') for name in sys.modules))"
    )
    assert fresh(f"import sys, superword; {loaded}") == "1"


def test_names_that_do_not_exist_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        superword.nothing  # noqa: B018
    assert set(superword.__all__) <= set(dir(superword))

"""`make test-wheel` tests the installed wheel and nothing else.

It sets `SUPERWORD_INSTALLED` to the environment that it installed the wheel into.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
import superword
from superword import _core

ENVIRONMENT = os.environ.get("SUPERWORD_INSTALLED")
ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    ENVIRONMENT is None, reason="tests the source tree; `make test-wheel` tests a wheel"
)


def test_the_package_is_the_installed_one() -> None:
    environment = Path(str(ENVIRONMENT)).resolve()
    assert Path(sys.prefix).resolve() == environment
    for module in (superword, _core):
        place = Path(str(module.__file__)).resolve()
        assert "site-packages" in place.parts
        assert place.is_relative_to(environment)


def test_the_sources_are_out_of_reach() -> None:
    assert not (ROOT / "python").exists()
    assert not (ROOT / "crates").exists()
    found = [place for place in sys.path if (Path(place) / "superword" / "__init__.py").exists()]
    assert len(found) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="the search path is bare on Unix only")
@pytest.mark.parametrize("program", ["cargo", "rustc", "cc", "gcc", "clang"])
def test_there_is_no_compiler(program: str) -> None:
    assert shutil.which(program) is None


def test_the_installed_version_is_the_version_of_the_module() -> None:
    assert metadata.version("superword") == superword.__version__ == _core.__version__


def test_the_command_is_installed() -> None:
    said = subprocess.run(["superword", "--version"], capture_output=True, text=True, check=True)
    assert superword.__version__ in said.stdout


def test_the_playground_has_its_assets(tmp_path: Path, model_path: Path) -> None:
    page = superword.playground.write(tmp_path / "page.html", [model_path], "as well as")
    assert page.stat().st_size > 400_000


def test_the_demo_runs(tmp_path: Path) -> None:
    demo = [
        sys.executable,
        "-m",
        "superword.demo",
        "--vocab-size",
        "400",
        "--output",
        str(tmp_path),
    ]
    subprocess.run(demo, check=True, capture_output=True)
    assert (tmp_path / "report.html").exists()

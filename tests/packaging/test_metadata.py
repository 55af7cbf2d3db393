"""What is declared about the package agrees everywhere, and holds for every processor."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import superword

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools" / "packaging"
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
BUILD_FILES = [
    ROOT / "Makefile",
    ROOT / "Cargo.toml",
    ROOT / "pyproject.toml",
    *ROOT.glob(".cargo/*"),
    *ROOT.glob(".github/workflows/*"),
    *ROOT.glob("crates/*/Cargo.toml"),
    *ROOT.glob("crates/*/build.rs"),
    *TOOLS.glob("*.py"),
]


def declared_version() -> str:
    found = re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    assert found
    return found[1]


def test_the_version_is_the_same_everywhere() -> None:
    assert superword.__version__ == declared_version()
    # pyproject.toml has no version of its own: it takes that of the crate.
    assert 'dynamic = ["version"]' in PYPROJECT
    for manifest in ROOT.glob("crates/*/Cargo.toml"):
        assert "version.workspace = true" in manifest.read_text(), manifest


def test_the_citation_names_the_version() -> None:
    citation = ROOT / "CITATION.cff"
    if not citation.exists():
        pytest.skip("no CITATION.cff")
    found = re.search(r"^version: ['\"]?([^'\"\n]+)", citation.read_text(), re.MULTILINE)
    assert found
    assert found[1] == declared_version()


def test_the_oldest_python_is_the_same_everywhere() -> None:
    required = re.search(r'^requires-python = ">=3\.(\d+)"$', PYPROJECT, re.MULTILINE)
    stable_abi = re.search(r"pyo3/abi3-py3(\d+)", PYPROJECT)
    assert required
    assert stable_abi
    assert required[1] == stable_abi[1]
    named = re.findall(r"Python :: 3\.(\d+)\"", PYPROJECT)
    tested = re.search(r"OLDEST = \(3, (\d+)\)\nNEWEST = \(3, (\d+)\)", read("interpreters.py"))
    assert tested
    assert list(map(int, named)) == list(range(int(tested[1]), int(tested[2]) + 1))
    assert tested[1] == required[1]


@pytest.mark.parametrize("path", BUILD_FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_build_is_made_for_one_processor(path: Path) -> None:
    # The processor's features are detected when the program runs (cpu.rs).
    assert not re.search(
        r"target-cpu|target-feature|-march=|-mcpu=|-mtune=", path.read_text("utf-8")
    )


def test_every_linked_package_has_its_licence_in_the_notices() -> None:
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed")
    checked = subprocess.run(
        [sys.executable, TOOLS / "notices.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr


def test_tests_that_need_the_repository_exist() -> None:
    named = re.findall(r'"(tests/[^"]+)"', read("suite.py"))
    assert len(named) > 10
    for name in named:
        assert (ROOT / name).exists(), f"suite.py names {name}"


def read(name: str) -> str:
    return (TOOLS / name).read_text(encoding="utf-8")

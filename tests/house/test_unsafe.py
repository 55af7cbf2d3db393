"""What docs/security.md and tools/sanitizers say about `unsafe` code is true."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from support.rust_modules import code_of, module_of

ROOT = Path(__file__).resolve().parents[2]
CRATES = ROOT / "crates"
ENGINE = CRATES / "superword" / "src"
TEST = re.compile(r"^ *#\[test\]\n(?: *#\[[^\n]*\n)* *fn (\w+)", re.MULTILINE)


def listed(page: str) -> list[str]:
    """The files in the first column of the table of `unsafe` code."""
    return re.findall(r"^\| `(crates/[^`]+\.rs)` \|", page, re.MULTILINE)


def is_unsafe(source: str) -> bool:
    return re.search(r"\bunsafe\b", code_of(source)) is not None


def test_the_page_about_security_lists_all_files_with_unsafe_code() -> None:
    found = [
        path.relative_to(ROOT).as_posix()
        for path in CRATES.glob("*/src/**/*.rs")
        if is_unsafe(path.read_text(encoding="utf-8"))
    ]
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    assert sorted(listed(page)) == sorted(found)


def test_unsafe_code_is_told_from_what_is_written_about_it() -> None:
    assert is_unsafe("fn f() { unsafe { g() } }")
    assert is_unsafe("unsafe impl Send for Board {}")
    assert not is_unsafe('#![deny(unsafe_code)]\n// unsafe\nconst A: &str = "unsafe";')


def engine_tests() -> list[str]:
    """The tests of the engine with their modules, as far as file names tell them."""
    names = []
    for path in sorted(ENGINE.rglob("*.rs")):
        source = path.read_text(encoding="utf-8")
        module = "::".join(module_of(path.relative_to(ENGINE))).replace("_tests", "::tests")
        inside = "::tests" if re.search(r"^mod tests \{", source, re.MULTILINE) else ""
        names += [f"{module}{inside}::{name}" for name in TEST.findall(source)]
    return names


@pytest.mark.parametrize("filters", ["MIRI_TESTS", "THREAD_TESTS"])
def test_the_sanitizers_name_tests_that_exist(filters: str) -> None:
    names = engine_tests()
    wanted = runpy.run_path(str(ROOT / "tools" / "sanitizers" / "run.py"))[filters]
    assert wanted
    assert [part for part in wanted if not any(part in name for name in names)] == []

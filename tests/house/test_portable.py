"""The package and its tests can be imported on every system, and read text in one encoding."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Modules that Windows does not have. A test imports them with `pytest.importorskip`.
POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "termios", "tty"}
# What reads or writes text in the encoding of the system unless it is told which.
TEXT_CALLS = {"open", "read_text", "write_text"}


def trees(folder: str) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        yield path.relative_to(ROOT).as_posix(), tree


def imported_at_once(tree: ast.Module) -> Iterator[str]:
    """The modules that importing a file imports, outside of functions and `try`."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def test_nothing_needs_a_module_that_windows_lacks() -> None:
    wrong = [
        f"{name}: {module}"
        for folder in ("python", "tests", "examples")
        for name, tree in trees(folder)
        # Ray and Spark are not tested on Windows, and neither are pages in Chromium.
        if not name.startswith(("tests/cluster/", "tests/browser/"))
        for module in imported_at_once(tree)
        if module in POSIX_ONLY
    ]
    assert wrong == []


def without_encoding(tree: ast.Module) -> Iterator[int]:
    """The lines that open text in whatever encoding the system has."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name not in TEXT_CALLS or any(word.arg == "encoding" for word in node.keywords):
            continue
        if name == "open":
            method = isinstance(called, ast.Attribute)
            modes = [*node.args[0 if method else 1 :][:1]]
            modes += [word.value for word in node.keywords if word.arg == "mode"]
            given = [mode.value for mode in modes if isinstance(mode, ast.Constant)]
            # Other objects have methods of this name too. A mode shows that it opens a file.
            if not any(isinstance(mode, str) and set(mode) <= set("rwaxt+") for mode in given):
                continue
        yield node.lineno


def test_text_files_have_one_encoding_on_every_system() -> None:
    wrong = [f"{name}:{line}" for name, tree in trees("python") for line in without_encoding(tree)]
    assert wrong == []

"""The layers of the code: which module may use which, and how large files and folders may get.

The tables below are the rules. ARCHITECTURE.md explains them. Change a table only on purpose: a new
line in it is a new dependency between two parts of the program.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.rust_modules import Crate, code_of, is_test_file, without_test_modules

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "crates" / "superword" / "src"
BINDING = ROOT / "crates" / "superword-python" / "src"
PACKAGE = ROOT / "python" / "superword"

# The Rust engine. The modules of the base may use each other and nothing else.
BASE = {
    "cpu",
    "disk",
    "hash",
    "large",
    "memory",
    "observe",
    "prefetch",
    "table",
    "threads",
    "token",
    "tokens",
}
# What each other module may use besides the base. A name stands for everything in that module,
# except for the parts of it that have a separate line.
MAY_USE: dict[str, set[str]] = {
    "text": set(),
    "corpus": set(),
    "merge": set(),
    "model": {"text"},
    "imports": {"text", "model"},
    "prepare": {"model"},
    # The n-grams of greedy splitting are part of the model.
    "count": {"text", "model", "prepare"},
    "encode": {"text", "model", "prepare", "encode::merge", "encode::words", "encode::cache"},
    "encode::cache": {"encode"},
    # Merging and the encoding of words stand below the encoder, so that training can use them.
    "encode::merge": {"model"},
    "encode::words": {"model", "encode::merge"},
    "encode::shards": {"text", "model", "corpus", "encode"},
    "evaluate": {"text", "model", "corpus", "prepare", "encode"},
    # To find eligible pretokens, training encodes words. It needs nothing else of `encode`.
    "train": {"text", "corpus", "count", "merge", "model", "prepare", "encode::words"},
    # Only passes things on to the bindings.
    "internal": {"text", "corpus", "count", "model", "encode", "imports"},
}
# Inside these modules, calls go one way: no two files use each other, directly or indirectly.
ONE_WAY = ["encode", "encode::merge", "evaluate", "train"]
# Errors and options are part of the contract of a whole module, so everything there names them.
EVERYWHERE = {"error", "options"}

MOST_LINES = 450
GENERATED = {"crates/superword/src/text/tables.rs"}
MOST_FILES = 12
LARGE_FOLDERS = {
    "python/superword/cli/commands": "one file for each group of commands",
    "python/superword/reference": "one file for each algorithm of the paper",
}


@pytest.fixture(scope="module")
def engine() -> Crate:
    return Crate.read(ENGINE)


def layer_of(module: tuple[str, ...]) -> str:
    """Return the entry of `MAY_USE` or `BASE` that a module belongs to."""
    nested = "::".join(module[:2])
    return nested if nested in MAY_USE else module[0]


def test_every_module_of_the_engine_has_a_layer(engine: Crate) -> None:
    found = {layer_of(module) for module in engine.modules if module}
    assert found <= BASE | set(MAY_USE)


def test_modules_of_the_engine_use_only_lower_layers(engine: Crate) -> None:
    wrong = []
    for use in engine.uses:
        if not use.module or not use.target:
            continue
        source, target = layer_of(use.module), layer_of(use.target)
        allowed = BASE if source in BASE else BASE | MAY_USE[source]
        if target != source and target not in allowed:
            wrong.append(str(use))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", ONE_WAY)
def test_calls_inside_a_module_go_one_way(engine: Crate, name: str) -> None:
    parent = tuple(name.split("::"))
    assert parent in engine.modules
    depth = len(parent)
    graph: dict[str, dict[str, str]] = {}
    for use in engine.uses:
        if use.module[:depth] == use.target[:depth] == parent:
            child, other = use.module[depth : depth + 1], use.target[depth : depth + 1]
            if child and other and child != other and not {*child, *other} & EVERYWHERE:
                graph.setdefault(child[0], {}).setdefault(other[0], str(use))

    def reaches(start: str, end: str) -> bool:
        seen: set[str] = set()
        todo = list(graph.get(start, ()))
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo += graph.get(node, ())
        return end in seen

    circular = [
        use for child in graph for other, use in graph[child].items() if reaches(other, child)
    ]
    assert not circular, "\n".join(circular)


def test_only_the_binding_depends_on_python() -> None:
    assert "pyo3" not in (ENGINE.parent / "Cargo.toml").read_text()
    assert "pyo3" in (BINDING.parent / "Cargo.toml").read_text()


def test_the_engine_prints_nothing_and_keeps_no_mutable_global() -> None:
    for path in sorted(ENGINE.rglob("*.rs")):
        if not is_test_file(path.relative_to(ENGINE)):
            code = code_of(path.read_text(encoding="utf-8"))
            for name in ("println!", "eprintln!", "print!", "eprint!", "static mut "):
                assert name not in code, f"{path.relative_to(ROOT)}: {name}"


# The Python package.


def python_modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imports_of(module: str, path: Path) -> Iterator[tuple[str, int]]:
    """Yield the full names that a module imports, in functions too, with their lines."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((name.name, node.lineno) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                start = ".".join([*above, *([start] if start else [])])
            # `from superword import cli` may name a module or something in one.
            yield from ((f"{start}.{name.name}", node.lineno) for name in node.names)


IMPORTS = [
    (module, name, f"{path.relative_to(ROOT)}:{line}")
    for module, path in python_modules()
    for name, line in imports_of(module, path)
]


def is_in(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def test_the_reference_imports_nothing_of_the_package_and_only_regex_from_outside() -> None:
    allowed = ("superword.reference", "regex")
    for module, name, place in IMPORTS:
        if is_in(module, "superword.reference"):
            standard = name.partition(".")[0] in sys.stdlib_module_names
            assert standard or any(is_in(name, package) for package in allowed), place


def test_no_product_code_imports_the_reference() -> None:
    for module, name, place in IMPORTS:
        if is_in(name, "superword.reference"):
            assert is_in(module, "superword.reference"), place


def test_library_code_does_not_import_the_command_line() -> None:
    allowed = ("superword.cli", "superword.__main__")
    for module, name, place in IMPORTS:
        if is_in(name, "superword.cli") or name.partition(".")[0] == "click":
            assert any(is_in(module, package) for package in allowed), place


def test_private_support_code_stands_below_the_rest() -> None:
    allowed = ("superword._support", "superword._core", "superword.errors")
    for module, name, place in IMPORTS:
        if is_in(module, "superword._support") and is_in(name, "superword"):
            assert any(is_in(name, package) for package in allowed), place


def test_examples_use_only_public_modules() -> None:
    for path in sorted((ROOT / "examples").glob("*.py")):
        for name, line in imports_of("examples", path):
            private = [part for part in name.split(".") if part.startswith("_")]
            assert not private or not is_in(name, "superword"), f"{path.name}:{line}"


def test_only_the_command_line_the_demo_and_progress_write_to_the_terminal() -> None:
    may_write = ("superword.cli", "superword.demo", "superword.progress")
    for module, path in python_modules():
        if any(is_in(module, package) for package in may_write):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            place = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Name):
                assert node.id != "print", place
            elif isinstance(node, ast.Attribute):
                owner = node.value.id if isinstance(node.value, ast.Name) else ""
                assert (owner, node.attr) not in {("sys", "stdout"), ("sys", "stderr")}, place


# The size of files and folders.


def product_files() -> Iterator[Path]:
    for path in [*ENGINE.rglob("*.rs"), *BINDING.rglob("*.rs"), *PACKAGE.rglob("*.py")]:
        if not is_test_file(path.relative_to(ROOT)):
            yield path


def test_no_file_is_too_long() -> None:
    long = {}
    for path in product_files():
        lines = len(without_test_modules(path.read_text(encoding="utf-8")).splitlines())
        name = path.relative_to(ROOT).as_posix()
        if lines > MOST_LINES and name not in GENERATED:
            long[name] = lines
    assert not long


def test_no_folder_has_too_many_files() -> None:
    sizes: dict[str, int] = {}
    for path in product_files():
        if path.name not in ("__init__.py", "__main__.py", "mod.rs", "lib.rs"):
            folder = path.parent.relative_to(ROOT).as_posix()
            sizes[folder] = sizes.get(folder, 0) + 1
    large = {folder for folder, files in sizes.items() if files > MOST_FILES}
    assert large - set(LARGE_FOLDERS) == set()
    assert set(LARGE_FOLDERS) - large == set(), "no longer large: take it off the list"

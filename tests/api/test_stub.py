"""The stub of the engine matches the engine: the same names, the same parameters."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import superword
from superword import _core

STUB = ast.parse((Path(superword.__file__).parent / "_core.pyi").read_text())
PARTS = {part.name: part for part in STUB.body if isinstance(part, ast.ClassDef)}


def public(names: object) -> set[str]:
    assert isinstance(names, list)
    return {name for name in names if not name.startswith("_")}


def functions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef]:
    return (part for part in body if isinstance(part, ast.FunctionDef))


def parameters(function: ast.FunctionDef) -> list[str]:
    arguments = [*function.args.args, *function.args.kwonlyargs]
    return [argument.arg for argument in arguments if argument.arg != "self"]


def test_module_and_stub_have_the_same_names() -> None:
    stub = {*PARTS, *(function.name for function in functions(STUB.body))}
    constants = (part.target for part in STUB.body if isinstance(part, ast.AnnAssign))
    stub |= set(public([name.id for name in constants if isinstance(name, ast.Name)]))
    assert public(dir(_core)) == stub
    assert isinstance(_core.__version__, str)


def test_classes_and_stub_have_the_same_members() -> None:
    for name, part in PARTS.items():
        stub = {f.name for f in functions(part.body) if not f.name.startswith("_")}
        found = getattr(_core, name)
        inherited = public(dir(Exception)) if issubclass(found, Exception) else set()
        assert public(dir(found)) - inherited == stub, name


def test_functions_and_stub_have_the_same_parameters() -> None:
    described = [(getattr(_core, f.name), f) for f in functions(STUB.body)]
    for name, part in PARTS.items():
        for function in functions(part.body):
            properties = [d for d in function.decorator_list if ast.unparse(d) == "property"]
            if not properties and not function.name.startswith("_"):
                described.append((getattr(getattr(_core, name), function.name), function))
    for runtime, function in described:
        found = [name for name in inspect.signature(runtime).parameters if name != "self"]
        assert found == parameters(function), function.name

"""The pages of the API: one for the package, one for each public module.

The pages say only which names to document; mkdocstrings writes signatures, types and docstrings
when the site is built. The names come from `__all__`, read without importing the modules, because
some of them need packages such as Ray.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FOLDER", "anchors", "generate", "public_modules"]

FOLDER = "api"
PACKAGE = "superword"
# Modules below the public ones that docs/reference.md describes.
BELOW = ["reports.training"]
INTRODUCTION = """\
These pages are generated from the docstrings and types of the package: every public name, with its
signature. The [reference](../reference.md) describes how they work together: inputs, options,
file formats, guarantees and errors.
"""
# The heading of the page, and the docstring. The page lists the members itself.
MODULE = """\
    options:
      heading_level: 1
      members: []
      show_root_full_path: true
"""


@dataclass(frozen=True)
class Name:
    """A public name: where it is exported, and where it is defined."""

    module: str
    name: str
    home: str

    @property
    def path(self) -> str:
        return f"{self.module}.{self.name}"


def public_modules(package: Path) -> list[str]:
    """The package and its public modules, in the order of the pages."""
    exported = _exported(_parse(package, PACKAGE))
    modules = [name for name in exported if _file(package, f"{PACKAGE}.{name}")]
    inner = [
        f"integrations.{name}" for name in _exported(_parse(package, f"{PACKAGE}.integrations"))
    ]
    return [PACKAGE, *(f"{PACKAGE}.{name}" for name in sorted([*modules, *inner, *BELOW]))]


def anchors(package: Path) -> list[str]:
    """The anchor of every public name."""
    modules = public_modules(package)
    return [*modules, *(name.path for module in modules for name in _names(package, module))]


def generate(package: Path) -> dict[str, str]:
    """All pages, by their names."""
    modules = public_modules(package)
    names = {module: _names(package, module) for module in modules}
    # A name that several modules export is documented on the first page that has it.
    first: dict[str, Name] = {}
    for module in modules:
        for name in names[module]:
            first.setdefault(name.home, name)
    return {
        _page(module): _text(package, module, modules, names[module], first) for module in modules
    }


def _text(
    package: Path, module: str, modules: list[str], names: list[Name], first: dict[str, Name]
) -> str:
    own = [name for name in names if first[name.home] == name]
    if module == PACKAGE:  # Functions first: they are where people start.
        own.sort(key=lambda name: name.name[0].isupper())
    others = [name for name in names if first[name.home] != name]
    lines = [f"::: {module}\n{MODULE}"]
    if module == PACKAGE:
        summaries = [
            f"| [`{m}`]({_page(m, FOLDER)}) | {_summary(package, m)} |" for m in modules[1:]
        ]
        table = ['<div class="options" markdown>\n', "| module | |", "|---|---|", *summaries]
        table.append("\n</div>\n")
        lines += [INTRODUCTION, "## Modules\n", *table]
    if others:
        lines.append("Also here, and documented elsewhere:\n")
        for name in others:
            home = first[name.home]
            link = f"{_page(home.module, FOLDER)}#{home.path}"
            # An empty anchor, so that links to this name lead somewhere too.
            lines.append(f'- <a id="{name.path}"></a>[`{name.name}`]({link})')
        lines.append("")
    # On the page of the package, `superword.train` is what people write.
    full = "    options:\n      show_root_full_path: true\n" if module == PACKAGE else ""
    lines += [f"::: {name.path}\n{full}" for name in own]
    return "\n".join(lines)


def _page(module: str, below: str = "") -> str:
    name = "index" if module == PACKAGE else module.removeprefix(f"{PACKAGE}.")
    return f"{name}.md" if below else f"{FOLDER}/{name}.md"


def _names(package: Path, module: str) -> list[Name]:
    tree = _parse(package, module)
    # The modules of the package have their own pages, and the version has no docstring.
    origins = dict(_origins(tree))
    skipped = {"__version__", *_modules_below(package, module)} - origins.keys()
    if module == PACKAGE:
        origins = {name: f"{origin}.{name}" for name, origin in _lazy(tree)}
    names = [name for name in _exported(tree) if name not in skipped]
    return [
        Name(module, name, _home(package, origins.get(name, f"{module}.{name}"))) for name in names
    ]


def _modules_below(package: Path, module: str) -> set[str]:
    return {
        name for name in _exported(_parse(package, module)) if _file(package, f"{module}.{name}")
    }


def _home(package: Path, path: str) -> str:
    """The path where a name is defined, found by following imports."""
    module, _, name = path.rpartition(".")
    while _file(package, module):
        origin = dict(_origins(_parse(package, module))).get(name)
        if origin is None:
            break
        module, _, name = origin.rpartition(".")
    return f"{module}.{name}"


def _origins(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that a module imports from others, and their paths."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _lazy(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that the package imports when they are first used, and their modules."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_DEFINED_IN":
            for name, module in ast.literal_eval(node.value).items():
                yield name, f"{PACKAGE}.{module}"


def _exported(tree: ast.Module) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def _summary(package: Path, module: str) -> str:
    text = ast.get_docstring(_parse(package, module)) or ""
    return " ".join(text.partition("\n\n")[0].split()).replace("|", "\\|")


def _parse(package: Path, module: str) -> ast.Module:
    path = _file(package, module)
    assert path is not None, module
    return ast.parse(path.read_text(encoding="utf-8"))


def _file(package: Path, module: str) -> Path | None:
    """The file of a module, or None if there is no such module."""
    inner = package.joinpath(*module.split(".")[1:])
    found = (inner / "__init__.py", inner.with_suffix(".py"))
    return next((path for path in found if path.is_file()), None)

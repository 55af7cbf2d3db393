"""Reads which module of the Rust engine uses which, from the source text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Comments, string and character literals: nothing in them is code. A lifetime is no literal.
_NOT_CODE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|r(?P<hashes>\#*)".*?"(?P=hashes)|"(?:\\.|[^"\\])*"|'(?:\\[^']+|[^'\\])'""",
    re.DOTALL,
)
_TEST_MODULE = re.compile(
    r"^#\[cfg\(test\)\]\n(?:#\[[^\n]*\n)*(?:pub\(\w+\) )?mod \w+ \{\n.*?^\}\n?", re.M | re.S
)
# The path in `pub(in crate::text)` says who may see an item, not what it uses.
_VISIBILITY = re.compile(r"pub\s*\(\s*in\s[^)]*\)")
_PATH = re.compile(r"\b(?:crate|super)\s*::\s*")
_REEXPORT = re.compile(r"\bpub(?:\([^)]*\))? use (?!crate\b|super\b)(?:self::)?")
_SEGMENT = re.compile(r"\s*(\w+|\*)\s*(?:as\s+\w+\s*)?")


@dataclass(frozen=True)
class Use:
    """A module and another one that its code names, as in `crate::text::Pretokenizer`."""

    file: Path
    line: int
    module: tuple[str, ...]
    target: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {'::'.join(self.module)} uses {'::'.join(self.target)}"


def is_test_file(path: Path) -> bool:
    """Say whether a file is compiled for tests only."""
    return (
        "tests" in path.parts or path.stem in ("tests", "testing") or path.stem.endswith("_tests")
    )


def module_of(path: Path) -> tuple[str, ...]:
    """Return the module of a file, given relative to `src`: `text/mod.rs` is `("text",)`."""
    parts = path.with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib") else parts


def without_test_modules(source: str) -> str:
    """Return a file without its inline test modules."""
    return _TEST_MODULE.sub("", source)


def code_of(source: str) -> str:
    """Blank out comments, literals, test modules and visibilities, keeping the line numbers."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    for pattern in (_NOT_CODE, _TEST_MODULE, _VISIBILITY):
        source = pattern.sub(blank, source)
    return source


@dataclass(frozen=True)
class Crate:
    """The modules of a crate by name, without its tests, and what they use of each other."""

    modules: frozenset[tuple[str, ...]]
    uses: tuple[Use, ...]

    @classmethod
    def read(cls, source_dir: Path) -> Crate:
        """Read all source files of a crate."""
        files = (path.relative_to(source_dir) for path in sorted(source_dir.rglob("*.rs")))
        sources = {
            path: (source_dir / path).read_text(encoding="utf-8")
            for path in files
            if not is_test_file(path)
        }
        modules = frozenset(map(module_of, sources))
        homes: dict[tuple[str, ...], tuple[str, ...]] = {}
        for path, source in sources.items():
            homes |= {
                name: home
                for name, home in reexports(source, module_of(path)).items()
                if name not in modules
            }
        found = []
        for path, source in sources.items():
            for line, target in paths(source, module_of(path)):
                # An item that a module only passes on belongs to the module that defines it.
                target = _home(_home(target, homes), homes)
                while target and target not in modules:
                    target = target[:-1]
                found.append(Use(path, line, module_of(path), target))
        return cls(modules, tuple(found))


def _home(
    target: tuple[str, ...], homes: dict[tuple[str, ...], tuple[str, ...]]
) -> tuple[str, ...]:
    for length in range(len(target), 0, -1):
        if target[:length] in homes:
            return homes[target[:length]] + target[length:]
    return target


def reexports(source: str, module: tuple[str, ...]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return where the items that a module re-exports from its children are defined.

    >>> reexports("mod scan; pub use scan::{Scanner, next};", ("text",))[("text", "next")]
    ('text', 'scan', 'next')
    """
    code = code_of(source)
    found = {}
    for match in _REEXPORT.finditer(code):
        for tail in _tree(code, match.end())[0]:
            if len(tail) > 1:
                found[(*module, tail[-1])] = (*module, *tail)
    return found


def paths(source: str, module: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each path to the crate with its line, written out from the root of the crate.

    >>> list(paths("use crate::text::{Script, scan::Scanner};", ("count",)))
    [(1, ('text', 'Script')), (1, ('text', 'scan', 'Scanner'))]
    >>> list(paths("fn f() -> super::Error { super::super::hash::hash() }", ("text", "scan")))
    [(1, ('text', 'Error')), (1, ('hash', 'hash'))]
    """
    code = code_of(source)
    at = 0
    while match := _PATH.search(code, at):
        line = code.count("\n", 0, match.start()) + 1
        at = match.end()
        start = () if match[0].startswith("crate") else module[:-1]
        while not match[0].startswith("crate") and (again := _PATH.match(code, at)):
            start, at = start[:-1], again.end()
        tree, at = _tree(code, at)
        yield from ((line, start + tail) for tail in tree)


def _tree(code: str, at: int) -> tuple[list[tuple[str, ...]], int]:
    """Parse what follows `::`: a name, which may continue, or a group in braces."""
    if code[at : at + 1] == "{":
        found: list[tuple[str, ...]] = []
        at += 1
        while code[at : at + 1] not in ("}", ""):
            at = _skip(code, at, " \n,")
            if code[at : at + 1] == "}":
                break
            tree, at = _tree(code, at)
            found += tree
            at = _skip(code, at, " \n,")
        return found, at + 1
    match = _SEGMENT.match(code, at)
    if match is None:
        return [()], at + 1
    at = match.end()
    name = () if match[1] in ("self", "*") else (match[1],)
    if code[at : at + 2] == "::" and code[at + 2 : at + 3] != "<":
        tree, at = _tree(code, _skip(code, at + 2, " \n"))
        return [name + tail for tail in tree], at
    return [name], at


def _skip(code: str, at: int, characters: str) -> int:
    while at < len(code) and code[at] in characters:
        at += 1
    return at

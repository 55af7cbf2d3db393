"""Checks what a wheel contains, before anyone else sees it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from notices import ROOT, linked

PACKAGE = ROOT / "python" / "superword"
ASSETS = ["engine.wasm.gz", "page.html"]
# Far above what the module needs. A wheel with symbols or with stray files is larger.
LARGEST_WHEEL = 5_000_000
MODULE = re.compile(r"superword/_core[^/]*\.(?:so|pyd)")


def check(wheel: Path, target: str) -> None:
    """End with every problem of this wheel."""
    problems = [*problems_in(wheel, target), *said_by_tools(wheel)]
    if problems:
        sys.exit("\n".join(f"{wheel.name}: {problem}" for problem in problems))
    print(f"{wheel.name}: {wheel.stat().st_size:,} bytes, all checks passed")


def problems_in(wheel: Path, target: str) -> Iterator[str]:
    """What is missing, what should not be there, and what names the build machine."""
    if wheel.stat().st_size > LARGEST_WHEEL:
        size = wheel.stat().st_size
        yield f"{size:,} bytes, more than {LARGEST_WHEEL:,}: not stripped, or a file too many?"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        info = "-".join(wheel.name.split("-")[:2]) + ".dist-info"
        modules = {name for name in names if MODULE.fullmatch(name)}
        if len(modules) != 1:
            yield f"one compiled module expected, found {sorted(modules) or 'none'}"
        wanted = {f"superword/{path.relative_to(PACKAGE).as_posix()}" for path in sources()}
        wanted |= {f"superword/playground/assets/{name}" for name in ASSETS}
        described = {
            f"{info}/{name}" for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt")
        }
        described |= {f"{info}/licenses/{path}" for path in ("LICENSE", "THIRD-PARTY-NOTICES.txt")}
        boms = {name for name in names if name.startswith(f"{info}/sboms/")}
        yield from (f"{name} is missing" for name in sorted((wanted | described) - names))
        unknown = names - wanted - described - modules - boms
        yield from (f"{name} does not belong there" for name in sorted(unknown))
        yield from problems_of_sbom(
            [json.loads(archive.read(name)) for name in sorted(boms)], target
        )
        for name in sorted(names):
            yield from named_places(name, archive.read(name))


def sources() -> list[Path]:
    """The files of the Python package that belong into a wheel."""
    kinds = (".css", ".py", ".pyi")
    files = (
        path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    return [path for path in files if path.suffix in kinds or path.name == "py.typed"]


def problems_of_sbom(boms: list[dict[str, Any]], target: str) -> Iterator[str]:
    """Packages that are linked and that no bill of materials lists."""
    listed = {
        (component["name"], component["version"])
        for bom in boms
        for component in bom.get("components", [])
    }
    # A bill of materials covers one platform, and not the page's engine.
    missing = linked(["superword-python"], [target]) - listed
    if missing:
        yield f"the bill of materials does not list {sorted(missing)}"


def named_places(name: str, content: bytes) -> Iterator[str]:
    """Paths of the build machine inside a file."""
    cargo = os.environ.get("CARGO_HOME") or str(Path.home() / ".cargo")
    for place in dict.fromkeys((str(ROOT), cargo, str(Path.home() / ".rustup"))):
        at = content.find(place.encode())
        if at >= 0:
            found = content[at : at + 120].split(b"\0")[0]
            yield f"{name} names a path of the build machine: {found!r}"


def said_by_tools(wheel: Path) -> Iterator[str]:
    """The complaints of twine, abi3audit and auditwheel."""
    yield from complaint("twine", "check", "--strict", str(wheel))
    if "-abi3-" in wheel.name:
        yield from complaint("abi3audit", "--strict", "--report", str(wheel))
    if "manylinux" in wheel.name:
        yield from wrong_policy(wheel)


def complaint(*command: str) -> Iterator[str]:
    """The output of a tool that failed."""
    ended = subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, check=False
    )
    if ended.returncode:
        yield f"{command[0]} failed:\n{ended.stdout}{ended.stderr}"


def wrong_policy(wheel: Path) -> Iterator[str]:
    """Whether auditwheel finds an older or equal platform than the one in the name."""
    promised = re.search(r"manylinux_(\d+)_(\d+)_", wheel.name)
    command = [sys.executable, "-m", "auditwheel", "show", str(wheel)]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    text = " ".join(shown.stdout.split())
    found = re.search(r'platform tag: "manylinux_(\d+)_(\d+)_', text)
    if shown.returncode or not (promised and found):
        yield f"auditwheel cannot tell the platform:\n{shown.stdout}{shown.stderr}"
    elif tuple(map(int, found.groups())) > tuple(map(int, promised.groups())):
        yield f"auditwheel finds a newer platform than the name promises: {found[0]}"

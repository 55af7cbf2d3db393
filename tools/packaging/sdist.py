"""Build the source distribution, and check that it builds: `make sdist`.

    python tools/packaging/sdist.py [--out dist] [--no-build]

The archive is unpacked in a temporary directory, where pip builds a wheel from it in an environment
of its own. The wheel is installed and trains a small model. Only Python, cargo and a C compiler
are needed for that: the archive contains the built playground.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from contents import ASSETS, PACKAGE, complaint, named_places, sources
from notices import ROOT
from wheel import require_assets

# The engine, the binding and the Python package. Tests and tools are in the repository.
BELONGS = re.compile(
    r"(?:Cargo\.(?:lock|toml)|LICENSE|PKG-INFO|README\.md|THIRD-PARTY-NOTICES\.txt|pyproject\.toml"
    r"|crates/superword(?:-python)?/.+|python/superword/.+)"
)
NEEDED = ["Cargo.lock", "LICENSE", "PKG-INFO", "THIRD-PARTY-NOTICES.txt", "pyproject.toml"]
JUNK = re.compile(r".*(?:__pycache__|\.so|\.pyd|/target/|engine\.wasm)$")
LARGEST = 3_000_000
TRY = """
import superword
tokenizer = superword.train_from_iterator(["as well as the rest of it "] * 20, vocab_size=270)
assert tokenizer.decode(tokenizer.encode("as well as")) == "as well as"
superword.playground.page([], "as well as")
print("works:", superword.__file__)
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the archive, check its content, and build a wheel from it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--no-build", action="store_true", help="check the content only")
    given = parser.parse_args(arguments)
    require_assets()
    command = [sys.executable, "-m", "maturin", "sdist", "--out", str(given.out)]
    subprocess.run(command, cwd=ROOT, check=True)
    archive = max(given.out.glob("superword-*.tar.gz"), key=lambda path: path.stat().st_mtime)
    problems = [*problems_in(archive), *complaint("twine", "check", "--strict", str(archive))]
    if problems:
        sys.exit("\n".join(f"{archive.name}: {problem}" for problem in problems))
    print(f"{archive.name}: {archive.stat().st_size:,} bytes, all checks passed", flush=True)
    if not given.no_build:
        with tempfile.TemporaryDirectory(prefix="superword-sdist-") as folder:
            build(archive, Path(folder))


def problems_in(path: Path) -> Iterator[str]:
    """What is missing and what should not be there."""
    if path.stat().st_size > LARGEST:
        yield f"{path.stat().st_size:,} bytes, more than {LARGEST:,}: is there a file too many?"
    top = path.name.removesuffix(".tar.gz")
    with tarfile.open(path) as archive:
        members = {
            member.name.removeprefix(f"{top}/"): member for member in archive if member.isfile()
        }
        wanted = {f"python/superword/{each.relative_to(PACKAGE).as_posix()}" for each in sources()}
        wanted |= {f"python/superword/playground/assets/{name}" for name in ASSETS}
        yield from (f"{name} is missing" for name in sorted({*NEEDED, *wanted} - members.keys()))
        for name, member in sorted(members.items()):
            if JUNK.fullmatch(name) or not BELONGS.fullmatch(name):
                yield f"{name} does not belong there"
            content = archive.extractfile(member)
            yield from named_places(name, content.read() if content else b"")


def build(archive: Path, folder: Path) -> None:
    """Build a wheel from the unpacked archive, install it and use it."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (source,) = (path for path in folder.iterdir() if path.is_dir())
    venv = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    python = venv / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", folder, source], check=True)
    (wheel,) = folder.glob("*.whl")
    print(f"{archive.name}: pip built {wheel.name}, {wheel.stat().st_size:,} bytes", flush=True)
    subprocess.run([*pip, "install", wheel], check=True)
    subprocess.run([python, "-I", "-c", TRY], cwd=venv, check=True)


if __name__ == "__main__":
    main()

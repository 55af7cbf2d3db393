"""Write the licences of the Rust packages that are part of the wheel: THIRD-PARTY-NOTICES.txt.

    python tools/packaging/notices.py            write the file
    python tools/packaging/notices.py --check    end with an error if the file is out of date

The module and the engine of the playground are linked statically, so wheels contain compiled code
of these packages. Their licences ask for a copy of the text. The file is in the repository, so that
source distributions have it too.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTICES = ROOT / "THIRD-PARTY-NOTICES.txt"

# What is distributed: the module for every platform with wheels, and the page's engine.
PACKAGES = ["superword-python", "superword-wasm"]
TARGETS = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "wasm32-unknown-unknown",
]
LICENCE_NAMES = ("license", "licence", "copying", "unlicense")
# Sources of others inside packages.
BUNDLED = {
    "regex-syntax": ["src/unicode_tables/LICENSE-UNICODE"],
    "unicode-ident": ["LICENSE-UNICODE"],
    "zstd-sys": ["zstd/LICENSE"],
}
# What is not a package, with the package and the number of the file that has the same text.
OTHERS = [
    ("The Rust standard library", "MIT OR Apache-2.0", "libc", 0),
    ("Tables from the Unicode Character Database", "Unicode-3.0", "unicode-ident", 1),
]

HEADER = """\
Licences of third-party software in superword

Wheels of superword contain compiled code of the packages below. Each package is used under the
licence whose text follows it. tools/packaging/notices.py writes this file.
"""
RULE = "=" * 80


@dataclass(frozen=True)
class Crate:
    """A package that is linked into the wheel."""

    title: str
    licence: str
    texts: tuple[str, ...]


def linked(packages: Sequence[str], targets: Sequence[str]) -> set[tuple[str, str]]:
    """Name and version of every package of others that is linked for one of the targets."""
    command = ["cargo", "tree", "--locked", "--edges=normal,no-proc-macro", "--prefix=none"]
    command += ["--format={p}", *(f"--package={name}" for name in packages)]
    command += [f"--target={target}" for target in targets]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = set()
    for line in filter(None, listed.splitlines()):
        name, version, *rest = line.split()
        if not any(str(ROOT) in part for part in rest):
            found.add((name, version.removeprefix("v")))
    return found


def licence_files(folder: Path, name: str) -> list[Path]:
    """The files with the licence that applies: MIT where there is a choice."""
    files = sorted(path for path in folder.iterdir() if path.name.lower().startswith(LICENCE_NAMES))
    chosen = [path for path in files if "mit" in path.name.lower().split(".")[0].split("-")]
    chosen = chosen or [path for path in files if path.name.lower() != "copying"]
    return chosen + [folder / path for path in BUNDLED.get(name, [])]


def crates() -> list[Crate]:
    """Every linked package with its licence."""
    command = ["cargo", "metadata", "--locked", "--format-version=1"]
    stored = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    wanted = linked(PACKAGES, TARGETS)
    found, missing = {}, []
    for package in json.loads(stored)["packages"]:
        name, version = package["name"], package["version"]
        if (name, version) not in wanted:
            continue
        files = licence_files(Path(package["manifest_path"]).parent, name)
        if not files:
            missing.append(f"{name} {version}")
        texts = tuple(path.read_text("utf-8").strip() for path in files)
        found[name] = Crate(f"{name} {version}", package["license"], texts)
    if missing:
        sys.exit(
            f"notices: no licence file in {', '.join(missing)}\n"
            "hint: find the text at the project, and teach tools/packaging/notices.py where it is"
        )
    others = [
        Crate(title, licence, (found[name].texts[number],))
        for title, licence, name, number in OTHERS
    ]
    return [*others, *(found[name] for name in sorted(found))]


def render() -> str:
    """The content of the file. Packages with the same text share it."""
    shared: dict[tuple[str, ...], list[Crate]] = {}
    for crate in crates():
        shared.setdefault(crate.texts, []).append(crate)
    parts = [HEADER]
    for texts, those in shared.items():
        names = "\n".join(f"{crate.title} ({crate.licence})" for crate in those)
        parts += [f"{RULE}\n{names}\n{RULE}\n", *(f"{text}\n" for text in texts)]
    return "\n".join(parts)


def main() -> None:
    """Write the file, or check it."""
    content = render()
    if sys.argv[1:] == ["--check"]:
        if not NOTICES.exists() or NOTICES.read_text("utf-8") != content:
            sys.exit(
                f"notices: {NOTICES.name} is out of date\n"
                "hint: run python tools/packaging/notices.py and commit the file"
            )
        return
    NOTICES.write_text(content, encoding="utf-8")
    print(f"{NOTICES.name}: {content.count(RULE) // 2} licences")


if __name__ == "__main__":
    main()

"""Checks that every file names the same version, and takes a release's notes from CHANGELOG.md.

    python tools/release/check.py                         check what is in the repository
    python tools/release/check.py --tag v0.2.0            the tag has this version too, and the
                                                          changelog has a dated section for it
    python tools/release/check.py --tag v0.2.0 --notes F  also write the notes of the release to F

The release workflow runs it before it builds anything. Standard library only.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECTION = re.compile(r"^## (?P<title>.+)$", re.MULTILINE)
RELEASED = re.compile(r"\[?(?P<version>\d\S*?)\]? - (?P<date>\d{4}-\d{2}-\d{2})")
# Semantic Versioning, without build metadata: registries do not accept that.
VERSION = re.compile(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?")


class MismatchError(Exception):
    """Something that must be changed before the release."""


def find(what: str, pattern: str, path: Path) -> str:
    """The first group of a pattern in a file. `what` names it in errors."""
    if not path.is_file():
        raise MismatchError(f"{path.name}: there is no such file")
    found = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise MismatchError(f"{path.name}: there is no {what}")
    return found[1]


def versions(root: Path) -> dict[str, str]:
    """The version in each file that has one."""
    names = ["superword", "superword-python", "superword-wasm"]
    lock = {
        f"Cargo.lock ({name})": find(
            f"version of {name}",
            rf'^name = "{name}"\nversion = "([^"]+)"$',
            root / "Cargo.lock",
        )
        for name in names
    }
    return {
        "Cargo.toml": find(
            "version in [workspace.package]",
            r'^\[workspace\.package\](?:\n(?!\[).*)*?\nversion = "([^"]+)"$',
            root / "Cargo.toml",
        ),
        **lock,
        "CITATION.cff": find("version", r'^version: "?([^"\s]+)"?$', root / "CITATION.cff"),
    }


def sections(changelog: str) -> dict[str, str]:
    """The text below each heading of the second level."""
    heads = list(SECTION.finditer(changelog))
    ends = [head.start() for head in heads[1:]] + [len(changelog)]
    return {
        head["title"].strip(): changelog[head.end() : end].strip()
        for head, end in zip(heads, ends, strict=True)
    }


def notes(root: Path, version: str) -> tuple[str, str]:
    """The date of a version and its notes, from CHANGELOG.md."""
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    for title, text in sections(changelog).items():
        found = RELEASED.fullmatch(title)
        if found is None or found["version"] != version:
            continue
        # Links at the end of the changelog belong to its headings.
        text = re.sub(r"(\n\[[^\]]+\]: \S+)+$", "", f"\n{text}").strip()
        if not text:
            raise MismatchError(f"CHANGELOG.md: the section of {version} is empty")
        return found["date"], text
    raise MismatchError(f"CHANGELOG.md: there is no section '## {version} - YYYY-MM-DD'")


def check(root: Path, tag: str | None = None) -> str | None:
    """Check the repository, and the tag if there is one. Return the notes of that tag."""
    found = versions(root)
    if len(set(found.values())) > 1:
        listed = ", ".join(f"{name} has {version}" for name, version in found.items())
        raise MismatchError(f"the versions differ: {listed}")
    version = found["Cargo.toml"]
    if VERSION.fullmatch(version) is None:
        raise MismatchError(f"Cargo.toml: {version} is not a semantic version")
    if tag is None:
        return None
    if tag != f"v{version}":
        raise MismatchError(f"the tag is {tag}, but the files have version {version}")
    date, text = notes(root, version)
    cited = find("date-released", r'^date-released: "?([0-9-]+)"?$', root / "CITATION.cff")
    if cited != date:
        raise MismatchError(f"CITATION.cff has the date {cited}, but CHANGELOG.md has {date}")
    return text


def main() -> None:
    """Check, and exit with code 1 if something differs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tag", help="the tag of the release, such as v0.2.0")
    parser.add_argument("--notes", type=Path, help="write the notes of the release to this file")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.notes and not arguments.tag:
        parser.error("--notes needs --tag")
    try:
        text = check(arguments.root, arguments.tag)
    except MismatchError as error:
        sys.exit(f"error: {error}\nhint: docs/releasing.md lists what a release changes")
    if arguments.notes:
        arguments.notes.write_text(f"{text}\n", encoding="utf-8")
    print("all versions agree")


if __name__ == "__main__":
    main()

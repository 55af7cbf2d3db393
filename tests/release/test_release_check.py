"""A release is stopped if its tag, its files and its changelog do not agree."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHECK = ROOT / "tools" / "release" / "check.py"
CHANGELOG = """# Changelog

## Unreleased

### Added

- Something for later.

## 1.2.3 - 2027-01-31

### Fixed

- A bug with `## code` in its text.

## [1.2.2] - 2027-01-01

- The first.

[1.2.2]: https://example.org/v1.2.2
"""


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(CHECK), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The files with a version, as for the release 1.2.3."""
    for name in ("Cargo.toml", "Cargo.lock", "CITATION.cff"):
        text = (ROOT / name).read_text(encoding="utf-8")
        version = run_version()
        text = text.replace(f'version = "{version}"', 'version = "1.2.3"')
        text = text.replace(f"version: {version}", "version: 1.2.3")
        if name == "CITATION.cff":
            text = f'{text}date-released: "2027-01-31"\n'
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG, encoding="utf-8")
    return tmp_path


def run_version() -> str:
    """The version of the repository."""
    lines = (ROOT / "Cargo.toml").read_text(encoding="utf-8").splitlines()
    return next(line.split('"')[1] for line in lines if line.startswith("version = "))


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_versions_of_the_repository_agree() -> None:
    done = run()
    assert done.returncode == 0, done.stderr


def test_a_release_that_agrees_gets_its_notes(repository: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    done = run("--root", repository, "--tag", "v1.2.3", "--notes", notes)
    assert done.returncode == 0, done.stderr
    expected = "### Fixed\n\n- A bug with `## code` in its text.\n"
    assert notes.read_text(encoding="utf-8") == expected


def test_notes_have_no_links_of_headings(repository: Path, tmp_path: Path) -> None:
    for name in ("Cargo.toml", "Cargo.lock", "CITATION.cff"):
        edit(repository / name, "1.2.3", "1.2.2")
    edit(repository / "CITATION.cff", "2027-01-31", "2027-01-01")
    notes = tmp_path / "notes.md"
    done = run("--root", repository, "--tag", "v1.2.2", "--notes", notes)
    assert done.returncode == 0, done.stderr
    assert notes.read_text(encoding="utf-8") == "- The first.\n"


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("Cargo.toml", 'version = "1.2.3"', 'version = "1.2.4"', "Cargo.toml has 1.2.4"),
        (
            "Cargo.lock",
            'version = "1.2.3"',
            'version = "1.2.4"',
            "Cargo.lock (superword) has 1.2.4",
        ),
        ("CITATION.cff", "version: 1.2.3", "version: 1.2.4", "CITATION.cff has 1.2.4"),
        ("CITATION.cff", "2027-01-31", "2027-02-01", "CITATION.cff has the date 2027-02-01"),
        ("CITATION.cff", "date-released", "date", "CITATION.cff: there is no date-released"),
        ("CHANGELOG.md", "## 1.2.3 - 2027-01-31", "## 1.2.3", "no section '## 1.2.3 - YYYY-MM-DD'"),
        (
            "CHANGELOG.md",
            "### Fixed\n\n- A bug with `## code` in its text.\n",
            "",
            "the section of 1.2.3 is empty",
        ),
    ],
)
def test_files_that_disagree_stop_the_release(
    repository: Path, name: str, old: str, new: str, said: str
) -> None:
    edit(repository / name, old, new)
    done = run("--root", repository, "--tag", "v1.2.3")
    assert done.returncode == 1
    assert said in done.stderr
    assert "docs/releasing.md" in done.stderr


def test_another_tag_stops_the_release(repository: Path) -> None:
    done = run("--root", repository, "--tag", "v1.2.4")
    assert done.returncode == 1
    assert "the tag is v1.2.4, but the files have version 1.2.3" in done.stderr


def test_a_version_that_registries_refuse_stops_the_release(repository: Path) -> None:
    for name in ("Cargo.toml", "Cargo.lock", "CITATION.cff"):
        edit(repository / name, "1.2.3", "1.2")
    done = run("--root", repository)
    assert done.returncode == 1
    assert "1.2 is not a semantic version" in done.stderr


def test_a_missing_file_is_named(repository: Path) -> None:
    shutil.move(repository / "CITATION.cff", repository / "elsewhere")
    done = run("--root", repository)
    assert done.returncode == 1
    assert "CITATION.cff: there is no such file" in done.stderr


def test_the_smoke_test_of_wheels_works_with_this_build() -> None:
    smoke = [sys.executable, str(CHECK.with_name("smoke.py"))]
    done = subprocess.run(smoke, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert "works on" in done.stdout

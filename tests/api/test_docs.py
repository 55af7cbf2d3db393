"""The documentation matches the program: options, errors, commands, links, make targets."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest
from superword import errors
from superword.cli import cli
from superword.options import TrainOptions

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
PAGES += sorted((ROOT / "benches").glob("*.md"))


def without_blocks(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", without_blocks(page.read_text()), re.MULTILINE)
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in kept}


def test_reference_has_every_option_error_and_command() -> None:
    reference = (ROOT / "docs" / "reference.md").read_text()
    for option in fields(TrainOptions):
        assert f"| `{option.name}` |" in reference
    for name in errors.__all__:
        assert f"`{name}`" in reference
    for command in cli.commands:
        assert f"`superword {command} " in reference


def test_readme_opens_with_the_installation_and_an_example() -> None:
    readme = (ROOT / "README.md").read_text()
    order = ["pip install superword", "│ of│ the│", "import superword", "make demo", "make test"]
    places = [readme.index(part) for part in order]
    assert places == sorted(places)


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_path_that_the_map_names_exists(page: str) -> None:
    text = without_blocks((ROOT / page).read_text())
    named = set(re.findall(r"`([\w.-]+/[\w./-]*|\w+\.(?:rs|py))`", text))
    roots = [ROOT, ROOT / "crates/superword/src", ROOT / "python/superword"]
    # By running the tests; outside of the repository.
    made = {".hypothesis/", "shared/corpus"}
    missing = {path for path in named if not any((root / path).exists() for root in roots)}
    assert missing - made == set()
    assert len(named) > 20


def test_every_make_target_that_a_page_names_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        target
        for page in PAGES
        for target in re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(), re.MULTILINE)
    }
    assert {"demo", "test", "bench"} <= named <= targets


def test_the_list_of_decisions_has_every_page_under_its_title() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"^- \[(.*)\]\((\d{4}-.*\.md)\)$", (folder / "README.md").read_text(), re.M)
    titles = [(page.read_text().partition("\n")[0][2:], page.name) for page in folder.glob("0*.md")]
    assert listed == sorted(titles, key=lambda entry: entry[1])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_a_page_and_a_heading_and_python_parses(page: Path) -> None:
    text = page.read_text()
    for link in re.findall(r"\]\(([^)]+)\)", without_blocks(text)):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
    for code in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        ast.parse(code)

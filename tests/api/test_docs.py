"""The documentation keeps up with the program: options, errors, commands, links."""

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
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_reference_has_every_option_error_and_command() -> None:
    reference = (ROOT / "docs" / "reference.md").read_text()
    for option in fields(TrainOptions):
        assert f"| `{option.name}` |" in reference
    for name in errors.__all__:
        assert f"`{name}`" in reference
    for command in cli.commands:
        assert f"`superword {command} " in reference


def test_readme_opens_with_the_two_commands_and_an_example() -> None:
    readme = (ROOT / "README.md").read_text()
    makefile = (ROOT / "Makefile").read_text()
    order = ["│ of│ the│", "make demo", "make test", "import superword"]
    places = [readme.index(part) for part in order]
    assert places == sorted(places)
    for target in ("demo", "test"):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere_and_python_parses(page: Path) -> None:
    text = page.read_text()
    for link in re.findall(r"\]\(([^)#]+)", text):
        assert link.startswith("https://") or (page.parent / link).exists(), link
    for code in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        ast.parse(code)

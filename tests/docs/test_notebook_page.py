"""The notebook shows what its cells show, on the page and in Jupyter's format."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "images"


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    pytest.importorskip("tokenizers", reason="pip install 'superword[huggingface]'")
    monkeypatch.setattr(sys, "path", [str(ROOT / "tools"), *sys.path])
    return importlib.import_module("guide.notebook")


def test_the_outputs_and_pictures_are_those_of_a_new_run(notebook: ModuleType) -> None:
    made = notebook.run(notebook.PAGE.read_text(encoding="utf-8"))
    changed = [path.name for path in made.changed()]
    assert changed == [], "run tools/guide/notebook.py"
    drawn = {path for path in made.files if path.suffix == ".svg"}
    assert drawn == set((PICTURES / "notebook").iterdir())


def test_an_output_that_was_typed_by_hand_is_found(notebook: ModuleType) -> None:
    page = notebook.PAGE.read_text(encoding="utf-8").partition("## Train three")[0]
    assert "815 paragraphs" in page
    made = notebook.run(page.replace("815 paragraphs", "816 paragraphs"))
    assert made.files[notebook.PAGE] == page


@pytest.mark.parametrize("cell", ["1 + 1\n", "x = 1\n"])
def test_a_value_needs_a_picture_and_a_picture_a_value(notebook: ModuleType, cell: str) -> None:
    image = "" if cell.startswith("1") else "\n![A number](images/notebook/one.svg)\n"
    with pytest.raises(SystemExit, match="line 3: the cell has"):
        notebook.run(f"# A page\n\n```python\n{cell}```\n{image}")


def test_the_notebook_of_jupyter_has_every_cell_of_the_page(notebook: ModuleType) -> None:
    page = notebook.PAGE.read_text(encoding="utf-8")
    cells = json.loads(notebook.NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) + "\n" for cell in cells if cell["cell_type"] == "code"]
    assert code == [match["code"] for match in notebook.CELL.finditer(page)]
    assert len({cell["id"] for cell in cells}) == len(cells)
    prose = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert "](tutorial.md)" in page
    assert "](https://github.com/superword/superword/blob/main/docs/tutorial.md)" in prose


@pytest.mark.parametrize("path", sorted(PICTURES.rglob("*.svg")), ids=lambda path: path.stem)
def test_pictures_are_xml_with_a_title_and_follow_the_dark_scheme(path: Path) -> None:
    root = ElementTree.parse(path).getroot()
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text
    assert "prefers-color-scheme: dark" in path.read_text(encoding="utf-8")

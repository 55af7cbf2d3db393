"""Run docs/notebook.md like a notebook, and write what its cells show.

    python tools/guide/notebook.py            # run, and write the outputs
    python tools/guide/notebook.py --check    # run, and fail if an output is not that of the page

The Python blocks of the page are the cells. What a cell prints is the `<!-- output -->` block below
it. If the last line of a cell is an expression, its value is drawn as the picture
`![...](images/notebook/NAME.svg)` below it. The same cells and outputs make the Jupyter notebook
docs/notebook/superword.ipynb.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import re
import shutil
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from superword.errors import ShortfallWarning

from guide.pictures import picture

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "notebook.md"
TEXT = DOCS / "notebook" / "alice.txt"
NOTEBOOK = DOCS / "notebook" / "superword.ipynb"
SOURCE = "https://github.com/superword/superword/blob/main/docs/"

CELL = re.compile(
    r"^```python\n(?P<code>.*?)^```\n"
    r"(?P<output>\n<!-- output -->\n```text\n.*?^```\n)?"
    r"(?P<image>\n!\[(?P<alt>[^\]]*)\]\((?P<path>images/notebook/[\w-]+\.svg)\)\n)?",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Shown:
    """What a cell shows: the text it printed, and its value."""

    printed: str
    value: Any


@dataclass(frozen=True)
class Made:
    """The files that a run makes: their contents by path."""

    files: dict[Path, str]

    def changed(self) -> list[Path]:
        """The files whose content is different now."""
        return [
            path
            for path, content in self.files.items()
            if not path.exists() or path.read_text(encoding="utf-8") != content
        ]


def run(page: str) -> Made:
    """Run all cells in an empty directory that holds only the text."""
    names: dict[str, Any] = {"__name__": "__main__"}
    files: dict[Path, str] = {}
    cells: list[dict[str, Any]] = []
    written: list[str] = []
    done = 0
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(TEXT, folder)
        os.chdir(folder)
        try:
            for match in CELL.finditer(page):
                line = page.count("\n", 0, match.start()) + 1
                prose = page[done : match.start()]
                shown = run_cell(match["code"], names, f"{PAGE.name}:{line}")
                written += [prose, _rendered(match, shown, line)]
                cells += [*_prose_cell(prose), _code_cell(match["code"], shown)]
                if match["path"] is not None:
                    files[DOCS / match["path"]] = _picture(shown.value, match["alt"])
                done = match.end()
        finally:
            os.chdir(before)
    written.append(page[done:])
    cells += _prose_cell(page[done:])
    files[PAGE] = "".join(written)
    files[NOTEBOOK] = _notebook(cells)
    return Made(files)


def run_cell(code: str, names: dict[str, Any], where: str) -> Shown:
    """Run the code. The value is that of the last line, if it is an expression."""
    tree = ast.parse(code, where)
    last = tree.body[-1]
    value = None
    printed = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("error", ShortfallWarning)
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(tree.body[:-1], []), where, "exec"), names)
            value = eval(compile(ast.Expression(last.value), where, "eval"), names)
        else:
            exec(compile(tree, where, "exec"), names)
    return Shown(printed.getvalue(), value)


def _rendered(match: re.Match[str], shown: Shown, line: int) -> str:
    """The cell with its outputs, as Markdown."""
    if (match["image"] is None) != (shown.value is None):
        what = "has a value but no picture" if match["image"] is None else "has no value to draw"
        raise SystemExit(f"{PAGE.name}, line {line}: the cell {what}")
    text = f"```python\n{match['code']}```\n"
    if shown.printed:
        text += f"\n<!-- output -->\n```text\n{shown.printed}```\n"
    return text + (match["image"] or "")


def _picture(value: Any, alt: str) -> str:
    if hasattr(value, "_repr_svg_"):
        return str(value._repr_svg_())
    return picture(value._repr_html_(), alt)


def _prose_cell(prose: str) -> list[dict[str, Any]]:
    """Prose as a cell. Links into the documentation become addresses."""
    linked = re.sub(
        r"\]\((?!https?:|#)([^)]+)\)", lambda match: f"]({SOURCE}{match[1]})", prose.strip()
    )
    if not linked:
        return []
    return [{"cell_type": "markdown", "metadata": {}, "source": _lines(linked)}]


def _code_cell(code: str, shown: Shown) -> dict[str, Any]:
    outputs: list[dict[str, Any]] = []
    if shown.printed:
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(shown.printed)})
    if shown.value is not None:
        # Values without a representation of their own have an address in it, which changes.
        data = {"text/plain": [f"<{type(shown.value).__name__}>"]}
        for kind, method in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_")):
            if hasattr(shown.value, method):
                data[kind] = _lines(getattr(shown.value, method)())
        outputs.append({"data": data, "metadata": {}, "output_type": "execute_result"})
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": outputs,
        "source": _lines(code.rstrip("\n")),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _notebook(cells: list[dict[str, Any]]) -> str:
    """The notebook in the format of Jupyter, nbformat 4.5."""
    count = 0
    for number, cell in enumerate(cells, start=1):
        cell["id"] = f"cell-{number}"
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
            for output in cell["outputs"]:
                if output["output_type"] == "execute_result":
                    output["execution_count"] = count
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def main() -> None:
    """Run the page, then write or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    made = run(PAGE.read_text(encoding="utf-8"))
    changed = made.changed()
    for path in changed:
        print(path.relative_to(DOCS.parent))
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(made.files[path], encoding="utf-8")
    if options.check and changed:
        raise SystemExit("these files are not what the page makes; run tools/guide/notebook.py")


if __name__ == "__main__":
    main()

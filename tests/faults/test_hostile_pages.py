"""Names and tokens that try to become part of a page or of a terminal. See docs/security.md."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import superword
from superword import reports
from superword.evaluation import files
from support.evaluations import evaluation

NAME = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&lt;b&gt;\x1b[31m\u202e]]>-->"


class Elements(HTMLParser):
    """Collects the elements of a page and their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: set[str] = set()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value or "" for name, value in attrs if name in ("href", "src")}


def test_a_hostile_result_adds_no_element_to_a_report(tmp_path: Path) -> None:
    files.save(evaluation([NAME, "b"], [NAME, "en"]), tmp_path / "result.json")
    hostile = Elements(reports.render(files.load(tmp_path / "result.json"), "html"))
    plain = Elements(reports.render(evaluation(["a", "b"], ["de", "en"]), "html"))
    assert hostile.tags == plain.tags
    assert hostile.attributes == plain.attributes
    assert not {name for name in hostile.attributes if name.startswith("on")}
    # Everything is in the page: nothing is loaded from elsewhere.
    assert all(link.startswith("#") for link in hostile.links)
    assert "script" not in hostile.tags


def test_a_hostile_result_adds_no_markup_to_markdown() -> None:
    text = reports.render(evaluation([NAME, "b"], [NAME, "en"]), "md")
    assert "<img src=x" not in re.sub(r"`[^`\n]*`", "", text)
    assert "<script>alert" not in re.sub(r"`[^`\n]*`", "", text)


def test_tokens_in_a_notebook_add_no_element() -> None:
    tokenizer = superword.train_from_iterator([NAME] * 9, vocab_size=300)
    shown = tokenizer.show(NAME)._repr_html_()
    assert not {"script", "img", "b"} & Elements(shown).tags
    assert "\x1b" not in shown
    assert "\u202e" not in shown

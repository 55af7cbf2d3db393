"""The checker finds links that lead nowhere, outside resources and unread Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest
import site_check

GOOD = '<h1 id="top">A</h1><p>Text <code>](x) |---|</code> <a href="b/c.html#part">c</a></p>'


def problems(folder: Path, index: str) -> list[str]:
    (folder / "b").mkdir()
    (folder / "index.html").write_text(index)
    (folder / "b" / "c.html").write_text(
        '<h1>C</h1><a id="part" href="../index.html#top">up</a><a href="/superword/b/c.html">me</a>'
    )
    return site_check.check(folder, site_check.read(folder.resolve()))


def test_a_site_whose_links_all_lead_somewhere_has_no_problems(tmp_path: Path) -> None:
    address = "https://superword.github.io/superword/"
    more = f'<a href="{address}">home</a><a href="b/c.html">c</a><a href="https://a.org/">a</a>'
    assert problems(tmp_path, GOOD + more + '<link rel="canonical" href="https://a.org/">') == []


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ('<a href="none.html">x</a>', "leads to no file"),
        ('<a href="../outside.html">x</a>', "leads to no file"),
        ('<a href="b/c.html#none">x</a>', "leads to no anchor"),
        ('<a href="#none">x</a>', "leads to no anchor"),
        ('<img src="none.svg">', "leads to no file"),
        ('<a href="https://superword.github.io/superword/none.html">x</a>', "leads to no file"),
        ('<a href="http://a.org/">x</a>', "not a valid https address"),
        ('<a href="https:///x">x</a>', "not a valid https address"),
        ('<script src="https://a.org/a.js"></script>', "from elsewhere"),
        ('<img src="//a.org/a.png">', "from elsewhere"),
        ('<link rel="stylesheet" href="https://a.org/a.css">', "from elsewhere"),
        ("<p>| a | b |\n|---|---|</p>", "Markdown"),
        ("<p>[text](page.md)</p>", "Markdown"),
        ("<p>```sh</p>", "Markdown"),
        ("<h1>Second</h1>", "2 headings"),
    ],
)
def test_every_kind_of_mistake_is_found(tmp_path: Path, more: str, problem: str) -> None:
    found = problems(tmp_path, GOOD + more)
    assert len(found) == 1
    assert problem in found[0]
    assert found[0].startswith("index.html: ")


def test_a_site_without_pages_is_a_mistake(tmp_path: Path) -> None:
    assert site_check.check(tmp_path, {}) == [f"{tmp_path}: there are no pages"]


def test_outside_addresses_are_listed_once_without_their_anchors(tmp_path: Path) -> None:
    more = '<a href="https://a.org/x#1">x</a><a href="https://a.org/x#2">x</a>'
    problems(tmp_path, GOOD + more)
    assert site_check.outside_links(site_check.read(tmp_path)) == ["https://a.org/x"]

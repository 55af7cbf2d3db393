"""Pages that are written for GitHub become pages of the site: links, lists, comments, parts."""

from __future__ import annotations

from pathlib import Path

import pytest
from rewriting import SITE, SiteError, prepare
from staging import MOVED, check_navigation, pages_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "docs/reference.md": "reference.md",
    "docs/how-to/README.md": "how-to/README.md",
    "docs/how-to/train.md": "how-to/train.md",
    "docs/api/index.md": "api/index.md",
    "docs/standalone/report.html": "standalone/report.html",
}


def prepared(text: str, source: str = "docs/how-to/train.md", **parts: str) -> str:
    return prepare(text, source, PAGES, ROOT, parts)


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("encode.md", "https://github.com/superword/superword/blob/main/docs/how-to/encode.md"),
        ("../reference.md#options", "../reference.md#options"),
        ("../../CONTRIBUTING.md", "../contributing.md"),
        ("../how-to", "README.md"),
        ("../../examples", "https://github.com/superword/superword/tree/main/examples"),
        ("#a-heading", "#a-heading"),
        ("https://example.org/x#y", "https://example.org/x#y"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        (f"{SITE}api/index.html#superword.train", "../api/index.md#superword.train"),
        (f"{SITE}standalone/report.html", "../standalone/report.html"),
    ],
)
def test_links_lead_to_a_page_of_the_site_or_to_the_repository(link: str, expected: str) -> None:
    assert prepared(f"See [`this`]({link}).\n") == f"See [`this`]({expected}).\n"


@pytest.mark.parametrize(
    "link", ["no-such.md", "../../../outside.md", "https://superword.github.io/superword/none.html"]
)
def test_a_link_that_leads_nowhere_is_an_error_that_names_the_page(link: str) -> None:
    with pytest.raises(SiteError, match=r"docs/how-to/train\.md: .*"):
        prepared(f"[x]({link})\n")


def test_comments_are_removed_and_code_is_left_alone() -> None:
    code = "```sh\necho '<!-- kept --> [x](no-such.md)'\n```\n"
    assert prepared(f"<!-- output -->\n{code}<!-- a\nb -->\nEnd.\n") == f"{code}End.\n"


def test_generated_parts_replace_what_is_between_their_marks() -> None:
    page = "A\n\n<!-- site: numbers -->\nold\n<!-- /site: numbers -->\nB\n"
    assert prepared(page, numbers="new\n") == "A\n\nnew\nB\n"
    with pytest.raises(SiteError, match="nothing generates the part 'numbers'"):
        prepared(page)


def test_what_is_inside_a_list_item_gets_four_spaces_for_each_level() -> None:
    page = """\
1. One
   continued
   - inner
     more

     ```sh
     code
       deeper
     ```
2. Two

   | a |
   |---|
3. Three

- last
lazy

After.
"""
    assert (
        prepared(page)
        == """\
1. One
    continued
    - inner
        more

        ```sh
        code
          deeper
        ```

2. Two

    | a |
    |---|

3. Three

- last
lazy

After.
"""
    )


def test_every_page_outside_docs_exists_and_no_two_pages_have_the_same_place() -> None:
    pages = pages_of(ROOT)
    assert set(MOVED) <= set(pages)
    assert len(set(pages.values())) == len(pages)
    assert all((ROOT / source).is_file() for source in pages)


def test_the_navigation_has_every_page_once_and_only_pages_that_exist() -> None:
    nav = "a: b\nnav:\n  - Home: index.md\n  - x/y.md\n"
    check_navigation(nav, {"index.md", "x/y.md", "decisions/0001-x.md", "picture.svg"})
    with pytest.raises(SiteError, match=r"z\.md is missing there"):
        check_navigation(nav, {"index.md", "x/y.md", "z.md"})
    with pytest.raises(SiteError, match=r"x/y\.md does not exist"):
        check_navigation(nav, {"index.md"})
    with pytest.raises(SiteError, match=r"index\.md is there twice"):
        check_navigation(nav + "  - index.md\n", {"index.md", "x/y.md"})

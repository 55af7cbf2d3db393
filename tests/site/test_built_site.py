"""The built site: links, what is shown, and what a browser fetches and shows of it.

`make docs` builds the site and runs these tests. The tests with a browser are skipped if Playwright
or Chromium is missing.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import site_check
import staging
from markdown_it import MarkdownIt

pytestmark = pytest.mark.site

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
# The theme puts wide tables into boxes that scroll. Browsers let the keyboard reach them.
RUN_AXE = """async () => (await axe.run(document, {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
  rules: { "scrollable-region-focusable": { enabled: false } },
})).violations.map(({ id, nodes }) =>
  [id, ...nodes.slice(0, 2).map(node => node.html.slice(0, 160))].join(" | "))"""
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
# One page of each kind.
KINDS = ["index", "tutorial", "how-to/index", "reference", "api/index", "command-line/train"]
KINDS += ["benchmarks", "benchmarks/log", "file-format", "playground", "example-report"]
KINDS += ["install", "notebook", "choosing", "faq", "security", "decisions"]


@pytest.fixture(scope="module")
def site() -> Path:
    folder = ROOT / "site"
    if not (folder / "index.html").exists():
        pytest.skip("the site is not built; run `make docs`")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if find_spec("playwright") is None:
        pytest.skip("Playwright is not installed; run `pip install --group browser`")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no browser found: neither chromium nor google-chrome")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = site_check.read(site)
    assert site_check.check(site, pages) == []
    assert len(pages) > 90


def test_the_site_shows_the_lists_tables_and_blocks_that_github_shows(site: Path) -> None:
    """The generator reads Markdown by other rules than GitHub, which could break pages silently."""
    github = MarkdownIt("commonmark").enable("table")
    different = []
    for source, page in staging.pages_of(ROOT).items():
        text = (ROOT / source).read_text(encoding="utf-8") if source.endswith(".md") else ""
        if not text or "<!-- site:" in text:
            continue
        expected = github.render(text)
        name = page.replace("README.md", "index.md").removesuffix(".md")
        built = (site / f"{name}.html").read_text(encoding="utf-8")
        article = built.partition("<article")[2].partition("</article>")[0]
        for tag in ("li", "table", "tr", "pre", "blockquote", "img"):
            counts = [len(re.findall(rf"<{tag}[ >]", html)) for html in (expected, article)]
            if counts[0] != counts[1]:
                different.append((page, tag, *counts))
    assert different == []


def test_the_public_report_and_playground_name_no_path_of_the_machine(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert str(ROOT) not in page.read_text(encoding="utf-8"), page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_fit_the_window_and_fetch_nothing_from_elsewhere(
    site: Path, browser: Any, width: int, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 844}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    wrong = []
    names = [path.relative_to(site).with_suffix("").as_posix() for path in site.rglob("*.html")]
    for name in names if (width, scheme) == (390, "light") else KINDS:
        page.goto((site / f"{name}.html").as_uri())
        over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if over > 0:
            wrong.append(f"{name} is {over} pixels too wide")
    context.close()
    local = ("file:", "data:", "blob:", "about:")
    assert [url for url in fetched if not url.startswith(local)] == []
    assert wrong == []


def test_search_finds_pages_without_a_server(site: Path, browser: Any) -> None:
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    page.keyboard.press("Control+k")
    page.keyboard.type("supermerges")
    page.get_by_text(re.compile(r"\d+ results")).wait_for(timeout=30_000)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_we_add_to_the_theme_is_accessible(site: Path, browser: Any, scheme: str) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed; run `npm ci` in web/")
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    for name in KINDS:
        page.goto((site / f"{name}.html").as_uri())
        page.add_script_tag(path=AXE)
        # The theme itself is not ours to mend: only the content of pages is checked.
        found = page.evaluate(RUN_AXE.replace("document,", "document.querySelector('article'),"))
        assert found == [], name
    context.close()

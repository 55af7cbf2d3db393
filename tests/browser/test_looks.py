"""Pictures of the page to look at, and the rules of accessibility that a program can check."""

from __future__ import annotations

from pathlib import Path

import pytest
from superword import Tokenizer
from support.playground import ROOT, TEXT, OpenPage, Playground

AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """async () => (await axe.run(document, {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
})).violations.map(({ id, help, nodes }) =>
  [id, help, ...nodes.slice(0, 3).map(node => node.html.slice(0, 200))].join(" | "))"""
DIALOGS = ["open-models", "open-vocabulary", "open-train"]


def look(page: Playground, name: str, width: int, dark: bool, folder: Path) -> None:
    """Save a picture, and check that nothing is wider than the window."""
    page.page.screenshot(
        path=folder / f"{name}-{'dark' if dark else 'light'}-{width}.png", full_page=True
    )
    wide = page.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width, f"{name} is {wide} pixels wide"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_and_is_accessible(
    open_page: OpenPage, boundless: Tokenizer, tmp_path: Path, width: int, dark: bool
) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed; run `npm ci` in web/")
    page = open_page([("demo.superword", boundless)], text=TEXT, width=width, dark=dark)
    page.page.evaluate(AXE.read_text(encoding="utf-8"))

    def check(name: str) -> None:
        look(page, name, width, dark, tmp_path)
        assert page.page.evaluate(RUN) == [], name

    check("page")
    page.page.check("#cut")
    page.page.evaluate("document.getElementById('text').setSelectionRange(9, 9)")
    page.page.locator(".verdict").first.wait_for()
    check("cut")
    page.page.uncheck("#cut")
    page.panel(0).get_by_role("tab", name="Table").click()
    page.panel(0).locator(".row").nth(3).wait_for()
    check("table")
    page.panel(1).locator(".as-text .superword").first.click()
    page.page.locator("#token-dialog[open]").wait_for()
    check("token")
    page.page.keyboard.press("Escape")
    for button in DIALOGS:
        page.page.click(f"#{button}")
        page.page.wait_for_timeout(200)
        check(button)
        page.page.keyboard.press("Escape")
    page.drop({"broken.superword": b"no model"})
    page.page.locator(".notice.error").wait_for()
    check("error")


def test_an_empty_page_is_accessible(open_page: OpenPage) -> None:
    page = open_page()
    page.page.evaluate(AXE.read_text(encoding="utf-8"))
    assert page.page.evaluate(RUN) == []

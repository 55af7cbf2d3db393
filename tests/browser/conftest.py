"""A real browser with the playground in it.

Without Playwright, Chromium or the built page, these tests are skipped and say what is missing.
With `CI` or `SUPERWORD_BROWSER` in the environment (`make test-browser` sets it), they fail.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import superword
from support.playground import OpenPage, Playground, built_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


def chromium() -> str | None:
    """The path of an installed browser."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def missing() -> str | None:
    """What these tests need and do not find, with the way to get it."""
    if find_spec("playwright") is None:
        return "Playwright is not installed; run `pip install --group browser`"
    if chromium() is None:
        return f"no browser found, looked for {', '.join(BROWSERS)}"
    if not built_page():
        return "the page is not built; run `make playground`"
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    reason = missing()
    if reason and (os.environ.get("CI") or os.environ.get("SUPERWORD_BROWSER")):
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[OpenPage]:
    """Opens a page by `file://` with models inside. Fails the test on an error in the console.

    Any request for something outside the page fails the test, too.
    """
    opened: list[Playground] = []

    def open_it(
        models: Sequence[tuple[str, superword.Tokenizer]] = (),
        *,
        text: str = "",
        fragment: str = "",
        width: int = 1280,
        dark: bool = False,
    ) -> Playground:
        path = tmp_path / f"page{len(opened)}.html"
        superword.playground.write(path, dict(models), text)
        context = browser.new_context(
            color_scheme="dark" if dark else "light",
            viewport={"width": width, "height": 900},
            accept_downloads=True,
        )
        playground = Playground(context)
        opened.append(playground)
        playground.open(path.as_uri() + fragment)
        return playground

    yield open_it
    for playground in opened:
        playground.context.close()
    for playground in opened:
        playground.check_quiet()


@pytest.fixture
def playground(open_page: OpenPage, boundless: superword.Tokenizer) -> Playground:
    """A page with a BoundlessBPE model inside."""
    return open_page([("demo.superword", boundless)])

"""Driving the page of the playground in a browser."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from superword.playground.pages import ASSETS

from support.texts import SENTENCES

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

PATIENCE_MS = 30_000
# A text in several scripts, without carriage returns: a text field has none.
TEXT = " ".join(SENTENCES[:-1])
ROOT = Path(__file__).resolve().parents[2]

# What a drop does: the files are given to the page as a person's drop gives them.
DROP = """files => {
  const transfer = new DataTransfer();
  for (const [name, content] of files) {
    const bytes = Uint8Array.from(atob(content), character => character.charCodeAt(0));
    transfer.items.add(new File([bytes], name));
  }
  for (const type of ["dragenter", "dragover", "drop"]) {
    document.body.dispatchEvent(
      new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }
}"""
# The value of a text field, as typing sets it.
SET_TEXT = """text => {
  const field = document.getElementById("text");
  field.value = text;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}"""
# The ids that a panel shows. All chunks of a short text are drawn.
SHOWN_IDS = """panel => [
  ...document.querySelectorAll(".panel")[panel].querySelectorAll(".as-ids [data-i]")
].map(token => Number(token.textContent))"""


def built_page() -> bool:
    """Whether `make playground` has run."""
    return all((ASSETS / name).is_file() for name in ("page.html", "engine.wasm.gz"))


def expect(locator: Locator) -> Any:
    """Playwright's assertions, which wait. Imported here, so that tests without it are skipped."""
    from playwright.sync_api import expect as expect_that

    # A busy machine needs longer than the five seconds of the default.
    expect_that.set_options(timeout=PATIENCE_MS)
    return expect_that(locator)


class Playground:
    """One open page, and everything that went wrong in it."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.page: Page = context.new_page()
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.set_default_timeout(PATIENCE_MS)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def open(self, address: str) -> None:
        self.page.goto(address)
        self.page.wait_for_selector("html[data-ready]")
        self.settle()

    def check_quiet(self) -> None:
        """Nothing in the console, and nothing requested but the page and its worker."""
        assert self.problems == []
        assert [url for url in self.requests if not url.startswith(("file:", "blob:"))] == []

    def settle(self) -> None:
        """Wait until the panels show the current text."""
        self.page.wait_for_selector("#panels:not([aria-busy=true])", state="attached")

    def wait(self, expression: str) -> None:
        """Wait until an expression is true. Playwright's own way is against the page's policy."""
        end = time.monotonic() + PATIENCE_MS / 1000
        while not self.page.evaluate(expression):
            assert time.monotonic() < end, expression
            time.sleep(0.05)

    def set_text(self, text: str) -> None:
        """Replace the text, as pasting it does."""
        self.page.evaluate(SET_TEXT, text)
        self.settle()

    def panel(self, number: int) -> Locator:
        return self.page.locator(".panel").nth(number)

    def ids(self, panel: int = 0) -> list[int]:
        """The ids that a panel shows."""
        shown: list[int] = self.page.evaluate(SHOWN_IDS, panel)
        return shown

    def total(self, panel: int = 0) -> int:
        return int(self.panel(panel).locator(".tokens-total").inner_text().replace(",", ""))

    def choose(self, panel: int, kind: str) -> None:
        """Show the words or the superwords in a panel."""
        self.panel(panel).locator(".segments").get_by_text(kind, exact=True).click()
        self.settle()

    def drop(self, files: Mapping[str, bytes]) -> None:
        listed = [[name, base64.b64encode(content).decode()] for name, content in files.items()]
        self.page.evaluate(DROP, listed)

    def drop_model(self, files: Mapping[str, bytes], name: str) -> None:
        """Drop files and wait until the page says that the model is open."""
        self.drop(files)
        self.page.locator(".notice.info", has_text=f"Opened {name}").wait_for()
        self.settle()

    def error(self) -> str:
        """The text of the error message that is shown."""
        return str(self.page.locator(".notice.error").first.inner_text())

    def model_names(self) -> list[str]:
        return list(self.panel(0).locator("select option").all_inner_texts())


OpenPage: TypeAlias = Callable[..., Playground]

"""A text of a megabyte stays usable."""

from __future__ import annotations

import os
import time

from superword import Tokenizer
from support.playground import TEXT, OpenPage

MEGABYTE = (TEXT + "\n") * (1_000_000 // len(TEXT.encode()) + 1)
# The longest pause of the page that is accepted, in milliseconds. Other programs make it longer.
BUSY = bool(os.environ.get("CI")) or os.getloadavg()[0] > (os.cpu_count() or 1)
LONGEST_TASK_MS = 2000 if BUSY else 200
WATCH = """() => {
  window.longTasks = [];
  new PerformanceObserver(list => window.longTasks.push(...list.getEntries().map(e => e.duration)))
    .observe({ entryTypes: ["longtask"] });
}"""


def test_typing_in_a_megabyte_does_not_block_the_page(
    open_page: OpenPage, boundless: Tokenizer
) -> None:
    page = open_page([("demo", boundless)], text=MEGABYTE)
    assert page.total(1) == len(boundless.encode(MEGABYTE))
    page.page.evaluate(WATCH)
    page.page.focus("#text")
    for key in "typing":
        page.page.keyboard.type(key)
        time.sleep(0.15)
    page.settle()
    tasks = page.page.evaluate("window.longTasks")
    assert max(tasks, default=0) < LONGEST_TASK_MS, tasks
    assert page.page.locator(".t").count() < 5000, "only the visible part is drawn"


def test_the_end_of_a_long_text_can_be_reached(open_page: OpenPage, boundless: Tokenizer) -> None:
    page = open_page([("demo", boundless)], text=MEGABYTE)
    ids = boundless.encode(MEGABYTE)
    panel = page.panel(1)
    panel.locator(".as-text").focus()
    page.page.keyboard.press("End")
    last = panel.locator(f".as-text [data-i='{len(ids) - 1}']")
    last.wait_for()
    assert f"id {ids[-1]}" in (last.get_attribute("aria-label") or "")
    panel.get_by_role("tab", name="Table").click()
    panel.locator(".table").evaluate("table => (table.scrollTop = table.scrollHeight)")
    row = panel.locator(f".row[data-i='{len(ids) - 1}']")
    row.wait_for()
    assert row.locator("[role=cell]").nth(1).inner_text() == str(ids[-1])


def test_old_answers_are_dropped(open_page: OpenPage, boundless: Tokenizer) -> None:
    page = open_page([("demo", boundless)], text=MEGABYTE)
    page.page.focus("#text")
    page.page.keyboard.type("x")
    # While the megabyte is encoded, another text takes its place.
    page.set_text("one of the words")
    assert page.ids(1) == boundless.encode("one of the words")

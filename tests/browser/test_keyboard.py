"""The page can be used without a pointer."""

from __future__ import annotations

from superword import Tokenizer
from support.playground import TEXT, Playground, expect

FOCUSED = """() => {
  const element = document.activeElement;
  return element.id || element.getAttribute("aria-label") || element.textContent.trim();
}"""


def focused(playground: Playground) -> str:
    name: str = playground.page.evaluate(FOCUSED)
    return name


def test_tab_reaches_every_control_in_order(playground: Playground) -> None:
    playground.set_text(TEXT)
    order: list[str] = []
    for _ in range(40):
        playground.page.keyboard.press("Tab")
        name = focused(playground)
        if not name or name in order[:1]:
            break
        order.append(name)
    tools = ["open-models", "open-vocabulary", "open-train", "copy-link", "theme"]
    options = ["text", "whitespace", "special", "cut", "colours", "line-ends"]
    assert order[: len(tools) + len(options)] == tools + options
    panels = order[len(tools) + len(options) :]
    assert panels.count("Model") == panels.count("Tokens in the text") == panels.count("Ids") == 2
    assert "add-panel" in panels


def test_arrows_move_among_tokens_and_enter_opens_one(
    playground: Playground, boundless: Tokenizer
) -> None:
    playground.set_text(TEXT)
    panel = playground.panel(1)
    tokens = panel.locator(".as-text")
    keyboard = playground.page.keyboard
    tokens.focus()

    def active() -> int:
        return int((tokens.get_attribute("aria-activedescendant") or "-0").rsplit("-", 1)[1])

    count = len(boundless.encode(TEXT))
    assert active() == 0
    for key, expected in [
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", count - 1),
    ]:
        keyboard.press(key)
        assert active() == expected
    keyboard.press("ArrowUp")
    above = active()
    assert above < count - 1
    keyboard.press("ArrowDown")
    assert active() > above
    keyboard.press("Home")
    keyboard.press("ArrowRight")
    # The active token is linked everywhere, as if it were pointed at.
    expect(panel.locator(".as-ids .linked")).to_have_text([str(boundless.encode(TEXT)[1])])
    keyboard.press("Enter")
    dialog = playground.page.locator("#token-dialog")
    expect(dialog).to_be_visible()
    expect(dialog.locator(".facts")).to_contain_text(str(boundless.encode(TEXT)[1]))
    keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert focused(playground) == "Tokens in the text"
    assert active() == 1


def test_tabs_move_with_arrows(playground: Playground) -> None:
    panel = playground.panel(0)
    panel.get_by_role("tab", name="Text and ids").focus()
    playground.page.keyboard.press("ArrowRight")
    assert focused(playground) == panel.get_by_role("tab", name="Table").get_attribute("id")
    expect(panel.locator(".table")).to_be_visible()
    playground.page.keyboard.press("ArrowLeft")
    expect(panel.locator(".table")).to_be_hidden()


def test_totals_are_announced(playground: Playground) -> None:
    playground.set_text(TEXT)
    spoken = playground.page.locator("#spoken")
    expect(spoken).to_contain_text(f"{playground.total(1)} tokens")
    expect(spoken).to_contain_text("Superwords save")
    assert spoken.get_attribute("role") == "status"


def test_focus_is_visible(playground: Playground) -> None:
    for _ in range(12):
        playground.page.keyboard.press("Tab")
        width = playground.page.evaluate(
            "parseFloat(getComputedStyle(document.activeElement).outlineWidth)"
        )
        assert width >= 1, focused(playground)

"""Training in the page gives the model of the native engine."""

from __future__ import annotations

from typing import Any

import pytest
import superword
from superword import Tokenizer
from support.playground import TEXT, OpenPage, Playground, expect

LONG = "\n".join([TEXT] * 20)


def train(page: Playground, **options: str) -> None:
    page.page.click("#open-train")
    for name, value in options.items():
        control = page.page.locator(f"#train-form [name={name}]")
        if control.evaluate("control => control.tagName") == "SELECT":
            control.select_option(value)
        else:
            control.fill(value)
    page.page.click("#train-start")


def saved(page: Playground) -> Tokenizer:
    """The last model of the list, as the page saves it."""
    page.page.locator(".notice.info", has_text="Trained").wait_for()
    page.settle()
    page.page.click("#open-models")
    with page.page.expect_download() as download:
        page.page.get_by_role("button", name="Save as .superword: trained").last.click()
    page.page.keyboard.press("Escape")
    return Tokenizer.from_bytes(download.value.path().read_bytes())


@pytest.mark.parametrize(
    ("options", "native"),
    [
        ({"method": "bpe"}, {"method": "bpe"}),
        ({"method": "boundless"}, {"method": "boundless"}),
        (
            {"method": "superbpe", "supermerges": "15"},
            {"method": "superbpe", "supermerges": 15},
        ),
        (
            {"method": "boundless", "pretokenizer": "gpt2"},
            {"method": "boundless", "pretokenizer": "gpt2"},
        ),
    ],
)
def test_the_trained_model_is_that_of_the_engine(
    open_page: OpenPage, options: dict[str, str], native: dict[str, Any]
) -> None:
    page = open_page(text=LONG)
    train(page, vocab_size="400", documents="lines", **options)
    model = saved(page)
    expected = superword.train_from_iterator(LONG.splitlines(), vocab_size=400, **native)
    assert model.merges == expected.merges
    assert model.supermerges == expected.supermerges
    assert model.n_vocab == expected.n_vocab
    page.set_text(TEXT)
    assert page.ids(page.page.locator(".panel").count() - 1) == expected.encode(TEXT)


def test_documents_are_what_was_chosen(open_page: OpenPage) -> None:
    page = open_page(text="ab cd\nab cd\n\nab cd\nab cd")
    for chosen, expected in [("whole", 1), ("paragraphs", 2), ("lines", 4)]:
        train(page, vocab_size="258", documents=chosen, method="bpe")
        page.page.locator(".notice.info", has_text=f"on {expected} document").wait_for()


def test_options_that_do_not_fit_are_an_error_in_the_dialog(open_page: OpenPage) -> None:
    page = open_page(text=LONG)
    train(page, vocab_size="10", method="bpe")
    error = page.page.locator("#train-error")
    expect(error).to_be_visible()
    assert "10" in error.inner_text()
    assert page.page.locator(".panel").count() == 0
    page.page.keyboard.press("Escape")
    page.set_text("")
    train(page, vocab_size="300", method="bpe")
    expect(error).to_contain_text("no text")


def test_training_can_be_stopped(playground: Playground, boundless: Tokenizer) -> None:
    # Every word differs, so learning takes long enough to be stopped.
    playground.page.evaluate(
        """() => {
          const field = document.getElementById("text");
          let text = "";
          let seed = 1;
          for (let i = 0; i < 300000; i++) {
            seed = (seed * 48271) % 2147483647;
            text += seed.toString(36) + " ";
          }
          field.value = text;
          field.dispatchEvent(new InputEvent("input", { bubbles: true }));
        }"""
    )
    train(playground, vocab_size="60000", method="bpe")
    expect(playground.page.locator("#train-phase")).to_contain_text("of", timeout=60_000)
    playground.page.click("#train-stop")
    expect(playground.page.locator("#train-start")).to_be_visible()
    expect(playground.page.locator("#train-progress")).to_be_hidden()
    playground.page.keyboard.press("Escape")
    assert playground.model_names() == ["demo.superword"]
    playground.set_text(TEXT)
    assert playground.ids(1) == boundless.encode(TEXT)

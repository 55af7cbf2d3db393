"""Every control of the page does what it says."""

from __future__ import annotations

import base64
import gzip
import random
import re
from pathlib import Path

from superword import Tokenizer
from support.playground import TEXT, OpenPage, Playground, expect


def test_pointing_at_a_token_links_its_id_and_the_other_panels(playground: Playground) -> None:
    playground.set_text("one of the words")
    first, second = playground.panel(0), playground.panel(1)
    first.locator(".as-text").get_by_text("·of", exact=True).hover()
    expect(first.locator(".as-text .linked")).to_have_text(["·of"])
    expect(first.locator(".as-ids .linked")).to_have_count(1)
    assert "of" in second.locator(".as-text .linked").inner_text()
    expect(playground.page.locator("#text-marks mark")).to_have_text(" of")
    expect(first.locator(".readout")).to_contain_text("characters 3–6")
    # And the other way round: from the id to the text.
    second.locator(".as-ids .t").first.hover()
    linked = second.locator(".as-text .linked").inner_text().replace("·", " ")
    expect(playground.page.locator("#text-marks mark")).to_have_text(linked)
    playground.page.mouse.move(0, 0)
    expect(playground.page.locator(".linked")).to_have_count(0)


def test_the_cursor_in_the_text_links_the_token(playground: Playground) -> None:
    playground.set_text("one of the words")
    playground.page.focus("#text")
    playground.page.evaluate("document.getElementById('text').setSelectionRange(5, 5)")
    expect(playground.panel(0).locator(".as-text .linked")).to_have_text(["·of"])


def test_white_space_can_be_hidden(playground: Playground) -> None:
    playground.set_text("a b\tc\nd\u200be")
    shown = playground.panel(0).locator(".as-text")
    text = shown.inner_text()
    assert all(sign in text for sign in ("·", "→", "⏎"))
    # A character that draws nothing keeps its sign: hiding it would hide a difference.
    playground.page.uncheck("#whitespace")
    assert not any(sign in shown.inner_text() for sign in ("·", "→", "⏎"))


def test_split_characters_are_shown_as_bytes(playground: Playground, boundless: Tokenizer) -> None:
    playground.set_text("🚀")
    shown = playground.panel(0).locator(".as-text .bytes").all_inner_texts()
    assert bytes.fromhex(" ".join(shown)) == "🚀".encode()
    expect(playground.panel(0).locator(".as-text .split")).to_have_text(["🚀"])


def test_superwords_are_marked_without_colour(playground: Playground, boundless: Tokenizer) -> None:
    playground.set_text(TEXT)
    marked = playground.panel(1).locator(".as-text .superword")
    expected = [i for i in boundless.encode(TEXT) if boundless.is_superword(i)]
    assert marked.count() == len(expected) > 0
    style = marked.first.evaluate("token => getComputedStyle(token).textDecorationLine")
    assert style == "underline"
    assert "superword" in (marked.first.get_attribute("aria-label") or "")


def test_colours_can_be_chosen(playground: Playground) -> None:
    playground.set_text("of the of the")
    page, shown = playground.page, playground.panel(0).locator(".as-text .t")
    page.select_option("#colours", "id")
    by_id = [
        re.sub(r".*\b(h\d).*", r"\1", token.get_attribute("class") or "") for token in shown.all()
    ]
    ids = playground.ids(0)
    assert {(i, colour) for i, colour in zip(ids, by_id, strict=True)} == set(
        zip(ids, by_id, strict=True)
    )
    assert len(set(zip(ids, by_id, strict=True))) == len(set(ids))
    page.select_option("#colours", "superwords")
    expect(playground.panel(0).locator(".as-text .plain")).to_have_count(shown.count())


def test_panels_can_be_added_changed_and_removed(
    open_page: OpenPage, boundless: Tokenizer, words: Tokenizer
) -> None:
    page = open_page([("a", boundless), ("b", words)], text=TEXT)
    assert page.page.locator(".panel").count() == 2
    page.page.click("#add-panel")
    page.settle()
    assert page.page.locator(".panel").count() == 3
    assert page.page.locator("#add-panel").is_hidden()
    page.panel(2).locator("select").select_option(label="b")
    page.settle()
    assert page.ids(2) == words.encode(TEXT)
    assert page.panel(2).locator("input[type=radio]").last.is_disabled()
    page.panel(0).get_by_role("button", name="Remove this panel").click()
    page.settle()
    page.panel(0).get_by_role("button", name="Remove this panel").click()
    page.settle()
    assert page.page.locator(".panel").count() == 1
    # The last panel stays.
    assert page.panel(0).locator(".remove").is_hidden()
    assert page.ids(0) == words.encode(TEXT)


def test_a_token_shows_its_tree_and_its_uses(playground: Playground, boundless: Tokenizer) -> None:
    playground.set_text(" of the")
    ids = boundless.encode(" of the")
    assert len(ids) == 1, "the fixture has this superword"
    playground.panel(1).locator(".as-text .t").first.click()
    dialog = playground.page.locator("#token-dialog")
    expect(dialog.locator(".facts")).to_contain_text(str(ids[0]))
    expect(dialog.locator(".facts")).to_contain_text("20 6F 66 20 74 68 65 (7)")
    expect(dialog.locator(".facts")).to_contain_text("superword")
    parts = dialog.locator(".tree > li > ul > li > .node .t")
    expect(parts).to_have_text(["·of", "·the"])
    # The tree of a word inside is closed at first; then its leaves are the bytes.
    dialog.get_by_role("button", name=re.compile("^Show what token")).first.click()
    assert dialog.locator(".tree .node.byte:visible").count() == 3
    dialog.locator(".tree > li > ul > li > .node").nth(1).click()
    expect(dialog.locator("#token-title")).to_have_text("·the")
    uses = dialog.locator(".uses .t").all_inner_texts()
    assert "·of·the" in uses
    dialog.get_by_role("button", name="← Back").click()
    expect(dialog.locator("#token-title")).to_have_text("·of·the")
    playground.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_the_vocabulary_can_be_searched(playground: Playground, boundless: Tokenizer) -> None:
    page = playground.page
    page.click("#open-vocabulary")
    rows, status = page.locator("#vocabulary-results tbody tr"), page.locator("#vocabulary-status")

    def expect_ids(expected: list[int]) -> None:
        """Wait for the first page of the tokens."""
        cells = page.locator("#vocabulary-results tbody td:first-child")
        expect(cells).to_have_text([str(i) for i in expected[:50]])

    every = range(boundless.n_vocab)
    expect_ids(list(every))
    page.click("#vocabulary-next")
    expect(status).to_contain_text("51–100 of 440")
    page.click("#vocabulary-previous")
    expect(status).to_contain_text("1–50 of 440")
    page.fill("#vocabulary-text", " the")
    the = [i for i in every if b" the" in boundless.token_bytes(i)]
    expect_ids(the)
    page.check("#vocabulary-superwords")
    expect_ids([i for i in the if boundless.is_superword(i)])
    page.check("#vocabulary-regex")
    page.fill("#vocabulary-text", "^ o. the$")
    expect_ids([i for i in every if re.fullmatch(rb" o. the", boundless.token_bytes(i))])
    page.fill("#vocabulary-text", "(")
    expect(rows).to_have_count(0)
    assert "No token" not in status.inner_text()
    page.uncheck("#vocabulary-regex")
    expect(status).to_have_text("No token matches.")
    page.fill("#vocabulary-text", "")
    page.select_option("#vocabulary-order", "longest")
    superwords = [i for i in every if boundless.is_superword(i)]
    longest = max(len(boundless.token_bytes(i)) for i in superwords)
    expect(rows.first.locator("td").nth(2)).to_have_text(str(longest))
    page.select_option("#vocabulary-order", "frequent")
    expect(rows.first.locator("td").nth(2)).not_to_have_text(str(longest))
    counts = [
        int(text.replace(",", ""))
        for text in page.locator("#vocabulary-results td:last-child").all_inner_texts()
    ]
    assert counts == sorted(counts, reverse=True)
    rows.first.locator("button").click()
    expect(page.locator("#token-dialog")).to_be_visible()


def test_a_cut_shows_what_changes(playground: Playground, boundless: Tokenizer) -> None:
    text = "one of the words"
    playground.set_text(text)
    page, panel = playground.page, playground.panel(1)
    page.check("#cut")
    for at in range(len(text) + 1):
        page.evaluate("at => document.getElementById('text').setSelectionRange(at, at)", at)
        whole, alone = boundless.encode(text), boundless.encode(text[:at])
        same = 0
        end = 0
        ends = []
        for token in whole:
            end += len(boundless.token_bytes(token))
            ends.append(end)
        while same < len(alone) and alone[same] == whole[same] and ends[same] <= at:
            same += 1
        after = sum(1 for start in [0, *ends[:-1]] if start < at)
        verdict = panel.locator(".verdict")
        if same == after == len(alone):
            expect(verdict).to_have_text("No token changes: the text can be cut here.")
        else:
            what = f"{after - same} token{'' if after - same == 1 else 's'} would become "
            expect(verdict).to_contain_text(what + str(len(alone) - same))
            instead = boundless.decode(alone[same:]).replace(" ", "·")
            expect(panel.locator(".cut dd").nth(1)).to_have_text(instead or "nothing")
        bridges = any(start < at < stop for start, stop in zip([0, *ends], ends, strict=False))
        expect(panel.locator(".as-text .bridge")).to_have_count(int(bridges))
        expect(panel.locator(".as-text .after")).to_have_count(len(whole) - after)
    page.uncheck("#cut")
    expect(page.locator(".cut").first).to_be_hidden()
    expect(page.locator(".as-text .bridge")).to_have_count(0)


def test_a_link_brings_text_panels_and_options_back(
    open_page: OpenPage, boundless: Tokenizer, words: Tokenizer
) -> None:
    models = [("a", boundless), ("b", words)]
    text = "one of the 👩‍🚀 words\nof the <|pad|> 東京 & # %"
    page = open_page(models, text=text)
    page.choose(0, "words")
    page.page.check("#special")
    page.page.uncheck("#whitespace")
    page.page.click("#copy-link")
    page.wait("location.hash.length > 5")
    fragment = page.page.evaluate("location.hash")
    again = open_page(models, fragment=fragment)
    assert again.page.input_value("#text") == text
    assert again.page.is_checked("#special")
    assert not again.page.is_checked("#whitespace")
    assert again.panel(0).locator("input[type=radio]").first.is_checked()
    assert again.ids(0) == page.ids(0)
    assert again.ids(1) == words.encode(text)


def test_a_link_that_was_cut_off_is_an_error(open_page: OpenPage, boundless: Tokenizer) -> None:
    page = open_page([("a", boundless)], fragment="#s=eJwBroken", text="as before")
    assert "cannot be read" in page.error()
    assert page.page.input_value("#text") == "as before"


def test_a_link_to_a_long_text_is_refused(playground: Playground) -> None:
    rng = random.Random(1)
    playground.set_text("".join(chr(rng.randint(0x4E00, 0x9FFF)) for _ in range(30_000)))
    playground.page.click("#copy-link")
    assert "too long" in playground.error()


def test_models_can_be_shown_saved_and_closed(
    open_page: OpenPage, boundless: Tokenizer, words: Tokenizer
) -> None:
    page = open_page([("a", boundless), ("b/../c", words)], text=TEXT)
    page.page.click("#open-models")
    dialog = page.page.locator("#models-dialog")
    assert "440 tokens" in dialog.inner_text()
    with page.page.expect_download() as download:
        dialog.get_by_role("button", name="Save as .superword: a").click()
    assert download.value.suggested_filename == "a.superword"
    assert download.value.path().read_bytes() == boundless.to_bytes()
    dialog.get_by_role("button", name="Close a", exact=True).click()
    page.settle()
    assert page.model_names() == ["b/../c"]
    assert page.ids(0) == words.encode(TEXT)
    dialog.get_by_role("button", name="Show b").click()
    expect(dialog).to_be_hidden()
    page.page.click("#open-models")
    dialog.get_by_role("button", name="Close b").click()
    expect(page.page.locator("#empty")).to_be_attached()
    expect(page.page.locator(".panel")).to_have_count(0)


def test_the_theme_can_be_chosen(playground: Playground) -> None:
    def ground() -> str:
        colour: str = playground.page.evaluate(
            "getComputedStyle(document.documentElement).backgroundColor"
        )
        return colour

    light = ground()
    playground.page.select_option("#theme", "dark")
    assert ground() != light
    playground.page.reload()
    playground.page.wait_for_selector("html[data-ready]")
    assert ground() != light
    playground.page.select_option("#theme", "light")
    assert ground() == light


def test_nothing_can_be_sent(playground: Playground) -> None:
    sent = playground.page.evaluate(
        "fetch('https://example.com/').then(() => 'sent', error => error.name)"
    )
    assert sent == "TypeError"
    # The policy reports this on purpose.
    assert playground.problems
    playground.problems.clear()
    playground.requests.clear()


def test_an_error_of_the_page_is_shown_and_the_page_goes_on(
    playground: Playground, boundless: Tokenizer
) -> None:
    playground.page.evaluate("setTimeout(() => { throw new Error('a mistake in the page') })")
    assert "a mistake in the page" in playground.error()
    playground.problems.clear()
    playground.page.get_by_role("button", name="Dismiss this message").click()
    playground.set_text(TEXT)
    assert playground.ids(1) == boundless.encode(TEXT)


def test_an_error_in_the_worker_is_shown(open_page: OpenPage, boundless: Tokenizer) -> None:
    page = open_page([("demo", boundless)])
    # The same page with an engine that is no WebAssembly.
    path = Path(page.page.url.removeprefix("file://"))
    broken = base64.b64encode(gzip.compress(b"no engine")).decode()
    engine = re.compile(r'(id="engine">)[^<]*')
    path.write_text(engine.sub(rf"\g<1>{broken}", path.read_text("utf-8")), "utf-8")
    page.page.reload()
    assert "The engine did not start" in page.error()


def test_selected_tokens_are_copied_as_text_and_ids(playground: Playground) -> None:
    playground.set_text("a b\n c")
    copied = """selector => {
      const view = document.querySelector(selector);
      getSelection().selectAllChildren(view);
      const event = new ClipboardEvent("copy", { clipboardData: new DataTransfer() });
      view.dispatchEvent(event);
      return event.clipboardData.getData("text/plain");
    }"""
    assert playground.page.evaluate(copied, ".as-text") == "a b\n c"
    ids = " ".join(map(str, playground.ids(0)))
    assert playground.page.evaluate(copied, ".as-ids") == ids
    playground.context.grant_permissions(["clipboard-read", "clipboard-write"])
    playground.panel(0).get_by_role("button", name="Copy ids").click()
    expect(playground.page.locator(".notice.info")).to_contain_text("copied")
    assert playground.page.evaluate("navigator.clipboard.readText()") == str(playground.ids(0))

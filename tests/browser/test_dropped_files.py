"""Files dropped on the page: models of every kind, texts, and files that are neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import superword
from superword import Tokenizer
from support.playground import TEXT, OpenPage, Playground
from support.texts import SENTENCES


@pytest.fixture
def empty(open_page: OpenPage) -> Playground:
    """A page without a model."""
    return open_page()


def test_a_page_without_a_model_says_what_to_do(empty: Playground) -> None:
    assert empty.page.get_by_role("heading", name="No model yet").is_visible()
    assert empty.page.locator("#open-vocabulary").is_disabled()


def test_a_superword_file_can_be_dropped(empty: Playground, superbpe: Tokenizer) -> None:
    empty.drop_model({"mine.superword": superbpe.to_bytes()}, "mine.superword")
    empty.set_text(TEXT)
    assert empty.ids(1) == superbpe.encode(TEXT)
    assert empty.panel(0).locator("input[type=radio]").first.is_checked()


def test_a_tokenizer_json_can_be_dropped(
    empty: Playground, words: Tokenizer, tmp_path: Path
) -> None:
    words.export_huggingface(tmp_path / "hf")
    files = {path.name: path.read_bytes() for path in (tmp_path / "hf").glob("tokenizer*.json")}
    # What else lies in such a directory is no model, and no text either.
    files |= {
        "merges.txt": b"#version: 0.2\n",
        "vocab.json": b"{}",
        "special_tokens_map.json": b"{}",
    }
    empty.set_text("as before")
    empty.drop_model(files, "tokenizer.json")
    assert empty.page.input_value("#text") == "as before"
    assert empty.page.locator(".notice.error").count() == 0
    for text in SENTENCES[:-1]:
        empty.set_text(text)
        assert empty.ids() == words.encode(text)


def test_a_tiktoken_file_asks_for_its_pattern(
    empty: Playground, words: Tokenizer, tmp_path: Path
) -> None:
    words.export_tiktoken(tmp_path / "ranks.tiktoken")
    ranks = (tmp_path / "ranks.tiktoken").read_bytes()
    empty.drop({"ranks.tiktoken": ranks})
    empty.page.locator("#pattern-dialog[open]").wait_for()
    empty.page.keyboard.press("Escape")
    assert empty.page.locator(".panel").count() == 0
    empty.drop({"ranks.tiktoken": ranks})
    empty.page.select_option("#pattern-preset", "gpt4o")
    empty.page.get_by_role("button", name="Open", exact=True).click()
    empty.page.locator(".notice.info", has_text="Opened ranks.tiktoken").wait_for()
    for text in SENTENCES[:-1]:
        empty.set_text(text)
        assert empty.ids() == words.encode(text)


def test_the_description_beside_a_tiktoken_file_is_used(
    empty: Playground, words: Tokenizer, tmp_path: Path
) -> None:
    folder = tmp_path / "exported"
    folder.mkdir()
    words.export_tiktoken(folder / "ranks.tiktoken")
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert len(files) == 2, files
    empty.drop_model(files, "ranks.tiktoken")
    empty.set_text(SENTENCES[0])
    assert empty.ids() == words.encode(SENTENCES[0])


def test_a_wrong_custom_pattern_is_an_error(
    empty: Playground, words: Tokenizer, tmp_path: Path
) -> None:
    words.export_tiktoken(tmp_path / "ranks.tiktoken")
    empty.drop({"ranks.tiktoken": (tmp_path / "ranks.tiktoken").read_bytes()})
    empty.page.select_option("#pattern-preset", "custom")
    empty.page.fill("#pattern-custom", "(unclosed")
    empty.page.get_by_role("button", name="Open", exact=True).click()
    assert "ranks.tiktoken" in empty.error()
    assert empty.page.locator(".panel").count() == 0


def broken_files(model: Tokenizer) -> dict[str, tuple[bytes, str]]:
    content = model.to_bytes()
    # The version follows the magic; `docs/file-format.md` describes the file.
    magic = content.index(b"superword") if b"superword" in content[:16] else 0
    version = bytearray(content)
    at = next(i for i in range(magic + 4, 24) if content[i] and content[i] < 32)
    version[at] += 90
    return {
        "other-version.superword": (bytes(version), "version"),
        "cut.superword": (content[: len(content) // 2], ""),
        "flipped.superword": (content[:-40] + bytes([content[-40] ^ 1]) + content[-39:], ""),
        "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(200), ""),
        "empty.superword": (b"", ""),
        "list.json": (b"[1, 2, 3]", ""),
    }


def test_a_broken_file_gives_an_error_and_changes_nothing(
    playground: Playground, boundless: Tokenizer
) -> None:
    playground.set_text(SENTENCES[0])
    before = playground.ids(1)
    for name, (content, expected) in broken_files(boundless).items():
        playground.drop({name: content})
        playground.page.locator(".notice.error", has_text=name).wait_for()
        message = playground.error()
        assert expected in message
        assert len(message.splitlines()) >= 2, f"no hint: {message}"
        playground.page.get_by_role("button", name="Dismiss this message").first.click()
        assert playground.model_names() == ["demo.superword"]
        assert playground.ids(1) == before
        assert playground.page.locator(".panel").count() == 2


def test_a_second_model_gets_a_panel_of_its_own(
    playground: Playground, words: Tokenizer, superbpe: Tokenizer
) -> None:
    playground.drop_model({"words.superword": words.to_bytes()}, "words.superword")
    playground.set_text(TEXT)
    assert playground.page.locator(".panel").count() == 3
    assert playground.ids(2) == words.encode(TEXT)
    assert "tokens than panel 1" in playground.panel(2).locator(".totals").inner_text()
    # There are at most three panels; the last one makes room.
    playground.drop_model({"words.superword": superbpe.to_bytes()}, "words.superword (2)")
    assert playground.page.locator(".panel").count() == 3
    assert playground.model_names() == ["demo.superword", "words.superword", "words.superword (2)"]
    assert playground.ids(2) == superbpe.encode(TEXT)


def test_a_text_file_becomes_the_text(playground: Playground, boundless: Tokenizer) -> None:
    playground.drop({"note.txt": b"one of the\r\nwords\r\n"})
    playground.wait("document.getElementById('text').value.includes('words')")
    playground.settle()
    assert playground.ids(1) == boundless.encode("one of the\r\nwords\r\n")


def test_a_description_alone_is_no_model(playground: Playground) -> None:
    playground.drop({"tokenizer_config.json": json.dumps({}).encode()})
    assert "only describes a model" in playground.error()


def test_files_can_be_chosen_with_the_button(empty: Playground, words: Tokenizer) -> None:
    with empty.page.expect_file_chooser() as chooser:
        empty.page.get_by_role("button", name="Open a model").click()
    chooser.value.set_files([{"name": "w.superword", "mimeType": "", "buffer": words.to_bytes()}])
    empty.page.locator(".notice.info", has_text="Opened w.superword").wait_for()


def test_names_and_tokens_are_never_markup(open_page: OpenPage) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    tokens = ["</script><script>alert(1)</script>", "<b>&amp;"]
    model = superword.train_from_iterator(
        [f"{hostile} </script> " * 30], vocab_size=280, method="bpe", special_tokens=tokens
    )
    name = f"</script>{hostile}.superword"
    text = f"{hostile} {tokens[0]} {tokens[1]} <!-- @ENGINE@ @MODELS@"
    page = open_page([(name, model)], text=text)
    page.page.check("#special")
    page.settle()
    assert page.ids(0) == model.encode(text, allowed_special="all")
    assert page.model_names() == [name]
    page.drop({f"{hostile}.superword": b"no model"})
    assert hostile in page.error()
    for token in page.panel(0).locator(".as-text .t").all()[:4]:
        token.click()
        page.page.locator("#token-dialog[open]").wait_for()
        page.page.keyboard.press("Escape")
    page.page.click("#open-models")
    page.page.locator("#models-dialog summary").click()
    assert page.page.locator("img, b").count() == 0
    assert page.page.locator("script").count() == 4

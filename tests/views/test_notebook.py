"""What a notebook draws: `Tokenizer.show` and the card of a tokenizer."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from superword import Tokenizer
from superword.errors import OptionError
from superword.views import Shown
from superword.views.shown import MOST_TOKENS
from support.imported_models import chat_model

VOID = {"br"}


class Page(HTMLParser):
    """Checks that tags are closed in order, and collects tags, titles and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_every_token_is_a_span_with_its_id_and_bytes(boundless: Tokenizer) -> None:
    text = "One of the first\n"
    page = Page(boundless.show(text)._repr_html_())
    spans = [attrs for tag, attrs in page.tags if tag == "span"]
    ids = boundless.encode(text)
    assert len(spans) == len(ids)
    for id, attrs in zip(ids, spans, strict=True):
        assert (attrs["title"] or "").startswith(f"id {id}")
        assert boundless.token_bytes(id).hex(" ") in (attrs["title"] or "")
        assert ("underline" in (attrs["style"] or "")) == boundless.is_superword(id)


def test_text_is_escaped(boundless: Tokenizer) -> None:
    text = "<script>alert('x')</script> \"&amp; \x1b \u202e"
    html = boundless.show(text, boundless, names=["<b>", '"<i>'])._repr_html_()
    page = Page(html)
    assert {tag for tag, _ in page.tags} == {"div", "b", "i", "span", "table", "tr", "th", "td"}
    assert "alert" in page.text
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert "script>" not in html.replace("script&gt;", "")


def test_nothing_is_loaded_from_elsewhere(boundless: Tokenizer) -> None:
    html = boundless.show("of the")._repr_html_() + boundless._repr_html_()
    for word in ("http", "<script", "<style", "<link", "url("):
        assert word not in html


def test_a_long_text_is_cut_in_a_notebook_and_the_totals_are_not(words: Tokenizer) -> None:
    shown = words.show("of the first " * 5_000)
    html = shown._repr_html_()
    tokens = len(shown.models[0])
    assert html.count("<span") == MOST_TOKENS < tokens
    assert f"and {tokens - MOST_TOKENS:,} more tokens" in html
    assert f">{tokens:,}<" in html
    assert shown.to_html().count("<span") == tokens
    assert f"and {tokens - MOST_TOKENS:,} more tokens" in repr(shown)
    assert str(shown).count("│") == tokens - 1


def test_print_has_bars_and_a_notebook_gets_both(boundless: Tokenizer, words: Tokenizer) -> None:
    shown = boundless.show("One of the first", words)
    assert isinstance(shown, Shown)
    assert "│" in str(shown)
    assert str(shown) == repr(shown)
    bundle = shown._repr_mimebundle_(include=None, exclude=None)
    assert bundle == {"text/plain": repr(shown), "text/html": shown._repr_html_()}
    assert [len(model) for model in shown.models] == [
        len(boundless.encode("One of the first")),
        len(words.encode("One of the first")),
    ]


def test_special_tokens_are_plain_text_unless_they_are_allowed(boundless: Tokenizer) -> None:
    text = "a<|endoftext|>"
    assert len(boundless.show(text).models[0]) > 2
    assert len(boundless.show(text, allowed_special="all").models[0]) == 2


def test_there_is_one_name_for_each_tokenizer(boundless: Tokenizer) -> None:
    with pytest.raises(OptionError, match="1 tokenizer cannot have 2 names"):
        boundless.show("a", names=["x", "y"])


def test_the_card_of_a_tokenizer_says_what_it_is(boundless: Tokenizer, words: Tokenizer) -> None:
    page = Page(boundless._repr_html_())
    for part in ("boundless", "440 tokens", "<|endoftext|>", "documents", "most frequent"):
        assert part in page.text
    assert "superwords" not in Page(words._repr_html_()).text
    assert Page(chat_model()._repr_html_()).text

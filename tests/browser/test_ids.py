"""The page shows the ids of the native engine, for every script and every switch."""

from __future__ import annotations

import random

import superword
from superword import Tokenizer
from support.nasty import NASTY
from support.playground import TEXT, OpenPage, Playground
from support.texts import CHARACTERS, SENTENCES, TEXTS

MANY = 200


def many_texts() -> list[str]:
    """200 texts: those that are known to be hard, one for each script, and random mixtures."""
    rng = random.Random(13)
    texts = [*NASTY, *TEXTS.values()]
    texts += ["\U0001f680", "\U0010fffd", "\U00020000x", "e\u0301", "<|endoftext|> a<|pad|>b"]
    scripts = list(CHARACTERS.values())
    while len(texts) < MANY:
        parts = rng.choices(scripts, k=rng.randint(1, 4))
        text = "".join(rng.choice(part) for part in parts for _ in range(rng.randint(1, 30)))
        texts.append(f"{text}{rng.choice(SENTENCES)[: rng.randint(0, 80)]}")
    # Only a part of a long text is drawn, so these are short: at most 300 bytes. A text field has
    # no carriage returns; other tests are about them.
    return [text.replace("\r\n", "\n").replace("\r", "\n")[:75] for text in texts[:MANY]]


def wrong_ids(
    page: Playground, panel: int, texts: list[str], model: Tokenizer, special: bool
) -> list[str]:
    wrong = []
    for text in texts:
        page.set_text(text)
        ids = model.encode(text, allowed_special="all") if special else model.encode(text)
        if page.ids(panel) != ids:
            wrong.append(text)
    return wrong


def test_superwords_have_the_ids_of_the_engine(
    playground: Playground, boundless: Tokenizer
) -> None:
    playground.choose(1, "superwords")
    assert wrong_ids(playground, 1, many_texts(), boundless, special=False) == []


def test_words_have_the_ids_of_the_engine(open_page: OpenPage, superbpe: Tokenizer) -> None:
    # In SuperBPE all superwords come last, so the smaller model is the words alone.
    words = superbpe.truncate(superbpe.n_vocab - 20)
    page = open_page([("superbpe", superbpe)])
    assert wrong_ids(page, 0, many_texts(), words, special=False) == []
    page.set_text(TEXT)
    assert page.ids(1) == superbpe.encode(TEXT) != page.ids(0)


def test_special_tokens_can_be_switched_on(playground: Playground, boundless: Tokenizer) -> None:
    texts = ["<|endoftext|>", "a <|pad|><|endoftext|>\n b", "<|endoftext", *many_texts()[-10:]]
    playground.page.check("#special")
    assert wrong_ids(playground, 1, texts, boundless, special=True) == []
    playground.page.uncheck("#special")
    assert wrong_ids(playground, 1, texts, boundless, special=False) == []


def test_line_ends_can_be_crlf(playground: Playground, boundless: Tokenizer) -> None:
    playground.set_text("one of the\nlines\n\n of the file\n")
    playground.page.select_option("#line-ends", "crlf")
    playground.settle()
    assert playground.ids(1) == boundless.encode("one of the\r\nlines\r\n\r\n of the file\r\n")


def test_a_text_with_crlf_keeps_its_line_ends(open_page: OpenPage, boundless: Tokenizer) -> None:
    text = "one of the\r\nlines\r\n"
    page = open_page([("demo", boundless)], text=text)
    assert page.ids(1) == boundless.encode(text)


def test_the_table_has_ids_bytes_and_offsets(playground: Playground, boundless: Tokenizer) -> None:
    text = "é 🚀 of the"
    playground.set_text(text)
    panel = playground.panel(1)
    panel.get_by_role("tab", name="Table").click()
    rows = panel.locator(".rows .row")
    panel.locator(".rows .row:last-child span:nth-child(4):not(:empty)").wait_for()
    shown = [row.locator("[role=cell]").all_inner_texts() for row in rows.all()]
    ids = boundless.encode(text)
    assert [int(cells[1]) for cells in shown] == ids
    assert [bytes.fromhex(cells[3]) for cells in shown] == [boundless.token_bytes(i) for i in ids]
    offsets = []
    at = 0
    for token in ids:
        size = len(boundless.token_bytes(token))
        offsets.append(f"{at}–{at + size}")
        at += size
    assert [cells[5] for cells in shown] == offsets
    # Offsets in characters are those of JavaScript, in which the rocket has length 2.
    assert shown[-1][4].endswith(f"–{len(text) + 1}")


def test_totals_are_right(playground: Playground, boundless: Tokenizer) -> None:
    text = TEXT
    playground.set_text(text)
    count = len(boundless.encode(text))
    assert playground.total(1) == count
    totals = playground.panel(1).locator(".totals").inner_text()
    assert f"{len(text.encode()) / count:.2f} bytes per token" in totals
    assert f"{len(text) / count:.2f} characters per token" in totals
    saved = (playground.total(0) - count) / playground.total(0)
    assert f"Superwords save {saved * 100:.1f}%" in totals
    superwords = sum(superword.Tokenizer.is_superword(boundless, i) for i in boundless.encode(text))
    assert f"{superwords} superword" in totals

"""Tokens as text: everything can be seen, and nothing can act on the terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from superword._support.visible import parse_token, quoted, token_text, visible


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (b" of the", " of the"),
        (b"a\n\n b", "a⏎\n⏎\n b"),
        (b"\r\n\t", "␍⏎\n⇥"),
        (b"a\xe2\x80", "a\\xe2\\x80"),
        (b"\x1b[31m\x00", "\\x1b[31m\\x00"),
        ("a\u202eb\u00a0\u200b".encode(), "a\\u202eb\\u00a0\\u200b"),
        ("\U000e0041".encode(), "\\U000e0041"),
        ("e\u0301".encode(), "e\u0301"),
        ("\u0301".encode(), "◌\u0301"),
        ("👩\u200d👧".encode(), "👩\u200d👧"),
        ("\u200d👧".encode(), "\\u200d👧"),
        (b"", ""),
    ],
)
def test_a_token_is_visible(token: bytes, shown: str) -> None:
    assert visible(token) == shown


@given(
    st.binary(max_size=12) | st.text(max_size=12).map(lambda text: text.encode(errors="replace"))
)
def test_nothing_that_is_shown_acts_on_a_terminal(token: bytes) -> None:
    for shown in (visible(token).replace("\n", ""), quoted(token)):
        assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
        assert not {*"\u061c\u200e\u200f\u202a\u202e\u2066\u2069"} & {*shown}


@given(
    st.binary(max_size=12) | st.text(max_size=12).map(lambda text: text.encode(errors="replace"))
)
def test_what_is_quoted_can_be_typed(token: bytes) -> None:
    assert parse_token(quoted(token)[1:-1]) == token


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (r"\n\t\\", b"\n\t\\"),
        (r"\xe2", b"\xe2"),
        (r"\u00e2", "â".encode()),
        (r"\d\ud800\xg", rb"\d\ud800\xg"),
        ("\udce2", b"\xe2"),  # A byte of the command line that is not UTF-8.
    ],
)
def test_escapes_in_a_typed_token(typed: str, meant: bytes) -> None:
    assert parse_token(typed) == meant


def test_a_token_as_text_escapes_only_parts_of_characters() -> None:
    assert token_text("é\n".encode() + b"\xe2") == "é\n\\xe2"

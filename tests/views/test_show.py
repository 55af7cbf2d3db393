"""`superword show` and the text that it prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len
from superword import AddedToken, Tokenizer, views
from superword.cli import cli
from superword.views import Encoded, Piece
from superword.views.terminal import tokens
from support.imported_models import rebuilt

ANSI = re.compile(r"\x1b\[[0-9;]*m")
TEXT = "One of the first things. Ünïcödé 言葉 👩\u200d👧\n\tof the\r\n\n│ end"


def show(*arguments: str | Path, input: str | bytes | None = None) -> Result:
    return CliRunner().invoke(cli, ["show", *map(str, arguments)], input=input)


@pytest.fixture
def folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: Tokenizer, boundless: Tokenizer
) -> Path:
    monkeypatch.chdir(tmp_path)
    words.save("words.superword")
    boundless.save("super.superword")
    Path("text.txt").write_text("One of the first\n")
    return tmp_path


def shown_text(tokenizer: Tokenizer, text: str) -> str:
    return "".join(tokens(Encoded(tokenizer, text, "m"), "plain"))


def test_bars_stand_between_the_tokens(boundless: Tokenizer) -> None:
    text = "One of the first things."
    parts = shown_text(boundless, text).split("│")
    assert parts == [boundless.decode([id]) for id in boundless.encode(text)]
    assert any(" " in part.strip() for part in parts)  # A superword.


@pytest.mark.parametrize("style", ["color", "plain", "underline"])
def test_the_whole_text_is_shown(boundless: Tokenizer, style: views.terminal.Style) -> None:
    shown = ANSI.sub("", "".join(tokens(Encoded(boundless, TEXT, "m"), style)))
    if style != "color":
        shown = shown.replace("│", "").replace("\\u2502", "│")
    shown = shown.replace("⏎\n", "\n").replace("␍", "\r").replace("⇥", "\t").replace("◌", "")
    raw = re.sub(
        r"(?:\\x[0-9a-f]{2})+", lambda m: bytes.fromhex(m[0].replace("\\x", "")).decode(), shown
    )
    assert raw.replace("\\u200d", "\u200d") == TEXT


def test_a_bar_of_the_text_is_not_taken_for_one_between_tokens(words: Tokenizer) -> None:
    text = "a│b"
    assert shown_text(words, text).count("│") == len(words.encode(text)) - 1


def test_neighbours_have_different_colors_and_superwords_are_underlined(
    boundless: Tokenizer,
) -> None:
    encoded = Encoded(boundless, "One of the first of the things of the", "m")
    parts = list(tokens(encoded, "color"))
    backgrounds = [re.search(r"48;5;(\d+)m", part) for part in parts]
    assert all(a and b and a[1] != b[1] for a, b in pairwise(backgrounds))
    underlined = ["\x1b[4m" in part for part in parts]
    assert underlined == [boundless.is_superword(id) for id in encoded.ids]
    assert 0 < sum(underlined) == encoded.superwords < len(encoded)


def test_lines_with_colors_fit_and_no_style_crosses_a_line_end() -> None:
    pieces = [Piece(1, "言葉のtext of 👧 words\n and more".encode(), "ordinary")] * 9
    shown = "".join(tokens(pieces, "color", width=11))
    for line in shown.split("\n"):
        assert cell_len(ANSI.sub("", line)) <= 11
        assert line.count("\x1b[0m") * 2 == line.count("\x1b[")
        assert not line or line.endswith("\x1b[0m")


def test_ids_are_behind_their_tokens(words: Tokenizer) -> None:
    id = words.encode("\n")[0]
    shown = "".join(tokens(Encoded(words, "a\n", "m"), "plain", ids=True))
    digits = "".join(chr(0x2080 + int(digit)) for digit in str(id))
    assert shown == f"a₉₇│⏎{digits}\n"


def test_special_and_added_tokens_are_shown_as_they_stand_in_the_text(boundless: Tokenizer) -> None:
    added = [
        AddedToken("<x>", 900, special=True),
        AddedToken("<think>", 901, lstrip=True, rstrip=True),
    ]
    model = rebuilt(boundless, added)
    text = "a<x> <think> b"
    kinds = {piece.content: piece.kind for piece in Encoded(model, text, "m")}
    assert kinds[b" <think> "] == "added"
    assert "special" not in kinds.values()
    kinds = {piece.content: piece.kind for piece in Encoded(model, text, "m", "all")}
    assert kinds[b"<x>"] == "special"


def test_several_models_are_compared_with_the_first(folder: Path) -> None:
    result = show("words.superword", "super.superword", "One of the first of the things")
    assert result.exit_code == 0, result.stderr
    blocks = result.stdout.split("\n\n")
    assert blocks[0].startswith("words.superword\nO│ne│ of│ the│")
    assert blocks[1].startswith("super.superword\nO│ne")
    first, second = (block.count("│") + 1 for block in blocks[:2])
    assert re.search(rf"^words.superword +{first} +[\d.]+ +0$", blocks[2], re.M)
    share = f"{1 - second / first:.1%} fewer tokens"
    assert re.search(rf"^super.superword +{second} +[\d.]+ +\d+  {share}$", blocks[2], re.M)


def test_an_argument_is_a_model_a_file_or_the_text(folder: Path) -> None:
    text = "One of the first\n"
    by_file = show("words.superword", "text.txt").stdout
    assert by_file.startswith("O│ne│ of│ the│")
    assert show("words.superword", input=text).stdout == by_file
    assert show("words.superword", "-", input=text).stdout == by_file
    assert show("words.superword", "--file", "text.txt").stdout == by_file
    assert show("words.superword", "--text", text).stdout == by_file
    assert show("words.superword", text).stdout == by_file
    two = show("words.superword", "super.superword", input=text)
    assert "super.superword\nO│ne" in two.stdout


def test_files_that_only_look_a_little_like_models_are_texts(folder: Path) -> None:
    Path("chapter.txt").write_text("Chapter 1\nOne")  # Like a line of tiktoken.
    Path("package.json").write_text('{"name": 1}')
    for name in ("chapter.txt", "package.json"):
        result = show("words.superword", name)
        assert result.exit_code == 0, result.stderr
        assert result.stdout.replace("│", "").startswith(Path(name).read_text()[:7])


def test_a_damaged_model_is_not_shown_as_text(folder: Path) -> None:
    Path("cut.superword").write_bytes(Path("words.superword").read_bytes()[:999])
    result = show("words.superword", "cut.superword")
    assert result.exit_code == 1
    assert "cut.superword" in result.stderr
    assert not result.stdout


@pytest.mark.parametrize(
    "name", ["supr.superword", "supersuperword", "no.tiktoken", "./no", "no.txt"]
)
def test_a_mistyped_name_is_not_shown_as_text(folder: Path, name: str) -> None:
    result = show("words.superword", name)
    assert result.exit_code == 1
    assert f"no such model or file: {name}" in result.stderr
    assert f"--text {name}" in result.stderr
    assert not result.stdout
    if name.startswith("sup"):
        assert "did you mean super.superword?" in result.stderr
    assert show("words.superword", "--text", name).exit_code == 0


def test_one_word_is_shown_as_text_with_a_note(folder: Path) -> None:
    result = show("words.superword", "Hello")
    assert result.exit_code == 0
    assert "there is no file Hello" in result.stderr
    assert show("words.superword", "Hello there").stderr == ""
    for text in ("and/or", "https://a.org/b.html", "", "x" * 5000):
        assert show("words.superword", text).exit_code == 0


def test_a_text_without_quotes_is_explained(folder: Path) -> None:
    result = show("words.superword", "Hello", "there")
    assert result.exit_code == 1
    assert "no such model: Hello\n" in result.stderr
    assert "put a text of several words in quotes" in result.stderr
    result = show("Hello there")
    assert "the model comes first" in result.stderr


def test_a_name_of_a_file_cannot_act_on_the_terminal(folder: Path, words: Tokenizer) -> None:
    words.save("a\x1b[31m.superword")
    result = show("a\x1b[31m.superword", "words.superword", "x y", "--color", "never")
    assert "\x1b" not in result.stdout


def test_an_empty_text_has_no_tokens(folder: Path) -> None:
    result = show("words.superword", "super.superword", input="")
    assert result.exit_code == 0
    assert re.search(r"^words.superword +0 +– +0$", result.stdout, re.M)


@pytest.mark.parametrize(("no_color", "style"), [("", "48;5;"), ("1", "\x1b[4m")])
def test_colors_are_for_terminals_and_obey_no_color(
    folder: Path, no_color: str, style: str
) -> None:
    pty = pytest.importorskip("pty", reason="needs a pseudo-terminal")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "superword", "show", "super.superword", "a of the b"]
    environment = {**os.environ, "NO_COLOR": no_color, "TERM": "xterm-256color"}
    subprocess.run(command, stdout=theirs, env=environment, check=True)
    os.close(theirs)
    out = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert style in out
    assert ("48;5;" in out) == (not no_color)
    assert ("│" in out) == bool(no_color)


def test_a_long_text_arrives_before_it_is_done(words: Tokenizer) -> None:
    parts = views.show([words], "of the first " * 200_000).parts("plain")
    assert next(parts)  # Without making the rest.


def test_bytes_per_token_are_those_of_the_original_text(words: Tokenizer) -> None:
    encoded = Encoded(words, "言葉 and", "m")
    assert encoded.bytes == 10
    assert encoded.bytes_per_token == 10 / len(words.encode("言葉 and"))
    assert encoded.ids == words.encode("言葉 and")

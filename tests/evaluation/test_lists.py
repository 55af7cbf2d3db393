"""Files with one entry per line: words, morphemes, pairs and parallel sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import superword
from superword.errors import DocumentError, InputError, MissingInputError, OptionError
from superword.evaluation import ModelResult, Share
from superword.inputs import Texts
from support.toy_models import toy


def measured(**lists: Any) -> ModelResult:
    return superword.evaluate(toy(), Texts(["a"]), **lists).models[0]


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_list_of_words_replaces_those_of_the_text(tmp_path: Path) -> None:
    path = write(tmp_path / "w", "the\nof\r\n\n  the  \noft")
    words = measured(words=path).numbers["text"].words
    # `the` is there twice. ` of` is two tokens.
    assert words.retained == Share(3, 4)
    assert words.retained_after_space == Share(2, 4)
    assert words.listed == str(path)


def test_morpheme_boundaries_inside_words(tmp_path: Path) -> None:
    # After a space: ` the|r|e`, ` |o|f` (the space is not part of the word), ` |o|x`.
    path = write(tmp_path / "m", "there\tthe re\n\nof\to f\nox\tox\n")
    found = measured(morphemes=path).morphemes
    assert found is not None
    assert found.words == 3
    # `of` is one token after the space. Tokens end inside words at the|r|e and o|x.
    assert found.precision == pytest.approx(1 / 3)
    assert found.recall == pytest.approx(1 / 2)
    assert found.f1 == pytest.approx(2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2))


def test_morphemes_without_boundaries_have_no_precision(tmp_path: Path) -> None:
    found = measured(morphemes=write(tmp_path / "m", "the\tt he\n")).morphemes
    assert found is not None
    assert (found.precision, found.recall, found.f1) == (None, 0, None)
    nothing = measured(morphemes=write(tmp_path / "m", "a\ta\n")).morphemes
    assert nothing is not None
    assert (nothing.precision, nothing.recall) == (None, None)


def test_pairs_whose_joint_encoding_bridges_the_cut(tmp_path: Path) -> None:
    lines = [
        "of\t the",  # `of the` bridges the cut.
        "of \tthe",  # The prompt ends with a space, and `of the` bridges the cut again.
        "a\tb",  # Nothing changes.
        "x t\the\tx",  # ` the` bridges the cut; the second tab is part of the continuation.
        "é\ta",
    ]
    found = measured(pairs=write(tmp_path / "p", "\n".join(lines) + "\n")).pairs
    assert found is not None
    assert found.bridged == Share(3, 5)
    assert found.changed == Share(3, 5)


def test_parallel_lines_are_compared_with_the_first_language(tmp_path: Path) -> None:
    en = write(tmp_path / "en", "of the\nab\n\nxyz\n")
    de = write(tmp_path / "de", "abc\nab\nqq\n\n")
    found = measured(parallel={"en": en, "de": de}).parallel
    assert found is not None
    assert (found.reference, found.lines) == ("en", 4)
    assert (found.languages["en"].tokens, found.languages["de"].tokens) == (
        1 + 2 + 0 + 3,
        3 + 2 + 2,
    )
    assert found.languages["en"].parity == found.languages["en"].premium == 1
    assert found.languages["de"].parity == pytest.approx(7 / 6)
    # The third line of the reference is empty, so it has no ratio.
    assert found.languages["de"].premium == pytest.approx((3 / 1 + 2 / 2 + 0 / 3) / 3)


@pytest.mark.parametrize(
    ("option", "content", "message"),
    [
        ("pairs", "a\tb\nno tab\n", ":2: there is no tab in the line"),
        ("pairs", "a\t\n", ":1: the continuation is empty"),
        ("pairs", "\ta\n", ":1: the prompt is empty"),
        ("morphemes", "ab\ta b\nab a b\n", ":2: there is no tab in the line"),
        ("morphemes", "abc\ta b\n", ":1: the pieces make 'ab', but the word is 'abc'"),
        ("words", b"a\ncaf\xe9\n", ":2: the line is not UTF-8"),
    ],
)
def test_a_bad_line_is_named(
    tmp_path: Path, option: str, content: str | bytes, message: str
) -> None:
    path = write(tmp_path / "list", content)
    with pytest.raises(DocumentError) as error:
        measured(**{option: path})
    assert str(error.value).startswith(f"{path}{message}\nhint: ")
    assert error.value.path == str(path)
    assert error.value.line == int(message.split(":")[1])


@pytest.mark.parametrize("option", ["words", "pairs", "morphemes"])
def test_missing_and_empty_lists_are_errors(tmp_path: Path, option: str) -> None:
    with pytest.raises(MissingInputError, match="there is no file"):
        measured(**{option: tmp_path / "nothing"})
    with pytest.raises(InputError, match="there is nothing in"):
        measured(**{option: write(tmp_path / "empty", "\n\n")})
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        measured(**{option: tmp_path})


def test_parallel_files_of_different_lengths_are_an_error(tmp_path: Path) -> None:
    en, de = write(tmp_path / "en", "a\nb\n"), write(tmp_path / "de", "a\n")
    with pytest.raises(InputError, match=r"de has 1 line, but .*en has 2"):
        measured(parallel={"en": en, "de": de})
    with pytest.raises(OptionError, match="two or more languages"):
        measured(parallel={"en": en})

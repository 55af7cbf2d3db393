"""Text to pretokens: every example of the paper, and the corners of script runs."""

from itertools import pairwise

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from superword.reference import PRESETS, Pretokenizer, count_pretokens, split
from superword.reference.scripts import SCRIPTS, real_scripts, script_of, script_runs

# The table of regex branches, row by row.
BRANCHES = [
    (" Hello world", [" Hello", " world"]),
    (" camelCase", [" camel", "Case"]),
    ("FOObar", ["FOObar"]),
    ("(can't", ["(can't"]),
    ("café", ["café"]),
    ("cafe\u0301", ["cafe\u0301"]),
    ("你好", ["你好"]),
    ("HTML CSS", ["HTML", " CSS"]),
    ("1234567", ["123", "456", "7"]),
    (". !$%$ %\n", [".", " !$%$", " %\n"]),
    ("  \n    \n\n", ["  \n    \n\n"]),
    ("a   b", ["a", "  ", " b"]),
    (" 12", [" ", "12"]),
]

FIGURE_1 = "Tokenization of the multilingual 德国HYDAC电磁球阀 can be hard."

# At least one pretoken for every kind of text that the presets distinguish.
ALPHABET = "aBcdéſ'’t \t\n\r/.1２٣德国ーカタあไทยမြကខ្มែลาวДжαßʰ\u0301\u200d😀🏽ʼ\U000e0fff"


@pytest.mark.parametrize(("text", "expected"), BRANCHES)
def test_table_of_regex_branches(text: str, expected: list[str]) -> None:
    assert split(text, "gpt4o") == expected


def test_mixed_scripts_of_figure_1_become_runs() -> None:
    assert script_runs(FIGURE_1) == [
        ("Latin", "Tokenization of the multilingual"),
        ("Han", " 德国"),
        ("Latin", "HYDAC"),
        ("Han", "电磁球阀"),
        ("Latin", " can be hard."),
    ]


def test_mixed_scripts_of_figure_1_become_pretokens() -> None:
    assert split(FIGURE_1) == [
        *["Tokenization", " of", " the", " multilingual"],
        *[" 德", "国", "HYDAC", "电", "磁", "球", "阀", " can", " be", " hard", "."],
    ]


def test_without_script_pattern_scripts_are_not_told_apart() -> None:
    assert split("德国HYDAC电磁球阀", "gpt4o") == ["德国HYDAC电磁球阀"]


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("", []),
        ("12, 3", [(None, "12, 3")]),
        ("\u0301", [(None, "\u0301")]),
        ("\u0301a", [("Latin", "\u0301a")]),  # no real script before: the run takes it
        (" - a", [("Latin", " - a")]),
        ("a\u0301德", [("Latin", "a\u0301"), ("Han", "德")]),
        ("a \u0301 德", [("Latin", "a \u0301"), ("Han", " 德")]),  # Inherited moves the end
        ("a 12 德 34", [("Latin", "a"), ("Han", " 12 德 34")]),
        ("カーa", [("Katakana", "カ"), ("Latin", "ーa")]),  # the long-vowel mark is Common
        ("a\U000e0fff德", [("Latin", "a"), ("Han", "\U000e0fff德")]),  # unassigned: as Common
    ],
)
def test_corners_of_script_runs(text: str, runs: list[tuple[str | None, str]]) -> None:
    assert script_runs(text) == runs


@pytest.mark.parametrize(
    ("preset", "text", "expected"),
    [
        ("gpt4o-export", "(can't l’été'", ["(", "can't", " l’été", "'"]),
        ("gpt4o-export", "a'b'c", ["a'b'c"]),
        ("gpt4o", "I'LL we'Re", ["I'LL", " we'Re"]),
        ("gpt4o", "a//\n\nb", ["a", "//\n\n", "b"]),
        ("gpt2", "We'll see 12345 !?\n\n a", ["We", "'ll", " see", " 12345", " !?", "\n\n", " a"]),
        (
            "gpt4",
            "We'LL see 12345 !?\n\n a",
            ["We", "'LL", " see", " ", "123", "45", " !?\n\n", " a"],
        ),
        ("gpt4o-script", "ไทยดี", ["ไ", "ท", "ย", "ด\u0e35"]),
        ("gpt4o-script", "123德\n国", ["123", "德", "\n", "国"]),
    ],
)
def test_presets(preset: str, text: str, expected: list[str]) -> None:
    assert split(text, preset) == expected


def test_text_that_no_branch_matches_is_kept() -> None:
    assert Pretokenizer(pattern="[a-z]+").split("1ab-?cd!") == ["1", "ab", "-?", "cd", "!"]
    assert Pretokenizer(pattern="(?=b)|x").split("abxb") == ["ab", "x", "b"]


def test_own_patterns_for_own_scripts() -> None:
    own = Pretokenizer(pattern=r"\w+", script_pattern=r"\w", scripts=["Greek"], eligible="α")
    assert own.split("abγα") == ["ab", "γ", "α"]
    assert [own.is_eligible(p) for p in ("γα", "ab")] == [True, False]


@pytest.mark.parametrize(
    "options",
    [
        {"name": "gpt5o"},
        {"name": "gpt4o", "pattern": "a"},
        {"pattern": "a*"},
        {"pattern": "a", "script_pattern": "b"},
        {"pattern": "a", "scripts": ["Han"]},
        {"pattern": "a", "script_pattern": "b", "scripts": ["Hann"]},
    ],
)
def test_bad_pretokenizers_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        Pretokenizer(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("preset", PRESETS)
@given(st.text(ALPHABET, max_size=40))
def test_pretokens_are_the_text(preset: str, text: str) -> None:
    pretokens = split(text, preset)
    assert "".join(pretokens) == text
    assert "" not in pretokens


@pytest.mark.parametrize("preset", ["gpt4o", "gpt4o-export", "gpt2", "gpt4"])
@given(st.text(ALPHABET, max_size=40))
def test_one_pattern_alone_is_findall(preset: str, text: str) -> None:
    # These patterns match all of every text, so there is no text between matches.
    assert split(text, preset) == regex.findall(PRESETS[preset][0], text)


@given(st.text(ALPHABET, max_size=40))
def test_script_runs_hold_one_script_each(text: str) -> None:
    runs = script_runs(text)
    assert "".join(run for _, run in runs) == text
    assert [real_scripts(run) for _, run in runs] == [{s} if s else set() for s, _ in runs]
    assert all(left[0] != right[0] for left, right in pairwise(runs))


def test_every_script_is_known_to_regex_and_there_are_172() -> None:
    assert len(SCRIPTS) == len(set(SCRIPTS)) == 172
    assert script_of("\U00016ea0") == "Beria_Erfe"  # new in Unicode 17.0


def test_counts_are_of_bytes_over_all_documents() -> None:
    assert count_pretokens(["é é", "é"]) == {"é".encode(): 2, " é".encode(): 1}

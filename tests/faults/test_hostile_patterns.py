"""Patterns that someone wrote to use up time or memory. See docs/security.md."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
import superword
from superword.errors import PatternError, TextError
from support.limits import run_limited

needs_limit = pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")


def test_deep_nesting_is_refused_with_a_short_message() -> None:
    for opening in ("(", "(?:", "(?=", "[", "[a&&["):
        with pytest.raises(PatternError) as caught:
            superword.Pretokenizer(pattern=opening * 100_000)
        assert len(str(caught.value)) < 1000, opening


@pytest.mark.parametrize(
    "pattern", ["a{4294967295}", r"(?:\p{L}{500}){500}", "(?=b)(?:(?:a{1000}){1000}){1000}"]
)
def test_huge_repetitions_are_refused(pattern: str) -> None:
    with pytest.raises(PatternError, match="cannot be compiled"):
        superword.Pretokenizer(pattern=pattern)


# Each of these once took terabytes, or minutes.
MANY = {
    "branches": "'|'.join(map(str, range(100_000)))",
    "groups": "'|'.join(f'({n})' for n in range(100_000))",
    "corrections": r"'|'.join([r'\s+(?!\S)|\s+'] * 5000)",
    "branches and lookahead": "'(?!x)a|' + '|'.join(map(str, range(50_000)))",
}


@needs_limit
@pytest.mark.parametrize("pattern", MANY.values(), ids=MANY)
def test_patterns_with_many_branches_take_little_memory(pattern: str) -> None:
    code = (
        "from superword.errors import PatternError, TextError\n"
        "try:\n"
        f"    print(superword.Pretokenizer(pattern={pattern}).split('12 345  6')[0])\n"
        "except (PatternError, TextError) as error:\n"
        "    print(len(str(error)) < 1000)\n"
    )
    assert run_limited(code, megabytes=1000) in ("1", "12", "True")


def test_branches_that_are_joined_still_match_in_order() -> None:
    branches = [f"{n}" for n in range(3000)]
    pretokenizer = superword.Pretokenizer(pattern="|".join([*branches, r"\s+(?!\S)", r"\s+", "x+"]))
    # The branch 1 comes before 12, and the last white space before a word is left out.
    assert pretokenizer.split("12  xx ") == ["1", "2", " ", " ", "xx", " "]


@pytest.mark.parametrize("pattern", ["'|'.join(map(str, range({n})))", "'a?' * {n} + 'b'"])
def test_the_time_to_compile_grows_with_the_length(pattern: str) -> None:
    def seconds(n: int) -> float:
        text = eval(pattern.format(n=n))
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            superword.Pretokenizer(pattern=text)
            best = min(best, time.process_time() - start)
        return best

    # Eight times the length: quadratic time would take 64 times as long.
    assert seconds(16_000) < 30 * seconds(2_000) + 0.05


# With the length of a text that takes too long. A back reference compares long texts all the time.
EVIL = {
    r"(a*)*b|.": 50_000,
    r"(?!x)(a|a)*c|.": 50_000,
    r"(a+)\1+c|.": 2_000,
    r"(?<=a*)b|.": 50_000,
}


@pytest.mark.parametrize("pattern", EVIL)
def test_a_slow_pattern_ends_wherever_it_is_used(tmp_path: Path, pattern: str) -> None:
    text = "a" * EVIL[pattern]
    tokenizer = superword.train_from_iterator(
        ["aab"], vocab_size=256, pretokenizer=superword.Pretokenizer(pattern=pattern)
    )
    tokenizer.save(tmp_path / "m.superword")
    loaded = superword.Tokenizer.load(tmp_path / "m.superword")
    for call in (loaded.encode, lambda text: loaded.encode_batch([text] * 3)):
        with pytest.raises(TextError, match="too slow"):
            call(text)
    assert loaded.decode(loaded.encode("aab")) == "aab"

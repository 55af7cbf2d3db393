"""Files of other programs that someone wrote to do harm. See docs/security.md."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import superword
from superword._support.bytechars import to_chars
from superword.errors import ConversionError, TextError
from support.limits import run_limited

ALPHABET = {to_chars(bytes([byte])): byte for byte in range(256)}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}


def written(path: Path, **changes: Any) -> Path:
    """Write a tokenizer.json of all bytes, with changes."""
    content: dict[str, Any] = {
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": BYTE_LEVEL,
        "post_processor": None,
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": ALPHABET, "merges": []},
    }
    path.write_text(json.dumps({**content, **changes}))
    return path


def added(content: str, id: int, **flags: bool) -> dict[str, Any]:
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {"id": id, "content": content, **dict.fromkeys(names, False), **flags}


PAPER = """BoundlessBPE v2 word
vocabulary
{}
special_tokens
{}
words
{}
merges
{}
deletions
0
"""
OPTIONS = '{"main_regex": "a+"}'


@pytest.mark.parametrize(
    "parts",
    [
        ("9" * 5000, "0", OPTIONS, "0"),
        ("1\n" + "9" * 5000 + " a 1 1", "0", OPTIONS, "0"),
        ("1\n" + "9" * 20 + " a 1 1", "0", OPTIONS, "0"),
        ("0", "1\n" + "9" * 20 + " a", OPTIONS, "0"),
        ("0", "0", OPTIONS, "1\n0 a b " + "9" * 20 + " 0"),
        ("0", "0", "[" * 1_000_000, "0"),
        ("0", "0", '{"main_regex": 5}', "0"),
    ],
)
def test_numbers_and_nesting_of_a_paper_model_are_checked(
    tmp_path: Path, parts: tuple[str, str, str, str]
) -> None:
    (tmp_path / "m").write_text(PAPER.format(*parts))
    with pytest.raises(ConversionError) as caught:
        superword.Tokenizer.from_file(tmp_path / "m")
    assert str(tmp_path / "m") in caught.value.message
    assert caught.value.hint


def test_a_chat_template_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    written(tmp_path / "tokenizer.json")
    (tmp_path / "chat_template.jinja").write_bytes(b"\xff")
    with pytest.raises(ConversionError, match=r"chat_template\.jinja is not UTF-8 at byte 0"):
        superword.Tokenizer.from_file(tmp_path)


def test_a_chat_template_is_stored_and_never_run(tmp_path: Path) -> None:
    written(tmp_path / "tokenizer.json")
    made = tmp_path / "made"
    code = f"{{{{ cycler.__init__.__globals__.os.mkdir({str(made)!r}) }}}}"
    (tmp_path / "chat_template.jinja").write_text(code)
    tokenizer = superword.Tokenizer.from_file(tmp_path)
    tokenizer.save(tmp_path / "m.superword")
    loaded = superword.Tokenizer.load(tmp_path / "m.superword")
    assert loaded.settings["chat_template"] == code
    assert not made.exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"model": {"type": "BPE", "vocab": {**ALPHABET, "ab": 2**32 - 2}, "merges": ["a b"]}},
        {"model": {"type": "BPE", "vocab": {**ALPHABET, "ab": 2**64}, "merges": ["a b"]}},
        {"model": {"type": "BPE", "vocab": {**ALPHABET, "ab": -1}, "merges": ["a b"]}},
        {"model": {"type": "BPE", "vocab": {**ALPHABET, "ab": 1.5}, "merges": ["a b"]}},
    ],
)
def test_absurd_ids_are_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(ConversionError, match=r"tokenizer\.json"):
        superword.Tokenizer.from_file(written(tmp_path / "tokenizer.json", **changes))


def test_deep_nesting_and_many_steps_give_short_messages(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text('{"model": ' + "[" * 1_000_000)
    with pytest.raises(ConversionError, match="recursion limit"):
        superword.Tokenizer.from_file(path)
    steps = [{"type": "Digits", "individual_digits": True}] * 50_000
    written(path, pre_tokenizer={"type": "Sequence", "pretokenizers": [*steps, BYTE_LEVEL]})
    with pytest.raises(ConversionError, match="50001 steps") as caught:
        superword.Tokenizer.from_file(path)
    assert len(str(caught.value)) < 1000


def test_a_slow_pattern_of_an_import_ends(tmp_path: Path) -> None:
    split = {
        "type": "Split",
        "pattern": {"Regex": "(a*)*b|."},
        "behavior": "Isolated",
        "invert": False,
    }
    steps = [split, {**BYTE_LEVEL, "use_regex": False}]
    path = written(
        tmp_path / "tokenizer.json",
        pre_tokenizer={"type": "Sequence", "pretokenizers": steps},
    )
    tokenizer = superword.Tokenizer.from_file(path)
    with pytest.raises(TextError, match="too slow"):
        tokenizer.encode("a" * 100_000)


def grows_linearly(work: Callable[[int], object], n: int) -> bool:
    """True if eight times the input takes far less than 64 times as long."""

    def seconds(n: int) -> float:
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            work(n)
            best = min(best, time.process_time() - start)
        return best

    return seconds(8 * n) < 30 * seconds(n) + 0.05


def test_added_tokens_that_contain_each_other_take_linear_time(tmp_path: Path) -> None:
    flags = {"lstrip": True, "rstrip": True}
    nested = [added("a" * (n + 1), 256 + n, **flags) for n in range(300)]
    nested.append(added("b", 600, single_word=True))
    tokenizer = superword.Tokenizer.from_file(
        written(tmp_path / "tokenizer.json", added_tokens=nested)
    )

    def encode(text: str, n: int) -> object:
        return tokenizer.encode(text * n)

    for text in ("a", "a ", " ", "b", "  b"):
        assert grows_linearly(partial(encode, text), 20_000), text


def test_normalization_takes_linear_time(tmp_path: Path) -> None:
    tokenizer = superword.Tokenizer.from_file(
        written(tmp_path / "tokenizer.json", normalizer={"type": "NFKC"})
    )

    def encode(text: str, n: int) -> object:
        return tokenizer.encode("a" + text * n)

    # A character that becomes eighteen, and marks that have to be sorted.
    for text in ("\ufdfa", "\u0300\u0323"):
        assert grows_linearly(partial(encode, text), 10_000)


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
def test_normalization_that_does_not_fit_raises_a_memory_error(tmp_path: Path) -> None:
    path = written(tmp_path / "tokenizer.json", normalizer={"type": "NFKC"})
    code = (
        "tok = superword.Tokenizer.from_file(sys.argv[1])\n"
        "try:\n"
        "    tok.encode('\\ufdfa' * 10_000_000)\n"
        "except OutOfMemoryError:\n"
        "    print('out of memory')\n"
    )
    assert run_limited(code, path, megabytes=300) == "out of memory"


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
@pytest.mark.parametrize(
    "call",
    ["decode([last] * 10_000)", "decode_bytes([last] * 10_000)", "decode_batch([[last]] * 10_000)"],
)
def test_decoding_long_tokens_that_do_not_fit_raises_a_memory_error(
    tmp_path: Path, call: str
) -> None:
    # 18 merges make a token of 262144 bytes, so a few ids are a long text.
    merges, vocab, token = [], dict(ALPHABET), "a"
    for id in range(256, 274):
        merges.append([token, token])
        token += token
        vocab[token] = id
    model = {"type": "BPE", "vocab": vocab, "merges": merges}
    path = written(tmp_path / "tokenizer.json", model=model)
    code = (
        "tok = superword.Tokenizer.from_file(sys.argv[1])\n"
        "last = 273\n"
        "assert len(tok.decode([last])) == 1 << 18\n"
        "try:\n"
        f"    tok.{call}\n"
        "except MemoryError as error:\n"
        "    print('out of memory')\n"
    )
    assert run_limited(code, path, megabytes=300) == "out of memory"


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
def test_a_vocabulary_takes_a_fixed_multiple_of_its_file(tmp_path: Path) -> None:
    vocab = {**ALPHABET, **{f"x{n}": 256 + n for n in range(200_000)}}
    path = written(tmp_path / "tokenizer.json", model={"type": "BPE", "vocab": vocab, "merges": []})
    code = "print(superword.Tokenizer.from_file(sys.argv[1]).n_vocab)"
    size = path.stat().st_size >> 20
    assert run_limited(code, path, megabytes=100 + 60 * size) == str(256 + 200_000)

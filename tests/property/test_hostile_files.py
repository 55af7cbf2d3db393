"""Hostile files are read, or give an error of `superword.errors`. No other exception is raised.

Each reader gets a valid file in which values, bytes or lines are replaced.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from superword import Tokenizer, train, train_from_iterator
from superword._counting.receipts import read_receipt
from superword._files.outputs import Kind, check_replaceable
from superword._files.timeline import runs_in
from superword._support.bytechars import to_chars
from superword.counts import Candidates, Counts
from superword.errors import SuperwordError
from superword.evaluation import files, lists
from superword.evaluation.checks import Check
from superword.plans import Plan, count_task
from superword.reports.training import record
from superword.stages import count_candidates, count_pretokens
from support.evaluations import evaluation

DEEP = "[" * 100_000 + "]" * 100_000
LONG = "9" * 5_000
# Stands for JSON that `json.dumps` cannot write.
MARK = "\ue000"
HOSTILE: list[Any] = [
    None, True, -1, 0, 2**32, 2**64, 2**2000, 1e300, float("inf"), float("nan"), 0.5, "", "x",
    "0" * 16, "\ud800", "\0", "../..", LONG, MARK, [], {}, [[]], [None], {"": None}, {"x": [1]},
]  # fmt: skip
WORDS = [b"", b"0", b"-1", LONG.encode(), b"99999999999", b"18446744073709551616"]
WORDS += ["²٣".encode(), b"\xff", b"\t", b"\0", b"a\tb"]


@dataclass(frozen=True)
class Reader:
    """A name, the content of a valid file, and a function that reads a file in a directory."""

    name: str
    content: bytes
    file: str
    read: Callable[[Path], object]


@cache
def folder() -> Path:
    """A directory with one valid file of each kind. It exists as long as the tests run."""
    kept = tempfile.TemporaryDirectory()
    _KEPT.append(kept)
    path = Path(kept.name)
    texts = ["of the low lower of the low", "in a of the lower in a"]
    (path / "text.jsonl").write_text("".join(json.dumps({"text": t}) + "\n" for t in texts))
    train([path / "text.jsonl"], method="boundless", vocab_size=266, work_dir=path / "work")
    counts = count_pretokens([path / "text.jsonl"])
    counts.save(path / "counts.tsv")
    words = train_from_iterator(texts, method="bpe", vocab_size=266)
    count_candidates([path / "text.jsonl"], words).save(path / "candidates.tsv")
    plan = Plan.make([path / "text.jsonl"], partitions=1)
    plan.save(path / "plan.json")
    count_task(plan, 0, path / "tasks")
    files.save(evaluation(models=2, groups=2), path / "result.json")
    return path


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def paper() -> bytes:
    """A small model of the paper's program."""
    tokens = [to_chars(bytes([byte])) for byte in range(256)] + ["ab", "Ġab", "abĠab"]
    options = {"tau": 1.1, "main_regex": "\\w+|\\W", "merge_pattern": "\\w", "blowup": False}
    lines = ["BoundlessBPE v2 boundless", "vocabulary", str(len(tokens))]
    lines += [f"{id} {token} 1 0" for id, token in enumerate(tokens)]
    lines += ["special_tokens", "1", f"{len(tokens)} <|end|>", "words", json.dumps(options)]
    lines += ["merges", "2", "0 a b 9 0", "1 Ġ ab 8 0", "deletions", "0", "superwords"]
    lines += [json.dumps(options), "merges", "1", "0 ab Ġab 7 0", "deletions", "0", ""]
    return "\n".join(lines).encode()


def tokenizer_json() -> bytes:
    vocab = {to_chars(bytes([byte])): byte for byte in range(256)} | {"ab": 256}
    added = [{"id": 257, "content": "<s>", "special": True}]
    model = {"type": "BPE", "vocab": vocab, "merges": ["a b"]}
    split = {"type": "ByteLevel", "add_prefix_space": False}
    return json.dumps({"added_tokens": added, "pre_tokenizer": split, "model": model}).encode()


def read_plan(path: Path) -> None:
    """Load a plan whose key is correct, and count its first task."""
    try:
        content = json.loads(path.read_bytes())
        described = {k: v for k, v in content.items() if k not in ("version", "key")}
        text = json.dumps(described, sort_keys=True)
        content["key"] = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        path.write_text(json.dumps(content))
    except (ValueError, AttributeError, RecursionError):
        pass
    plan = Plan.load(path)
    count_task(plan, 0, path.parent / "counted")


def use(tok: Tokenizer) -> None:
    assert tok.decode(tok.encode_ordinary("ab ab")) == "ab ab"


def replaceable(path: Path) -> None:
    for kind in get_args(Kind):
        with suppress(SuperwordError):
            check_replaceable(path, kind, False)


@cache
def readers() -> dict[str, Reader]:
    path = folder()
    plain: list[tuple[str, str, Callable[[Path], object]]] = [
        ("evaluation", "result.json", files.load),
        ("plan", "plan.json", read_plan),
        ("counts", "counts.tsv", Counts.load),
        ("candidates", "candidates.tsv", Candidates.load),
        ("receipt", "tasks/task-00000/receipt.json", lambda file: read_receipt(file.parent)),
        ("timeline", "work/timeline.json", lambda file: runs_in(file.parent)),
        ("run", "work/run.json", lambda file: record.inputs_of(file.parent)),
    ]
    found = [Reader(name, (path / at).read_bytes(), Path(at).name, do) for name, at, do in plain]
    imports = [
        ("paper", paper(), "a.model"),
        ("tokenizer.json", tokenizer_json(), "tokenizer.json"),
        ("config", b'{"bos_token": "<s>", "chat_template": "x"}', "tokenizer_config.json"),
    ]
    for name, content, file in imports:
        found.append(Reader(name, content, file, lambda file: use(Tokenizer.from_file(file))))
    by_line: list[tuple[str, bytes, Callable[[Path], object]]] = [
        ("words", b"one\ntwo\n", lists.read_words),
        ("morphemes", "unhappy\tun happy\nüber\tüb er\n".encode(), lists.read_morphemes),
        ("pairs", b"a\tb\n a b\t c\n", lists.read_pairs),
        ("parallel", b"a\nb\n", lambda file: lists.read_parallel({"en": file, "de": file})),
        ("check", b"m@de:words.fertility<1.8", lambda file: Check.parse(text_of(file))),
    ]
    found += [Reader(name, content, "file.txt", do) for name, content, do in by_line]
    return {reader.name: reader for reader in found}


def text_of(file: Path) -> str:
    return file.read_bytes().decode(errors="surrogateescape")


NAMES = [
    "evaluation", "plan", "counts", "candidates", "receipt", "timeline", "run", "paper",
    "tokenizer.json", "config", "words", "morphemes", "pairs", "parallel", "check",
]  # fmt: skip


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all values inside a JSON value. Of long arrays and objects, only some."""
    found = [at] if at else []
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in list(inner)[:12]:
            found += places(item, (*at, key))
    return found


def replaced(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    copy = json.loads(json.dumps(value))
    inside = copy
    for key in at[:-1]:
        inside = inside[key]
    inside[at[-1]] = new
    return copy


def in_json(content: bytes, draw: st.DrawFn) -> bytes:
    """JSON in which some values are replaced. Without JSON, bytes are."""
    start = content.find(b"{")
    end = content.rfind(b"}") + 1
    if content.startswith(b"#superword"):
        end = content.find(b"\n")
    try:
        value = json.loads(content[start:end])
    except ValueError:
        line = content[start:].split(b"\n")[0]
        end = start + len(line)
        try:
            value = json.loads(line)
        except ValueError:
            return in_bytes(content, draw)
    if not isinstance(value, dict) or not value:
        return in_bytes(content, draw)
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.sampled_from(places(value)))
        value = replaced(value, at, draw(st.sampled_from(HOSTILE)))
    text = json.dumps(value).replace(json.dumps(MARK), DEEP)
    return content[:start] + text.encode() + content[end:]


def in_lines(content: bytes, draw: st.DrawFn) -> bytes:
    """Lines whose words are replaced, repeated or removed."""
    lines = content.split(b"\n")
    for _ in range(draw(st.integers(1, 3))):
        last = len(lines) - 1
        at = draw(st.integers(0, last) | st.integers(max(0, last - 25), last))
        words = lines[at].split(b" ")
        word = draw(st.integers(0, len(words) - 1))
        words[word] = draw(st.sampled_from([*WORDS, words[word] * 2]))
        lines[at] = b" ".join(words)
        if draw(st.integers(0, 5)) == 0:
            del lines[draw(st.integers(0, len(lines) - 1))]
            lines = lines or [b""]
    return b"\n".join(lines)


def in_bytes(content: bytes, draw: st.DrawFn) -> bytes:
    start = draw(st.integers(0, len(content)))
    end = min(len(content), start + draw(st.integers(0, 40)))
    return content[:start] + draw(st.binary(max_size=12)) + content[end:]


@st.composite
def hostile(draw: st.DrawFn, content: bytes) -> bytes:
    change = draw(st.sampled_from([in_json, in_json, in_lines, in_bytes]))
    return change(content, draw)


def check(name: str, content: bytes) -> None:
    reader = readers()[name]
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / reader.file
        file.write_bytes(content)
        if name == "config":
            (Path(made) / "tokenizer.json").write_bytes(tokenizer_json())
            file = Path(made)
        with suppress(SuperwordError):
            reader.read(file)
        if reader.file.endswith(".json") and file.is_file():
            replaceable(file)


@pytest.mark.parametrize("name", NAMES)
def test_a_valid_file_is_read(name: str) -> None:
    reader = readers()[name]
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / reader.file
        file.write_bytes(reader.content)
        if name == "config":
            (Path(made) / "tokenizer.json").write_bytes(tokenizer_json())
        reader.read(file.parent if name == "config" else file)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_hostile_file_gives_a_typed_error(name: str, data: st.DataObject) -> None:
    check(name, data.draw(hostile(readers()[name].content)))


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=5_000, deadline=None)
@given(data=st.data())
def test_many_hostile_files_give_typed_errors(name: str, data: st.DataObject) -> None:
    check(name, data.draw(hostile(readers()[name].content)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("content", [b"", b"{", DEEP.encode(), b"\xff\xfe", LONG.encode(), b"null"])
def test_files_that_are_something_else(name: str, content: bytes) -> None:
    check(name, content)

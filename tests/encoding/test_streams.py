"""`superword encode` and `decode` on streams: constant memory, immediate answers, exact bytes."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import superword
from hypothesis import given, settings
from hypothesis import strategies as st
from superword.cli.streams import CHUNK, read_batches, read_documents

COMMAND = [sys.executable, "-m", "superword"]
# Runs a command and prints its peak memory to stderr, in kilobytes.
MEASURED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(peak // (1024 if sys.platform == "darwin" else 1), file=sys.stderr)
sys.exit(code)
"""


class Trickle(io.RawIOBase):
    """A stream that returns a few bytes at a time."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self.data, self.sizes = data, sizes

    def read1(self, _: int) -> bytes:
        size = self.sizes.pop() if self.sizes else 3
        piece, self.data = self.data[:size], self.data[size:]
        return piece


def test_documents_do_not_depend_on_how_they_arrive() -> None:
    @settings(max_examples=100, deadline=None)
    @given(st.text("ab\n\0é", max_size=40), st.lists(st.integers(1, 7), max_size=20))
    def check(text: str, sizes: list[int]) -> None:
        data = text.encode()
        for end in (b"\n", b"\0"):
            expected = data.split(end)
            if not expected[-1]:
                expected.pop()
            stream = Trickle(data, list(sizes))
            batches = list(read_documents(stream, end))  # type: ignore[arg-type]
            assert [d for batch in batches for d in batch.documents] == expected
            firsts = [batch.first for batch in batches]
            counts = [len(batch.documents) for batch in batches]
            assert firsts == [1 + sum(counts[:i]) for i in range(len(counts))]
            joined = b"".join(b.data for b in read_batches(io.BytesIO(data), end))
            assert joined == data

    check()


@pytest.mark.parametrize("options", [[], ["--null"], ["--whole"]])
def test_encoding_and_decoding_give_back_every_byte(
    options: list[str], model_path: Path, texts: list[str]
) -> None:
    end = {"--null": "\0", "--whole": ""}.get("".join(options), "\n")
    text = end.join(texts * 30) + end if end else "\n".join(texts)
    encoded = subprocess.run(
        [*COMMAND, "encode", str(model_path), *options],
        input=text.encode(),
        capture_output=True,
        check=True,
    )
    tok = superword.Tokenizer.load(model_path)
    documents = text.removesuffix(end).split(end) if end else [text]
    lines = [" ".join(map(str, tok.encode(document))) for document in documents]
    assert encoded.stdout.decode().splitlines() == lines
    decoded = subprocess.run(
        [*COMMAND, "decode", str(model_path), *options],
        input=encoded.stdout,
        capture_output=True,
        check=True,
    )
    assert decoded.stdout == text.encode()


def feed(process: subprocess.Popen[bytes], line: bytes, total: int) -> None:
    """Write far more than the command may hold in memory."""
    assert process.stdin is not None
    block = line * (CHUNK // len(line))
    for _ in range(total // len(block)):
        process.stdin.write(block)
    process.stdin.close()


@pytest.mark.parametrize("command", ["encode", "decode"])
def test_memory_does_not_grow_with_the_stream(command: str, model_path: Path) -> None:
    pytest.importorskip("resource", reason="cannot measure memory here")
    line = b"One of the first things, as well as the name.\n"
    if command == "decode":
        line = b"97 98 99 100 101 102 103 104\n"
    peaks = []
    for megabytes in (2, 48):
        process = subprocess.Popen(
            [sys.executable, "-c", MEASURED, *COMMAND, command, str(model_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        writer = threading.Thread(target=feed, args=(process, line, megabytes << 20))
        writer.start()
        assert process.stderr is not None
        told = process.stderr.read()
        writer.join()
        assert process.wait() == 0, told
        peaks.append(int(told.split()[-1]))
    assert peaks[1] < peaks[0] + 30_000


def test_each_line_is_answered_at_once(model_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "encode", str(model_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        tok = superword.Tokenizer.load(model_path)
        for line in ("one of the", "", "as well as"):
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            assert process.stdout.readline().split() == [b"%d" % id for id in tok.encode(line)]
        process.stdin.close()


def test_what_is_wrong_is_said_after_what_is_right(model_path: Path) -> None:
    wrong = subprocess.run(
        [*COMMAND, "encode", str(model_path)], input=b"a\nb\n\xff\nc\n", capture_output=True
    )
    assert wrong.returncode == 1
    assert wrong.stdout == b"97\n98\n"
    assert b"stdin:3: invalid UTF-8 at byte 0" in wrong.stderr
    wrong = subprocess.run(
        [*COMMAND, "decode", str(model_path)], input=b"97\n98\n99 9999\n97\n", capture_output=True
    )
    assert wrong.returncode == 1
    assert wrong.stdout == b"a\nb\n"
    assert b"stdin:3: " in wrong.stderr
    wrong = subprocess.run(
        [*COMMAND, "decode", str(model_path)], input=b"97\nx y\n", capture_output=True
    )
    assert b"stdin:2: 'x' is not an id" in wrong.stderr


def test_special_tokens_in_lines(model_path: Path) -> None:
    tok = superword.Tokenizer.load(model_path)
    for options, expected in (
        ([], tok.encode("<|pad|>")),
        (["--special"], [tok.special_tokens["<|pad|>"]]),
    ):
        done = subprocess.run(
            [*COMMAND, "encode", str(model_path), *options],
            input=b"<|pad|>\n",
            capture_output=True,
            check=True,
        )
        assert list(map(int, done.stdout.split())) == expected

"""A corpus that someone made to do harm, and names with escape sequences. See docs/security.md."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
import superword
from support.limits import run_limited

ESCAPES = "e\x1b]0;title\x07\x1b[31m\x9b31m"

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs links, pipes and odd names")


@posix
def test_a_directory_with_loops_devices_and_pipes_is_read_without_them(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.txt").write_text("one of the words " * 9)
    (folder / "loop").symlink_to(folder)
    (folder / "zero.txt").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.txt")
    expected = superword.train(folder / "a.txt", vocab_size=262)
    assert superword.train(folder, vocab_size=262).merges == expected.merges


@posix
@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "{evil}.jsonl", "--vocab-size=270", "-o", "x.superword"],
        ["train", "{evil}-missing", "--vocab-size=270", "-o", "x.superword"],
        ["train", "a.txt", "--vocab-size={evil}", "-o", "x.superword"],
        ["train", "a.txt", "--vocab-size=270", "--pretokenizer", "{evil}", "-o", "x.superword"],
        ["inspect", "{evil}.jsonl"],
        ["show", "{evil}-missing", "text"],
        ["show", "m.superword", "{evil}"],
        ["evaluate", "m.superword", "{evil}-missing"],
        ["{evil}"],
    ],
)
def test_no_command_prints_escape_sequences_of_others(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / f"{ESCAPES}.jsonl").write_text('{"text": 5}\n')
    (tmp_path / "a.txt").write_text("one of the words " * 9)
    superword.train(tmp_path / "a.txt", vocab_size=262).save(tmp_path / "m.superword")
    words = [argument.replace("{evil}", ESCAPES) for argument in arguments]
    done = subprocess.run(
        [sys.executable, "-m", "superword", *words],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=120,
    )
    output = (done.stdout + done.stderr).decode()
    assert output
    assert "Traceback" not in output
    assert not {"\x1b", "\x07", "\x9b"} & set(output)


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
@pytest.mark.parametrize(
    "call",
    [
        "tok.encode_files(sys.argv[1], sys.argv[1] + '.shards', eot=False, threads=1)",
        "superword.evaluate([tok], sys.argv[1], threads=1)",
    ],
)
def test_a_bomb_without_line_ends_raises_a_memory_error(tmp_path: Path, call: str) -> None:
    path = tmp_path / "bomb.txt.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(300):
            file.write(bytes(1 << 20))
    code = (
        "tok = superword.train_from_iterator(['one of the words'] * 9, vocab_size=258)\n"
        "try:\n"
        f"    {call}\n"
        "except OutOfMemoryError:\n"
        "    print('out of memory')\n"
    )
    # numpy starts threads when it is imported, and each takes address space.
    output = run_limited(code, path, megabytes=250, before="import superword.evaluation.run")
    assert output == "out of memory"
    assert not list(tmp_path.glob("*.shards/shard-*"))


@pytest.mark.parametrize(
    "line",
    ["[" * 1_000_000, '{"a":' * 200_000, '{"text":' + "[" * 1_000_000, '{"text": 1e999999}'],
)
def test_hostile_json_lines_are_errors_with_a_place(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.jsonl").write_text(line + "\n")
    with pytest.raises(superword.errors.InputError, match=r"a\.jsonl:1") as caught:
        superword.train(tmp_path / "a.jsonl", vocab_size=262)
    assert len(str(caught.value)) < 1000

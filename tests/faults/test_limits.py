"""Limits of the system end in typed errors: threads, memory, devices, slow patterns."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import superword
from superword.errors import InputError, OptionError, SuperwordError, TextError
from support.limits import run_limited

MAX_THREADS = 1024


@pytest.mark.parametrize("threads", [MAX_THREADS + 1, 100_000_000, 2**62])
def test_absurd_numbers_of_threads_are_refused(tmp_path: Path, threads: int) -> None:
    (tmp_path / "a.txt").write_text("one of the words " * 9)
    tok = superword.train(tmp_path / "a.txt", vocab_size=270, threads=MAX_THREADS)
    calls: dict[str, Callable[[], object]] = {
        "train": lambda: superword.train(tmp_path / "a.txt", vocab_size=270, threads=threads),
        "encode_batch": lambda: tok.encode_batch(["a"] * 9, threads=threads),
        "count_tokens": lambda: tok.count_tokens(["a"] * 9, threads=threads),
        "encode_files": lambda: tok.encode_files(
            tmp_path / "a.txt", tmp_path / "out", threads=threads, eot=False
        ),
    }
    for name, call in calls.items():
        with pytest.raises(OptionError) as caught:
            call()
        assert caught.value.option == "threads", name
        assert "1,024" in caught.value.message
        assert caught.value.hint


@pytest.mark.parametrize("command", ["train", "count", "encode", "encode-files"])
def test_commands_refuse_absurd_numbers_of_threads(tmp_path: Path, command: str) -> None:
    corpus, model = tmp_path / "a.txt", tmp_path / "m.superword"
    corpus.write_text("one of the words " * 9)
    superword.train(corpus, vocab_size=270).save(model)
    arguments: dict[str, list[object]] = {
        "train": [corpus, "--vocab-size=270", "-o", tmp_path / "x.superword"],
        "count": [corpus, "-o", tmp_path / "x.tsv"],
        "encode": [model, corpus],
        "encode-files": [corpus, "--model", model, "-o", tmp_path / "x", "--no-eot"],
    }
    words = [sys.executable, "-m", "superword", command, *map(str, arguments[command])]
    done = subprocess.run(
        [*words, "--threads", "100000000"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "1,024" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
def test_a_system_that_refuses_threads_gives_the_same_model(tmp_path: Path) -> None:
    corpus = tmp_path / "a.txt"
    corpus.write_text("one of the words, some of the time " * 200)
    expected = superword.train(corpus, vocab_size=270)
    # 1024 stacks do not fit into this much address space.
    code = (
        "tok = superword.train(sys.argv[1], vocab_size=270, threads=1024)\n"
        "batch = tok.encode_batch(['of the words'] * 99_999, threads=1024)\n"
        "print(len(tok.merges), sum(map(len, batch)))"
    )
    merges, tokens = run_limited(code, corpus, megabytes=1200).split()
    assert int(merges) == len(expected.merges)
    assert int(tokens) == 99_999 * len(expected.encode("of the words"))


OUT_OF_MEMORY = """
try:
    {call}
except OutOfMemoryError as error:
    assert isinstance(error, MemoryError)
    assert error.hint
    print("out of memory")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
@pytest.mark.parametrize("name", ["bomb.txt.gz", "bomb.jsonl.gz", "words.txt"])
@pytest.mark.parametrize("threads", [1, 2])
def test_training_without_enough_memory_raises_a_memory_error(
    tmp_path: Path, name: str, threads: int
) -> None:
    path = tmp_path / name
    if name == "words.txt":
        # Half a million different words need more memory than is available.
        path.write_text(
            "\n".join(
                f"{(number * 2654435761) % 2**32:x}{number:x}x" for number in range(500_000)
            ).translate(str.maketrans("0123456789", "ghijklmnop"))
        )
    else:
        start, end = (b'{"text": "\\n', b'"}') if "jsonl" in name else (b"", b"")
        with gzip.open(path, "wb", compresslevel=1) as file:
            file.write(start + b"word " * (40 << 20) + end)
    call = f"superword.train(sys.argv[1], vocab_size=5000, threads={threads})"
    output = run_limited(OUT_OF_MEMORY.format(call=call), path, megabytes=170)
    assert output == "out of memory"


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
@pytest.mark.parametrize("call", ["tok.encode(text)", "tok.encode_batch([text])"])
def test_a_list_of_ids_that_does_not_fit_raises_a_memory_error(call: str) -> None:
    # Seven million ids fit into the memory, but not as objects of Python.
    code = (
        "tok = superword.train_from_iterator(['ab cd ef gh'] * 9, vocab_size=264)\n"
        "text = ' cd ef gh' * (20_000_000 // 9)\n"
    )
    output = run_limited(code + OUT_OF_MEMORY.format(call=call), megabytes=170)
    assert output == "out of memory"


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
@pytest.mark.parametrize("call", ["tok.encode(text)", "tok.encode_batch([text], threads=1)"])
@pytest.mark.parametrize("piece", ["x", "of the "])
def test_encoding_without_enough_memory_raises_a_memory_error(call: str, piece: str) -> None:
    code = (
        "tok = superword.train_from_iterator(['one of the words'] * 9, vocab_size=258)\n"
        f"text = {piece!r} * ((50 << 20) // len({piece!r}))\n"
    )
    output = run_limited(code + OUT_OF_MEMORY.format(call=call), megabytes=250)
    assert output == "out of memory"


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/zero")
@pytest.mark.parametrize("options", [{}, {"max_bytes": 1000}, {"sample": 1000}])
def test_devices_that_never_end_are_refused(options: dict[str, int]) -> None:
    for path in ("/dev/zero", "/dev/urandom"):
        with pytest.raises(InputError) as caught:
            superword.train(path, vocab_size=270, **options)  # type: ignore[arg-type]
        assert path in caught.value.message
        assert "device" in caught.value.message
        assert "head -c" in str(caught.value)
        assert isinstance(caught.value, SuperwordError)


@pytest.mark.parametrize("pattern", [r"(a+)+$|.", r"(?=a)(?:a|aa)+$|."])
def test_a_pattern_that_takes_too_long_is_named(tmp_path: Path, pattern: str) -> None:
    text = "a" * 80_000 + "b"
    pretokenizer = superword.Pretokenizer(pattern=pattern)
    (tmp_path / "a.txt").write_text(text)
    calls: dict[str, Callable[[], object]] = {
        "split": lambda: pretokenizer.split(text),
        "train": lambda: superword.train(
            tmp_path / "a.txt", vocab_size=300, pretokenizer=pretokenizer
        ),
    }
    for name, call in calls.items():
        with pytest.raises(TextError) as caught:
            call()
        assert pattern in caught.value.message, name
        assert "at byte " in caught.value.message
        assert "simplify the pattern" in str(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
@pytest.mark.parametrize("megabytes", [60, 75, 90, 110, 140])
def test_a_lack_of_memory_never_aborts_the_process(tmp_path: Path, megabytes: int) -> None:
    # Whichever allocation fails first, large or small, in whichever thread.
    path = tmp_path / "words.jsonl"
    with path.open("w") as file:
        for number in range(20_000):
            words = " ".join(f"w{(number * 31 + i) * 7919 % 99_991:x}" for i in range(12))
            file.write(f'{{"text": "{words}"}}\n')
    code = (
        "try:\n"
        "    tok = superword.train(sys.argv[1], vocab_size=9000, threads=2)\n"
        "    tok.encode_files(sys.argv[1], sys.argv[1] + '.shards', eot=False, threads=2)\n"
        "except MemoryError:  # Of superword, or of Python itself.\n"
        "    print('out of memory')\n"
        "else:\n"
        "    print('enough')"
    )
    assert run_limited(code, path, megabytes=megabytes) in ("out of memory", "enough")

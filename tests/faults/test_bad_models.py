"""Model files that are missing, damaged or hostile; saving that fails."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
import superword
from superword.errors import (
    DamagedModelError,
    ModelFileError,
    NotAModelError,
    SaveError,
    SuperwordError,
)


def test_a_missing_model_is_said_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.superword"
    with pytest.raises(FileNotFoundError, match=r"nowhere\.superword") as caught:
        superword.Tokenizer.load(path)
    assert isinstance(caught.value, SuperwordError)


@pytest.mark.parametrize("content", [b"", b"x", b"not a model\n" * 100, b"\0" * 1000])
def test_other_files_are_not_models(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.superword"
    path.write_bytes(content)
    with pytest.raises(ModelFileError) as caught:
        superword.Tokenizer.load(path)
    assert caught.value.hint
    with pytest.raises(ModelFileError):
        superword.Tokenizer.from_bytes(content)
    if len(content) > 100:
        assert isinstance(caught.value, NotAModelError)
        assert "a.superword" in str(caught.value)


def test_a_directory_is_not_a_model(tmp_path: Path) -> None:
    with pytest.raises(SuperwordError):
        superword.Tokenizer.load(tmp_path)


def test_every_cut_is_noticed(boundless: superword.Tokenizer) -> None:
    whole = boundless.to_bytes()
    for length in {*range(0, len(whole), max(len(whole) // 500, 1)), len(whole) - 1}:
        with pytest.raises(ModelFileError):
            superword.Tokenizer.from_bytes(whole[:length])
    with pytest.raises(ModelFileError):
        superword.Tokenizer.from_bytes(whole + b"\0")


def test_every_altered_byte_is_noticed(boundless: superword.Tokenizer) -> None:
    whole = boundless.to_bytes()
    chance = random.Random(7)
    for place in range(len(whole)):
        altered = bytearray(whole)
        altered[place] ^= 1 << chance.randrange(8)
        with pytest.raises(ModelFileError):
            superword.Tokenizer.from_bytes(bytes(altered))


def test_a_damaged_file_is_said_to_be_damaged(
    boundless: superword.Tokenizer, tmp_path: Path
) -> None:
    path = tmp_path / "a.superword"
    whole = boundless.to_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(DamagedModelError) as caught:
        superword.Tokenizer.load(path)
    assert caught.value.hint


def test_saving_where_it_cannot_be_is_a_save_error(
    boundless: superword.Tokenizer, tmp_path: Path
) -> None:
    for path in (tmp_path / "no" / "folder" / "m", tmp_path):
        with pytest.raises(SaveError) as caught:
            boundless.save(path)
        assert isinstance(caught.value, OSError)
        assert str(path.parent) in str(caught.value)
        assert caught.value.path == str(path)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_keeps_the_old_model(boundless: superword.Tokenizer, tmp_path: Path) -> None:
    # A limit on file sizes makes the write fail midway, as a full disk does.
    pytest.importorskip("resource", reason="no limits on file sizes here")
    path = tmp_path / "m.superword"
    path.write_bytes(b"the old model")
    other = tmp_path / "source.superword"
    boundless.save(other)
    code = (
        "import signal, resource, sys, superword\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "tok = superword.Tokenizer.load(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (512, resource.RLIM_INFINITY))\n"
        "try:\n"
        "    tok.save(sys.argv[2])\n"
        "except superword.errors.SaveError as error:\n"
        "    print(error)\n"
    )
    assert len(boundless.to_bytes()) > 512
    result = subprocess.run(
        [sys.executable, "-c", code, str(other), str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "m.superword" in result.stdout
    assert path.read_bytes() == b"the old model"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.superword", "source.superword"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_under_stdout_is_an_error(model_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(
            [sys.executable, "-m", "superword", "encode", str(model_path)],
            input=b"one\n",
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert result.returncode == 1
    assert os.strerror(errno.ENOSPC).encode() in result.stderr
    assert b"Traceback" not in result.stderr

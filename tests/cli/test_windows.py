"""What the command line does differently on Windows, simulated: the same bytes, the same ends."""

from __future__ import annotations

import errno
import io
import os
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from superword._support import systems
from superword.cli import cli, group
from superword.inputs import expand


def redirected() -> tuple[io.BytesIO, io.TextIOWrapper]:
    """Standard output as Python opens it on Windows for a file or a pipe."""
    written = io.BytesIO()
    return written, io.TextIOWrapper(written, encoding="cp1252", newline="\r\n")


def test_redirected_output_is_utf_8_with_plain_line_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems, "WINDOWS", True)
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    written, stream = redirected()
    systems.prepare_stream(stream)
    stream.write("of│ the · 言葉\n")
    stream.flush()
    assert written.getvalue() == "of│ the · 言葉\n".encode()


def test_an_encoding_that_the_user_asked_for_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems, "WINDOWS", True)
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
    written, stream = redirected()
    systems.prepare_stream(stream)
    stream.write("é 言\n")
    stream.flush()
    assert written.getvalue() == b"\xe9 \\u8a00\r\n"


def test_a_stream_that_is_closed_or_replaced_is_left_alone() -> None:
    systems.prepare_stream(None)
    systems.prepare_stream(io.StringIO())


@pytest.mark.parametrize(
    ("windows", "number", "name", "code"),
    [
        (True, errno.EINVAL, None, group.BROKEN_PIPE),
        (True, errno.EPIPE, None, group.BROKEN_PIPE),
        (True, errno.EINVAL, "a:b?.txt", 1),
        (False, errno.EPIPE, None, group.BROKEN_PIPE),
        (False, errno.EINVAL, None, 1),
    ],
)
def test_a_closed_pipe_is_quiet_and_other_errors_are_not(
    monkeypatch: pytest.MonkeyPatch, windows: bool, number: int, name: str | None, code: int
) -> None:
    @click.command()
    def write() -> None:
        raise OSError(number, os.strerror(number), name)

    monkeypatch.setattr(group, "WINDOWS", windows)
    monkeypatch.setitem(cli.commands, "write", write)
    result = CliRunner().invoke(cli, ["write"])
    assert result.exit_code == code
    assert bool(result.stderr) == (code == 1)


def test_the_simulation_is_off_elsewhere() -> None:
    assert (sys.platform == "win32") == systems.WINDOWS


def test_names_that_differ_in_case_are_read_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("a.txt", "A.txt"):
        (tmp_path / name).write_bytes(b"one of the words")
    both = [str(tmp_path / name) for name in ("a.txt", "A.txt")]
    monkeypatch.setattr(os.path, "normcase", str.lower)
    assert [item.path for item in expand(both)] == both[:1]

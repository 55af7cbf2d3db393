"""Only one run at a time uses a work_dir, and a killed run never blocks the next one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import superword
from click.testing import CliRunner
from superword import _core
from superword.cli import cli
from superword.errors import WorkDirError, WorkDirInUseError

HOLD = (
    "import sys, time\n"
    "from superword import _core\n"
    "held = _core.WorkDir(sys.argv[1])\n"
    "print('held', flush=True)\n"
    "time.sleep(60)\n"
)


@pytest.fixture
def text(tmp_path: Path, texts: list[str]) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


def test_a_second_run_is_refused_and_a_killed_one_never_blocks(text: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(work)], stdout=subprocess.PIPE, text=True
    ) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == "held\n"
            half_done = work / ".superword-Ab12Cd.tmp"
            half_done.write_bytes(b"of the other run")
            # On Windows nobody can read a locked file.
            who = "" if sys.platform == "win32" else f".*process {other.pid}"
            with pytest.raises(WorkDirInUseError, match=rf"in use{who}") as caught:
                superword.train(text, vocab_size=300, work_dir=work)
            assert caught.value.path == str(work)
            assert str(work) in caught.value.message
            assert "another work_dir" in str(caught.value.hint)
            assert half_done.exists()
            assert not (work / "run.json").exists()
            output = str(tmp_path / "m.superword")
            options = ["--vocab-size", "300", "--work-dir", str(work), "-o", output]
            result = CliRunner().invoke(cli, ["train", str(text), *options])
            assert result.exit_code == 1
            assert "in use by another run" in result.stderr
        finally:
            other.kill()
    assert superword.train(text, vocab_size=300, work_dir=work) == superword.train(
        text, vocab_size=300
    )
    assert not half_done.exists()


def test_the_directory_is_free_after_success_failure_and_ctrl_c(text: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"

    def stop(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        superword.train(text, vocab_size=300, work_dir=work, progress=stop)
    broken = tmp_path / "b.jsonl"
    broken.write_text("{")
    with pytest.raises(superword.errors.DocumentError) as caught:
        superword.train(broken, vocab_size=300, work_dir=work)
    with pytest.warns(superword.errors.ChangedWorkWarning):
        superword.train(text, vocab_size=300, work_dir=work)
    assert caught.value  # Kept alive on purpose: its traceback must not keep the directory locked.
    superword.train(text, vocab_size=300, work_dir=work)


def test_what_is_not_finished_is_removed_and_nothing_else(text: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    wanted = superword.train(text, vocab_size=300, work_dir=work)
    finished = {path.name for path in work.iterdir()}
    key = "0123456789abcdef" * 2
    left = [".superword-x1.tmp", f"count-{key}-0.part", f"candidates-{key}-11.part"]
    mine = ["notes.txt", ".superword-notes", "a.tmp", "b.part"]
    for name in (*left, *mine):
        (work / name).write_text("x")
    assert superword.train(text, vocab_size=300, work_dir=work) == wanted
    assert {path.name for path in work.iterdir()} == finished | set(mine)


def test_a_closed_directory_is_no_place_to_work(tmp_path: Path) -> None:
    folder = _core.WorkDir(str(tmp_path / "work"))
    folder.close()
    folder.close()
    _core.WorkDir(str(tmp_path / "work")).close()
    options = superword.options.TrainOptions(vocab_size=300)
    with pytest.raises(WorkDirError, match="closed"):
        _core.train([], {**options.for_engine(), "groups": None, "work_dir": folder}, None)

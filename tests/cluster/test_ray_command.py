"""`--engine ray` on the command line: the same model, messages and exit codes as a local run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import superword
from click.testing import CliRunner
from superword.cli import cli
from support.ray_clusters import write_files

pytestmark = pytest.mark.cluster

COMMAND = [sys.executable, "-m", "superword"]
ON_RAY = ["--engine", "ray", "--address", "local"]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_files(tmp_path_factory.mktemp("text") / "in", 3, 400_000)


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    # Without the variables of `support.ray_clusters`, as for anybody else.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    line = [*COMMAND, *map(str, arguments)]
    return subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120)


def stop(number: signal.Signals, phase: str, *arguments: object) -> tuple[int, dict[str, Any]]:
    """Send a signal when a phase begins. Returns the exit code and the last message."""
    line = [*COMMAND, *map(str, arguments), "--log-json"]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for text in process.stderr:
            event = json.loads(text)
            if event["event"] == "phase" and event["phase"] == phase:
                break
        process.send_signal(number)
        _, rest = process.communicate(timeout=60)
    return process.returncode, json.loads(rest.splitlines()[-1])


def test_train_stops_and_resumes_with_the_model_of_one_machine(
    inputs: list[str], tmp_path: Path
) -> None:
    output, work = tmp_path / "m.superword", tmp_path / "work"
    arguments = ["train", *inputs, *ON_RAY, "--vocab-size", 400, "--work-dir", work, "-o", output]
    for number, phase, code in (
        (signal.SIGINT, "count", 130),
        (signal.SIGTERM, "candidates", 143),
    ):
        exit_code, last = stop(number, phase, *arguments)
        assert exit_code == code
        assert last["event"] == "stopped"
        assert last["message"] == (
            f"stopped; finished work is kept in {work}: run the same command again to resume"
        )
        assert not output.exists()
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("reading 3 files, 1.2 MB\n")
    for row in ("vocabulary", "counting words", "learning superwords", "saved as"):
        assert row in done.stderr
    assert "ray" not in done.stderr.lower()
    expected = superword.train(inputs, vocab_size=400)
    assert superword.Tokenizer.load(output).to_bytes() == expected.to_bytes()


def test_encode_files_writes_the_ids_of_one_machine(
    inputs: list[str], model_path: Path, tmp_path: Path
) -> None:
    import numpy as np

    out = tmp_path / "out"
    done = run("encode-files", *inputs, *ON_RAY, "-m", model_path, "-o", out)
    assert done.returncode == 0, done.stderr
    assert "1 shard of uint16" in done.stderr
    local = superword.Tokenizer.load(model_path).encode_files(inputs, tmp_path / "local")
    expected = np.load(local.path / local.shards[0].tokens_file)
    assert (np.load(out / "task-00000" / "shard-00000.npy") == expected).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--sample", "1GB"], "--sample cannot be used with --engine ray"),
        (["--max-bytes", "1GB"], "--max-bytes cannot be used with --engine ray"),
        (["--seed", "3"], "--seed cannot be used with --engine ray"),
        (["--counts", "c.tsv"], "--counts cannot be used with --engine ray"),
        (["--base", "m.superword"], "--base cannot be used with --engine ray"),
        ([], "--work-dir is missing"),
    ],
)
def test_options_that_do_not_apply_are_refused(
    given: list[str], message: str, inputs: list[str], tmp_path: Path
) -> None:
    work = ["--work-dir", "work"] if given and given[0] in ("--sample", "--max-bytes") else []
    arguments = ["train", *inputs, "--engine", "ray", "--vocab-size", "400", *given, *work]
    result = CliRunner().invoke(cli, [*arguments, "-o", str(tmp_path / "m")])
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize("command", ["train", "encode-files"])
def test_an_address_needs_an_engine(command: str, inputs: list[str], model_path: Path) -> None:
    more = ["--vocab-size", "400"] if command == "train" else ["-m", str(model_path)]
    arguments = [command, *inputs, *more, "-o", "out", "--address", "127.0.0.1:1"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 2
    assert "--address was given without --engine ray" in result.stderr

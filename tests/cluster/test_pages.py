"""The programs for Ray and Spark in the documentation run as printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import superword

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "how-to" / "cluster.md"

pytestmark = pytest.mark.cluster


def blocks(note: str) -> list[tuple[str, str]]:
    """The language and the code of all blocks that are marked with a note."""
    found = re.findall(
        rf"^<!-- not run: {note} -->\n```(\w+)\n(.*?)^```$",
        PAGE.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert found
    return found


def environment() -> dict[str, str]:
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    local = {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    paths = {"PYTHONPATH": str(ROOT / "python"), "PATH": tools}
    return {**os.environ, **local, **paths, "RAY_USAGE_STATS_ENABLED": "0"}


def run(command: list[str]) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment(), timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: list[str]) -> Path:
    """A corpus in the working directory."""
    import json

    monkeypatch.chdir(tmp_path)
    Path("corpus").mkdir()
    for number in range(3):
        lines = [json.dumps({"text": text}) + "\n" for text in texts[number::3]]
        Path("corpus", f"{number}.jsonl").write_text("".join(lines))
    return tmp_path


def wanted() -> bytes:
    with pytest.warns(superword.errors.ShortfallWarning):
        return superword.train("corpus/", vocab_size=32_768).to_bytes()


def test_the_programs_for_ray_run(corpus: Path) -> None:
    pytest.importorskip("ray")
    found = blocks("needs Ray")
    program = "\n".join(code for language, code in found if language == "python")
    printed = run([sys.executable, "-W", "ignore", "-c", program])
    assert " tokens in " in printed
    assert "'input_ids'" in printed
    assert Path("m.superword").read_bytes() == wanted()
    Path("m.superword").unlink()
    (command,) = [code for language, code in found if language == "sh"]
    run(["bash", "-euc", command])
    assert Path("m.superword").read_bytes() == wanted()


def test_the_programs_for_spark_run(corpus: Path) -> None:
    pytest.importorskip("pyspark")
    program = "\n".join(code for _, code in blocks("needs Spark"))
    printed = run([sys.executable, "-W", "ignore", "-c", program])
    assert "('ids', 'array<int>')" in printed
    assert Path("m.superword").read_bytes() == wanted()

"""The program of a user: what it shows when a document is broken, and how Ctrl-C ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.spark import NEEDS_JAVA, java_version

pytestmark = pytest.mark.cluster
pytest.importorskip("pyspark", reason="pip install 'superword[spark]'")

START = """
import pathlib, time
from pyspark.sql import SparkSession
from superword.integrations import spark
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
session = builder.config("spark.driver.memory", "1g").getOrCreate()
"""

BROKEN = """
df = session.createDataFrame([(b"fine",), (bytes([255]),)], "text binary")
try:
    spark.train(df, vocab_size=300)
except Exception as error:
    print(repr(error.__context__), error, sep="|")
session.stop()
"""

SLOW = """
def slow(batches):
    pathlib.Path({marker!r}).touch()
    time.sleep(300)
    yield from batches

df = session.createDataFrame([("text",)], "text string").mapInArrow(slow, "text string")
try:
    spark.train(df, vocab_size=300)
except KeyboardInterrupt:
    print("stopped", session.sparkContext.statusTracker().getActiveJobsIds())
"""


def start(tmp_path: Path, code: str) -> subprocess.Popen[str]:
    assert java_version() >= 17, NEEDS_JAVA
    script = tmp_path / "job.py"
    script.write_text(START + code)
    env = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, script], stdout=pipe, stderr=pipe, text=True, env=env)


def test_a_broken_document_shows_our_error_and_no_stack_trace_of_java(tmp_path: Path) -> None:
    with start(tmp_path, BROKEN) as program:
        output, shown = program.communicate(timeout=240)
    assert program.returncode == 0, shown
    assert output.startswith("None|partition ")
    assert "invalid UTF-8" in output
    for noise in ("Traceback", "\tat ", "Exception"):
        assert noise not in shown


def test_ctrl_c_cancels_the_job_and_ends_the_program_soon(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    with start(tmp_path, SLOW.format(marker=str(marker))) as program:
        end = time.monotonic() + 120
        while not marker.exists():
            assert time.monotonic() < end
            assert program.poll() is None
            time.sleep(0.1)
        program.send_signal(signal.SIGINT)
        sent = time.monotonic()
        output, shown = program.communicate(timeout=120)
    assert program.returncode == 0, shown
    assert output.strip() == "stopped []"
    # The task sleeps for five minutes.
    assert time.monotonic() - sent < 60

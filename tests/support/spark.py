"""Spark sessions for tests: quiet, small, and bound to 127.0.0.1."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

__all__ = ["java_version", "sources_of_python", "spark_session"]

NEEDS_JAVA = "Spark needs Java 17 or later: install it, or set JAVA_HOME"

QUIET = {
    "spark.log.level": "OFF",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
LOCAL = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
SMALL = {
    "spark.default.parallelism": "2",
    "spark.driver.memory": "1g",
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "3",
}


def java_version() -> int:
    """The main version of Java, such as 17; 0 if there is none."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None:
        return 0
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)
    except OSError:
        return 0
    found = re.search(r'version "(?:1\.)?(\d+)', said.stderr)
    return int(found[1]) if found else 0


@contextmanager
def spark_session(master: str, folder: Path, **settings: str) -> Iterator[Any]:
    """A session that ends with the block. Its temporary files are in `folder`."""
    if java_version() < 17:
        pytest.fail(NEEDS_JAVA)
    import pyspark
    from pyspark.sql import SparkSession

    # Workers use the Python of the tests, which has superword.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master(master).appName("superword tests")
    given = {name.replace("_", "."): value for name, value in settings.items()}
    folders = {
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    for name, value in {**QUIET, **LOCAL, **SMALL, **folders, **given}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def sources_of_python(most: int = 60) -> list[str]:
    """A small corpus: sources of Python's standard library."""
    folder = Path(os.__file__).parent
    found = (path.read_text(encoding="utf-8")[:8000] for path in sorted(folder.glob("[a-p]*.py")))
    return [text for text in found if text][:most]

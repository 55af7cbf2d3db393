"""What `import superword` gives and costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import superword
from superword import _core

ROOT = Path(__file__).resolve().parents[2]

# Modules that are slow to import, or that only some users need. They load on first use.
ON_DEMAND = {
    "superword.cli",
    "superword.counts",
    "superword.demo",
    "superword.export",
    "superword.imports",
    "superword.integrations",
    "superword.reference",
    "superword.shards",
    "superword.stages",
}
# Slow parts of the standard library.
SLOW_STANDARD_LIBRARY = {
    "asyncio",
    "concurrent.futures",
    "ctypes",
    "email",
    "http",
    "logging",
    "multiprocessing",
    "socket",
    "sqlite3",
    "ssl",
    "subprocess",
    "tempfile",
    "unittest",
    "xml",
}


def cargo_version() -> str:
    """Return the version of the workspace, which the crates inherit."""
    lines = (ROOT / "Cargo.toml").read_text().partition("[workspace.package]")[2].splitlines()
    line = next(line for line in lines if line.startswith("version"))
    return line.partition("=")[2].strip().strip('"')


def test_engine_package_and_command_have_one_version(boundless: superword.Tokenizer) -> None:
    version = superword.__version__
    assert _core.__version__ == version
    assert metadata.version("superword") == version
    assert cargo_version() == version
    assert boundless.facts["version"] == version
    command = [sys.executable, "-m", "superword", "--version"]
    printed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    assert printed == f"superword, version {version}\n"


def imported_modules(statement: str) -> set[str]:
    """Return the modules that a statement imports in a new interpreter."""
    code = f"import sys; before = set(sys.modules); {statement}; new = set(sys.modules) - before"
    code += "; import json; print(json.dumps(sorted(new)))"
    command = [sys.executable, "-S", "-c", code]
    # -S: without the imports of this environment's .pth files.
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=env)
    return set(json.loads(done.stdout))


def test_the_command_line_starts_without_numpy() -> None:
    modules = imported_modules("import superword.cli.commands")
    assert not modules & {"numpy", "superword.evaluation.run", "superword.reports.plots"}


def test_importing_loads_only_what_every_user_needs() -> None:
    # Counting modules instead of seconds: the result does not depend on how busy the machine is.
    modules = imported_modules("import superword")
    outside = {name.partition(".")[0] for name in modules} - set(sys.stdlib_module_names)
    assert outside == {"superword"}
    loaded = {".".join(name.split(".")[:2]) for name in modules}
    assert not loaded & ON_DEMAND
    assert not loaded & SLOW_STANDARD_LIBRARY
    assert len(modules) < 120

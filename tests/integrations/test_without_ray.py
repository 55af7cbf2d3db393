"""Without Ray, everything that needs it says how to install it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

IMPORT = """
import sys
sys.modules["ray"] = None
from superword.errors import MissingExtraError
try:
    import superword.integrations.ray
except MissingExtraError as error:
    print(error)
"""
COMMAND = """
import sys
sys.modules["ray"] = None
from superword.cli import main
sys.argv = ["superword", *sys.argv[1:]]
main()
"""


def test_the_module_names_the_extra() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True)
    assert done.stdout == (
        "superword.integrations.ray needs the package ray, which is not installed\n"
        "hint: pip install 'superword[ray]'\n"
    )


def test_the_command_line_names_the_extra(tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("some text")
    arguments = ["train", str(text), "--engine", "ray", "--vocab-size", "300", "-o", "m"]
    line = [sys.executable, "-c", COMMAND, *arguments, "--work-dir", str(tmp_path / "work")]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 1
    assert "pip install 'superword[ray]'" in done.stderr

"""Every user-facing message in one readable place, compared with what is really shown.

Run `SUPERWORD_UPDATE_SNAPSHOTS=1 pytest tests/snapshots` to update the files, then read the diff.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import provoke
import pytest
import superword
from click.testing import CliRunner
from superword import errors
from superword.cli import cli

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PACKAGE = ROOT / "python" / "superword"


def check(name: str, found: str) -> None:
    """Compare with the file of that name, or update it if the variable is set."""
    path = HERE / name
    if os.environ.get("SUPERWORD_UPDATE_SNAPSHOTS"):
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8"), (
        f"{name} differs; if that is intended, set SUPERWORD_UPDATE_SNAPSHOTS=1 and run this again"
    )


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    provoke.prepare(tmp_path)
    return tmp_path


def in_python(case: provoke.Case) -> str:
    assert case.python is not None
    with pytest.raises((errors.SuperwordError, TypeError, OSError)) as caught:
        case.python()
    assert isinstance(caught.value, errors.SuperwordError), (case.name, caught.value)
    return f"{type(caught.value).__name__}: {caught.value}"


def on_the_command_line(case: provoke.Case) -> str:
    assert case.command is not None
    result = CliRunner().invoke(cli, list(case.command), input=case.input, prog_name="superword")
    assert result.exit_code in (1, 2), (case.name, result.output, result.exception)
    assert isinstance(result.exception, SystemExit), (case.name, result.exception)
    return result.stderr.rstrip()


@pytest.mark.skipif(sys.platform == "win32", reason="paths and errors of the system differ")
def test_messages_of_both_faces(prepared: Path) -> None:
    shown = []
    for case in provoke.cases():
        shown.append(f"## {case.name}")
        if case.python is not None:
            shown.append(in_python(case))
        if case.command is not None:
            shown.append(f"$ superword {' '.join(case.command)}")
            shown.append(on_the_command_line(case))
        shown.append("")
    check("messages.txt", "\n".join(shown).replace(str(prepared), "DIR"))


def test_faces_do_not_mix(prepared: Path) -> None:
    """Python never shows flags, and the command line never shows keyword arguments."""
    for case in provoke.cases():
        if case.python is not None:
            assert not re.search(r"(?<![\w-])--[a-z]", in_python(case)), case.name
        if case.command is not None:
            told = on_the_command_line(case)
            assert not re.search(r"`[a-z_]+(=[^`]*)?`", told), case.name
            assert not re.search(r"\b(overwrite|eot|special_tokens|method|on_error)=", told)


def test_help_of_every_command() -> None:
    shown = []
    for name in ("", *cli.commands):
        arguments = [*([name] if name else []), "--help"]
        result = CliRunner().invoke(cli, arguments, prog_name="superword", terminal_width=100)
        shown += [f"$ superword {' '.join(arguments)}", result.stdout]
    check("help.txt", "\n".join(shown))


def written(node: ast.expr, source: str) -> str:
    """An expression as in the source, on one line. `ast.unparse` differs between Pythons."""
    segment = ast.get_source_segment(source, node)
    assert segment is not None
    return re.sub(r'(?<!\\)" f?"', "", " ".join(segment.split()))


def python_messages() -> Iterator[str]:
    """The texts of all errors and warnings in the package, as in the source."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if "reference" in path.parts:
            continue
        found = []
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
            if name in errors.__all__ or name in ("UsageError", "TypeError", "on_stop", "tell"):
                hints = [word.value for word in node.keywords if word.arg == "hint"]
                texts = [written(text, source) for text in (node.args[0], *hints)]
                found.append((node.lineno, f"{name}: " + "\n  hint: ".join(texts)))
        if found:
            yield f"## {path.relative_to(ROOT).as_posix()}"
            yield from (text for _, text in sorted(found))
            yield ""


def engine_messages() -> Iterator[str]:
    """The texts of all errors of the engine."""
    for path in sorted((ROOT / "crates" / "superword" / "src").rglob("*.rs")):
        source = path.read_text(encoding="utf-8")
        found = re.findall(r'#\[error\(\s*("(?:[^"\\]|\\.)*")', source)
        if found:
            yield f"## {path.relative_to(ROOT).as_posix()}"
            yield from (re.sub(r"\\\n\s*", "", text) for text in found)
            yield ""


def test_catalogue_of_all_messages() -> None:
    """Also those that no case provokes."""
    check("catalogue.txt", "\n".join([*python_messages(), *engine_messages()]))


def test_marked_options_exist() -> None:
    """A mark with a typo would be shown unchanged."""
    known = {p.name for command in cli.commands.values() for p in command.params}
    known |= set(superword.options.DEFAULTS)
    # Options that only Python has.
    known |= {"allowed_special", "disallowed_special", "unit", "ignore_normalizer"}
    known |= {"bounds", "column"}
    known |= {"is_split_into_words", "return_overflowing_tokens", "return_offsets_mapping"}
    assert isinstance(cli, click.Group)
    for text in python_messages():
        for name in re.findall(r"`([a-z_]+)(?:=[^`]*)?`", text):
            assert name in known, text

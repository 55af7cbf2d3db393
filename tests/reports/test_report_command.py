"""`superword report` and `reports.write`: formats, outputs and errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from superword import reports
from superword.cli import cli
from superword.errors import OptionError, SaveError
from support.evaluations import evaluation


@pytest.fixture
def result(tmp_path: Path) -> Path:
    path = tmp_path / "result.json"
    evaluation(2, 2).save(path)
    return path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["report", *map(str, arguments)])


@pytest.mark.parametrize(
    ("name", "more", "start"),
    [
        ("r.html", [], "<!DOCTYPE html>"),
        ("R.HTM", [], "<!DOCTYPE html>"),
        ("r.md", [], "<!-- superword report -->"),
        ("r.csv", [], "model,group,number,value"),
        ("r.txt", ["--format", "md"], "<!-- superword report -->"),
        ("r.html", ["--format", "csv"], "model,group,number,value"),
    ],
)
def test_the_suffix_or_the_option_chooses_the_format(
    result: Path, name: str, more: list[str], start: str
) -> None:
    output = result.parent / name
    done = run(result, "-o", output, *more)
    assert done.exit_code == 0
    assert done.stdout == ""
    assert done.stderr == f"saved the report as {output}\n"
    assert output.read_text().startswith(start)
    assert run(result, "-o", output, *more, "--quiet").stderr == ""  # And replaces itself.


def test_errors_say_what_to_do_and_write_nothing(result: Path) -> None:
    folder = result.parent
    output = folder / "report.html"
    done = run(folder / "none.json", "-o", output)
    assert done.exit_code == 1
    assert "there is no file" in done.stderr
    assert "hint: write it with superword evaluate" in done.stderr
    done = run(result, "-o", folder / "report.pdf")
    assert done.exit_code == 2
    assert "hint: use .html, .md or .csv, or give --format" in done.stderr
    done = run(result, "-o", folder, "--format", "html")
    assert done.exit_code == 1
    assert f"such as {folder / 'report.html'}" in done.stderr
    done = run(result, "-o", result, "--format", "html", "--force")
    assert done.exit_code == 1
    assert "it is one of the inputs" in done.stderr
    bad = folder / "bad.json"
    bad.write_text('{"format": 1, "superword": "1", "models": []}')
    done = run(bad, "-o", output)
    assert done.exit_code == 1
    assert f"error: {bad}: groups is missing" in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["bad.json", "result.json"]


def test_a_file_that_is_not_a_report_is_replaced_only_on_demand(result: Path) -> None:
    output = result.parent / "page.html"
    output.write_text("<p>my page</p>")
    done = run(result, "-o", output)
    assert done.exit_code == 1
    assert "is not a report that superword wrote" in done.stderr
    assert "--force" in done.stderr
    assert output.read_text() == "<p>my page</p>"
    assert run(result, "-o", output, "--force").exit_code == 0
    assert "<svg" in output.read_text()


def test_write_takes_the_same_care(tmp_path: Path) -> None:
    made = evaluation(1, 1)
    reports.write(made, tmp_path / "r.md")
    reports.write(made, tmp_path / "r.md", format="html")
    (tmp_path / "notes.md").write_text("# Notes\n")
    with pytest.raises(SaveError, match="is not a report"):
        reports.write(made, tmp_path / "notes.md")
    with pytest.raises(OptionError, match="does not tell the format"):
        reports.write(made, tmp_path / "report")
    with pytest.raises(OptionError, match="cannot be 'pdf'") as caught:
        reports.render(made, "pdf")  # type: ignore[arg-type]
    assert caught.value.option == "format"
    assert (tmp_path / "notes.md").read_text() == "# Notes\n"

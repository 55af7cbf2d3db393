"""Generated pages have every command, option and public name, and numbers that are recorded."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path

import api_pages
import click
import command_pages
import parts
import pytest
import staging
import superword
from docstring_text import as_markdown, comment_above
from rewriting import prepare
from superword.cli import cli

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "superword"
RESULTS = ROOT / "benches" / "results"


@pytest.fixture(scope="module")
def commands() -> dict[str, str]:
    return command_pages.generate(cli)


@pytest.fixture(scope="module")
def api() -> dict[str, str]:
    return api_pages.generate(PACKAGE)


def test_every_command_is_on_the_page_of_its_section_with_all_options_and_examples(
    commands: dict[str, str],
) -> None:
    for section, names in cli.sections.items():
        page = commands[f"command-line/{section.lower().replace(' ', '-')}.md"]
        for name in names:
            _, _, part = page.partition(f"## `superword {name}`\n")
            part = part.partition("\n## ")[0]
            command = cli.commands[name]
            for parameter in command.params:
                if isinstance(parameter, click.Option) and not parameter.hidden:
                    assert re.search(rf"^\| `.*{parameter.opts[-1]}\b", part, re.M), parameter
            assert command_pages.examples_of(command) in part
            assert "-h, --help" in part
            assert f"[`superword {name}`]" in commands["command-line/index.md"]
    listed = [name for names in cli.sections.values() for name in names]
    assert sorted(listed) == sorted(cli.commands)


def test_help_is_shown_as_text_and_flags_as_code(commands: dict[str, str]) -> None:
    page = commands["command-line/look-and-compare.md"]
    assert "`bytes_per_token" not in page
    assert r"'bytes\_per\_token\>=4.4'" in page
    assert "Without `--reference`" in page or "`--reference NAME`" in page
    assert "\b" not in "".join(commands.values())


def test_every_public_name_is_documented_once_or_refers_to_where_it_is(api: dict[str, str]) -> None:
    blocks = [name for page in api.values() for name in re.findall(r"^::: (\S+)", page, re.M)]
    pointers = [name for page in api.values() for name in re.findall(r'<a id="([^"]+)">', page)]
    assert len(blocks) == len(set(blocks))
    assert sorted([*blocks, *pointers]) == sorted(api_pages.anchors(PACKAGE))
    for name in superword.__all__:
        assert f"superword.{name}" in blocks or name == "__version__"


@pytest.mark.parametrize("module", ["counts", "errors", "evaluation", "export", "stages", "views"])
def test_the_names_of_a_module_are_those_that_python_sees(module: str) -> None:
    found = importlib.import_module(f"superword.{module}")
    expected = {f"superword.{module}.{name}" for name in found.__all__}
    assert expected <= set(api_pages.anchors(PACKAGE))


def test_a_name_that_two_modules_export_is_documented_where_python_finds_the_same_object() -> None:
    pages = api_pages.generate(PACKAGE)
    links = re.findall(r'<a id="([^"]+)"></a>\[`\w+`\]\([\w.]+#([^)]+)\)', "".join(pages.values()))
    assert len(links) > 5
    for here, there in links:
        assert _value(here) is _value(there), here


def _value(path: str) -> object:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def test_links_of_generated_pages_lead_to_pages(
    commands: dict[str, str], api: dict[str, str]
) -> None:
    generated = {**commands, **api}
    pages = staging.pages_of(ROOT) | {f"docs/{name}": name for name in generated}
    for name, text in generated.items():
        links = re.findall(r"\]\(([^)]+)\)", prepare(text, f"docs/{name}", pages, ROOT))
        assert not [link for link in links if link.startswith("https://github.com")]


def test_examples_in_docstrings_become_blocks_and_names_become_links() -> None:
    text = "One.\n\n>>> a = 1\n>>> a\n1\n\nSee `superword.train` and `superword.nothing`."
    assert as_markdown(text, {"superword.train"}) == (
        "One.\n\n```pycon\n>>> a = 1\n>>> a\n1\n```\n\n"
        "See [`superword.train`][superword.train] and `superword.nothing`."
    )
    assert as_markdown(">>> a", set()) == "```pycon\n>>> a\n```"


def test_the_comment_above_a_constant_describes_it() -> None:
    assert comment_above(["x = 1", "# One", "# two.", "Y = 2"], 4) == "One\ntwo."
    assert comment_above(["# Other", "", "Y = 2"], 3) == ""


def test_the_picture_shows_every_token_and_marks_superwords(
    words: superword.Tokenizer, boundless: superword.Tokenizer
) -> None:
    text = "the name of the <file>"
    picture = parts.picture({"bpe": words, "boundless": boundless}, text)
    rows = re.findall(r'"sw-tokens">(.*?)</div>', picture)
    for row, model in zip(rows, [words, boundless], strict=True):
        assert row.count("sw-token") >= len(model.encode_ordinary(text))
        shown = re.sub(r"<[^>]+>", "", row).replace("·", " ").replace("&lt;", "<")
        assert shown.replace("&gt;", ">") == text
        supers = sum(map(model.is_superword, model.encode_ordinary(text)))
        assert row.count("sw-super") == supers


def test_the_numbers_of_the_home_page_are_those_of_the_newest_recorded_run() -> None:
    shown = re.findall(r"<b>(.*?)</b>", parts.numbers(RESULTS))
    newest = json.loads(sorted(RESULTS.glob("[0-9]*[0-9].json"))[-1].read_text())
    english = {
        record["encoder"]: record["tokens"]
        for record in newest["encoding"]["results"]
        if (record["text"], record["threads"]) == ("english", 1) and not record["failed"]
    }
    assert shown[0] == f"{100 * (1 - english['boundless'] / english['words']):.0f}%"
    assert len(shown) == 3


def test_the_page_of_benchmarks_has_every_plot_and_every_recorded_page() -> None:
    page = parts.benchmarks(RESULTS)
    newest = sorted(RESULTS.glob("[0-9]*[0-9].json"))[-1].stem
    for path in RESULTS.rglob("*"):
        if path.suffix == ".md" or (path.suffix == ".svg" and path.stem.startswith(newest)):
            assert f"](../benches/results/{path.relative_to(RESULTS).as_posix()})" in page
    assert "**missed**" in page or "met" in page

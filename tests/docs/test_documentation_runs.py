"""Every command and every Python block in README.md and docs/ runs, in order, as printed.

Each page runs in an empty directory that holds only the files the page assumes (see `ASSUMED`).
Shell blocks run in bash and stop at the first error. Python blocks of a page share one namespace.
A comment in front of a block tells the test what to do with it:

    <!-- not run: REASON -->    the block is not run; `NOT_RUN` lists every such block
    <!-- output -->             the block is exactly what the last block that ran printed
    <!-- example output -->     the output of a block that depends on the machine; not compared
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
from superword.cli import cli
from superword.errors import ShortfallWarning
from support.systems import needs_bash

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
RUN = ("sh", "python")
# Blocks in these languages are shown, not run. Any other language name is a mistake.
SHOWN = ("text", "hex")

BUILDS, INSTALLS, DOWNLOAD = "builds the project", "installs the package", "needs a download"
# tests/cluster/test_pages.py runs these.
RAY, SPARK, CLUSTER = "needs Ray", "needs Spark", "needs a cluster"
NOT_RUN = {
    "README.md": [INSTALLS, BUILDS],
    "docs/index.md": [INSTALLS],
    "docs/install.md": [*[INSTALLS] * 4, BUILDS],
    "docs/tutorial.md": [INSTALLS],
    "docs/releasing.md": ["starts a release"],
    "docs/superwords-for-an-existing-tokenizer.md": [DOWNLOAD],
    "docs/how-to/cluster.md": [CLUSTER, *[RAY] * 5, CLUSTER, SPARK, SPARK],
    "docs/how-to/encode.md": ["needs Megatron", "needs datatrove"],
    "docs/how-to/train.md": [DOWNLOAD],
    "docs/how-to/other-programs.md": [DOWNLOAD],
    "docs/how-to/playground.md": ["needs the built page", "builds the page"],
    "docs/security.md": ["limits the shell that runs the blocks after it"],
    "docs/how-to/serving.md": ["needs vLLM", "needs vLLM", "needs SGLang"],
}

BLOCK = re.compile(
    r"(?:^<!-- (?P<note>[^\n]*) -->\n)?^```(?P<language>[^\n]*)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    line: int
    note: str
    language: str
    code: str

    @property
    def runs(self) -> bool:
        return self.language in RUN and not self.note.startswith("not run: ")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            text.count("\n", 0, match.start()) + 1,
            match["note"] or "",
            match["language"],
            match["code"],
        )
        for match in BLOCK.finditer(text)
    ]


# The files that pages assume.


def documents(count: int) -> list[str]:
    """Some modules of Python's standard library: text that every machine has."""
    modules = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    texts = [path.read_text(encoding="utf-8") for path in modules]
    return [text for text in texts if 5_000 < len(text) < 40_000][:count]


def write_jsonl(path: str, texts: list[str], field: str = "text") -> bytes:
    lines = "".join(json.dumps({field: text}) + "\n" for text in texts).encode()
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(lines)
    return lines


def corpus() -> None:
    """`corpus/` with two languages, as JSONL, and `text.txt`."""
    texts = documents(40)
    write_jsonl("corpus/de/part.jsonl", texts[:10])
    write_jsonl("corpus/en/part.jsonl", texts[10:])
    Path("text.txt").write_text("As well as the name of the file.\nThe name of the test.\n")


def tables() -> None:
    """`tables/` with a Parquet file whose text is in the column `body`."""
    pa = pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")
    import pyarrow.parquet as pq

    Path("tables").mkdir()
    pq.write_table(pa.table({"body": documents(5)}), "tables/part.parquet")


def for_readme() -> None:
    """`corpus/`, `text.txt`, and `docs/` with JSONL files."""
    corpus()
    write_jsonl("docs/part.jsonl", documents(10))


def for_training() -> None:
    """Also more compressed files, notes, a JSONL file with another field and a broken one."""
    import zstandard

    corpus()
    tables()
    some = write_jsonl("more/below/part.jsonl", documents(5))
    Path("more/below/part.jsonl").unlink()
    Path("more/below/part.jsonl.zst").write_bytes(zstandard.compress(some))
    Path("notes.txt").write_text("The first of the notes.\n\nThe second of the notes.\n" * 9)
    Path("pages.jsonl.gz").write_bytes(gzip.compress(write_jsonl("p", documents(2), "body")))
    Path("p").unlink()
    Path("broken.jsonl").write_text('{"text": "As well as the rest"}\n{"no": "text"}\n')


def for_large_corpora() -> None:
    """`corpus/`, and two shards of a corpus."""
    corpus()
    write_jsonl("shard-07/part.jsonl", documents(20)[:10])
    write_jsonl("shard-08/part.jsonl", documents(20)[10:])


def for_encoding() -> None:
    """`corpus/`, `text.txt` and `tables/`, and the program that reads Parquet."""
    pytest.importorskip("datasets")
    corpus()
    tables()


def for_existing_tokenizer() -> None:
    """`corpus.txt`."""
    pytest.importorskip("tokenizers", reason="pip install 'superword[huggingface]'")
    Path("corpus.txt").write_text("\n".join(documents(10)), encoding="utf-8")


def for_other_programs() -> None:
    """`corpus/`, and the other programs."""
    for package in ("tokenizers", "tiktoken", "transformers"):
        pytest.importorskip(package)
    corpus()


def for_evaluation() -> None:
    """`corpus/`, other text in `held-out/`, and lists."""
    corpus()
    texts = documents(60)[40:]
    write_jsonl("held-out/de/part.jsonl", texts[:5])
    write_jsonl("held-out/en/part.jsonl", texts[5:])
    Path("words.txt").write_text("name\nfile\nunhappiness\n")
    Path("morphemes.tsv").write_text("unhappiness\tun happi ness\n")
    Path("pairs.tsv").write_text("The name of\t the file\n")
    Path("news.en").write_text("The name of the file.\n")
    Path("news.de").write_text("Der Name der Datei.\n")


def for_notebook() -> None:
    """`alice.txt`, which a reader downloads."""
    pytest.importorskip("tokenizers", reason="pip install 'superword[huggingface]'")
    shutil.copy(ROOT / "docs" / "notebook" / "alice.txt", "alice.txt")


ASSUMED: dict[str, Callable[[], None]] = {
    "README.md": for_readme,
    "docs/index.md": for_readme,
    "docs/how-to/train.md": for_training,
    "docs/how-to/cluster.md": for_large_corpora,
    "docs/how-to/large-corpora.md": for_large_corpora,
    "docs/how-to/encode.md": for_encoding,
    "docs/how-to/evaluate.md": for_evaluation,
    "docs/how-to/other-programs.md": for_other_programs,
    "docs/how-to/report.md": corpus,
    "docs/how-to/serving.md": for_other_programs,
    "docs/choosing.md": for_evaluation,
    "docs/faq.md": for_notebook,
    "docs/notebook.md": for_notebook,
    "docs/superwords-for-an-existing-tokenizer.md": for_existing_tokenizer,
}


# Running a page.


def run_shell(code: str) -> str:
    """Run the commands, which must all succeed, and return what they print."""
    tools = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        env=environment,
        check=False,
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{code}\n{done.stderr}"
    return done.stdout


def run_python(code: str, names: dict[str, Any], where: str) -> str:
    """Run the code, and return what it prints."""
    printed = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        # The texts here are too small for the vocabularies that the pages ask for.
        warnings.simplefilter("ignore", ShortfallWarning)
        exec(compile(code, where, "exec"), names)
    return printed.getvalue()


@needs_bash
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if any(block.runs for block in blocks_of(page))],
    ids=name_of,
)
def test_every_block_of_a_page_runs_in_order_as_printed(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ASSUMED.get(name_of(page), lambda: None)()
    names: dict[str, Any] = {"__name__": "__main__"}
    printed: str | None = None
    for block in blocks_of(page):
        where = f"{name_of(page)}:{block.line}"
        if block.note == "output":
            assert printed == block.code, where
        elif block.runs:
            shell = block.language == "sh"
            printed = run_shell(block.code) if shell else run_python(block.code, names, where)


@needs_bash
@pytest.mark.parametrize("code", ["false", "false; true", "false | true", "echo $unset_name"])
def test_any_command_that_fails_stops_its_page(code: str) -> None:
    with pytest.raises(AssertionError, match="exit code"):
        run_shell(code)


# Checks that need no run.


def test_blocks_that_are_not_run_say_why_and_are_listed_here() -> None:
    found = {
        name_of(page): [
            block.note.removeprefix("not run: ")
            for block in blocks_of(page)
            if block.language in RUN and not block.runs
        ]
        for page in PAGES
    }
    assert {name: reasons for name, reasons in found.items() if reasons} == NOT_RUN


def test_every_block_has_a_known_language_and_every_output_follows_a_block_that_runs() -> None:
    for page in PAGES:
        blocks = blocks_of(page)
        fences = re.findall(r"^ *(?:```|~~~)", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(fences) == 2 * len(blocks), f"{name_of(page)}: a fence was not understood"
        for before, block in zip([None, *blocks], blocks, strict=False):
            where = f"{name_of(page)}:{block.line}"
            assert block.language in (*RUN, *SHOWN), where
            if block.language in RUN:
                assert block.note == "" or block.note.startswith("not run: "), where
            else:
                assert block.note in ("", "output", "example output"), where
            if block.note.endswith("output"):
                assert before is not None, where
                assert before.runs, where


def flags() -> Iterator[str]:
    """Every flag of every command."""
    for command in cli.commands.values():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                yield from (*parameter.opts, *parameter.secondary_opts)


def test_every_flag_that_the_pages_mention_exists() -> None:
    known = {*flags(), "--help", "--version"}
    for page in PAGES:
        for code in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", page.read_text(encoding="utf-8")):
            # Flags of other programs are written with the name of the program.
            if code.startswith(("cargo ", "python ", "pip ", "make ", "vllm ")):
                continue
            for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]*", code):
                assert flag in known, f"{name_of(page)}: {code}"

"""The playground: models and a text end up in the page, and nothing else changes it."""

from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import superword
from superword import Tokenizer, playground
from superword.errors import (
    MissingModelError,
    PlaygroundError,
    SaveError,
    TextError,
)
from superword.playground import pages

PAGE = """\
<!doctype html>
<title>superword playground</title>
<script type="application/octet-stream" id="engine">@ENGINE@</script>
<script type="application/json" id="models">@MODELS@</script>
<script type="application/json" id="start">@START@</script>
"""
ENGINE = b"\0asm and the rest"


@pytest.fixture(autouse=True)
def assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Assets that are not built: these tests need no browser."""
    folder = tmp_path / "assets"
    folder.mkdir()
    (folder / "page.html").write_text(PAGE)
    (folder / "engine.wasm.gz").write_bytes(gzip.compress(ENGINE))
    monkeypatch.setattr(pages, "ASSETS", folder)
    return folder


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    return superword.train_from_iterator(["of the low of the low"] * 3, vocab_size=262)


def element(page: str, name: str) -> str:
    found = re.search(rf'<script type="[^"]+" id="{name}">(.*?)</script>', page, re.DOTALL)
    assert found
    return found[1]


def unpacked(text: str) -> bytes:
    return gzip.decompress(base64.b64decode(text))


def models_in(page: str) -> dict[str, Tokenizer]:
    models: list[dict[str, Any]] = json.loads(element(page, "models"))
    return {model["name"]: Tokenizer.from_bytes(unpacked(model["file"])) for model in models}


def test_the_engine_the_models_and_the_text_are_in_the_page(tok: Tokenizer, tmp_path: Path) -> None:
    tok.save(tmp_path / "wiki.superword")
    page = playground.page([tmp_path / "wiki.superword", tok], text="of the")
    assert unpacked(element(page, "engine")) == ENGINE
    assert models_in(page) == {"wiki": tok, "boundless": tok}
    assert json.loads(element(page, "start")) == {"text": "of the"}


def test_models_of_other_programs_are_converted(tok: Tokenizer, tmp_path: Path) -> None:
    tok.export_huggingface(tmp_path / "exported")
    tok.export_tiktoken(tmp_path / "ranks.tiktoken")
    paths = [tmp_path / "exported", tmp_path / "exported" / "tokenizer.json"]
    models = models_in(playground.page([*paths, tmp_path / "ranks.tiktoken"]))
    assert list(models) == ["exported", "exported (2)", "ranks"]
    for model in models.values():
        assert model.encode("of the low") == tok.encode("of the low")


def test_names_can_be_given(tok: Tokenizer) -> None:
    assert models_in(playground.page({"small": tok, "<b>": tok})) == {"small": tok, "<b>": tok}


def test_a_page_needs_no_model() -> None:
    page = playground.page()
    assert json.loads(element(page, "models")) == []
    assert json.loads(element(page, "start")) == {"text": ""}


@pytest.mark.parametrize(
    "text", ["</script><b>", "<!--<script>", "@MODELS@ @START@", "é\n\0\u2028"]
)
def test_no_text_can_leave_its_element(tok: Tokenizer, text: str) -> None:
    page = playground.page({text: tok}, text=text)
    assert page.count("</script>") == page.count("<script") == 3
    assert json.loads(element(page, "start")) == {"text": text}
    assert list(models_in(page)) == [text]


def test_the_same_input_gives_the_same_page(tok: Tokenizer) -> None:
    assert playground.page([tok], "text") == playground.page([tok], "text")


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(TextError, match="surrogate"):
        playground.page(text="\ud800")


def test_without_assets_the_error_says_how_to_get_them(assets: Path, tmp_path: Path) -> None:
    (assets / "engine.wasm.gz").unlink()
    with pytest.raises(PlaygroundError, match="not built") as caught:
        playground.write(tmp_path / "page.html")
    assert "make playground" in str(caught.value)
    assert not (tmp_path / "page.html").exists()


def test_a_page_without_a_mark_is_refused(assets: Path) -> None:
    (assets / "page.html").write_text(PAGE.replace("@START@", ""))
    with pytest.raises(PlaygroundError, match="@START@"):
        playground.page()


def test_only_pages_are_replaced(tok: Tokenizer, tmp_path: Path) -> None:
    path = playground.write(tmp_path / "page.html", [tok])
    playground.write(path, [], "again")
    assert json.loads(element(path.read_text(), "start")) == {"text": "again"}
    path.write_text("<!doctype html><title>Diary</title>")
    with pytest.raises(SaveError, match="not a page of the playground"):
        playground.write(path)
    assert "Diary" in path.read_text()
    playground.write(path, overwrite=True)
    assert "Diary" not in path.read_text()


def test_a_model_is_never_replaced_by_its_page(tok: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "m.superword"
    tok.save(path)
    with pytest.raises(SaveError, match="one of the inputs"):
        playground.write(path, [str(path)], overwrite=True)
    assert Tokenizer.load(path) == tok


def test_a_wrong_model_leaves_no_page(tmp_path: Path) -> None:
    with pytest.raises(MissingModelError):
        playground.write(tmp_path / "page.html", [tmp_path / "missing.superword"])
    assert [path.name for path in tmp_path.iterdir()] == ["assets"]


def superword_playground(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a process that uses the assets of these tests."""
    code = (
        "from pathlib import Path; from superword import playground;"
        f"playground.pages.ASSETS = Path({str(cwd / 'assets')!r}); playground.LARGE = 2000;"
        "from superword.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "playground", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, input="in")


def test_the_command_writes_a_page_and_says_where(tok: Tokenizer, tmp_path: Path) -> None:
    tok.save(tmp_path / "wiki.superword")
    ended = superword_playground("wiki.superword", "--text", "of the", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "wrote playground.html" in ended.stderr
    assert "warning" not in ended.stderr
    page = (tmp_path / "playground.html").read_text()
    assert models_in(page) == {"wiki": tok}
    assert json.loads(element(page, "start")) == {"text": "of the"}


def test_the_command_warns_of_a_large_page(tmp_path: Path) -> None:
    ended = superword_playground("--text", "of the " * 1000, cwd=tmp_path)
    assert ended.returncode == 0
    assert "warning: the page has" in ended.stderr


def test_the_command_takes_the_text_from_a_file_or_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("größer\n")
    for file, text in [("text.txt", "größer\n"), ("-", "in")]:
        ended = superword_playground("--file", file, "-o", "page.html", cwd=tmp_path)
        assert ended.returncode == 0, ended.stderr
        page = (tmp_path / "page.html").read_text()
        assert json.loads(element(page, "start")) == {"text": text}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["missing.superword"], 1, "missing.superword"),
        (["--text", "a", "--file", "b"], 2, "--text and --file cannot be combined"),
        (["--file", "missing.txt"], 1, "no such file: missing.txt"),
        (["--file", "latin1.txt"], 1, "invalid UTF-8"),
        (["-o", "latin1.txt"], 1, "not a page of the playground"),
        (["-o", "missing/page.html"], 1, "there is no directory missing"),
        (["--file", "text.txt", "-o", "text.txt", "--force"], 1, "one of the inputs"),
    ],
)
def test_wrong_arguments_are_explained(
    arguments: list[str], code: int, message: str, tmp_path: Path
) -> None:
    (tmp_path / "latin1.txt").write_bytes(b"gr\xf6\xdfer")
    (tmp_path / "text.txt").write_text("text")
    ended = superword_playground(*arguments, cwd=tmp_path)
    assert ended.returncode == code
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "playground.html").exists()

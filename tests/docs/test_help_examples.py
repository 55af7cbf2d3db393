"""Every example in the help of a command runs. The site shows these examples too."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import superword
from superword import counts, plans
from superword.cli import cli

# A process for each example takes long, so `make docs` runs them, not `make test`.
pytestmark = pytest.mark.site

# Why an example is not run here: what it contains, and the reason.
NOT_RUN = {
    "--engine ray": "needs Ray; tests/cluster runs such commands",
    "'/data/": "names a directory of the system",
    "completion zsh": "needs zsh",
}
PAGE = Path(superword.__file__).parent / "playground" / "assets" / "page.html"


def texts() -> list[str]:
    """Some modules of Python's standard library: text that every machine has."""
    modules = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    found = [path.read_text(encoding="utf-8") for path in modules]
    return [text for text in found if 5_000 < len(text) < 40_000][:40]


TEXTS = texts()


def examples() -> Iterator[str]:
    commands: list[click.Command] = [cli, *cli.commands.values()]
    for command in commands:
        _, _, lines = (command.epilog or "").partition("Examples:\n")
        assert lines, f"{command.name} has no examples"
        # A line that ends in a backslash continues on the next one.
        yield from map(str.strip, re.sub(r"\\\n\s+", "", lines).splitlines())


def jsonl(path: Path, texts: list[str], field: str = "text") -> bytes:
    lines = "".join(json.dumps({field: text}) + "\n" for text in texts).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines)
    return lines


def shell(command: str, folder: Path) -> None:
    """Run a command in bash. It must succeed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # `--open` starts BROWSER instead of a browser.
    environment = {**os.environ, "PATH": path, "HOME": str(folder), "BROWSER": "true"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"


def write_texts(folder: Path) -> None:
    """The texts that the examples read."""
    pa = pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")
    import pyarrow.parquet as pq
    import zstandard

    for name in ("corpus/de/1", "corpus/en/1", "held-out", "a"):
        jsonl(folder / f"{name}.jsonl", TEXTS)
    for i in range(8):
        jsonl(folder / f"planned/{i}.jsonl", TEXTS[i * 5 : i * 5 + 5])
        jsonl(folder / f"shard-0{i}/part.jsonl", TEXTS[i : i + 1])
    scratch = folder / "scratch.jsonl"
    (folder / "big.jsonl.gz").write_bytes(gzip.compress(jsonl(scratch, TEXTS[:5])))
    for name, field in (("shards/below/1", "body"), ("big", "text"), ("docs/2", "text")):
        target = folder / f"{name}.jsonl.zst"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(zstandard.compress(jsonl(scratch, TEXTS[:5], field)))
    for name in ("a.txt", "b.txt", "text.txt", "notes.md"):
        (folder / name).write_text(TEXTS[0])
    pq.write_table(pa.table({"content": TEXTS[:5]}), folder / "web.parquet")
    (folder / "chat.jinja").write_text("{% for m in messages %}{{ m.content }}{% endfor %}")
    (folder / ".config/fish/completions").mkdir(parents=True)


def write_models(folder: Path) -> None:
    """The models and the files of other programs."""
    # The words come before the superwords, so that tiktoken can have the same ids.
    tokenizer = superword.train_from_iterator(
        TEXTS,
        vocab_size=16_500,
        method="superbpe",
        supermerges=4000,
        special_tokens=["<|endoftext|>"],
    )
    for name in ("wiki", "m", "boundless", "a", "b", "chat"):
        tokenizer.save(folder / f"{name}.superword")
    words = superword.train_from_iterator(TEXTS, vocab_size=2000, method="bpe")
    for name in ("words", "bpe"):
        words.save(folder / f"{name}.superword")
    (folder / "ids.txt").write_text(" ".join(map(str, tokenizer.encode("as well as"))) + "\n")
    tokenizer.export_huggingface(folder / "exported")
    tokenizer.export_tiktoken(folder / "m.tiktoken")
    words.export_huggingface(folder / "Qwen3-8B")
    shutil.copytree(folder / "Qwen3-8B", folder / "gpt2")
    shutil.copy(folder / "gpt2" / "tokenizer.json", folder)
    ranks = [base64.b64encode(words.token_bytes(i)).decode() for i in range(words.n_vocab)]
    (folder / "o200k.tiktoken").write_text("".join(f"{r} {i}\n" for i, r in enumerate(ranks)))
    config = {
        "pattern": words.pretokenizer.pattern,
        "default_vocab_size": len(ranks) + 30,
        "default_num_special_tokens": 30,
        "version": "v3",
    }
    vocab = [{"rank": i, "token_bytes": r, "token_str": None} for i, r in enumerate(ranks)]
    (folder / "tekken.json").write_text(json.dumps({"config": config, "vocab": vocab}))


def write_counts(folder: Path) -> None:
    """A plan with the counts of all its tasks, added up, and the counts of two parts."""
    plan = plans.Plan.make([folder / "planned"], task_size=1)
    plan.save(folder / "plan.json")
    for task in plan.tasks:
        plans.count_task(plan, task, folder / "counts")
    done = sorted((folder / "counts").iterdir())
    for partition in range(plan.partitions):
        counts.merge_partition(done, partition, folder / "all-counts")
    for part in ("counts-06.parquet", "counts-07.parquet"):
        shell(f"superword count shard-{part[7:9]}/ -o {part}", folder)
    shutil.copy(folder / "counts-07.parquet", folder / "counts.parquet")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with everything that the examples assume."""
    pytest.importorskip("tokenizers", reason="pip install 'superword[huggingface]'")
    pytest.importorskip("tiktoken", reason="pip install 'superword[tiktoken]'")
    folder = tmp_path_factory.mktemp("examples")
    write_texts(folder)
    write_models(folder)
    write_counts(folder)
    shell("superword evaluate wiki.superword --on held-out.jsonl -q -o result.json", folder)
    shell("superword train corpus/ --vocab-size 2000 --work-dir work -o x.superword", folder)
    return folder


@pytest.mark.parametrize("example", list(dict.fromkeys(examples())))
def test_the_examples_in_the_help_run(example: str, prepared: Path, tmp_path: Path) -> None:
    for part, reason in NOT_RUN.items():
        if part in example:
            pytest.skip(reason)
    if "| jq" in example and not shutil.which("jq"):
        pytest.skip("needs jq")
    if "superword playground" in example and not PAGE.exists():
        pytest.skip("the page is not built; run `make playground`")
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    shell(example, tmp_path)


def test_every_reason_not_to_run_an_example_has_an_example() -> None:
    assert all(any(part in example for example in examples()) for part in NOT_RUN)

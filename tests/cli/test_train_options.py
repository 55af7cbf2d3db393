"""Every flag of `superword train` does what the option of the same name does in Python."""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import pytest
import superword
from click.testing import CliRunner, Result
from superword import Pretokenizer
from superword.cli import cli
from superword.errors import ShortfallWarning

TRAIN = cli.commands["train"]
FLAGS = {option.name: option for option in TRAIN.params if isinstance(option, click.Option)}
# Flags about the run instead of the model. Other tests of this directory cover them.
RUN_FLAGS = {"output", "counts", "candidates", "base", "also", "overwrite", "as_json", "quiet"}
RUN_FLAGS |= {"engine", "address"}
# A pattern that, unlike the presets, may put Han and Hiragana into one pretoken.
PATTERN = r" ?[\p{L}\p{M}]+|[^\p{L}]"


@dataclass(frozen=True)
class Case:
    """Flags, the same options in Python, and whether they change the model."""

    flags: list[str]
    options: dict[str, Any] = field(default_factory=dict)
    changes_model: bool = True


CASES = {
    "vocab_size": Case(["--vocab-size", "390"], {"vocab_size": 390}),
    "method": Case(["--method", "bpe"], {"method": "bpe"}),
    "supermerges": Case(
        ["--method", "superbpe", "--supermerges", "10"], {"method": "superbpe", "supermerges": 10}
    ),
    "pretokenizer": Case(["--pretokenizer", "gpt2"], {"pretokenizer": "gpt2"}),
    "pattern": Case(["--pattern", PATTERN], {"pretokenizer": Pretokenizer(pattern=PATTERN)}),
    "script_pattern": Case(
        ["--pattern", PATTERN, "--script-pattern", ".", "--scripts", "Han"],
        {"pretokenizer": Pretokenizer(pattern=PATTERN, script_pattern=".", scripts=["Han"])},
    ),
    "scripts": Case(
        ["--pattern", PATTERN, "--script-pattern", ".", "--scripts", "Han, Hiragana"],
        {
            "pretokenizer": Pretokenizer(
                pattern=PATTERN, script_pattern=".", scripts=["Han", "Hiragana"]
            )
        },
    ),
    "eligible": Case(
        ["--pattern", PATTERN, "--eligible", "[aeiou]"],
        {"pretokenizer": Pretokenizer(pattern=PATTERN, eligible="[aeiou]")},
    ),
    "alphabet": Case(["--alphabet", "utf8"], {"alphabet": "utf8"}),
    "min_count": Case(["--min-count", "40"], {"min_count": 40}),
    "picky": Case(["--picky", "0.6"], {"picky": 0.6}),
    "picky_split": Case(
        ["--picky", "0.6", "--picky-split", "bytes"], {"picky": 0.6, "picky_split": "bytes"}
    ),
    "greedy_split": Case(["--greedy-split", "encode"], {"greedy_split": "encode"}),
    "max_words": Case(["--max-words", "2"], {"max_words": 2}),
    "same_script": Case(["--same-script"], {"same_script": True}),
    "boundary": Case(["--boundary", "space"], {"boundary": "space"}),
    "veto": Case(["--veto", "of"], {"veto": "of"}),
    "special_tokens": Case(
        ["--special-token", "<|b|>", "--special-token", "<|a|>"],
        {"special_tokens": ["<|b|>", "<|a|>"]},
    ),
    "threads": Case(["--threads", "1"], {"threads": 1}, changes_model=False),
    "text_field": Case(["--text-field", "title"], {"text_field": "title"}),
    "max_bytes": Case(["--max-bytes", "6kB"], {"max_bytes": 6000}),
    "sample": Case(["--sample", "6kB"], {"sample": 6000}),
    "seed": Case(["--sample", "6kB", "--seed", "7"], {"sample": 6000, "seed": 7}),
    "weights": Case(
        ["--weight", "rest=3", "--weight", "first=0"], {"weights": {"rest": 3, "first": 0}}
    ),
    "work_dir": Case(["--work-dir", "work"], changes_model=False),
    "max_memory": Case(["--max-memory", "1GB"], changes_model=False),
    "on_error": Case(["--on-error", "skip"], {"on_error": "skip"}, changes_model=False),
    "format": Case(["--format", "lines"], {"format": "lines"}),
}


@pytest.fixture
def groups(tmp_path: Path, texts: list[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Two groups of one file each. The texts have titles, and no two are the same."""
    monkeypatch.chdir(tmp_path)
    rows = [{"text": f"{text} {i}", "title": text[:40]} for i, text in enumerate(texts)]
    for name, part in {"first": rows[:12], "rest": rows[12:]}.items():
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in part))
    return {"first": "first.jsonl", "rest": "rest.jsonl"}


def run(groups: dict[str, str], *flags: str) -> Result:
    inputs = [f"{name}={path}" for name, path in groups.items()]
    size = [] if "--vocab-size" in flags else ["--vocab-size", "400"]
    command = ["train", *inputs, *size, *flags, "--quiet", "-o", "m.superword"]
    return CliRunner().invoke(cli, command)


def trained(groups: dict[str, str], *flags: str) -> superword.Tokenizer:
    result = run(groups, *flags)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    return superword.Tokenizer.load("m.superword")


def test_every_option_has_a_case() -> None:
    assert set(CASES) == set(FLAGS) - RUN_FLAGS


@pytest.mark.parametrize("name", CASES)
def test_train_understands_every_option(name: str, groups: dict[str, str]) -> None:
    case = CASES[name]
    got = trained(groups, *case.flags)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        assert got == superword.train(groups, **{"vocab_size": 400, **case.options})
    # The cases are chosen so that ignoring an option is noticed.
    default = trained(groups)
    assert (got.to_bytes() != default.to_bytes()) == case.changes_model


@pytest.mark.parametrize(
    ("more", "fewer"),
    [("seed", "sample"), ("scripts", "script_pattern"), ("picky_split", "picky")],
)
def test_options_that_need_another_one_have_an_effect_too(
    more: str, fewer: str, groups: dict[str, str]
) -> None:
    assert trained(groups, *CASES[more].flags) != trained(groups, *CASES[fewer].flags)


def test_options_that_do_not_change_the_model_still_reach_the_engine(
    groups: dict[str, str],
) -> None:
    trained(groups, "--work-dir", "work")
    assert any(Path("work").iterdir())
    refused = run(groups, "--max-memory", "1MB")
    assert refused.exit_code == 2
    assert "--max-memory" in refused.stderr
    refused = run(groups, "--threads", "-1")
    assert refused.exit_code == 2
    assert "threads" in refused.stderr
    with Path("rest.jsonl").open("a") as file:
        file.write("{oops\n")
    assert run(groups).exit_code == 1
    assert run(groups, "--on-error", "skip").exit_code == 0


def test_every_option_of_train_has_one_help_entry() -> None:
    help_text = CliRunner().invoke(cli, ["train", "--help"], terminal_width=100).stdout
    # An entry starts with its flag, indented by two; its text follows there or on the next line.
    entries = re.split(r"\n(?=  -)", help_text)[1:]
    by_flag: dict[str, list[str]] = {}
    for entry in entries:
        flags, _, rest = entry.strip().partition("  ")
        for flag in re.findall(r"--[a-z-]+", flags):
            by_flag.setdefault(flag, []).append(" ".join(rest.split()))
    for option in FLAGS.values():
        flag = option.opts[-1]
        assert len(by_flag.pop(flag)) == 1, flag
    assert set(by_flag) == {"--help"}
    for option in FLAGS.values():
        assert option.help, option.name
        assert " ".join(option.help.split()) in " ".join(help_text.split()), option.name

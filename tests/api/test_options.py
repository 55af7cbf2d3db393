"""One definition of every option: the API, the command line and the engine agree with it."""

from __future__ import annotations

import ast
import inspect
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import click
import pytest
import superword
from superword.cli.commands.train import train as train_command
from superword.cli.options import in_sections
from superword.cli.pretokenizers import PATTERN_OPTIONS
from superword.errors import OptionError
from superword.options import FILES_ONLY, GREEDY_SPLIT, TrainOptions

# Parameters of the command that are not training options.
RUN_OPTIONS = (
    "output",
    "counts",
    "candidates",
    "base",
    "also",
    "overwrite",
    "as_json",
    "quiet",
    "engine",
    "address",
)

# A sample needs one pass over the whole text before all others.
SAMPLING = {"sample", "seed", "max_bytes"}

DEFINED = {option.name: option for option in fields(TrainOptions)}


def keywords(function: Any) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(function).parameters
    kept = {n: p for n, p in parameters.items() if p.kind is inspect.Parameter.KEYWORD_ONLY}
    del kept["progress"]
    return kept


@pytest.mark.parametrize("function", [superword.train, superword.train_from_iterator])
def test_signature_has_the_names_types_and_defaults_of_the_definition(function: Any) -> None:
    found = keywords(function)
    left_out = () if function is superword.train else FILES_ONLY
    assert set(found) == {name for name in DEFINED if name not in left_out}
    for name, parameter in found.items():
        default = DEFINED[name].default
        wanted = inspect.Parameter.empty if default is MISSING else default
        assert parameter.default == wanted, name
        assert parameter.annotation == DEFINED[name].type, name


@pytest.mark.parametrize(
    ("module", "left_out", "own"),
    [
        ("ray/__init__.py", SAMPLING, {"address", "partitions", "task_size"}),
        ("spark/driver.py", {*SAMPLING, "weights", "format"}, set()),
    ],
)
def test_clusters_take_the_same_options(module: str, left_out: set[str], own: set[str]) -> None:
    # Read from the source, because Ray and Spark need not be installed.
    path = Path(superword.__file__).parent / "integrations" / module
    functions = [
        node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)
    ]
    (train,) = [function for function in functions if function.name == "train"]
    found = dict(zip((a.arg for a in train.args.kwonlyargs), train.args.kw_defaults, strict=True))
    assert set(found) == {*DEFINED, "progress", *own} - left_out
    for name in set(found) & set(DEFINED):
        default, wanted = found[name], DEFINED[name].default
        if isinstance(default, ast.Constant) or default is None:
            given = MISSING if default is None else default.value
            assert given == wanted, name


def test_command_line_has_the_names_and_defaults_of_the_definition() -> None:
    found = {p.name: p for p in train_command.params if isinstance(p, click.Option)}
    for extra in (*RUN_OPTIONS, *PATTERN_OPTIONS):
        del found[extra]
    assert list(found) == [option.name for option in in_sections(fields(TrainOptions))]
    for name, option in found.items():
        if name == "pretokenizer":  # None, so that --pattern can be given instead.
            continue
        default = DEFINED[name].default
        if default is MISSING:
            assert name == "vocab_size"  # Checked by the command: --base sets the size.
        elif name == "greedy_split":
            assert GREEDY_SPLIT[str(option.default)] is default
        elif option.multiple:
            assert not option.default
        else:
            assert option.default == default, name
        choices = DEFINED[name].metadata["choices"]
        if choices:
            assert isinstance(option.type, click.Choice)
            assert tuple(option.type.choices) == choices
        assert option.help
        assert option.help.startswith(DEFINED[name].metadata["meaning"])


def test_engine_gets_every_option_but_those_that_go_with_the_sources() -> None:
    given = TrainOptions(vocab_size=1000, special_tokens=["<|x|>"]).for_engine()
    assert set(given) == set(DEFINED) - {"format", "weights", "max_bytes", "work_dir"}
    assert given["threads"] == 0
    assert given["greedy_split"] == "off"
    assert given["special_tokens"] == ["<|x|>"]


def test_saved_facts_name_the_options(boundless: superword.Tokenizer) -> None:
    saved = boundless.facts["options"]
    # The file stores the pretokenizer separately. The others do not affect the model.
    elsewhere = {"pretokenizer", "threads", "text_field", "on_error", "format", "weights"}
    elsewhere |= {"work_dir", "max_memory", "max_bytes"}  # max_bytes is saved as sample.
    assert set(saved) == set(DEFINED) - elsewhere
    assert saved["vocab_size"] == 440
    assert saved["method"] == "boundless"


@pytest.mark.parametrize(
    ("given", "option", "says"),
    [
        ({"vocab_size": 255}, "vocab_size", "256 or more"),
        ({"vocab_size": 242, "alphabet": "utf8"}, "vocab_size", "243 or more"),
        ({"vocab_size": 257, "special_tokens": ["a", "b"]}, "vocab_size", "258 or more"),
        (
            {"vocab_size": 300, "method": "superbpe", "supermerges": 45},
            "vocab_size",
            "301 or more",
        ),
        ({"vocab_size": 0}, "vocab_size", "whole number"),
        ({"vocab_size": "many"}, "vocab_size", "whole number"),
        ({"vocab_size": True}, "vocab_size", "whole number"),
        ({"vocab_size": 2**70}, "vocab_size", "whole number"),
        ({"method": "boundles"}, "method", "did you mean 'boundless'"),
        ({"method": "BPE"}, "method", "did you mean 'bpe'"),
        ({"method": None}, "method", "one of bpe"),
        ({"method": "bpe", "supermerges": 5}, "supermerges", "learns no superwords"),
        ({"method": "boundless", "supermerges": 5}, "supermerges", "finds the number itself"),
        ({"method": "superbpe"}, "supermerges", "give supermerges"),
        ({"method": "superbpe", "supermerges": 0}, "supermerges", "1 or more"),
        ({"method": "bpe", "max_words": 3}, "max_words", "learns no superwords"),
        ({"method": "bpe", "same_script": True}, "same_script", "learns no superwords"),
        ({"method": "bpe", "boundary": "space"}, "boundary", "learns no superwords"),
        ({"method": "bpe", "veto": "x"}, "veto", "learns no superwords"),
        ({"method": "bpe", "greedy_split": True}, "greedy_split", "learns no superwords"),
        ({"picky": 0}, "picky", "above 0"),
        ({"picky": 1.01}, "picky", "at most 1"),
        ({"picky": -1}, "picky", "above 0"),
        ({"picky": float("nan")}, "picky", "above 0"),
        ({"picky": "x"}, "picky", "above 0"),
        ({"picky_split": "bytes"}, "picky_split", "without picky"),
        ({"max_words": 1}, "max_words", "2 or more"),
        ({"min_count": 0}, "min_count", "1 or more"),
        ({"threads": -1}, "threads", "0 or more"),
        ({"greedy_split": "always"}, "greedy_split", '"encode"'),
        ({"veto": ""}, "veto", "not empty"),
        ({"same_script": "no"}, "same_script", "True or False"),
        ({"max_bytes": "10 parsecs"}, "max_bytes", "10GB"),
        ({"max_bytes": 0}, "max_bytes", "1 or more"),
        ({"sample": 0}, "sample", "1 or more"),
        ({"sample": "1GB", "max_bytes": "1GB"}, "sample", "mean the same"),
        ({"seed": 7}, "seed", "without sample"),
        ({"seed": -1, "sample": 5}, "seed", "0 or more"),
        ({"weights": {"de": -1}}, "weights", "from 0 to"),
        ({"weights": {"de": "x"}}, "weights", "from 0 to"),
        ({"weights": ["de"]}, "weights", "weights={'de': 2.0}"),
        ({"weights": "de=2"}, "weights", "a mapping"),
        ({"on_error": "ignore"}, "on_error", "stop, skip"),
        ({"format": "json"}, "format", "jsonl"),
        ({"pretokenizer": "gpt4-o"}, "pretokenizer", "gpt4o"),
        ({"pretokenizer": 4}, "pretokenizer", "a name or a Pretokenizer"),
        ({"special_tokens": "<|x|>"}, "special_tokens", "special_tokens=['<|x|>']"),
        ({"special_tokens": ["a", "a"]}, "special_tokens", "special token 1"),
        ({"special_tokens": [""]}, "special_tokens", "empty"),
        ({"special_tokens": [b"x"]}, "special_tokens", "not a string"),
        ({"special_tokens": ["\ud800"]}, "special_tokens", "surrogate"),
        ({"special_tokens": None}, "special_tokens", "a list of strings"),
        ({"weights": None}, "weights", "a mapping"),
        ({"weights": 5}, "weights", "a mapping"),
        ({"text_field": "\ud800"}, "text_field", "not valid Unicode"),
        ({"veto": "\ud800"}, "veto", "not valid Unicode"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(
    given: dict[str, Any], option: str | None, says: str
) -> None:
    with pytest.raises(OptionError) as caught:
        TrainOptions(**{"vocab_size": 1000, **given})
    assert caught.value.option == option
    assert says in str(caught.value)


def test_sizes_are_understood_as_people_write_them() -> None:
    for text, size in {"10GB": 10**10, "4MiB": 4 << 20, "1.5k": 1500, "12": 12}.items():
        assert TrainOptions(vocab_size=1000, max_bytes=text).max_bytes == size


def test_smallest_vocabularies_are_accepted() -> None:
    TrainOptions(vocab_size=256)
    TrainOptions(vocab_size=243, alphabet="utf8")
    TrainOptions(vocab_size=258, special_tokens=["a", "b"])
    TrainOptions(vocab_size=300, method="superbpe", supermerges=44)
    TrainOptions(vocab_size=1000, picky=1, picky_split="bytes")

"""Results of evaluations survive a round trip through a file, and bad files are explained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from superword.errors import MissingInputError, ResultFileError, SaveError
from superword.evaluation.results import Evaluation
from support.evaluations import bare, evaluation


@pytest.mark.parametrize("made", [evaluation(), bare(evaluation()), evaluation(1, 1, extras=False)])
def test_a_saved_result_is_the_same_when_loaded(made: Evaluation, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    made.save(path)
    assert Evaluation.load(path) == made
    content = json.loads(path.read_text())
    assert content["format"] == 1
    assert content["superword"] == made.version
    assert content["models"][0]["numbers"]["all"]["use"]["used"].keys() == {"part", "total"}
    assert Evaluation.from_json(made.to_json()) == made


def test_a_result_replaces_a_result_and_no_other_file(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    evaluation(1).save(path)
    evaluation(2).save(path)
    assert len(Evaluation.load(path).models) == 2
    path.write_text('{"notes": 1}')
    with pytest.raises(SaveError, match="not the result of an evaluation"):
        evaluation(1).save(path)
    assert path.read_text() == '{"notes": 1}'
    evaluation(1).save(path, overwrite=True)
    assert len(Evaluation.load(path).models) == 1


def changed(path: list[str | int], value: Any) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(json.dumps(evaluation(2, 2).to_json()))
    inner: Any = content
    for name in path[:-1]:
        inner = inner[name]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return content


@pytest.mark.parametrize(
    ("path", "value", "field", "problem"),
    [
        (["groups"], ..., "groups", "is missing"),
        (["groups"], {}, "groups", "must be an array, not an object"),
        (["groups", 1, "bytes"], "many", "groups[1].bytes", 'a whole number .*, not "many"'),
        (["groups", 1, "bytes"], -1, "groups[1].bytes", "a whole number .*, not -1"),
        (["groups", 1, "bytes"], 10**400, "groups[1].bytes", "a whole number .*, not 1000"),
        (["groups", 1, "bytes"], True, "groups[1].bytes", "a whole number .*, not true"),
        (["models", 0, "name"], 3, "models[0].name", "must be a string, not 3"),
        (["models", 0, "vocabulary"], None, "models[0].vocabulary", "an object, not null"),
        (
            ["models", 1, "numbers", "all", "size", "bytes_per_token"],
            float("nan"),
            "models[1].numbers.all.size.bytes_per_token",
            "must be a number, not NaN",
        ),
        (
            ["models", 0, "numbers", "de", "distribution", "entropy", "2.5"],
            [],
            'models[0].numbers.de.distribution.entropy["2.5"]',
            "must be a number, not an array",
        ),
        (
            ["models", 0, "curves", "merge_counts", 0],
            [1, 2, 3],
            "models[0].curves.merge_counts[0]",
            "must have 2 values, not 3",
        ),
        (["models", 1, "name"], "bpe", "models", "different names; 'bpe' is there twice"),
        (["reference"], "gpt9", "reference", "must name a model, not 'gpt9'"),
    ],
)
def test_a_wrong_field_is_named(
    path: list[str | int], value: Any, field: str, problem: str, tmp_path: Path
) -> None:
    file = tmp_path / "result.json"
    file.write_text(json.dumps(changed(path, value)))
    with pytest.raises(ResultFileError, match=problem) as caught:
        Evaluation.load(file)
    assert caught.value.field == field
    assert caught.value.path == str(file)
    assert caught.value.message.startswith(f"{file}: {field} ")
    assert caught.value.hint == "evaluate again with superword evaluate"


def test_another_format_is_refused_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    for format, hint in [(2, "update superword"), (0, "evaluate again"), ("x", "evaluate again")]:
        file.write_text(json.dumps(changed(["format"], format)))
        with pytest.raises(ResultFileError, match="reads format 1") as caught:
            Evaluation.load(file)
        assert caught.value.hint is not None
        assert caught.value.hint.startswith(hint)


@pytest.mark.parametrize("content", [b"", b"not json", b"\xff\xfe", b"[" * 100_000, b'{"a": 1}'])
def test_other_files_are_no_results(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(content)
    with pytest.raises(ResultFileError, match="not the result of an evaluation") as caught:
        Evaluation.load(file)
    assert caught.value.path == str(file)


def test_a_missing_file_and_a_directory_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="there is no file"):
        Evaluation.load(tmp_path / "none.json")
    with pytest.raises(FileNotFoundError):
        Evaluation.load(tmp_path / "none.json")
    with pytest.raises(ResultFileError, match="cannot be read: Is a directory"):
        Evaluation.load(tmp_path)


def test_unknown_fields_are_ignored_and_names_are_valid_unicode(tmp_path: Path) -> None:
    content = changed(["models", 0, "path"], "caf\udce9")
    content["later"] = 1
    content["models"][0]["later"] = 1
    loaded = Evaluation.from_json(content)
    assert loaded.models[0].path == "caf\ufffd"
    loaded.save(tmp_path / "result.json")

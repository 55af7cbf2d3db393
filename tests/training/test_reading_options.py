"""For every pair of reading options, training sees the documents that the docs promise.

Each case of `support.reading_cases` is trained in the way it asks for and compared with plain
training on an explicit list of documents.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import superword
from click.testing import CliRunner
from superword.cli import cli
from support.pairwise import all_pairs, covers
from support.reading_cases import (
    CASES,
    PARAMETERS,
    WEIGHTS,
    case_name,
    conflict,
    expected_documents,
    sampled_documents,
    size_of,
    write_inputs,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore::superword.errors.ShortfallWarning"),
    pytest.mark.filterwarnings("ignore::superword.errors.SkippedWarning"),
]


def learning_options(case: dict[str, Any]) -> dict[str, Any]:
    options = {"vocab_size": 330, "method": case["method"]}
    return options | ({"supermerges": 12} if case["method"] == "superbpe" else {})


def reading_options(case: dict[str, Any]) -> dict[str, Any]:
    """Return the options that decide which documents count."""
    options: dict[str, Any] = {"text_field": case["text_field"], "on_error": case["on_error"]}
    size = size_of(case)
    if size is not None:
        options["max_bytes" if case["size"] == "max_bytes" else "sample"] = size
        options["seed"] = case["seed"]
    if case["format"] in ("lines", "paragraphs"):
        options["format"] = case["format"]
    if WEIGHTS[case["weights"]]:
        options["weights"] = WEIGHTS[case["weights"]]
    return options


def train(inputs: dict[str, Any], face: str, output: Path, options: dict[str, Any]) -> bytes:
    """Train with the Python function or the command, and return the bytes of the model."""
    if face == "python":
        return superword.train(inputs, **options).to_bytes()
    command = ["train", "--quiet", "-o", str(output)]
    for group, paths in inputs.items():
        command += [f"{group}={path}" for path in ([paths] if isinstance(paths, str) else paths)]
    for name, value in options.items():
        if name == "weights":
            for group, weight in value.items():
                command += ["--weight", f"{group}={weight}"]
        else:
            command += ["--" + name.replace("_", "-"), str(value)]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.stderr
    return output.read_bytes()


def test_every_pair_of_values_occurs_in_a_case() -> None:
    for pair in all_pairs(PARAMETERS, conflict):
        assert any(covers(case, pair) for case in CASES), pair


@pytest.mark.parametrize("case", CASES, ids=case_name)
def test_training_sees_the_documents_that_the_options_select(
    case: dict[str, Any], tmp_path: Path
) -> None:
    if case["format"] in ("parquet", "arrow"):
        pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")
    inputs, damaged = write_inputs(tmp_path, case)
    options = learning_options(case) | reading_options(case)
    how: dict[str, Any] = {"threads": case["threads"]}
    if case["max_memory"]:
        how["max_memory"] = case["max_memory"]
    if case["work_dir"]:
        how["work_dir"] = tmp_path / "work"
    model = train(inputs, case["face"], tmp_path / "m.superword", options | how)

    got = superword.Tokenizer.from_bytes(model)
    wanted = superword.train_from_iterator(expected_documents(case), **learning_options(case))
    assert got.merges == wanted.merges
    assert got.supermerges == wanted.supermerges
    assert got.n_vocab == wanted.n_vocab
    assert got.facts["pretokens"] == wanted.facts["pretokens"]
    assert got.facts["skipped_documents"] == damaged
    assert_facts_of_groups(got, case)

    # How the work is done does not change a byte, and neither does doing it again.
    assert superword.train(inputs, threads=1, **options).to_bytes() == model
    if case["work_dir"]:
        assert train(inputs, case["face"], tmp_path / "again", options | how) == model


def assert_facts_of_groups(got: superword.Tokenizer, case: dict[str, Any]) -> None:
    weights = WEIGHTS[case["weights"]]
    assert set(got.facts["groups"]) == {"first", "second"}
    for group, facts in got.facts["groups"].items():
        chosen = [document.text for document in sampled_documents(case) if document.group == group]
        assert facts["weight"] == weights.get(group, 1.0)
        # Below 1, only a share of the documents counts.
        if facts["weight"] >= 1:
            assert facts["documents"] == len(chosen)
            assert facts["bytes"] == sum(len(text.encode()) for text in chosen)

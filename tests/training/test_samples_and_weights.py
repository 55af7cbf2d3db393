"""Samples and weights decide which documents count how often, in whatever files they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import superword
from superword.errors import InputError, OptionError
from superword.inputs import Texts, documents
from superword.stages import count_pretokens


def test_a_sample_is_drawn_from_all_files_and_by_the_seed(tmp_path: Path) -> None:
    texts = [f"w{i} of the text" for i in range(400)]
    for number in range(8):
        (tmp_path / f"{number}.txt").write_text("\n".join(texts[number * 50 : number * 50 + 50]))
    size = sum(map(len, texts)) // 4
    cut = superword.Pretokenizer(pattern=r"\S+|\s+")
    whole = count_pretokens(tmp_path, format="lines", sample=size, seed=7, pretokenizer=cut)
    backwards = Texts(reversed(texts))
    assert whole == count_pretokens(backwards, sample=size, seed=7, threads=1, pretokenizer=cut)
    for number in range(8):
        words = [f"w{i}".encode() for i in range(number * 50, number * 50 + 50)]
        assert 0 < sum(word in whole for word in words) < 50
    assert 0.8 * size < whole.facts["bytes"] <= size
    assert count_pretokens(Texts(texts), sample=size, seed=8, pretokenizer=cut) != whole
    assert count_pretokens(Texts(texts), sample=size) == count_pretokens(
        Texts(texts), max_bytes=size
    )
    tok = superword.train_from_iterator(texts, vocab_size=300, sample=size, seed=7)
    assert tok.facts["options"]["sample"] == size
    assert tok.facts["options"]["seed"] == 7


@pytest.mark.filterwarnings("ignore::superword.errors.SkippedWarning")
@pytest.mark.parametrize("kept", [False, True])
def test_what_is_learned_from_a_sample_is_learned_from_its_documents(
    tmp_path: Path, texts: list[str], kept: bool
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(4):
        lines = [json.dumps({"text": text}) for text in texts[number::4]]
        lines.insert(number, "{broken")
        (folder / f"{number}.jsonl").write_text("\n".join(lines))
    given: dict[str, Any] = {"vocab_size": 420, "on_error": "skip"}
    sample: dict[str, Any] = {"sample": 6000, "seed": 4}
    drawn = list(documents(folder, on_error="skip", **sample))
    assert 2 < len(drawn) < len(texts)
    wanted = superword.train_from_iterator(drawn, vocab_size=420)
    work: dict[str, Any] = {"work_dir": tmp_path / "work"} if kept else {}
    for _ in range(2):
        got = superword.train(folder, **given, **sample, **work)
        assert got.merges == wanted.merges
        assert got.supermerges == wanted.supermerges
        for name in ("documents", "bytes", "pretokens", "unique_pretokens"):
            assert got.facts[name] == wanted.facts[name], name
        assert got.facts["skipped_documents"] == 4


def test_whole_weights_equal_documents_given_that_often(texts: list[str]) -> None:
    a, b = texts[:10], texts[10:]
    for threads in (1, 3):
        got = superword.train(
            {"a": Texts(a), "b": Texts(b)}, vocab_size=420, weights={"a": 3}, threads=threads
        )
        wanted = superword.train_from_iterator(a * 3 + b, vocab_size=420)
        assert got.merges == wanted.merges
        assert got.supermerges == wanted.supermerges
        assert got.facts["groups"]["a"] == {
            "weight": 3.0,
            "documents": 10,
            "bytes": sum(len(t.encode()) for t in a),
        }
        assert got.facts["groups"]["b"]["weight"] == 1.0
        assert "groups" not in wanted.facts


def test_fractions_count_that_share_and_zero_counts_nothing() -> None:
    texts = [f"x{i}" for i in range(4000)]
    counts = count_pretokens({"g": Texts(texts)}, pretokenizer="gpt2", weights={"g": 2.25})
    assert 2.2 < counts[b"x"] / len(texts) < 2.3
    # Each number is in one document, which counts two or three times.
    assert set(counts.values()) == {2, 3, counts[b"x"]}
    shuffled = count_pretokens(
        {"g": [Texts(texts[::2]), Texts(texts[1::2])]}, pretokenizer="gpt2", weights={"g": 2.25}
    )
    assert shuffled == counts
    with_nothing = count_pretokens({"g": Texts(texts), "h": Texts(["y z"])}, weights={"g": 0})
    assert dict(with_nothing) == {b"y": 1, b" z": 1}


def test_groups_on_the_command_line(tmp_path: Path) -> None:
    from click.testing import CliRunner
    from superword.cli import cli

    (tmp_path / "de.txt").write_text("ab ab")
    (tmp_path / "x=y.txt").write_text("cd cd cd")
    output = tmp_path / "c.tsv"
    arguments = ["count", f"de={tmp_path}/de.txt", f"{tmp_path}/x=y.txt", "-o", str(output)]
    result = CliRunner().invoke(cli, [*arguments, "--weight", "de=4"])
    assert result.exit_code == 0, result.stderr
    lines = output.read_text().splitlines()[1:]
    assert lines == [" ab\t4", " cd\t2", "ab\t4", "cd\t1"]
    wrong = CliRunner().invoke(cli, [*arguments, "--weight", "dee=4"])
    assert wrong.exit_code == 2
    assert "did you mean 'de'" in wrong.stderr


def test_weights_of_no_group_and_files_in_two_groups_are_refused(jsonl: Path) -> None:
    with pytest.raises(OptionError, match="no input is in"):
        superword.train(jsonl, vocab_size=300, weights={"de": 2})
    with pytest.raises(InputError, match="two groups"):
        superword.train({"a": jsonl, "b": [jsonl]}, vocab_size=300)


def test_large_weights_count_exactly() -> None:
    counts = count_pretokens({"a": Texts(["a b"])}, weights={"a": 1e6})
    assert counts[b" b"] == 10**6


def test_a_sample_is_measured_before_weights_apply() -> None:
    """A document of weight 2 takes the room of one document, and one of weight 0 takes none."""
    light = [f"light {i} of the text" for i in range(500)]
    heavy = [f"heavy {i} of the text" for i in range(500)]
    size = sum(map(len, light)) // 2
    drawn = {}
    for weight in (1, 2, 10**6, 0):
        counts = count_pretokens(
            {"light": Texts(light), "heavy": Texts(heavy)}, weights={"heavy": weight}, sample=size
        )
        drawn[weight] = counts.facts
        assert 0.98 * size < counts.facts["bytes"] <= size
    assert drawn[1]["bytes"] == drawn[2]["bytes"] == drawn[10**6]["bytes"]
    assert drawn[2]["groups"]["heavy"]["documents"] == drawn[1]["groups"]["heavy"]["documents"]
    assert drawn[0]["groups"]["light"]["bytes"] == drawn[0]["bytes"]

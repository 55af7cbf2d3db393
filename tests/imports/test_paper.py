"""Files of the paper's program give its tokens, or are refused with the line."""

from __future__ import annotations

from pathlib import Path

import pytest
from superword import Pretokenizer, Tokenizer
from superword.errors import ConversionError
from support.golden import COMMITTED_SET, as_recorded

MODELS = COMMITTED_SET.directory / "models"
# The name of each file, and that of the recorded model.
RECORDED = {
    "word": "gpt4o-script/bpe/3000",
    "boundless": "gpt4o-script/boundless/3000",
    "boundless-greedy": "gpt4o-script/boundless-greedy/3000",
    "superbpe": "gpt4o-script/superbpe/3000/250",
    "word-picky-0.9-bytes": "gpt4o-script/picky-0.9-bytes/2500",
    "boundless-picky-0.9-bytes": "gpt4o-script/picky-boundless-0.9-bytes/2500",
}


def test_every_sample_is_tested() -> None:
    assert {file.stem for file in MODELS.glob("*.model")} == set(RECORDED)


@pytest.mark.parametrize("name", RECORDED)
def test_a_file_encodes_as_the_papers_program_does(name: str) -> None:
    model = Tokenizer.from_paper(MODELS / f"{name}.model")
    recorded = COMMITTED_SET.recorded["models"][RECORDED[name]]
    for text, expected in zip(COMMITTED_SET.documents("hold"), recorded["encodings"], strict=True):
        ids = model.encode(text)
        assert [as_recorded(model.token_bytes(id)) for id in ids] == expected
        assert model.decode(ids) == text


@pytest.mark.parametrize("name", RECORDED)
def test_ids_events_and_patterns_are_those_of_the_file(name: str) -> None:
    model = Tokenizer.from_paper(MODELS / f"{name}.model")
    lines = (MODELS / f"{name}.model").read_text(encoding="utf-8").split("\n")
    assert model.n_vocab == int(lines[2]) + 1
    assert model.special_tokens == {"<|endoftext|>": int(lines[2])}
    assert model.pretokenizer.name == "gpt4o-script"
    recorded = COMMITTED_SET.recorded["models"][RECORDED[name]]
    events = model._model.events()
    words = [event for event in events if event[0] != "supermerge"]
    assert len(words) == len(recorded["events"])
    merges = [event for event in recorded["events"] if event[0] == "m"]
    assert [[*map(as_recorded, rule), count] for *rule, count in model.merges] == [
        event[1:] for event in merges
    ]
    assert [[*map(as_recorded, rule), count] for *rule, count in model.supermerges] == recorded[
        "supermerges"
    ]
    assert Tokenizer.from_bytes(model.to_bytes()) == model


def test_another_pretokenizer_can_be_given() -> None:
    model = Tokenizer.from_paper(MODELS / "word.model", pretokenizer="gpt2")
    assert model.pretokenizer == Pretokenizer("gpt2")


HEAD = "BoundlessBPE v2 word\nvocabulary\n"


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("BoundlessBPE v3 word\n", ":1: it is of version v3"),
        ("something else", ":1: it does not start with"),
        ("BoundlessBPE v2 letters\n", ":1: the kind 'letters'"),
        ("BoundlessBPE v2 word\nwords\n", ":2: expected the section 'vocabulary'"),
        (HEAD + "x\n", "expected the number of lines of the section, not 'x'"),
        (HEAD + "1\na 1 2 3\n", ":4: expected an id, a token and two numbers"),
        (HEAD + "1\n0 日 0 0\n", "'日' in '日' is not in the alphabet"),
        (HEAD + "2\n0 a 0 0", "the file ends in the middle of a section"),
        (HEAD + "0\nspecial_tokens\n0\nwords\n[]\n", ":7: not a JSON object"),
        (HEAD + "0\nspecial_tokens\n0\nwords\n{\n", ":7: not JSON"),
    ],
)
def test_a_damaged_file_is_refused_with_the_line(content: str, match: str, tmp_path: Path) -> None:
    (tmp_path / "m.model").write_text(content, encoding="utf-8")
    with pytest.raises(ConversionError, match=match) as caught:
        Tokenizer.from_paper(tmp_path / "m.model")
    assert caught.value.hint


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("\n300 ", "\n301 ", "has the id 301 in the vocabulary, but its merges give it the id 300"),
        ("\n0 Ġ Ġ 13895 1\n", "\n1 Ġ Ġ 13895 1\n", "have gaps, or one is given twice"),
        ("\ndeletions\n0\n", "\ndeletions\n0\nmore\n", "goes on after its last section"),
        ('"main_regex": "', '"main_regex": "(', "the pattern cannot be used"),
    ],
)
def test_sections_that_contradict_each_other_are_refused(
    old: str, new: str, match: str, tmp_path: Path
) -> None:
    content = (MODELS / "word.model").read_text(encoding="utf-8")
    assert old in content
    (tmp_path / "m.model").write_text(content.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConversionError, match=match):
        Tokenizer.from_paper(tmp_path / "m.model")

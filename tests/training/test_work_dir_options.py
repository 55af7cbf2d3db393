"""A work directory never changes the model, whatever changes between two runs in it."""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import superword
from superword import _core, work
from superword._reading.sources import gather
from superword.inputs import expand
from superword.options import TrainOptions

Change = Callable[[random.Random], Any]


@pytest.fixture
def files(tmp_path: Path, texts: list[str]) -> list[Path]:
    folder = tmp_path / "shards"
    folder.mkdir()
    for number in range(5):
        lines = [{"text": text, "other": text[::-1]} for text in texts[number::5]]
        content = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{number}.jsonl").write_text(content + ("{}\n" if number == 4 else ""))
    return sorted(folder.iterdir())


def some_weights(chance: random.Random) -> dict[str, float]:
    return {name: chance.choice([0, 0.5, 1, 2, 2.5]) for name in ("a", "b")}


# How each option may change. Every option that a model can depend on is here.
CHANGES: dict[str, Change] = {
    "vocab_size": lambda chance: chance.choice([300, 380, 420]),
    "method": lambda chance: chance.choice(["bpe", "boundless", "superbpe"]),
    "supermerges": lambda chance: chance.choice([5, 20]),
    "pretokenizer": lambda chance: chance.choice(["gpt4o", "gpt2"]),
    "alphabet": lambda chance: chance.choice(["bytes", "utf8"]),
    "min_count": lambda chance: chance.choice([1, 3]),
    "picky": lambda chance: chance.choice([None, 0.7, 0.9]),
    "picky_split": lambda chance: chance.choice(["parts", "bytes"]),
    "greedy_split": lambda chance: chance.choice([False, True, "encode"]),
    "max_words": lambda chance: chance.choice([None, 2, 3]),
    "same_script": lambda chance: chance.choice([False, True]),
    "boundary": lambda chance: chance.choice(["any", "space"]),
    "veto": lambda chance: chance.choice([None, "the"]),
    "special_tokens": lambda chance: chance.choice([(), ("<|x|>",), ("<|y|>",)]),
    "text_field": lambda chance: chance.choice(["text", "other"]),
    "sample": lambda chance: chance.choice([None, 4000, 5000]),
    # "stop" is an error: one line has no text.
    "on_error": lambda chance: chance.choice(["skip", "skip", "stop"]),
    "seed": lambda chance: chance.choice([0, 1]),
    "weights": some_weights,
    "max_memory": lambda chance: chance.choice([None, "1GB"]),
}


def given_options(state: dict[str, Any]) -> dict[str, Any]:
    """The options of a state, without those that its method does not take."""
    options = {**state, "threads": 2}
    if options["method"] != "superbpe":
        del options["supermerges"]
    if options["method"] == "bpe":
        for name in ("greedy_split", "max_words", "same_script", "boundary", "veto"):
            del options[name]
    return options


def trained(groups: Any, given: dict[str, Any], piece_bytes: int) -> bytes:
    """The model of a run with pieces of a given size, as bytes."""
    options = TrainOptions(**given)
    sources = gather(expand(groups), options)
    with work.held(options, sources.names) as (folder, _):
        engine = {
            **options.for_engine(),
            "groups": sources.groups,
            "piece_bytes": piece_bytes,
            "work_dir": folder,
        }
        model, _ = _core.train(sources.sources, engine, None)
    return model.to_bytes()


@pytest.mark.parametrize("seed", range(3))
def test_random_changes_of_options_give_the_model_of_a_run_without_work_dir(
    files: list[Path], tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    state = {name: change(random.Random(0)) for name, change in CHANGES.items()}
    names, cut = ["a", "b"], 2
    runs = 0
    while runs < 25:
        for name in chance.sample(sorted(CHANGES), chance.choice([0, 1, 1, 1, 3])):
            state[name] = CHANGES[name](chance)
        if chance.random() < 0.2:
            names = chance.sample(["a", "b", "c"], 2)
        if chance.random() < 0.2:
            cut = chance.choice([1, 2, 4])
        groups = {names[0]: files[:cut], names[1]: files[cut:]}
        given = given_options(state)
        given["weights"] = {name: given["weights"].get(name, 1) for name in names}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                wanted = superword.train(groups, **given).to_bytes()
            except superword.errors.SuperwordError as error:
                # Such as no text at all: then the work directory must not give a model either.
                with pytest.raises(type(error)):
                    trained(groups, {**given, "work_dir": tmp_path / "work"}, 1)
                continue
            piece_bytes = chance.choice([1, 5000, 1 << 30])
            got = trained(groups, {**given, "work_dir": tmp_path / "work"}, piece_bytes)
        assert got == wanted, (runs, groups, given, piece_bytes)
        runs += 1


def test_the_random_changes_cover_every_option_that_a_model_can_depend_on() -> None:
    # `max_bytes` is another name for `sample`, and the files here have only one format.
    others = {"threads", "work_dir", "max_bytes", "format"}
    assert {option.name for option in fields(TrainOptions)} - others == set(CHANGES)


def test_a_new_weight_with_a_sample_gives_the_model_of_a_run_without_work_dir(
    files: list[Path], tmp_path: Path
) -> None:
    groups = {"a": files[:2], "b": files[2:]}
    for weights in ({"a": 1}, {"a": 0}, {"a": 2}, {"a": 2.5}, {"a": 0}):
        given: dict[str, Any] = {
            "vocab_size": 380,
            "weights": weights,
            "sample": 5000,
            "on_error": "skip",
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = superword.train(groups, **given)
            assert superword.train(groups, **given, work_dir=tmp_path / "work") == wanted


def test_a_renamed_group_has_its_new_name_in_the_facts(files: list[Path], tmp_path: Path) -> None:
    for name in ("old", "new"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = superword.train(
                {name: files}, vocab_size=300, on_error="skip", work_dir=tmp_path / "work"
            )
        assert list(model.facts["groups"]) == [name]

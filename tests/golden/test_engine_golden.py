"""The engine computes what the paper's own program computed, in everything it recorded."""

import pytest
import superword
from support.golden import (
    GOLDEN,
    MODELS,
    PRESETS,
    documents,
    golden,
    needs_golden,
    options_of,
    written,
)

pytestmark = needs_golden


def test_every_recorded_result_is_tested() -> None:
    assert set(golden()["models"]) == set(MODELS)
    assert set(golden()["pretokens"]) == set(PRESETS)


@pytest.mark.parametrize("preset", PRESETS)
def test_pretokens_are_the_recorded_ones(preset: str) -> None:
    split = superword.Pretokenizer(preset).split
    assert [split(text) for text in documents("hold")] == golden()["pretokens"][preset]


@pytest.mark.parametrize("name", MODELS)
def test_model_and_encodings_are_the_recorded_ones(name: str) -> None:
    recorded = golden()["models"][name]
    # From the file itself: the engine reads it, not the loader of the tests.
    tok = superword.train(GOLDEN / "train.jsonl.zst", **options_of(name))
    assert tok.facts["documents"] == len(documents("train"))
    events = [
        ["d", written(left)] if kind == "delete" else ["m", written(left), written(right), count]
        for kind, left, right, count in tok._model.events()
        if kind != "supermerge"
    ]
    assert events == recorded["events"]
    supermerges = [[written(left), written(right), count] for left, right, count in tok.supermerges]
    assert supermerges == recorded["supermerges"]
    assert tok.n_vocab == recorded["vocab"]
    encodings = tok.encode_batch(documents("hold"))
    tokens = [[written(tok.token_bytes(i)) for i in ids] for ids in encodings]
    assert tokens == recorded["encodings"]
    assert tok.decode_batch(encodings) == documents("hold")
    assert [tok.encode(text) for text in documents("hold")] == encodings

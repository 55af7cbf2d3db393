"""The reference computes what the paper's own program computed, in everything it recorded."""

import pytest
from superword import reference
from support.golden import MODELS, PRESETS, documents, golden, needs_golden, options_of, written

pytestmark = needs_golden


def test_every_recorded_result_is_tested() -> None:
    assert set(golden()["models"]) == set(MODELS)
    assert set(golden()["pretokens"]) == set(PRESETS)


@pytest.mark.parametrize("preset", PRESETS)
def test_pretokens_are_the_recorded_ones(preset: str) -> None:
    ours = [reference.split(text, preset) for text in documents("hold")]
    assert ours == golden()["pretokens"][preset]


@pytest.mark.parametrize("name", MODELS)
def test_model_and_encodings_are_the_recorded_ones(name: str) -> None:
    recorded = golden()["models"][name]
    tok = reference.train(documents("train"), **options_of(name))
    events = [
        ["d", written(event.token)]
        if isinstance(event, reference.Delete)
        else ["m", written(event.left), written(event.right), event.count]
        for event in tok.events
    ]
    assert events == recorded["events"]
    supermerges = [[written(left), written(right), count] for left, right, count in tok.supermerges]
    assert supermerges == recorded["supermerges"]
    assert tok.n_vocab == recorded["vocab"]
    for document, expected in zip(documents("hold"), recorded["encodings"], strict=True):
        ids = tok.encode(document)
        assert [written(tok.token_bytes(i)) for i in ids] == expected
        assert tok.decode(ids) == document

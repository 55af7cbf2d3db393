"""The engine computes exactly what the paper's program computes."""

import superword
from support.golden import GoldenSet, as_recorded, each_model, each_preset, each_set, options_of


@each_set()
def test_every_recorded_result_is_tested(golden: GoldenSet) -> None:
    assert set(golden.recorded["models"]) == set(golden.models)
    assert set(golden.recorded["pretokens"]) == set(golden.presets)


@each_preset()
def test_pretokens_are_the_recorded_ones(golden: GoldenSet, preset: str) -> None:
    split = superword.Pretokenizer(preset).split
    ours = [split(text) for text in golden.documents("hold")]
    assert ours == golden.recorded["pretokens"][preset]


@each_model()
def test_model_and_encodings_are_the_recorded_ones(golden: GoldenSet, name: str) -> None:
    recorded = golden.recorded["models"][name]
    # The engine reads the compressed file itself.
    tok = superword.train(golden.train_file, **options_of(name))
    assert tok.facts["documents"] == len(golden.documents("train"))
    events = [
        ["d", as_recorded(left)]
        if kind == "delete"
        else ["m", as_recorded(left), as_recorded(right), count]
        for kind, left, right, count in tok._model.events()
        if kind != "supermerge"
    ]
    assert events == recorded["events"]
    supermerges = [
        [as_recorded(left), as_recorded(right), count] for left, right, count in tok.supermerges
    ]
    assert supermerges == recorded["supermerges"]
    assert tok.n_vocab == recorded["vocab"]
    held_out = golden.documents("hold")
    encodings = tok.encode_batch(held_out)
    tokens = [[as_recorded(tok.token_bytes(i)) for i in ids] for ids in encodings]
    assert tokens == recorded["encodings"]
    assert tok.decode_batch(encodings) == held_out
    assert [tok.encode(text) for text in held_out] == encodings

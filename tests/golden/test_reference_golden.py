"""The reference computes exactly what the paper's program computes."""

from superword import reference
from support.golden import GoldenSet, as_recorded, each_model, each_preset, options_of


@each_preset()
def test_pretokens_are_the_recorded_ones(golden: GoldenSet, preset: str) -> None:
    ours = [reference.split(text, preset) for text in golden.documents("hold")]
    assert ours == golden.recorded["pretokens"][preset]


@each_model()
def test_model_and_encodings_are_the_recorded_ones(golden: GoldenSet, name: str) -> None:
    recorded = golden.recorded["models"][name]
    tok = reference.train(golden.documents("train"), **options_of(name))
    events = [
        ["d", as_recorded(event.token)]
        if isinstance(event, reference.Delete)
        else ["m", as_recorded(event.left), as_recorded(event.right), event.count]
        for event in tok.events
    ]
    assert events == recorded["events"]
    supermerges = [
        [as_recorded(left), as_recorded(right), count] for left, right, count in tok.supermerges
    ]
    assert supermerges == recorded["supermerges"]
    assert tok.n_vocab == recorded["vocab"]
    for document, expected in zip(golden.documents("hold"), recorded["encodings"], strict=True):
        ids = tok.encode(document)
        assert [as_recorded(tok.token_bytes(i)) for i in ids] == expected
        assert tok.decode(ids) == document

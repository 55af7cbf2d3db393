"""Train with the engine and with the reference, and compare everything they produce.

Product code does not import the reference, and the reference does not import the engine. Only
tests see both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from superword import Pretokenizer, Tokenizer, _core, reference
from superword._reading.sources import spool
from superword.options import TrainOptions
from superword.reference import file

StepRow: TypeAlias = tuple[str, bytes, bytes, int]


def engine_train(
    texts: Iterable[str], *, cutting: bool = True, parts: int = 1, **options: Any
) -> tuple[Tokenizer, dict[str, Any]]:
    """Train with the engine and return the tokenizer with the engine's report.

    `cutting=False` turns lossless cutting off. `parts` spreads the documents over that many
    sources.
    """
    if isinstance(options.get("pretokenizer"), reference.Pretokenizer):
        options["pretokenizer"] = engine_pretokenizer(options["pretokenizer"])
    # The reference follows the paper by default.
    paper = {"pretokenizer": reference.pretokenize.DEFAULT_PRESET}
    if options.get("method") != "bpe":
        paper |= {"boundary": "any"}
    given = TrainOptions(**{"threads": 1} | paper | options).for_engine()
    given |= {"groups": None, "cutting": cutting}
    texts = list(texts)
    sources: list[_core.Source] = [(spool(texts[part::parts]), None) for part in range(parts)]
    model, report = _core.train(sources, given, None)
    return Tokenizer._wrap(model), report


def reference_train(texts: Iterable[str], **options: Any) -> reference.Tokenizer:
    """Train with the reference, given options of `superword.train`."""
    options = dict(options)
    options.pop("threads", None)
    greedy = options.pop("greedy_split", False)
    return reference.train(
        texts, greedy_split=bool(greedy), greedy_encode=greedy == "encode", **options
    )


def engine_pretokenizer(own: reference.Pretokenizer) -> Pretokenizer:
    """Return the engine's pretokenizer with the same configuration."""
    if own.name is not None and own.eligible == reference.pretokenize.HAS_LETTER:
        return Pretokenizer(own.name)
    return Pretokenizer(
        pattern=own.pattern,
        script_pattern=own.script_pattern,
        scripts=list(own.scripts) or None,
        eligible=own.eligible,
    )


def reference_pretokenizer(name: str | Pretokenizer) -> reference.Pretokenizer:
    """Return the reference's pretokenizer with the same configuration."""
    if isinstance(name, str):
        return reference.Pretokenizer(name)
    return reference.Pretokenizer(
        pattern=name.pattern,
        script_pattern=name.script_pattern,
        scripts=name.scripts or (),
        eligible=name.eligible,
    )


def reference_rows(steps: Sequence[reference.Step]) -> list[StepRow]:
    """Return the reference's steps in the form of `Model.events`."""
    rows: list[StepRow] = []
    for step in steps:
        if isinstance(step, reference.Delete):
            rows.append(("delete", step.token, b"", 0))
        else:
            kind = "merge" if isinstance(step, reference.Merge) else "supermerge"
            rows.append((kind, step.left, step.right, step.count))
    return rows


def engine_rows(tok: Tokenizer) -> list[StepRow]:
    """Return the engine's steps in order."""
    return tok._model.events()


def assert_same_model(ours: Tokenizer, theirs: reference.Tokenizer) -> None:
    """Check that steps, vocabulary, ids and the model file are equal."""
    assert engine_rows(ours) == reference_rows(theirs.steps)
    assert ours.merges == theirs.merges
    assert ours.supermerges == theirs.supermerges
    assert ours.n_vocab == theirs.n_vocab
    ids = range(theirs.n_vocab)
    tokens = [theirs.token_bytes(i) for i in ids]
    assert [ours.token_bytes(i) for i in ids] == tokens
    learned = theirs.n_vocab - len(theirs.special_tokens)
    assert [ours.token_to_id(token) for token in tokens[:learned]] == list(range(learned))
    assert ours.special_tokens == {s: learned + i for i, s in enumerate(theirs.special_tokens)}
    assert [ours.is_superword(i) for i in ids] == [theirs.is_superword(i) for i in ids]
    assert_same_file(ours.to_bytes(), theirs)


def assert_same_file(data: bytes, theirs: reference.Tokenizer) -> None:
    """Check a model file, read by the reference's own reader, against the reference's model."""
    model = file.read_model(data)
    assert model.header["method"] == theirs.method
    assert model.header["alphabet"] == theirs.alphabet
    assert model.header["pretokenizer"]["pattern"] == theirs.pretokenizer.pattern
    symbols, _ = file.tokens(model)
    rows: list[StepRow] = []
    for event in model.events:
        if isinstance(event, file.Delete):
            rows.append(("delete", symbols[event.token], b"", 0))
        else:
            kind = "merge" if isinstance(event, file.Merge) else "supermerge"
            rows.append((kind, symbols[event.left], symbols[event.right], event.count))
    assert rows == reference_rows(theirs.steps)
    assert file.vocabulary(model) == {i: theirs.token_bytes(i) for i in range(theirs.n_vocab)}
    # The file leaves out n-grams that contain a token the model does not have.
    known = set(theirs.vocabulary)
    ngrams = {tuple(symbols[symbol] for symbol in ngram) for ngram in model.ngrams}
    assert ngrams == {ngram for ngram in theirs.ngrams or () if known.issuperset(ngram)}


def assert_same_encodings(
    ours: Tokenizer, theirs: reference.Tokenizer, texts: Sequence[str]
) -> None:
    """Check that ids are equal, one by one and in a batch, and that they decode to the text."""
    expected = [theirs.encode_ordinary(text) for text in texts]
    assert [ours.encode_ordinary(text) for text in texts] == expected
    assert ours.encode_batch(texts, threads=2) == expected
    assert ours.decode_batch(expected) == list(texts)
    with_specials = [theirs.encode(text, allowed_special="all") for text in texts]
    assert [ours.encode(text, allowed_special="all") for text in texts] == with_specials


def assert_agree(texts: Sequence[str], others: Sequence[str] = (), **options: Any) -> Tokenizer:
    """Train both on `texts` and compare the models and their encodings of all texts."""
    ours, report = engine_train(texts, **options)
    theirs = reference_train(texts, **options)
    assert_same_model(ours, theirs)
    assert_same_encodings(ours, theirs, [*texts, *others])
    counts = reference.count_pretokens(texts, theirs.pretokenizer)
    assert report["documents"] == len(texts)
    assert report["pretokens"] == sum(counts.values())
    assert report["unique_pretokens"] == len(counts)
    assert (report["shortfall"] is None) == (theirs.n_vocab == options["vocab_size"])
    return ours

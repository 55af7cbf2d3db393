"""Superwords on a base that has everything that imported tokenizers have."""

from __future__ import annotations

import unicodedata
from collections import Counter

import pytest
from superword import Tokenizer, _core, train_from_iterator
from superword.errors import CountsError
from superword.inputs import Texts
from superword.reference.encode import eligible_runs
from superword.reference.file import read_model
from superword.reference.imported import Imported
from superword.reference.prepare import prepare
from superword.stages import count_candidates, extend, train_superwords
from support.published import Added, Published
from support.texts import DOCUMENTS

# Text in which added tokens and letters that normalization composes stand between words.
TEXTS = [
    *DOCUMENTS,
    *(
        "the cafe\u0301 of the<sep>cafe\u0301 of the <think> of the end<|x|>of the"
        for _ in range(40)
    ),
    *("one of the best  of the   best" for _ in range(40)),
]


@pytest.fixture(scope="module")
def base() -> Tokenizer:
    normalized = [unicodedata.normalize("NFC", text) for text in TEXTS]
    words = train_from_iterator(normalized, vocab_size=520, method="bpe", pretokenizer="gpt2")
    merges = [(left, right) for left, right, _ in words.merges]
    parts = {part for rule in merges for part in rule}
    leaves = [left + right for left, right in merges if left + right not in parts]
    unmade = leaves[::4]
    merges = [(left, right) for left, right in merges if left + right not in unmade]
    # The last merges come first, before the merges of their parts.
    merges = merges[-40:] + merges[:-40]
    added = [
        Added("<|x|>", special=True),
        Added("<sep>"),
        Added("<think>", lstrip=True, rstrip=True),
        Added("  ", normalized=True),
    ]
    return Published(
        merges=merges,
        added=added,
        normalizer="nfc",
        whole_pieces=True,
        unmade=[*unmade, b""],
        settings='{"eos_token": "<|x|>"}',
    ).superword()


def test_a_base_keeps_everything_and_gets_superwords(base: Tokenizer) -> None:
    tok = extend(base, Texts(TEXTS), supermerges=50)
    assert len(tok.supermerges) == 50
    assert tok.merges == base.merges
    assert tok.added_tokens == base.added_tokens
    assert tok.unmade_tokens == base.unmade_tokens
    assert (tok.normalizer, tok.whole_pieces, tok.settings) == (
        base.normalizer,
        base.whole_pieces,
        base.settings,
    )
    assert tok._model.order == base._model.order
    for id in range(base.n_vocab):
        assert tok.token_bytes(id) == base.token_bytes(id)
        assert not tok.is_superword(id)
    superwords = [id for id in range(base.n_vocab, tok.n_vocab) if tok.is_superword(id)]
    assert len(superwords) == tok.n_vocab - base.n_vocab > 40
    # Some superwords have an unmade token or a composed letter in them.
    leaves = {part for left, right, _ in tok.supermerges for part in (left, right)}
    assert leaves & base.unmade_tokens.keys()
    assert any("\u00e9".encode() in tok.token_bytes(id) for id in superwords)
    assert Tokenizer.from_bytes(tok.to_bytes()) == tok
    reference = Imported(read_model(tok.to_bytes()))
    used = set()
    for text in TEXTS:
        ids = tok.encode(text)
        assert ids == reference.encode(text)
        used.update(ids)
    assert used & set(superwords)


def test_candidates_are_counted_in_prepared_text(base: Tokenizer) -> None:
    reference = Imported(read_model(base.to_bytes()))
    encoder = reference.encoder
    expected: Counter[tuple[bytes, ...]] = Counter()
    for text in TEXTS:
        for part in prepare(text, reference.added, reference.normalizer, ()):
            if isinstance(part, str):
                split = encoder.pretokenizer.split(part)
                for eligible, run in eligible_runs(split, encoder.pretokenizer, encoder.words):
                    if eligible and len(run) > 1:
                        expected[run] += 1
    assert dict(count_candidates(Texts(TEXTS), base)) == dict(expected)


def test_candidates_of_a_base_with_another_normalizer_are_refused(base: Tokenizer) -> None:
    candidates = count_candidates(Texts(TEXTS), base)
    model = base._model
    kept = {name: getattr(model, name) for name in ("whole_pieces", "order", "unmade", "settings")}
    ids = {base.token_bytes(id): id for id in range(base.n_vocab)}
    other = Tokenizer._wrap(
        _core.Model.from_parts(
            "bpe",
            model.pretokenizer,
            model.alphabet,
            model.events(),
            {token: id for token, id in ids.items() if token not in base.unmade_tokens},
            model.added_tokens,
            model.facts,
            normalizer="nfkc",
            **kept,
        )
    )
    with pytest.raises(CountsError, match="other words"):
        train_superwords(other, candidates, vocab_size=0, method="superbpe", supermerges=5)
    superwords = train_superwords(
        base, candidates, vocab_size=base.n_vocab + 5, method="superbpe", supermerges=5
    )
    assert superwords.supermerges == extend(base, Texts(TEXTS), supermerges=5).supermerges

"""The numbers are those of the packages that define them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import superword
from superword import Tokenizer
from superword.inputs import Texts
from support.texts import DOCUMENTS, SENTENCES, TEXTS

METHODS = ("bpe", "boundless", "superbpe")
TEXT = "\n".join([*SENTENCES, *TEXTS.values(), "a a a"])


@pytest.fixture(scope="module", params=METHODS)
def model(request: pytest.FixtureRequest) -> Tokenizer:
    supermerges = 40 if request.param == "superbpe" else None
    return superword.train_from_iterator(
        DOCUMENTS, vocab_size=480, method=request.param, supermerges=supermerges
    )


def test_entropies_are_those_of_tokenization_scorer(model: Tokenizer) -> None:
    reason = "tokenization-scorer is not installed; it needs Python 3.11"
    scorer = pytest.importorskip("tokenization_scorer", reason=reason)
    spelled = " ".join(map(str, model.encode_ordinary(TEXT)))
    found = superword.evaluate(model, Texts([TEXT])).models[0].numbers["text"].distribution
    for order in ("2", "2.5", "3"):
        efficiency = scorer.score(spelled, metric="renyi_efficiency", power=float(order))
        assert found.efficiency_observed[order] == pytest.approx(efficiency, rel=1e-12)
        entropy = scorer.score(spelled, metric="renyi_entropy", power=float(order))
        assert found.entropy[order] == pytest.approx(entropy, rel=1e-12)
    shannon = scorer.score(spelled, metric="shannon_efficiency")
    assert found.efficiency_observed["1"] == pytest.approx(shannon, rel=1e-12)


class Adapted:
    """A tokenizer with the one method that toklens calls."""

    def __init__(self, model: Tokenizer) -> None:
        self.model = model

    def encode(self, text: str, **options: Any) -> SimpleNamespace:
        assert options in ({}, {"add_special_tokens": False})
        return SimpleNamespace(ids=self.model.encode_ordinary(text))


def test_fertility_retention_and_sizes_are_those_of_toklens(
    model: Tokenizer, tmp_path: Path
) -> None:
    metrics = pytest.importorskip("toklens.metrics", reason="toklens is not installed")
    adapted = Adapted(model)
    # toklens encodes each word alone, and counts words as often as they occur.
    words = TEXT.split()
    listed = tmp_path / "words.txt"
    listed.write_text("\n".join(words))
    alone = superword.evaluate(model, Texts(words), words=listed).models[0].numbers["text"]
    assert alone.words.fertility == pytest.approx(metrics.compute_fertility(adapted, TEXT))
    strr = metrics.compute_strr(adapted, TEXT)
    assert 0 < strr < 1
    assert alone.words.retained.share == pytest.approx(strr)
    size = superword.evaluate(model, Texts([TEXT])).models[0].numbers["text"].size
    assert size.characters_per_token == pytest.approx(metrics.compute_cpt(adapted, TEXT))
    assert size.bytes_per_token == pytest.approx(metrics.compute_compression_ratio(adapted, TEXT))


def test_parity_is_that_of_toklens(model: Tokenizer, tmp_path: Path) -> None:
    metrics = pytest.importorskip("toklens.metrics", reason="toklens is not installed")
    files = {}
    for language in ("english", "german", "russian"):
        files[language] = tmp_path / language
        files[language].write_text(TEXTS[language] + "\n")
    found = superword.evaluate(model, Texts(["a"]), parallel=files).models[0].parallel
    assert found is not None
    for language in files:
        parity = metrics.compute_parity(Adapted(model), TEXTS[language], TEXTS["english"])
        assert found.languages[language].parity == pytest.approx(parity)
    exported = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    if model.method == "bpe":
        model.export_huggingface(tmp_path / "hf")
        theirs = exported.Tokenizer.from_file(str(tmp_path / "hf" / "tokenizer.json"))
        parity = metrics.compute_parity(theirs, TEXTS["german"], TEXTS["english"])
        assert found.languages["german"].parity == pytest.approx(parity)

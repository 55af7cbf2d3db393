"""The paper's approximation: what it gets wrong, and how that is counted."""

from __future__ import annotations

from pathlib import Path

import pytest
import superword
from superword import Pretokenizer
from superword.export import open_export, verify
from superword.export.patterns import branches, coarse_of
from superword.export.verify import Export
from support.export_models import superwords, train, training_text

tokenizers = pytest.importorskip("tokenizers", reason="pip install 'superword[huggingface]'")
tiktoken = pytest.importorskip("tiktoken", reason="pip install 'superword[tiktoken]'")


@pytest.mark.parametrize("name", ["gpt4o-export", "gpt4o", "gpt4", "gpt2"])
def test_every_preset_without_scripts_has_an_approximation(name: str, tmp_path: Path) -> None:
    model = train(pretokenizer=name, boundary=None)
    assert model.export_huggingface(tmp_path / "hf", "approximate").mode == "approximate"
    model.export_tiktoken(tmp_path / "m.tiktoken", "approximate")
    texts = training_text(31, 60)
    for place in (tmp_path / "hf", tmp_path / "m.tiktoken"):
        export = open_export(place, model)
        for text in texts:
            assert model.decode(export.encode(text)) == text
        found = verify(model, export, texts)
        # Mostly the same: a wrong pattern would differ nearly everywhere.
        assert found.tokens_differ < found.tokens / 4
        assert found.tokens_theirs < sum(len(text.encode()) for text in texts) / 2


def test_a_supermerge_of_a_part_of_a_word_is_the_difference(tmp_path: Path) -> None:
    """The paper's example: " are" and " notes", where " are not" is a superword."""
    model = superword.train_from_iterator(
        ["we are not, they are not, you are not"] * 9,
        vocab_size=272,
        method="superbpe",
        supermerges=2,
        pretokenizer="gpt4o-export",
        boundary="space",
    )
    assert b" are not" in {left + right for left, right, _ in model.supermerges}
    model.export_huggingface(tmp_path / "exact", "exact")
    model.export_huggingface(tmp_path / "coarse", "approximate")
    texts = ["they are not", "they are notes"]
    assert verify(model, open_export(tmp_path / "exact", model), texts).identical
    found = verify(model, open_export(tmp_path / "coarse", model), texts)
    assert (found.documents, found.documents_differ) == (2, 1)
    (difference,) = found.differences
    assert difference.document == 1
    assert b"".join(difference.ours) == b"".join(difference.theirs)
    assert b" are not" in difference.theirs
    assert difference.ours[:2] == [b" are", b" not"]


def test_coarse_is_the_papers_listing() -> None:
    word = r" ?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:['’](?:\p{L}\p{M}*)+)*"
    upper = r" ?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?:['’](?:\p{L}\p{M}*)+)*"
    rest = [r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+"]
    assert branches(Pretokenizer("gpt4o-export").pattern) == [word, upper, *rest]
    coarse = coarse_of(Pretokenizer("gpt4o-export"))
    assert coarse is not None
    assert coarse.startswith("(?: ?[")
    assert len(branches(coarse)) == 1 + len(rest)
    assert coarse_of(Pretokenizer(pattern=r"\w+|\W")) is None


def test_differences_are_counted_between_common_ends() -> None:
    model = superwords()
    text = "the of and that"
    ours = model.encode(text)
    bytes_alone = [*b"the", *model.encode(" of and that")]
    assert model.token_bytes(ours[0]) == b"the"
    export = Export("made up", lambda text: bytes_alone, model.token_bytes)
    found = verify(model, export, [text, text])
    assert (found.documents, found.documents_differ) == (2, 2)
    assert (found.tokens_differ, found.bytes_differ) == (2, 6)
    assert found.tokens == 2 * len(ours)
    assert [d.position for d in found.differences] == [0, 0]
    assert found.differences[0].ours == [b"the"]
    assert found.differences[0].theirs == [b"t", b"h", b"e"]
    short = Export("cut short", lambda text: ours[:-1], model.token_bytes)
    assert verify(model, short, [text]).documents_differ == 1
    wrong = Export("unknown ids", lambda text: [10**6], model.token_bytes)
    assert verify(model, wrong, [text]).tokens_differ == len(ours)

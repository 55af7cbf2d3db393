"""Exact exports of superwords with every preset that is one pattern, and at every kind of seam."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path

import pytest
import superword
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from superword import Tokenizer, _core
from superword.export import make_plan, open_export, verify
from superword.export.runs.seams import merged
from superword.export.verify import Export
from superword.pretokenizer import preset_names
from support.export_models import texts, train, training_text

tokenizers = pytest.importorskip("tokenizers", reason="pip install 'superword[huggingface]'")
tiktoken = pytest.importorskip("tiktoken", reason="pip install 'superword[tiktoken]'")

PRESETS = [
    name
    for name in preset_names()
    if superword.Pretokenizer(name)._engine.word_shapes() is not None
]

CODE = ["getName", "setName", " File.join", "os.path", "'ve", "(self", "電磁", "電話", "\tреадДля"]


@cache
def model_of(preset: str, boundary: str) -> Tokenizer:
    documents = training_text()
    # Seams without a space: camel case, signs before words, letters that are words by themselves.
    documents += [
        "".join(CODE[(place * 7 + at) % len(CODE)] for at in range(30)) for place in range(99)
    ]
    return superword.train_from_iterator(
        documents,
        vocab_size=1000,
        method="superbpe",
        supermerges=300,
        pretokenizer=preset,
        boundary=boundary,  # type: ignore[arg-type]
        special_tokens=["<|endoftext|>"],
        threads=1,
    )


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[Tokenizer, Export]]]:
    found = {}
    for preset in PRESETS:
        folder = tmp_path_factory.mktemp(preset)
        model = model_of(preset, "exportable")
        model.export_huggingface(folder / "hf", "exact")
        model.export_tiktoken(folder / "m.tiktoken", "exact")
        found[preset] = [
            (model, open_export(folder / "hf", model)),
            (model, open_export(folder / "m.tiktoken", model)),
        ]
    return found


def nasty() -> st.SearchStrategy[str]:
    piece = st.one_of(st.sampled_from(CODE), texts())
    return st.lists(piece, max_size=8).map("".join)


@pytest.mark.parametrize("preset", PRESETS)
def test_exact_exports_of_every_preset_give_the_ids_of_the_model(
    exports: dict[str, list[tuple[Tokenizer, Export]]], preset: str
) -> None:
    @settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(text=nasty())
    def same(text: str) -> None:
        for model, export in exports[preset]:
            assert export.encode(text) == model.encode(text), (export.format, text)

    same()


@pytest.mark.parametrize("preset", PRESETS)
def test_the_models_have_seams_without_a_space(preset: str) -> None:
    """Without them, the tests of this module would show nothing new."""
    plan = make_plan(model_of(preset, "exportable"), "exact")
    assert plan.runs is not None
    seams = [part for parts in plan.runs.parts.values() for part in parts[1:]]
    # The words of gpt4o-export may have any letters after an apostrophe, so nothing else is safe.
    assert any(not part.startswith(" ") for part in seams) == (preset != "gpt4o-export")


@pytest.mark.parametrize("preset", PRESETS)
def test_exportable_superwords_can_be_exported(preset: str) -> None:
    """And the limit is no more than a limit: most superwords are the same without it."""
    limited, free = model_of(preset, "exportable"), model_of(preset, "any")
    assert make_plan(limited, "exact").mode == "exact"
    both = {left + right for left, right, _ in limited.supermerges}
    both &= {left + right for left, right, _ in free.supermerges}
    assert len(both) > (0.5 if preset == "gpt4o-export" else 0.85) * len(free.supermerges)


def test_seams_of_exportable_superwords_are_safe() -> None:
    for preset in PRESETS:
        model = model_of(preset, "exportable")
        ranks = {(left, right): rank for rank, (left, right, _) in enumerate(model.merges)}
        runs = make_plan(model, "exact").runs
        assert runs is not None
        for parts in runs.parts.values():
            for left, right in itertools.pairwise(parts):
                pair = [left.encode(), right.encode()]
                assert merged(b"".join(pair), ranks) == pair


def unsafe_model(*, needed: bool) -> Tokenizer:
    """о ends with the byte 0xBE and Н begins with 0xD0; a merge of the two crosses до|Не."""
    events = [
        ("merge", b"\xbe", b"\xd0", 9),
        ("merge", b"\xd0", b"\xbe", 8),
        ("merge", b"\xd0", b"\x9d", 8),
        ("merge", b"a", b"b", 7),
        ("merge", b" ", b"ab", 7),
        ("supermerge", b"ab", b" ab", 5),
        ("supermerge", "Н".encode(), b" ab", 4),
        ("supermerge", "о".encode(), b" ab", 4),
        ("supermerge", "о".encode(), "Н".encode(), 3)
        if needed
        else ("supermerge", b"ab", "Н".encode(), 3),
    ]
    pretokenizer = superword.Pretokenizer("gpt4o")._engine
    return Tokenizer._wrap(
        _core.Model.from_parts("superbpe", pretokenizer, "bytes", events, None, [], "{}")
    )


def test_runs_are_cut_at_seams_that_are_not_safe(tmp_path: Path) -> None:
    model = unsafe_model(needed=False)
    plan = model.export_huggingface(tmp_path / "hf", "exact")
    assert plan.runs is not None
    assert "(?<=о)Н" in plan.runs.cuts.elsewhere
    model.export_tiktoken(tmp_path / "m.tiktoken", "exact")
    documents = ["оН ab", "abН ab", "о abН", "оН", "abН о abоН ab"]
    for place in ("hf", "m.tiktoken"):
        assert verify(model, open_export(tmp_path / place, model), documents).identical


def test_a_superword_at_a_seam_that_is_not_safe_is_refused_by_name() -> None:
    with pytest.raises(superword.errors.ExportError, match="'оН'") as caught:
        make_plan(unsafe_model(needed=True), "exact")
    assert caught.value.reason == "seam"
    assert "exportable" in str(caught.value.hint)


def test_training_leaves_out_superwords_that_cannot_be_exported() -> None:
    """א and A are two words, but parts of one word before a lowercase letter."""
    documents = ["אA, אA; אA. the of the of xA"] * 50
    options = {"vocab_size": 266, "method": "superbpe", "supermerges": 2, "pretokenizer": "gpt4o"}
    free = superword.train_from_iterator(documents, **options)  # type: ignore[arg-type]
    with pytest.raises(superword.errors.ExportError, match="' אA'") as caught:
        make_plan(free, "exact")
    assert caught.value.reason == "seam"
    limited = superword.train_from_iterator(documents, boundary="exportable", **options)  # type: ignore[arg-type]
    assert b" the of" in {left + right for left, right, _ in limited.supermerges}
    assert make_plan(limited, "exact").mode == "exact"


def test_exportable_needs_a_pattern_whose_words_are_known() -> None:
    own = superword.Pretokenizer(pattern=r" ?\p{L}+|\s+|.")
    for pretokenizer in (own, "gpt4o-script"):
        with pytest.raises(superword.errors.OptionError, match="boundary") as caught:
            train(pretokenizer=pretokenizer, boundary="exportable")
        assert caught.value.option == "boundary"


def test_contractions_without_the_long_s_are_exact_too(tmp_path: Path) -> None:
    """The pattern of js-tiktoken means something else than that of GPT-4o: only for U+017F."""
    both = "'s|'t|'re|'ve|'m|'ll|'d"
    plain = "('s|'S|'t|'T|'re|'rE|'Re|'RE|'ve|'vE|'Ve|'VE|'m|'M|'ll|'lL|'Ll|'LL|'d|'D)"
    pattern = superword.Pretokenizer("gpt4o").pattern.replace(f"(?i:{both})", plain)
    own = superword.Pretokenizer(pattern=pattern)
    assert own.meaning is None
    documents = [*training_text(), "it's the it'ſ of it'S the of"] * 3
    model = superword.train_from_iterator(
        documents,
        vocab_size=700,
        method="superbpe",
        supermerges=200,
        pretokenizer=own,
        boundary="exportable",
    )
    model.export_huggingface(tmp_path / "hf", "exact")
    model.export_tiktoken(tmp_path / "m.tiktoken", "exact")
    for place in ("hf", "m.tiktoken"):
        found = verify(model, open_export(tmp_path / place, model), documents)
        assert found.identical, found.differences

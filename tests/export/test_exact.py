"""Exact exports give the ids of the model on every text."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest
import superword
from hypothesis import HealthCheck, given, settings
from superword import Pretokenizer, Tokenizer
from superword.export import export_tiktoken, load_tiktoken, open_export, verify
from superword.export.patterns import fine_of
from superword.export.runs.pattern import Shapes, run_pattern
from superword.export.runs.seams import Cuts
from superword.export.unicode import pinned
from superword.export.verify import Export
from superword.pretokenizer import preset_names
from support.export_models import (
    KINDS,
    boundless,
    some_documents,
    superwords,
    texts,
    train,
    training_text,
    words,
)

tokenizers = pytest.importorskip("tokenizers", reason="pip install 'superword[huggingface]'")
tiktoken = pytest.importorskip("tiktoken", reason="pip install 'superword[tiktoken]'")

Exports = list[tuple[Tokenizer, Export]]


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> Exports:
    folder = tmp_path_factory.mktemp("exact")
    made: Exports = []
    for name, model in (("super", superwords()), ("boundless", boundless()), ("words", words())):
        model.export_huggingface(folder / name, "exact")
        path = folder / f"{name}.tiktoken"
        model.export_tiktoken(path, "exact", renumber=name == "boundless")
        made += [(model, open_export(folder / name, model)), (model, open_export(path, model))]
    return made


@settings(max_examples=2_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=texts())
def test_exact_exports_give_the_ids_of_the_model(exact: Exports, text: str) -> None:
    for model, export in exact:
        assert export.encode(text) == model.encode(text, allowed_special="all"), export.format


@pytest.mark.soak
@settings(max_examples=20_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=texts())
def test_exact_exports_give_the_ids_of_the_model_long(exact: Exports, text: str) -> None:
    for model, export in exact:
        assert export.encode(text) == model.encode(text, allowed_special="all"), export.format


def test_the_models_use_superwords_of_every_shape() -> None:
    """Without superwords the tests above would show nothing."""
    shapes = Shapes(Pretokenizer("gpt4o-export"))
    supermerges = superwords().supermerges
    made = {left + right for left, right, _ in supermerges}
    leaves = {p.decode() for m in supermerges for p in m[:2] if p not in made}
    assert {shapes.of(leaf) for leaf in leaves} == {"lower", "caseless", "upper", "apostrophe"}
    assert any(not leaf.startswith(" ") for leaf in leaves)


def test_runs_are_fused_where_the_fine_pattern_ends_words_and_nowhere_else() -> None:
    """Every string of up to five characters, one per class that the pattern distinguishes."""
    fine = Pretokenizer("gpt4o-export")
    kinds = "aAǅʰא̂’ 1"
    shapes = Shapes(Pretokenizer("gpt4o-export"))
    leaves = {}
    for length in (1, 2, 3):
        for letters in itertools.product("aAʰא̂’", repeat=length):
            for space in ("", " "):
                word = space + "".join(letters)
                chosen = random.Random(word).random() < 0.7
                if chosen and fine.split(word) == [word] and shapes.of(word) is not None:
                    leaves[word] = 1
    bare = [leaf for leaf in leaves if not leaf.startswith(" ")]
    run = run_pattern(leaves, bare, [], Cuts("", ""), shapes)
    pattern = pinned(run + "|" + fine.pattern)
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
    strings = ["".join(chars) for n in range(1, 6) for chars in itertools.product(kinds, repeat=n)]
    for start in range(0, len(strings), 2000):
        text = "\n".join(strings[start : start + 2000])
        fused: list[str] = []
        open_run = False
        for pretoken in fine.split(text):
            is_leaf = pretoken in leaves
            if open_run and is_leaf and pretoken.startswith(" "):
                fused[-1] += pretoken
            else:
                fused.append(pretoken)
            open_run = is_leaf
        assert [piece for piece, _ in split.pre_tokenize_str(text)] == fused


PRESETS = [name for name in preset_names() if name != "gpt4o-script"]
NEW_IN_17 = [
    *(0x295, 0x88F, 0xC5C, 0xCDC, 0x10940, 0x10EC5, 0x187F8, 0x18D09, 0x18D80, 0x2B73A, 0x323B0),
    *range(0x1ACF, 0x1AEC),
    *range(0xA7CE, 0xA7F2),
    *range(0x10EC5, 0x10EFC),
    *range(0x11B60, 0x11B68),
    *range(0x11DB0, 0x11DEA),
    *range(0x16EA0, 0x16FF7),
    *range(0x1E6C0, 0x1E700),
]


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize(
    "step", [17, pytest.param(1, marks=pytest.mark.soak)], ids=["sample", "all"]
)
def test_presets_cut_every_code_point_alike_in_other_engines(name: str, step: int) -> None:
    """Includes letters of Unicode 17.0, which the other engines may not know."""
    ours = Pretokenizer(name)
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pinned(fine_of(ours))), "isolated")
    chosen = [*range(0x3400), *range(0x3400, 0x110000, step), *NEW_IN_17]
    code_points = [chr(c) for c in chosen if not 0xD800 <= c < 0xE000]
    for start in range(0, len(code_points), 50_000):
        block = code_points[start : start + 50_000]
        text = "".join(f"a{char}B{char} 1{char}\n" for char in block)
        assert [piece for piece, _ in split.pre_tokenize_str(text)] == ours.split(text)


@pytest.mark.parametrize("name", PRESETS)
def test_tiktoken_cuts_every_code_point_alike(name: str, tmp_path: Path) -> None:
    """Compared through ids, which depend on how the text around each code point is split."""
    model = train(method="bpe", supermerges=None, boundary=None, pretokenizer=name)
    model.export_tiktoken(tmp_path / "m.tiktoken", unicode="17")
    encoding = load_tiktoken(tmp_path / "m.tiktoken")
    chance = random.Random(1)
    code_points = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    for c in [*chance.sample(code_points, 4000), *NEW_IN_17]:
        char = chr(c)
        text = f" the{char}of {char}and{char}{char} that it's{char} 12{char}3"
        assert encoding.encode_ordinary(text) == model.encode_ordinary(text), hex(c)


def test_a_long_run_of_words_is_no_trouble(exact: Exports) -> None:
    text = " the of and that" * 20_000
    for model, export in exact:
        assert export.encode(text) == model.encode(text), export.format


def test_special_tokens_in_text_are_special_in_the_export(exact: Exports) -> None:
    text = "the<|endoftext|> of<|pad|>\n<|endoftext|>"
    for model, export in exact:
        assert export.encode(text) == model.encode(text, allowed_special="all")


def test_custom_patterns_of_words_are_exact_with_text_they_do_not_match(tmp_path: Path) -> None:
    own = Pretokenizer(pattern=r" ?\p{L}+|\p{N}")
    model = train(method="bpe", supermerges=None, boundary=None, pretokenizer=own)
    model.export_huggingface(tmp_path / "hf")
    model.export_tiktoken(tmp_path / "m.tiktoken")
    for place in (tmp_path / "hf", tmp_path / "m.tiktoken"):
        export = open_export(place, model)
        for text in ("the, of;; -- 12 и", "...", "", "  the\n\nof!"):
            assert export.encode(text) == model.encode(text)


def test_the_alphabet_of_utf8_exports_too(tmp_path: Path) -> None:
    model = train(alphabet="utf8")
    model.export_huggingface(tmp_path / "hf", "exact")
    model.export_tiktoken(tmp_path / "m.tiktoken", "exact")
    for place in (tmp_path / "hf", tmp_path / "m.tiktoken"):
        assert verify(model, open_export(place, model), training_text(7)).identical


def test_the_loader_of_the_docs_loads_the_export(tmp_path: Path) -> None:
    """The snippet in docs/how-to/other-programs.md runs as printed, without superword."""
    model = superwords()
    export_tiktoken(model, tmp_path / "m.tiktoken")
    docs = Path(__file__).parents[2] / "docs" / "how-to" / "other-programs.md"
    start = docs.read_text().index("# Loads a tiktoken export")
    snippet = docs.read_text()[start:].split("```", 1)[0]
    names: dict[str, Any] = {}
    exec(snippet.replace('"m.tiktoken"', repr(str(tmp_path / "m.tiktoken"))), names)
    text = "the of and that"
    assert names["encoding"].encode(text) == model.encode(text)
    assert names["encoding"].n_vocab == model.n_vocab


def test_sidecar_maps_renumbered_ids_back(tmp_path: Path) -> None:
    model = boundless()
    model.export_tiktoken(tmp_path / "m.tiktoken", "exact", renumber=True)
    ids = json.loads((tmp_path / "m.tiktoken.json").read_text())["ids"]
    assert sorted(ids) == list(range(model.n_vocab))
    encoding = load_tiktoken(tmp_path / "m.tiktoken")
    for id, own in enumerate(ids):
        assert encoding.decode_single_token_bytes(id) == model.token_bytes(own)


CHARACTERS_EACH = 40_000


def test_exact_on_real_text_of_every_language(corpus_dir: Path, tmp_path: Path) -> None:
    """A model trained on all files, compared on a slice of each."""
    files = sorted((corpus_dir / "multi").glob("*.jsonl.zst"))
    model = superword.train(
        files,
        vocab_size=6_000,
        method="superbpe",
        supermerges=2_500,
        pretokenizer="gpt4o-export",
        boundary="space",
        max_bytes="3MB",
    )
    model.export_huggingface(tmp_path / "hf", "exact")
    model.export_tiktoken(tmp_path / "m.tiktoken", "exact")
    exports = [open_export(tmp_path / "hf", model), open_export(tmp_path / "m.tiktoken", model)]

    for file in files:
        for text in some_documents(file, CHARACTERS_EACH):
            for export in exports:
                found = verify(model, export, [text[:20_000]])
                assert found.identical, (file.name, found.differences)


def test_kinds_are_of_every_category() -> None:
    """The strategies draw from the words that the models were trained on."""
    classes = (r"\p{Ll}", r"\p{Lu}", r"\p{Lt}", r"\p{Lm}", r"\p{Lo}", r"\p{M}", r"\p{N}", r"\s")
    for category in classes:
        known = Pretokenizer("gpt4o", eligible=category)
        assert any(known.is_eligible(char) for char in KINDS), category

"""Models that cannot be exported are refused with the reason."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import superword
from superword import Tokenizer, _core
from superword.errors import (
    ExportError,
    MissingExtraError,
    OptionError,
    SaveError,
    SpecialTokenError,
)
from superword.export import make_plan
from support.export_models import boundless, scripts, superwords, train, words


def refused(model: Tokenizer, mode: str = "auto") -> ExportError:
    with pytest.raises(ExportError) as caught:
        make_plan(model, mode)  # type: ignore[arg-type]
    assert caught.value.hint
    return caught.value


def test_deletions_and_script_runs_are_refused_in_every_mode() -> None:
    deletions = train(picky=0.9)
    assert deletions._model.has_deletions
    cut = train(pretokenizer="gpt4o-script", boundary=None)
    for mode in ("auto", "exact", "approximate"):
        assert refused(deletions, mode).reason == "deletions"
        assert refused(cut, mode).reason == "scripts"
    assert refused(scripts()).reason in ("deletions", "scripts")


def test_exact_is_refused_where_it_would_not_be() -> None:
    anywhere = train(boundary=None)
    error = refused(anywhere, "exact")
    assert error.reason in ("seam", "ambiguous")
    assert "boundary" in str(error.hint)
    cut = superword.train_from_iterator(
        ["one of the first of the many of the one"] * 20,
        vocab_size=275,
        method="superbpe",
        supermerges=3,
        pretokenizer="gpt4o-export",
        boundary="space",
        greedy_split="encode",
    )
    assert refused(cut, "exact").reason == "ngrams"


def test_auto_falls_back_and_says_why() -> None:
    plan = make_plan(train(boundary=None))
    assert plan.mode == "approximate"
    assert plan.why_not_exact is not None
    assert plan.why_not_exact.reason in ("seam", "ambiguous")
    assert make_plan(superwords()).why_not_exact is None


def test_superwords_with_a_pattern_of_ones_own_are_refused() -> None:
    own = superword.Pretokenizer(pattern=r" ?\p{L}+|\s+|.")
    assert refused(train(pretokenizer=own)).reason == "pattern"


def test_parts_that_are_no_words_are_refused() -> None:
    own = superword.Pretokenizer("gpt4o-export", eligible=r"\S")
    assert refused(train(pretokenizer=own), "exact").reason == "leaf"


def model_of(events: list[tuple[str, bytes, bytes, int]]) -> Tokenizer:
    pretokenizer = superword.Pretokenizer("gpt4o-export")._engine
    return Tokenizer._wrap(
        _core.Model.from_parts("superbpe", pretokenizer, "bytes", events, None, [], "{}")
    )


def test_a_token_that_crosses_the_end_of_a_word_is_refused() -> None:
    """U+3000 and the letter р both end with byte 0x80, so the merge would join р and a space."""
    word = [("merge", b"\xd1", b"\x80", 1), ("merge", b" ", "р".encode(), 1)]
    join = ("supermerge", " р".encode(), " р".encode(), 1)
    assert "р" in make_plan(model_of([*word, join]), "exact").pattern
    crossing = model_of([("merge", b"\x80", b" ", 1), *word, join])
    assert refused(crossing, "exact").reason == "seam"


def test_a_superword_that_is_also_a_word_is_refused() -> None:
    events = [("merge", b"a", b"b", 1), ("merge", b" ", b"c", 1)]
    events += [("merge", b"ab", b" c", 1), ("supermerge", b"ab", b" c", 1)]
    assert refused(model_of(events), "exact").reason == "ambiguous"


def test_two_merges_that_make_one_token_are_refused() -> None:
    events = [("merge", b"a", b"b", 1), ("merge", b"b", b"c", 1), ("merge", b"ab", b"c", 1)]
    assert refused(model_of([*events, ("merge", b"a", b"bc", 1)])).reason == "ambiguous"


def test_tiktoken_refuses_superwords_between_words(tmp_path: Path) -> None:
    """A lower id would be merged before the word is complete."""
    with pytest.raises(ExportError, match="order of ids") as caught:
        boundless().export_tiktoken(tmp_path / "m.tiktoken")
    assert caught.value.reason == "order"
    assert "renumber" in str(caught.value.hint)
    assert not list(tmp_path.iterdir())


def test_tiktoken_refuses_words_that_their_own_merges_do_not_reach(tmp_path: Path) -> None:
    """(a, b) comes first, so a and bc never meet; tiktoken would still find abc."""
    events = [("merge", b"a", b"b", 1), ("merge", b"b", b"c", 1), ("merge", b"a", b"bc", 1)]
    model = model_of(events)
    assert model.encode("abc") == [256, 99]
    with pytest.raises(ExportError) as caught:
        model.export_tiktoken(tmp_path / "m.tiktoken")
    assert caught.value.reason == "unreached"


def test_special_tokens_that_read_like_others_are_refused_by_hugging_face(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="the same name as an ordinary token") as caught:
        train(special_tokens=["<|x|>", "the"]).export_huggingface(tmp_path / "hf")
    assert caught.value.reason == "special"
    assert not (tmp_path / "hf").exists()


def test_a_pattern_that_the_other_engine_cannot_take_is_said(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="pip install 'superword[huggingface]'")
    pytest.importorskip("tiktoken", reason="pip install 'superword[tiktoken]'")
    greek = superword.Pretokenizer(pattern=r"\p{Script=Greek}+|\s+")
    model = train(method="bpe", supermerges=None, boundary=None, pretokenizer=greek)
    model.export_huggingface(tmp_path / "hf")
    with pytest.raises(ExportError, match="cannot load") as caught:
        superword.export.open_export(tmp_path / "hf", model)
    assert caught.value.reason == "engine"
    model.export_tiktoken(tmp_path / "m.tiktoken")
    sidecar = tmp_path / "m.tiktoken.json"
    facts = json.loads(sidecar.read_text())
    sidecar.write_text(json.dumps(facts | {"pat_str": r"\p{Unheard}"}))
    with pytest.raises(ExportError, match="does not accept the pattern") as caught:
        superword.export.open_export(tmp_path / "m.tiktoken", model)
    assert caught.value.reason == "engine"


def test_wrong_options_are_errors(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="mode"):
        words().export_huggingface(tmp_path, "exactly")  # type: ignore[arg-type]
    with pytest.raises(SpecialTokenError, match="bos_token"):
        words().export_huggingface(tmp_path, bos_token="<s>")
    (tmp_path / "file").write_text("")
    with pytest.raises(SaveError, match="cannot be a directory"):
        words().export_huggingface(tmp_path / "file")


def test_exports_are_written_whole_without_leftovers(tmp_path: Path) -> None:
    words().export_huggingface(tmp_path / "hf")
    words().export_tiktoken(tmp_path / "m.tiktoken")
    assert sorted(path.name for path in (tmp_path / "hf").iterdir()) == [
        "tokenizer.json",
        "tokenizer_config.json",
    ]
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["hf", "m.tiktoken", "m.tiktoken.json"]
    json.loads((tmp_path / "hf" / "tokenizer.json").read_text())


def test_a_missing_package_is_named_with_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exporting needs no other package; running an export does."""
    for name in ("tiktoken", "tokenizers"):
        monkeypatch.setitem(sys.modules, name, None)
    model = words()
    model.export_tiktoken(tmp_path / "m.tiktoken")
    model.export_huggingface(tmp_path / "hf")
    for place, extra in (("m.tiktoken", "tiktoken"), ("hf", "huggingface")):
        with pytest.raises(MissingExtraError, match="not installed") as caught:
            superword.export.open_export(tmp_path / place, model)
        assert caught.value.hint == f"pip install 'superword[{extra}]'"
        assert caught.value.extra == extra

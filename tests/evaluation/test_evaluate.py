"""`superword.evaluate`: models, inputs, options, and what is wrong with them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import superword
from superword import Tokenizer
from superword.errors import (
    ConversionError,
    EmptyCorpusError,
    InputError,
    MissingInputError,
    MissingModelError,
    OptionError,
    SkippedWarning,
)
from superword.evaluation import Evaluation, ModelShape
from superword.inputs import Batches, Texts
from superword.progress import Progress
from support.toy_models import toy

TEXT = Texts(["one of the words"])


def test_models_are_paths_of_any_kind_tokenizers_and_mappings(
    words: Tokenizer, model_path: Path, tmp_path: Path
) -> None:
    words.export_huggingface(tmp_path / "hf")
    words.export_tiktoken(tmp_path / "ranks.tiktoken")
    shutil.copy(model_path, tmp_path / "b.model.superword")
    models: list[Path | str | Tokenizer] = [
        model_path,
        tmp_path / "hf",
        str(tmp_path / "ranks.tiktoken"),
        tmp_path / "b.model.superword",
        words,
    ]
    result = superword.evaluate(models, TEXT)
    assert [(model.name, model.kind) for model in result.models] == [
        ("boundless", "superword"),
        ("hf", "huggingface"),
        ("ranks", "tiktoken"),
        ("b.model", "superword"),
        ("model 5", "superword"),
    ]
    assert result.models[0].path == str(model_path)
    assert result.models[4].path is None
    # The same model in other formats has the same numbers, except for the special tokens.
    assert len({model.numbers["text"].size.tokens for model in result.models[1:3]}) == 1
    single = superword.evaluate(tmp_path / "hf" / "tokenizer.json", TEXT).models[0]
    assert (single.name, single.pretokenizer) == ("hf", words.pretokenizer.meaning)
    named = superword.evaluate({"mine": words, "theirs": model_path}, TEXT)
    assert [model.name for model in named.models] == ["mine", "theirs"]


def test_a_model_of_the_papers_program_has_its_kind_and_counts() -> None:
    path = Path(__file__).parents[1] / "data" / "golden" / "models" / "boundless.model"
    model = superword.evaluate(path, TEXT).models[0]
    assert (model.name, model.kind, model.method) == ("boundless", "paper", "boundless")
    assert model.vocabulary.superwords > 0
    assert model.curves.supermerge_counts


def test_files_of_the_same_name_are_called_by_their_paths(model_path: Path, tmp_path: Path) -> None:
    copy = tmp_path / model_path.name
    shutil.copy(model_path, copy)
    result = superword.evaluate([model_path, copy], TEXT)
    assert [model.name for model in result.models] == [str(model_path), str(copy)]
    with pytest.raises(OptionError, match="two models have the name"):
        superword.evaluate([model_path, model_path], TEXT)


def test_results_are_saved_and_loaded(words: Tokenizer, tmp_path: Path) -> None:
    result = superword.evaluate(words, TEXT)
    result.save(tmp_path / "r.json")
    assert Evaluation.load(tmp_path / "r.json") == result
    assert json.loads((tmp_path / "r.json").read_text())["superword"] == superword.__version__


def test_text_comes_from_everything_that_training_reads(
    words: Tokenizer, jsonl: Path, texts: list[str], tmp_path: Path
) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = pa.table({"body": texts})
    pq.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "lines.txt").write_text("\n".join(text.replace("\n", " ") for text in texts))
    expected = superword.evaluate(words, Texts(texts)).models[0].numbers["all"].size
    for on in (jsonl, [jsonl], {"g": str(jsonl)}, str(jsonl.parent / "texts.json*")):
        assert superword.evaluate(words, on).models[0].numbers["all"].size == expected
    for rows in (table, tmp_path / "t.parquet", Batches(table.to_batches(max_chunksize=5))):
        found = superword.evaluate(words, rows, text_field="body")
        assert found.models[0].numbers["all"].size == expected
    lines = superword.evaluate(words, tmp_path / "lines.txt", format="lines")
    assert lines.groups[0].documents == len(texts)


def test_an_exception_of_an_iterator_of_batches_is_raised(words: Tokenizer) -> None:
    pa = pytest.importorskip("pyarrow")

    def broken() -> object:
        yield pa.record_batch({"text": ["one"]})
        raise RuntimeError("the disk is gone")

    with pytest.raises(RuntimeError, match="the disk is gone"):
        superword.evaluate(words, Batches(broken()))  # type: ignore[arg-type]


def test_groups_keep_the_inputs_as_they_were_given(words: Tokenizer, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.txt").write_text("one of the")
    on = {"first": [tmp_path / "a", Texts(["x"])], "second": tmp_path / "b"}
    result = superword.evaluate(words, on)
    assert [group.inputs for group in result.groups] == [
        (str(tmp_path / "a"), "texts"),
        (str(tmp_path / "b"),),
    ]
    assert [group.documents for group in result.groups] == [2, 1]


def test_documents_that_cannot_be_read_are_skipped_on_request(
    words: Tokenizer, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "one"}\nnot json\n')
    with pytest.raises(InputError):
        superword.evaluate(words, path)
    with pytest.warns(SkippedWarning, match="skipped 1 document"):
        result = superword.evaluate(words, path, on_error="skip")
    assert (result.groups[0].documents, result.groups[0].skipped) == (1, 1)


def test_a_group_without_text_is_an_error(words: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(EmptyCorpusError, match="no text in the group de: 0 documents"):
        superword.evaluate(words, {"en": TEXT, "de": tmp_path / "empty.txt"})
    with pytest.raises(EmptyCorpusError, match=r"no text in .*empty\.txt"):
        superword.evaluate(words, tmp_path / "empty.txt")
    (tmp_path / "bad.jsonl").write_text("not json\n")
    with pytest.raises(EmptyCorpusError, match=r"1 skipped\nhint: .*bad\.jsonl"):
        superword.evaluate(words, tmp_path / "bad.jsonl", on_error="skip")


def test_progress_is_reported_and_its_exception_stops(words: Tokenizer, jsonl: Path) -> None:
    seen: list[Progress] = []
    superword.evaluate(words, jsonl, progress=seen.append)
    assert seen[-1].phase == "encode"
    assert seen[-1].done == seen[-1].total

    def stop(_: object) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        superword.evaluate(words, jsonl, progress=stop)


def test_bad_models_are_errors(words: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(MissingModelError):
        superword.evaluate(tmp_path / "nothing.superword", TEXT)
    with pytest.raises(ConversionError):
        superword.evaluate(tmp_path, TEXT)
    with pytest.raises(OptionError, match="there is no model"):
        superword.evaluate([], TEXT)
    with pytest.raises(OptionError, match="a path or a Tokenizer, not 5"):
        superword.evaluate([5], TEXT)  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reference": "wrods"}, "did you mean 'words'"),
        ({"rare_below": 0}, "rare_below"),
        ({"top_words": True}, "top_words"),
        ({"threads": -1}, "threads"),
        ({"shape": ModelShape(layers=0)}, "layers of shape must be a whole number"),
        ({"shape": ModelShape(hidden=100, heads=3)}, "hidden of shape is 100"),
        ({"shape": ModelShape(heads=32, kv_heads=5)}, "heads of shape is 32"),
        ({"on_error": "ignore"}, "on_error"),
    ],
)
def test_bad_options_are_errors(words: Tokenizer, options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        superword.evaluate({"words": words}, TEXT, **options)  # type: ignore[arg-type]


def test_bad_inputs_are_errors(words: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(MissingInputError):
        superword.evaluate(words, {"en": TEXT, "de": tmp_path / "nothing"})
    with pytest.raises(OptionError, match="cannot be called 'all'"):
        superword.evaluate(words, {"all": TEXT})
    with pytest.raises(MissingInputError, match="nothing to read"):
        superword.evaluate(words, [])


def test_a_model_with_a_pattern_that_gives_up_is_an_error() -> None:
    pattern = superword.Pretokenizer(pattern=r"(a+)+(?!a)c|(?s:.)")
    slow = superword.train_from_iterator(["aaa b"] * 3, vocab_size=258, pretokenizer=pattern)
    with pytest.raises(superword.errors.TextError, match="too slow"):
        superword.evaluate({"fast": toy(), "slow": slow}, Texts(["a" * 5000]))

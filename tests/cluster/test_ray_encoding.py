"""Encoding on Ray gives the ids of a local run, in the same order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import superword
from superword.errors import DocumentError, OptionError, ShardsMismatchError, SkippedWarning
from superword.shards import EncodedCorpus
from support.ray_clusters import ray, ray_started, superword_ray

pa = pytest.importorskip("pyarrow")
pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module", autouse=True)
def started() -> Iterator[None]:
    with ray_started():
        yield


@pytest.fixture
def inputs(tmp_path: Path, texts: list[str]) -> str:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(4):
        rows = [json.dumps({"text": text}) + "\n" for text in texts[number * 8 :][:8]]
        (folder / f"{number}.jsonl").write_text("".join(rows))
    return str(folder)


def encoded(inputs: Any, tokenizer: superword.Tokenizer, out: Path, **more: Any) -> EncodedCorpus:
    """Encode with one task for each file."""
    return superword_ray.encode_files(inputs, tokenizer, out, task_size=1, **more)


def ids(corpus: EncodedCorpus) -> list[int]:
    loaded = [np.load(corpus.path / shard.tokens_file) for shard in corpus.shards]
    return [int(token) for part in loaded for token in part]


def test_the_ids_are_those_of_one_machine_in_the_same_order(
    inputs: str, boundless: superword.Tokenizer, tmp_path: Path
) -> None:
    local = boundless.encode_files(inputs, tmp_path / "local")
    got = encoded(inputs, boundless, tmp_path / "out", shard_size=500)
    assert ids(got) == ids(local)
    assert (got.documents, got.tokens, got.bytes) == (local.documents, local.tokens, local.bytes)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_bytes())
    assert [shard["tokens_file"] for shard in manifest["shards"]] == [
        shard.tokens_file for shard in got.shards
    ]
    assert {Path(shard.tokens_file).parent.name for shard in got.shards} == {
        f"task-0000{number}" for number in range(4)
    }


def test_other_formats_of_shards_can_be_chosen(
    inputs: str, boundless: superword.Tokenizer, tmp_path: Path
) -> None:
    local = boundless.encode_files(inputs, tmp_path / "local", format="raw")
    got = encoded(inputs, boundless, tmp_path / "out", format="raw")
    both = [
        b"".join((corpus.path / shard.tokens_file).read_bytes() for shard in corpus.shards)
        for corpus in (local, got)
    ]
    assert both[0] == both[1]


def test_finished_groups_are_not_encoded_again(
    inputs: str, boundless: superword.Tokenizer, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    first = encoded(inputs, boundless, out)
    # As if the run had been killed before the third group was finished.
    for path in (out / "manifest.json", *(out / "task-00002").iterdir()):
        path.unlink()
    before = {path: path.stat().st_mtime_ns for path in out.glob("task-*/*")}
    second = encoded(inputs, boundless, out)
    assert ids(second) == ids(first)
    assert second.resumed == 3
    assert (out / "manifest.json").exists()
    after = {path: path.stat().st_mtime_ns for path in out.glob("task-*/*")}
    assert {path: after[path] for path in before} == before


def test_shards_of_another_model_or_of_other_inputs_are_kept(
    inputs: str,
    boundless: superword.Tokenizer,
    superbpe: superword.Tokenizer,
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    encoded(inputs, boundless, out)
    with pytest.raises(ShardsMismatchError, match="model_sha256") as raised:
        encoded(inputs, superbpe, out, eot=False)
    assert raised.value.changed is not None
    assert "eot" in raised.value.changed
    (tmp_path / "in" / "1.jsonl").write_text(json.dumps({"text": "other"}) + "\n")
    with pytest.raises(ShardsMismatchError, match="other inputs"):
        encoded(inputs, boundless, out)
    got = encoded(inputs, boundless, out, overwrite=True)
    assert ids(got) == ids(boundless.encode_files(inputs, tmp_path / "local"))


def test_shards_of_a_local_run_are_kept(
    inputs: str, boundless: superword.Tokenizer, tmp_path: Path
) -> None:
    local = boundless.encode_files(inputs, tmp_path / "out")
    before = ids(local)
    with pytest.raises(ShardsMismatchError, match="on one machine"):
        encoded(inputs, boundless, tmp_path / "out")
    assert ids(local) == before


def test_a_broken_document_behaves_as_on_error_says(
    inputs: str, boundless: superword.Tokenizer, tmp_path: Path
) -> None:
    path = tmp_path / "in" / "2.jsonl"
    path.write_text(path.read_text() + "{broken\n")
    with pytest.raises(DocumentError) as raised:
        encoded(inputs, boundless, tmp_path / "out")
    assert raised.value.path == str(path)
    with pytest.warns(SkippedWarning, match="skipped 1 document"):
        got = encoded(inputs, boundless, tmp_path / "skipped", on_error="skip")
    assert got.skipped == 1


def test_encode_adds_the_ids_that_the_tokenizer_gives(
    texts: list[str], boundless: superword.Tokenizer, model_path: Path
) -> None:
    rows = [*texts, None, ""]
    dataset = ray.data.from_arrow(pa.table({"text": rows, "n": range(len(rows))}))
    for tokenizer in (boundless, str(model_path)):
        got = dataset.map_batches(
            superword_ray.Encode,
            fn_constructor_kwargs={"tokenizer": tokenizer, "column": "text", "into": "ids"},
            batch_format="pyarrow",
            batch_size=10,
            concurrency=1,
        )
        found = {row["n"]: row["ids"] for row in got.take_all()}
        expected = [None if text is None else boundless.encode_ordinary(text) for text in rows]
        assert [None if found[n] is None else list(found[n]) for n in range(len(rows))] == expected


def test_encode_keeps_types_and_names_a_missing_column(boundless: superword.Tokenizer) -> None:
    encode = superword_ray.Encode(boundless, column="body", into="body")
    for kind in (pa.string(), pa.large_string()):
        batch = encode(pa.table({"body": pa.array(["of the"], kind)}))
        assert batch.column_names == ["body"]
        assert batch.schema.field("body").type == pa.list_(pa.int32())
    with pytest.raises(OptionError, match="column is 'body', but the columns are 'bod'"):
        encode(pa.table({"bod": ["x"]}))

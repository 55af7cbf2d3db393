"""Training on Ray gives the model of `superword.train`, byte for byte."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import superword
import zstandard
from superword import stages
from superword.errors import (
    ChangedWorkWarning,
    DocumentError,
    EmptyCorpusError,
    InputError,
    OptionError,
    ShortfallWarning,
    SkippedWarning,
)
from superword.options import TrainOptions
from superword.plans import Plan
from support.ray_clusters import (
    finished,
    options_of,
    ray,
    ray_started,
    superword_ray,
    wait_for,
    worker_pids,
    write_files,
)

pa = pytest.importorskip("pyarrow")
pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module", autouse=True)
def started() -> Iterator[None]:
    with ray_started():
        yield


def write(folder: Path, texts: list[str], kind: str, files: int = 5) -> str:
    """Write texts to several files of one kind."""
    import pyarrow.parquet as pq

    folder.mkdir()
    for number in range(files):
        part = texts[number::files]
        lines = "".join(json.dumps({"text": text}) + "\n" for text in part).encode()
        path = folder / f"{number}.{kind}"
        if kind == "parquet":
            pq.write_table(pa.table({"text": part}), path)
        elif kind == "jsonl.zst":
            path.write_bytes(zstandard.compress(lines))
        else:
            path.write_bytes(lines)
    return str(folder)


def trained(inputs: Any, work: Path, **options: Any) -> superword.Tokenizer:
    return superword_ray.train(inputs, work_dir=work, task_size=2000, **options)


@pytest.mark.parametrize(
    ("method", "kind", "partitions"),
    [
        ("bpe", "jsonl", 1),
        ("bpe", "parquet", 17),
        ("boundless", "jsonl.zst", 1),
        ("boundless", "parquet", 3),
        ("superbpe", "jsonl", 17),
        ("superbpe", "jsonl.zst", 3),
    ],
)
def test_the_model_is_that_of_one_machine(
    method: str, kind: str, partitions: int, texts: list[str], tmp_path: Path
) -> None:
    inputs = write(tmp_path / "in", texts, kind)
    options = options_of(method)
    got = trained(inputs, tmp_path / "work", partitions=partitions, **options)
    assert got.to_bytes() == superword.train(inputs, **options).to_bytes()
    assert len(finished(tmp_path / "work", "counts")) > 1


def test_weights_groups_special_tokens_and_deletions_are_those_of_one_machine(
    texts: list[str], tmp_path: Path
) -> None:
    inputs = {
        "twice": write(tmp_path / "a", texts[:20], "jsonl"),
        "half": write(tmp_path / "b", texts[20:], "parquet"),
    }
    options = {
        **options_of("boundless"),
        "weights": {"twice": 2.0, "half": 0.5},
        "special_tokens": ["<|b|>", "<|a|>"],
        "picky": 0.6,
    }
    got = trained(inputs, tmp_path / "work", **options)
    assert got.to_bytes() == superword.train(inputs, **options).to_bytes()


@pytest.mark.parametrize("method", ["bpe", "boundless", "superbpe"])
def test_a_dataset_gives_the_model_of_its_text(method: str, texts: list[str]) -> None:
    tables = [pa.table({"body": texts[start::3]}) for start in range(3)]
    options = {**options_of(method), "text_field": "body"}
    got = superword_ray.train(ray.data.from_arrow(tables), partitions=3, **options)
    assert got.to_bytes() == superword.train(pa.concat_tables(tables), **options).to_bytes()


def test_counts_and_candidates_are_those_of_one_machine(
    texts: list[str], words: superword.Tokenizer, tmp_path: Path
) -> None:
    inputs = write(tmp_path / "in", texts, "jsonl")
    dataset = ray.data.from_arrow(pa.table({"text": texts}))
    counts = stages.count_pretokens(inputs)
    candidates = stages.count_candidates(inputs, words)
    more: dict[str, Any] = {"work_dir": tmp_path / "work", "task_size": 2000, "partitions": 3}
    assert superword_ray.count_pretokens(inputs, **more) == counts
    assert superword_ray.count_pretokens(dataset, partitions=3) == counts
    got = superword_ray.count_candidates(inputs, words, **more)
    assert dict(got) == dict(candidates)
    assert got.facts == candidates.facts
    assert dict(superword_ray.count_candidates(dataset, words, partitions=3)) == dict(candidates)


def test_a_finished_run_does_nothing_again(texts: list[str], tmp_path: Path) -> None:
    inputs = write(tmp_path / "in", texts, "jsonl")
    work = tmp_path / "work"
    first = trained(inputs, work, **options_of("boundless"))
    before = {path: path.stat().st_mtime_ns for path in work.rglob("*-*") if path.is_file()}
    assert trained(inputs, work, **options_of("boundless")).to_bytes() == first.to_bytes()
    after = {path: path.stat().st_mtime_ns for path in work.rglob("*-*") if path.is_file()}
    assert before == after


def test_changed_options_and_inputs_never_use_stale_work(texts: list[str], tmp_path: Path) -> None:
    inputs = write(tmp_path / "in", texts, "jsonl")
    work = tmp_path / "work"
    trained(inputs, work, **options_of("boundless"))
    options = {**options_of("boundless"), "min_count": 5, "veto": "of"}
    with pytest.warns(ChangedWorkWarning, match="veto has changed"):
        got = trained(inputs, work, **options)
    assert got.to_bytes() == superword.train(inputs, **options).to_bytes()
    (tmp_path / "in" / "0.jsonl").write_text(json.dumps({"text": "of the of the"}) + "\n")
    with pytest.warns(ChangedWorkWarning, match="1 input changed"):
        got = trained(inputs, work, **options)
    assert got.to_bytes() == superword.train(inputs, **options).to_bytes()


OTHER_VALUES: dict[str, dict[str, Any]] = {
    "vocab_size": {"vocab_size": 500},
    "method": {"method": "bpe"},
    "supermerges": {"method": "superbpe", "supermerges": 3},
    "pretokenizer": {"pretokenizer": "gpt2"},
    "alphabet": {"alphabet": "utf8"},
    "min_count": {"min_count": 2},
    "picky": {"picky": 0.5},
    "picky_split": {"picky": 0.9, "picky_split": "bytes"},
    "greedy_split": {"greedy_split": True},
    "max_words": {"max_words": 2},
    "same_script": {"same_script": True},
    "boundary": {"boundary": "space"},
    "veto": {"veto": "x"},
    "special_tokens": {"special_tokens": ["<|x|>"]},
}
# The plan has its own key, which these are part of, or they never change a model.
NOT_IN_THE_KEY = {
    "threads", "max_memory", "work_dir", "max_bytes", "sample", "seed", "weights", "on_error",
    "text_field", "format",
}  # fmt: skip


def test_the_key_of_a_model_depends_on_every_option(texts: list[str], tmp_path: Path) -> None:
    assert set(OTHER_VALUES) | NOT_IN_THE_KEY == {given.name for given in fields(TrainOptions)}
    plan = Plan.make(write(tmp_path / "in", texts, "jsonl"))
    keys = {superword_ray.training.model_key(plan, TrainOptions(vocab_size=400))}
    for changed in OTHER_VALUES.values():
        keys.add(
            superword_ray.training.model_key(plan, TrainOptions(**{"vocab_size": 400, **changed}))
        )
    other = Plan.make(str(tmp_path / "in"), text_field="body")
    keys.add(superword_ray.training.model_key(other, TrainOptions(vocab_size=400)))
    assert len(keys) == 2 + len(OTHER_VALUES)


def test_a_broken_document_stops_the_run_with_our_error(texts: list[str], tmp_path: Path) -> None:
    inputs = write(tmp_path / "in", texts, "jsonl")
    broken = tmp_path / "in" / "2.jsonl"
    broken.write_text(broken.read_text() + '{"text": 3}\n')
    with pytest.raises(DocumentError) as raised:
        trained(inputs, tmp_path / "work", **options_of("bpe"))
    assert raised.value.path == str(broken)
    assert type(raised.value) is DocumentError


def test_skipped_documents_are_reported(texts: list[str], tmp_path: Path) -> None:
    inputs = write(tmp_path / "in", texts, "jsonl")
    for number in (0, 2):
        path = tmp_path / "in" / f"{number}.jsonl"
        path.write_text(path.read_text() + "{broken\n")
    options = {**options_of("boundless"), "on_error": "skip"}
    with pytest.warns(SkippedWarning, match=r"skipped 2 documents(.|\n)*0\.jsonl(.|\n)*2\.jsonl"):
        got = trained(inputs, tmp_path / "work", **options)
    with pytest.warns(SkippedWarning):
        assert got.to_bytes() == superword.train(inputs, **options).to_bytes()


def test_a_broken_row_of_a_dataset_behaves_as_on_error_says(texts: list[str]) -> None:
    rows = [*(text.encode() for text in texts), b"\xff\xfe"]
    dataset = ray.data.from_arrow(pa.table({"text": pa.array(rows, pa.binary())}))
    with pytest.raises(DocumentError) as raised:
        superword_ray.train(dataset, **options_of("bpe"), partitions=2)
    assert type(raised.value) is DocumentError
    with pytest.warns(SkippedWarning, match="skipped 1 document"):
        superword_ray.train(dataset, **options_of("bpe"), partitions=2, on_error="skip")


def test_a_dataset_that_changes_between_the_passes_is_an_error(texts: list[str]) -> None:
    def changing(table: Any) -> Any:
        import secrets

        rows = [f"{text} {'x' * secrets.randbelow(1000)}" for text in table["text"].to_pylist()]
        return pa.table({"text": rows})

    dataset = ray.data.from_arrow(pa.table({"text": texts}))
    changed = dataset.map_batches(changing, batch_format="pyarrow")
    with pytest.raises(InputError, match="changed between two passes"):
        superword_ray.train(changed, **options_of("boundless"), partitions=2)


def test_a_vocabulary_that_is_too_large_gives_a_warning(tmp_path: Path) -> None:
    inputs = write(tmp_path / "in", ["a b"] * 10, "jsonl")
    for _ in range(2):  # The second run finds the model in the work directory.
        with pytest.warns(ShortfallWarning) as shown:
            got = trained(inputs, tmp_path / "work", vocab_size=400, method="boundless")
    with pytest.warns(ShortfallWarning) as expected:
        assert got.to_bytes() == superword.train(inputs, vocab_size=400).to_bytes()
    assert str(shown[0].message) == str(expected[0].message)


def test_progress_has_the_phases_of_a_local_run(texts: list[str], tmp_path: Path) -> None:
    inputs = write(tmp_path / "in", texts, "jsonl")
    seen: list[superword.Progress] = []
    trained(inputs, tmp_path / "work", **options_of("boundless"), progress=seen.append)
    phases = list(dict.fromkeys(progress.phase for progress in seen))
    assert [phase for phase in phases if phase in ("count", "candidates")] == [
        "count",
        "candidates",
    ]
    assert set(phases) <= {"count", "merge", "candidates", "supermerge"}
    counted = [progress for progress in seen if progress.phase == "count"]
    assert counted[-1].done == counted[-1].total


def test_the_options_are_those_of_superword_train() -> None:
    local = inspect.signature(superword.train).parameters
    ours = inspect.signature(superword_ray.train).parameters
    assert set(local) - set(ours) == {"max_bytes", "sample", "seed"}
    assert set(ours) - set(local) == {"address", "partitions", "task_size"}
    for name in set(local) & set(ours):
        assert ours[name].default == local[name].default, name


def test_an_interrupted_run_leaves_no_tasks_behind(tmp_path: Path) -> None:
    inputs = write_files(tmp_path / "in", 4, 2_000_000)

    def interrupt(progress: superword.Progress) -> None:
        if worker_pids():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        superword_ray.train(
            inputs, vocab_size=400, work_dir=tmp_path / "work", task_size=1, progress=interrupt
        )
    wait_for(lambda: not worker_pids(), seconds=10)
    assert len(finished(tmp_path / "work", "counts")) < 4
    assert ray.is_initialized()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"work_dir": None}, "work_dir is missing"),
        ({"threads": 99}, "the largest node of the cluster has 2 CPUs"),
        ({"address": "127.0.0.1:1"}, "is connected to the cluster at"),
    ],
)
def test_options_that_cannot_be_used_are_refused(
    changed: dict[str, Any], message: str, texts: list[str], tmp_path: Path
) -> None:
    inputs = write(tmp_path / "in", texts, "jsonl")
    with pytest.raises(OptionError, match=message):
        superword_ray.train(inputs, **{"vocab_size": 400, "work_dir": tmp_path / "w", **changed})


@pytest.mark.parametrize(
    "given",
    [{"work_dir": "work"}, {"format": "jsonl"}, {"task_size": "1MB"}, {"weights": {"a": 2}}],
    ids=lambda given: next(iter(given)),
)
def test_options_about_files_are_refused_for_a_dataset(given: dict[str, Any]) -> None:
    dataset = ray.data.from_arrow(pa.table({"text": ["a"]}))
    with pytest.raises(OptionError, match=next(iter(given))):
        superword_ray.train(dataset, vocab_size=400, **given)


def test_a_text_without_documents_is_an_error(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(EmptyCorpusError):
            superword_ray.train(ray.data.from_arrow(pa.table({"text": [""]})), vocab_size=400)

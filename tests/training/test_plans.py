"""A corpus counted task by task gives the model of one run, and nothing is lost silently."""

from __future__ import annotations

import json
import shutil
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import superword
import zstandard
from superword._counting.stages import count_from, superwords_from, words_options
from superword.counts import Candidates, Counts, merge_partition
from superword.errors import (
    CountsError,
    DocumentError,
    InputError,
    OptionError,
    PlanError,
)
from superword.options import TrainOptions
from superword.plans import Plan, candidates_task, check_complete, count_task
from superword.stages import train_words

pa: Any = pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")

METHODS: dict[str, dict[str, Any]] = {
    "bpe": {},
    "boundless": {"special_tokens": ["<|endoftext|>"]},
    "superbpe": {"supermerges": 25},
}


def written(folder: Path, texts: list[str], kind: str, files: int = 4) -> Path:
    folder.mkdir()
    for number in range(files):
        part = texts[number::files]
        lines = "".join(json.dumps({"text": text}) + "\n" for text in part).encode()
        if kind == "parquet":
            import pyarrow.parquet as pq

            pq.write_table(pa.table({"text": part}), folder / f"{number}.parquet")
        elif kind == "jsonl":
            (folder / f"{number}.jsonl").write_bytes(lines)
        else:
            compressed = zstandard.ZstdCompressor().compress(lines)
            (folder / f"{number}.jsonl.zst").write_bytes(compressed)
    return folder


def counted(plan: Plan, work: Path) -> Counts:
    for number in range(len(plan.tasks)):
        count_task(plan, number, work / "counts", threads=1)
    for number in range(plan.partitions):
        merge_partition([work / "counts"], number, work / "all-counts")
    return Counts.load(work / "all-counts")


def trained(plan: Plan, work: Path, **options: Any) -> superword.Tokenizer:
    """Train as several machines would do it, with the least that they have in common: files."""
    counts = counted(plan, work)
    checked = TrainOptions(pretokenizer=plan.pretokenizer, **options)
    alone = words_options(checked)
    words = train_words(
        counts, vocab_size=alone.vocab_size, special_tokens=tuple(alone.special_tokens)
    )
    if checked.method == "bpe":
        return words
    bounds = counts.bounds
    assert bounds is not None

    def count(cut_below: int) -> Candidates:
        to, total = work / f"candidates-{cut_below}", work / f"all-candidates-{cut_below}"
        for task in reversed(plan.tasks):
            candidates_task(plan, task, words, to, cut_below=cut_below, bounds=bounds, threads=2)
        for number in range(plan.partitions):
            merge_partition([to], number, total)
        return Candidates.load(total)

    return superwords_from(words, checked, bounds, count)[0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("partitions", "kind"), [(1, "zst"), (3, "parquet"), (17, "jsonl")])
def test_tasks_and_partitions_give_the_model_of_one_run(
    tmp_path: Path, texts: list[str], method: str, partitions: int, kind: str
) -> None:
    corpus = written(tmp_path / "corpus", texts, kind)
    options = {"vocab_size": 420, "method": method, **METHODS[method]}
    plan = Plan.make(corpus, partitions=partitions, task_size=1)
    assert len(plan.tasks) == 4
    got = trained(plan, tmp_path, **options)
    assert got.to_bytes() == superword.train(corpus, **options).to_bytes()


def test_weighted_groups_in_tasks_give_the_model_of_one_run(
    tmp_path: Path, texts: list[str]
) -> None:
    groups = {
        "a": str(written(tmp_path / "a", texts[:12], "jsonl", 2)),
        "b": str(written(tmp_path / "b", texts[12:], "jsonl", 2)),
    }
    weights = {"a": 2.5, "b": 0.5}
    plan = Plan.make(groups, partitions=2, task_size=1, weights=weights)
    got = trained(plan, tmp_path, vocab_size=420)
    wanted = superword.train(groups, vocab_size=420, weights=weights)
    assert got.to_bytes() == wanted.to_bytes()


def test_documents_that_cannot_be_read_are_skipped_or_stop_the_task(
    tmp_path: Path, texts: list[str]
) -> None:
    corpus = written(tmp_path / "corpus", texts, "jsonl")
    (corpus / "2.jsonl").write_text('{"text": "fine"}\nbroken\n')
    plan = Plan.make(corpus, partitions=2, task_size=1)
    with pytest.raises(DocumentError, match=r"2\.jsonl"):
        count_task(plan, 2, tmp_path / "stopped")
    assert not (tmp_path / "stopped" / "task-00002" / "receipt.json").exists()
    plan = Plan.make(corpus, partitions=2, task_size=1, on_error="skip")
    receipt = count_task(plan, 2, tmp_path / "skipped")
    assert (receipt.documents, receipt.skipped) == (1, 1)
    assert "2.jsonl" in receipt.skipped_examples[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = superword.train(corpus, vocab_size=400, on_error="skip")
    assert trained(plan, tmp_path, vocab_size=400).to_bytes() == wanted.to_bytes()


def test_a_task_without_text_is_fine_but_a_corpus_without_text_is_not(
    tmp_path: Path, texts: list[str]
) -> None:
    corpus = written(tmp_path / "corpus", texts, "jsonl")
    (corpus / "1.jsonl").write_text("")
    plan = Plan.make(corpus, partitions=2, task_size=1)
    assert trained(plan, tmp_path, vocab_size=400) == superword.train(corpus, vocab_size=400)
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "0.jsonl").write_text('{"text": ""}\n')
    with pytest.raises(CountsError, match="no text"):
        counted(Plan.make(empty), tmp_path / "none")


def test_a_repeated_task_reads_nothing(tmp_path: Path, texts: list[str]) -> None:
    corpus = written(tmp_path / "corpus", texts, "jsonl")
    plan = Plan.make(corpus, partitions=3, task_size=1)
    first = count_task(plan, "task-00001", tmp_path / "counts")
    files = {path: path.stat().st_mtime_ns for path in tmp_path.glob("counts/*/*")}
    assert len(files) == 5  # Three partitions, the bounds, the receipt.
    seen: list[Any] = []
    assert count_task(plan, 1, tmp_path / "counts", progress=seen.append) == first
    assert not seen
    assert {path: path.stat().st_mtime_ns for path in files} == files
    # A task that was killed has no receipt. It is done again, with the same result.
    (tmp_path / "counts/task-00001/receipt.json").unlink()
    assert count_task(plan, 1, tmp_path / "counts") == first


def test_a_task_that_two_processes_do_is_written_once(
    tmp_path: Path, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan.make(written(tmp_path / "corpus", texts, "jsonl", 1), partitions=3)
    written_by_other: dict[Path, int] = {}

    def count_while_another_does(*given: Any, **options: Any) -> Any:
        monkeypatch.undo()
        count_task(plan, 0, tmp_path / "counts")
        files = tmp_path.glob("counts/*/*")
        written_by_other.update({path: path.stat().st_mtime_ns for path in files})
        return count_from(*given, **options)

    monkeypatch.setattr(superword.plans, "count_from", count_while_another_does)
    count_task(plan, 0, tmp_path / "counts")
    assert len(written_by_other) == 5
    assert {path: path.stat().st_mtime_ns for path in written_by_other} == written_by_other


def test_tasks_that_are_missing_are_named(tmp_path: Path, texts: list[str]) -> None:
    corpus = written(tmp_path / "corpus", texts, "jsonl")
    plan = Plan.make(corpus, partitions=2, task_size=1)
    work = tmp_path / "counts"
    count_task(plan, 0, work)
    count_task(plan, 3, work)
    assert [task.name for task in plan.missing(work)] == ["task-00001", "task-00002"]
    with pytest.raises(CountsError, match="2 tasks of 4 not finished: task-00001, task-00002") as e:
        merge_partition([work], 0, tmp_path / "sum")
    assert e.value.missing == ["task-00001", "task-00002"]
    assert not (tmp_path / "sum").exists()
    for number in (1, 2):
        count_task(plan, number, work)
    assert [receipt.task.name for receipt in check_complete(work) if receipt.task] == [
        task.name for task in plan.tasks
    ]
    merge_partition([work], 0, tmp_path / "sum")
    with pytest.raises(CountsError, match="partition 1 of 2 is missing"):
        Counts.load(tmp_path / "sum")
    with pytest.raises(CountsError, match="no partition 2"):
        merge_partition([work], 2, tmp_path / "sum")


def test_the_tasks_of_two_plans_are_not_added_up(tmp_path: Path, texts: list[str]) -> None:
    corpus = written(tmp_path / "corpus", texts, "jsonl", 2)
    plan = Plan.make(corpus, partitions=2, task_size=1)
    other = Plan.make(corpus, partitions=2, task_size=1, pretokenizer="gpt2")
    count_task(plan, 0, tmp_path / "counts")
    with pytest.raises(CountsError, match="counts of another plan"):
        count_task(other, 0, tmp_path / "counts")
    count_task(other, 1, tmp_path / "counts")
    with pytest.raises(CountsError, match="2 plans"):
        merge_partition([tmp_path / "counts"], 0, tmp_path / "sum")


def test_candidates_of_other_words_or_cuts_are_not_reused(tmp_path: Path, texts: list[str]) -> None:
    corpus = written(tmp_path / "corpus", texts, "jsonl", 1)
    plan = Plan.make(corpus, partitions=2)
    counts = counted(plan, tmp_path)
    bounds = counts.bounds
    assert bounds is not None
    words, others = (train_words(counts, vocab_size=size) for size in (400, 380))
    to = tmp_path / "candidates"
    candidates_task(plan, 0, words, to, cut_below=3, bounds=bounds)
    with pytest.raises(CountsError, match="other words or options"):
        candidates_task(plan, 0, words, to, cut_below=2, bounds=bounds)
    with pytest.raises(CountsError, match="other words or options"):
        candidates_task(plan, 0, others, to, cut_below=3, bounds=bounds)
    with pytest.raises(OptionError, match="both bounds and cut_below"):
        candidates_task(plan, 0, words, to, cut_below=3)
    gpt2 = superword.train(corpus, vocab_size=400, method="bpe", pretokenizer="gpt2")
    with pytest.raises(CountsError, match="the words use"):
        candidates_task(plan, 0, gpt2, to)


def test_an_input_that_changed_since_the_plan_is_named(tmp_path: Path, texts: list[str]) -> None:
    corpus = written(tmp_path / "corpus", texts, "jsonl", 2)
    plan = Plan.make(corpus, task_size=1)
    (corpus / "1.jsonl").write_text('{"text": "changed"}\n')
    count_task(plan, 0, tmp_path / "counts")
    with pytest.raises(InputError, match=r"1\.jsonl has changed since the plan was made"):
        count_task(plan, 1, tmp_path / "counts")
    (corpus / "1.jsonl").unlink()
    with pytest.raises(InputError, match=r"1\.jsonl is missing"):
        count_task(plan, 1, tmp_path / "counts")


def test_a_copy_of_the_corpus_is_the_same_corpus(tmp_path: Path, texts: list[str]) -> None:
    corpus = written(tmp_path / "corpus", texts, "jsonl", 1)
    plan = Plan.make(corpus)
    content = (corpus / "0.jsonl").read_bytes()
    (corpus / "0.jsonl").unlink()
    (corpus / "0.jsonl").write_bytes(content)  # With another modification time.
    count_task(plan, 0, tmp_path / "counts")


def test_plans_are_saved_and_checked(tmp_path: Path, texts: list[str]) -> None:
    corpus = written(tmp_path / "corpus", texts, "jsonl")
    plan = Plan.make({"g": corpus}, weights={"g": 2}, text_field="text", partitions=5, task_size=1)
    path = tmp_path / "plan.json"
    plan.save(path)
    assert Plan.load(path) == plan
    assert Plan.load(path).key == plan.key
    plan.save(path)
    described = json.loads(path.read_text())
    described["tasks"].pop()
    path.write_text(json.dumps(described))
    with pytest.raises(PlanError, match="was changed after it was made"):
        Plan.load(path)
    described["format"] = 99
    path.write_text(json.dumps(described))
    with pytest.raises(PlanError, match="format 99"):
        Plan.load(path)
    del described["tasks"]
    path.write_text(json.dumps({**described, "format": 1}))
    with pytest.raises(PlanError, match="damaged"):
        Plan.load(path)
    path.write_text("{}")
    with pytest.raises(PlanError, match="is not a plan"):
        Plan.load(path)
    with pytest.raises(PlanError, match="is not replaced"):
        plan.save(path)
    with pytest.raises(PlanError, match="no such file"):
        Plan.load(tmp_path / "missing.json")
    with pytest.raises(PlanError, match="no task 4"):
        plan.task(4)
    with pytest.raises(PlanError, match="needs files"):
        Plan.make(superword.inputs.Texts(["a"]))
    with pytest.raises(OptionError, match="weights"):
        Plan.make(corpus, weights={"x": 2})
    for partitions in (0, 100_001):
        with pytest.raises(OptionError, match="partitions"):
            Plan.make(corpus, partitions=partitions)


def test_files_are_grouped_in_order_by_their_size(tmp_path: Path) -> None:
    for number, size in enumerate([40, 50, 20, 200, 10]):
        (tmp_path / f"{number}.txt").write_text("x" * size)
    tasks = Plan.make(tmp_path, task_size=100).tasks
    sizes = [[item.size for item in task.inputs] for task in tasks]
    assert sizes == [[40, 50], [20], [200], [10]]
    assert [task.name for task in tasks] == [f"task-0000{number}" for number in range(4)]


def test_lost_or_damaged_counts_are_noticed(tmp_path: Path, texts: list[str]) -> None:
    corpus = written(tmp_path / "corpus", texts, "jsonl", 2)
    plan = Plan.make(corpus, partitions=2, task_size=1)
    counted(plan, tmp_path)
    part = tmp_path / "all-counts" / "part-00001-of-00002.parquet"
    shutil.copy(tmp_path / "counts" / "task-00000" / part.name, part)
    with pytest.raises(CountsError, match="checksum"):
        Counts.load(tmp_path / "all-counts")
    stolen = tmp_path / "counts" / "task-00001" / part.name
    shutil.copy(tmp_path / "counts" / "task-00000" / part.name, stolen)
    with pytest.raises(CountsError, match="checksum of partition 1"):
        merge_partition([tmp_path / "counts"], 1, tmp_path / "again")
    stolen.write_bytes(b"nothing")
    with pytest.raises(CountsError, match="cannot be read"):
        merge_partition([tmp_path / "counts"], 1, tmp_path / "again")
    (tmp_path / "counts" / "task-00000" / "receipt.json").write_text("[]")
    with pytest.raises(CountsError, match=r"receipt\.json"):
        merge_partition([tmp_path / "counts"], 0, tmp_path / "again")


def test_all_partitions_can_be_added_up_at_once(tmp_path: Path, texts: list[str]) -> None:
    corpus = written(tmp_path / "corpus", texts, "jsonl", 2)
    counts = superword.stages.count_pretokens(corpus)
    counts.save_partitions(tmp_path / "counts", 24)
    for attempt in range(8):
        total = tmp_path / f"sum-{attempt}"
        with ThreadPoolExecutor(12) as pool:
            jobs = [
                pool.submit(merge_partition, [tmp_path / "counts"], number, total)
                for number in range(24)
            ]
        assert sum(job.result() for job in jobs) == len(counts)
        assert Counts.load(total) == counts


def test_a_receipt_that_appears_meanwhile_is_no_obstacle(
    tmp_path: Path, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = written(tmp_path / "corpus", texts, "jsonl", 1)
    superword.stages.count_pretokens(corpus).save_partitions(tmp_path / "counts", 2)
    merge_partition([tmp_path / "counts"], 0, tmp_path / "sum")
    exists = Path.exists
    asked: list[Path] = []

    def not_yet(self: Path, **options: Any) -> bool:
        if self == tmp_path / "sum" / "receipt.json" and not asked:
            asked.append(self)
            return False
        return exists(self, **options)

    monkeypatch.setattr(Path, "exists", not_yet)
    merge_partition([tmp_path / "counts"], 1, tmp_path / "sum")
    assert asked


def test_a_sum_is_not_mixed_with_another(tmp_path: Path, texts: list[str]) -> None:
    corpus = written(tmp_path / "corpus", texts, "jsonl", 2)
    plan = Plan.make(corpus, partitions=2, task_size=1)
    counted(plan, tmp_path)
    with pytest.raises(CountsError, match="holds other counts"):
        merge_partition([tmp_path / "counts"], 0, tmp_path / "all-counts", min_count=2)


def test_pruning_is_recorded_as_lossy(tmp_path: Path, texts: list[str]) -> None:
    corpus = written(tmp_path / "corpus", texts, "jsonl", 2)
    plan = Plan.make(corpus, partitions=3, task_size=1)
    exact = counted(plan, tmp_path)
    for number in range(3):
        merge_partition([tmp_path / "counts"], number, tmp_path / "pruned", min_count=5)
    pruned = Counts.load(tmp_path / "pruned")
    assert dict(pruned) == {token: n for token, n in exact.items() if n >= 5}
    dropped = [n for n in exact.values() if n < 5]
    assert dropped
    said = {"min_count": 5, "distinct": len(dropped), "occurrences": sum(dropped)}
    assert pruned.facts["pruned"] == said
    assert dict(exact.prune(5)) == dict(pruned)
    assert exact.prune(5).facts == pruned.facts
    model = train_words(pruned, vocab_size=380)
    assert model.facts["pruned"] == said
    assert "pruned" not in train_words(exact, vocab_size=380).facts
    with pytest.raises(CountsError, match="pruned cannot be added up"):
        Counts.merge([pruned, exact], allow_repeats=True)
    with pytest.raises(CountsError, match="pruned cannot be added up"):
        merge_partition(
            [tmp_path / "pruned", tmp_path / "all-counts"],
            0,
            tmp_path / "sum",
            allow_repeats=True,
        )
    with pytest.raises(CountsError, match="pruned cannot be added up"):
        merge_partition([tmp_path / "pruned"], 0, tmp_path / "sum")
    assert Counts.merge([pruned]).facts == pruned.facts
    words = train_words(exact, vocab_size=380)
    candidates = superword.stages.count_candidates(corpus, words).prune(4)
    assert candidates.facts["pruned"]["min_count"] == 4
    model = superword.stages.train_superwords(words, candidates, vocab_size=380)
    assert model.facts["pruned_candidates"] == candidates.facts["pruned"]

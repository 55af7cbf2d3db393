"""The workloads by number of threads, each in fresh processes that may use only so many cores.

The first round measures one thread and all cores, then the numbers between them. More rounds follow
while there is time, and the best time of each job counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benches import SCRATCH
from benches.running.measure import TOO_LATE, Measured, Runner
from benches.running.models import tokenizer_json
from benches.running.texts import Writer, find_sources, write_all
from benches.training import LEAST_EQUAL, compare, job_for

COUNTS = (1, 2, 4, 8, 16, 32, 64, 128)
# Models must not depend on the number of threads, also if there are more than cores.
MORE_THREADS = (3, 32, 64)
JOB_SECONDS = 240
# Of the report of a training run.
REPORTED = ("seconds", "pretokens", "unique_pretokens", "unique_candidates", "cut_below")


@dataclass
class Plan:
    """Sizes in bytes, and the numbers of threads."""

    train_bytes: int
    encode_bytes: int
    vocab: int
    counts: list[int]
    rounds: int
    peers: set[str]
    pattern: str = ""

    def ordered(self) -> list[list[int]]:
        """The numbers of threads, those of the bars first."""
        ends = sorted({self.counts[0], self.counts[-1]})
        return [ends, [count for count in reversed(self.counts) if count not in ends]]


@dataclass
class Texts:
    """The training text, the first part of it for the encoders' models, and the rest to encode."""

    whole: dict[str, Any]
    model: dict[str, Any]
    held_out: dict[str, Any]
    source: str


def prepare(plan: Plan) -> Texts:
    """Decompress the text and cut it to size, under `.bench/`."""
    folder = SCRATCH / "cores"
    folder.mkdir(parents=True, exist_ok=True)
    sources = find_sources()
    first = max(plan.train_bytes - plan.encode_bytes, plan.train_bytes // 4)
    writers = [
        Writer(folder / "whole", plan.train_bytes),
        Writer(folder / "model", first),
        Writer(folder / "held-out", plan.encode_bytes, first),
    ]
    write_all(sources.main, writers)
    made = [{"stem": str(writer.stem), **writer.close()} for writer in writers]
    return Texts(*made, source=sources.name)


@dataclass
class Job:
    """A measured job, and what it measures."""

    work: str  # train, encode, encode_files or compress
    who: str  # bpe, boundless, gpt2, gigabpe; words, superwords, gigatoken; zlib
    form: str  # of the input: jsonl, txt, str, bytes
    threads: int
    item: Measured
    key: str  # of the time that is compared
    size: int


@dataclass
class Workloads:
    """All jobs of a run. `done` is called when a group of them is finished."""

    runner: Runner
    plan: Plan
    texts: Texts
    done: Callable[[], None]
    models: Path = field(default_factory=lambda: SCRATCH / "cores" / "models")
    jobs: list[Job] = field(default_factory=list)
    # The first result of each kind, which all others must equal.
    expected: dict[str, str] = field(default_factory=dict)

    def build_models(self) -> None:
        """Train the models for encoding, and export that of words for gigatoken."""
        import superword

        self.models.mkdir(parents=True, exist_ok=True)
        text = Path(self.texts.model["stem"]).with_suffix(".jsonl")
        for name, method in (("words", "bpe"), ("superwords", "boundless")):
            model = superword.train(
                text,
                vocab_size=self.plan.vocab,
                method=method,  # type: ignore[arg-type]
                pretokenizer="gpt4o",
            )
            model.save(self.models / f"{name}.superword", overwrite=True)
            if name == "words":
                exported = json.dumps(tokenizer_json(model), ensure_ascii=False)
                (self.models / "tokenizer.json").write_text(exported)
            self.runner.say(f"model for encoding: {name}")

    def add(self, work: str, who: str, form: str, threads: int, key: str, job: Any) -> Job:
        """A job that is measured in every round."""
        on = f"{threads} thread{'s' * (threads > 1)}"
        item = Measured(job, f"{work} {who}, {form}, {on}")
        text = self.texts.held_out if work in ("encode", "compress") else self.texts.whole
        made = Job(work, who, form, threads, item, key, text["bytes"])
        self.jobs.append(made)
        return made

    def training(self, threads: int) -> list[Job]:
        """Whole training runs, from JSONL to a saved model."""
        ways: list[tuple[str, str, dict[str, str]]] = [
            ("bpe", "superword", {"method": "bpe"}),
            ("boundless", "superword", {"method": "boundless"}),
        ]
        if "gigabpe" in self.plan.peers:
            ways += [("gpt2", "superword", {"pretokenizer": "gpt2"}), ("gigabpe", "gigabpe", {})]
        made = []
        for who, peer, options in ways:
            job = job_for(
                peer, self.texts.whole, self.plan.pattern, self.plan.vocab, threads, **options
            )
            form = "txt" if peer == "gigabpe" else "jsonl"
            made.append(self.add("train", who, form, threads, "seconds", job))
        return made

    def encoding(self, threads: int) -> list[Job]:
        """From memory to arrays of ids: lists of strings and of bytes; gigatoken its own buffer."""
        common = {
            "kind": "encode",
            "threads": threads,
            "nul": str(Path(self.texts.held_out["stem"]).with_suffix(".nul")),
            "warm_until": 20.0,
            "tokenizer_json": str(self.models / "tokenizer.json"),
            "tiktoken": "",
            "pattern": self.plan.pattern,
        }
        made = []
        for who in ("words", "superwords"):
            for form in ("str", "bytes"):
                own = {"peer": "superword", "superword": str(self.models / f"{who}.superword")}
                own["form"] = form
                job = common | own | {"round_trip": who == "superwords" and form == "str"}
                made.append(self.add("encode", who, form, threads, "first", job))
        if "gigatoken" in self.plan.peers:
            job = common | {"peer": "gigatoken", "superword": ""}
            made.append(self.add("encode", "gigatoken", "bytes", threads, "first", job))
        return made

    def files(self, threads: int) -> list[Job]:
        """`encode_files`, from JSONL to shards."""
        made = []
        for who in ("words", "superwords"):
            job = {
                "kind": "encode_files",
                "peer": "superword",
                "threads": threads,
                "jsonl": str(Path(self.texts.whole["stem"]).with_suffix(".jsonl")),
                "superword": str(self.models / f"{who}.superword"),
            }
            made.append(self.add("encode_files", who, "jsonl", threads, "seconds", job))
        return made

    def compressing(self, threads: int) -> list[Job]:
        """zlib, which shows what the cores give to threads that share nothing."""
        nul = str(Path(self.texts.held_out["stem"]).with_suffix(".nul"))
        job = {"kind": "compress", "peer": "zlib", "threads": threads, "nul": nul}
        return [self.add("compress", "zlib", "bytes", threads, "seconds", job)]

    def accept(self, job: Job) -> str | None:
        """What is wrong with the first result of a job, if anything."""
        got = job.item.results[0]
        if job.who == "gigabpe":
            return self.wrong_vocabulary(job, got["got_vocab"])
        if not got.get("round_trip", True):
            return "decoding does not give back the text"
        kind = f"{job.work} {'words' if job.who == 'gigatoken' else job.who}"
        if kind not in self.expected and job.who != "gigatoken":
            self.expected[kind] = got["digest"]
        if self.expected.get(kind) != got["digest"]:
            wrong = {"train": "another model", "compress": "another result"}
            return wrong.get(job.work, "other ids")
        return None

    def wrong_vocabulary(self, job: Job, size: int) -> str | None:
        """What is wrong with the tokens of gigabpe, compared with ours for the same pattern."""
        if size != self.plan.vocab:
            return f"wrong size: {size:,} tokens"
        ours = [other.item for other in self.jobs if other.who == "gpt2" and other.item.results]
        if not ours:
            return "nothing to compare with"
        share = compare(Path(ours[0].job["tokens"]), Path(job.item.job["tokens"]))["equal_share"]
        return (
            None if share >= LEAST_EQUAL else f"another result: {share:.1%} of the tokens are ours"
        )

    def run(self, jobs: list[Job]) -> None:
        """Measure each job once more."""
        for job in jobs:
            item = job.item
            again = bool(item.results)
            if item.failed or (again and self.runner.left() < 1.5 * item.wall + 2):
                continue
            item.job["unchecked"] = again  # The first result was checked.
            self.runner.group(
                [item], 1, job.key, job.size, JOB_SECONDS, lambda _, job=job: self.accept(job)
            )
        self.done()

    def more_threads(self) -> None:
        """Train with more threads than cores, for the model only."""
        for threads in MORE_THREADS:
            for job in self.training(threads)[:2]:
                if threads in self.plan.counts:
                    self.jobs.remove(job)
                    continue
                self.run([job])
            self.jobs = [job for job in self.jobs if job.item.results or job.item.failed]

    def measure(self) -> None:
        """Everything, the most informative first."""
        rounds: list[list[Job]] = []
        for counts in self.plan.ordered():
            for make in (self.training, self.encoding, self.files, self.compressing):
                rounds.append([job for count in counts for job in make(count)])
                self.run(rounds[-1])
        self.more_threads()
        for _ in range(1, self.plan.rounds):
            for group in rounds:
                self.run(group)


def record(job: Job) -> dict[str, Any]:
    """The record of a job: the best times, memory, and the digest of its result."""
    item = job.item
    kept: dict[str, Any] = {
        "work": job.work,
        "who": job.who,
        "form": job.form,
        "threads": job.threads,
        "bytes": job.size,
        "failed": item.failed,
    }
    if item.failed in (None, TOO_LATE) and item.results:
        kept["failed"] = None
        for key in ("seconds", "cpu_seconds", "first", "warm"):
            if (best := item.best(key)) is not None:
                kept[key] = best
                kept[f"{key}_all"] = [r[key] for r in item.results if r.get(key) is not None]
        kept["peak_memory"] = item.best("peak_memory")
        kept["digest"] = item.results[0].get("digest")
        if "bytes" in item.results[0]:
            kept["bytes"] = item.results[0]["bytes"]
        best_run = min(item.results, key=lambda result: result[job.key])
        report = best_run.get("report") or {}
        kept["report"] = {key: report[key] for key in REPORTED if key in report}
    return kept

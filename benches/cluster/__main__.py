"""What Ray and Spark cost: the same text through one process, plain processes, Ray and Spark.

Run `python -m benches.cluster` in the environment of `make test-cluster`, on an idle machine. Every
way runs in a fresh process, its model must be the same file as that of `superword.train`, and its
memory is the largest sum over all of its processes (proportional set size). The result is recorded
in `benches/results/cluster/`, and `benches.cluster.tables` renders it into the documentation.

`python -m benches.cluster rates FILE` measures how fast a machine counts with all of its cores.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from datetime import date
from pathlib import Path
from typing import Any

from benches import RECORDED, ROOT, SCRATCH
from benches.running import machine
from benches.running.texts import documents, find_sources

MB = 1_000_000
SIZE = int(os.environ.get("SIZE", "300")) * MB
FILES = 12
VOCAB = 131_072
WAYS = ("train", "plan", "ray", "spark")


def text() -> Path:
    """The corpus: `FILES` JSONL files with `SIZE` bytes of text in all."""
    folder = SCRATCH / f"cluster-{SIZE}"
    if folder.exists():
        return folder
    folder.parent.mkdir(exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent))
    files = [(made / f"{number:02}.jsonl").open("w") for number in range(FILES)]
    sources, size = find_sources(), 0
    paths = [*sources.main, *sources.code, *sources.languages.values()]
    for number, document in enumerate(documents(paths)):
        if size >= SIZE:
            break
        size += len(document.encode())
        files[number % FILES].write(json.dumps({"text": document}) + "\n")
    for file in files:
        file.close()
    made.rename(folder)
    return folder


# ---------------------------------------------------------------- one way, in a process of its own


def by_train(corpus: Path, work: Path) -> dict[str, Any]:
    """One process with two threads."""
    import superword

    started = time.monotonic()
    model = superword.train(corpus, vocab_size=VOCAB, threads=2)
    return {"train": time.monotonic() - started, "model": model.to_bytes()}


def by_plan(corpus: Path, work: Path) -> dict[str, Any]:
    """The commands of the plan, two processes at a time."""
    started = time.monotonic()

    def command(*arguments: str | Path) -> list[str]:
        return [sys.executable, "-m", "superword", *map(str, arguments), "-q"]

    def both(commands: list[list[str]]) -> None:
        running: list[subprocess.Popen[bytes]] = []
        for given in commands:
            while len([p for p in running if p.poll() is None]) >= 2:
                time.sleep(0.01)
            running.append(subprocess.Popen(given))
        codes = [process.wait() for process in running]
        if any(codes):
            raise SystemExit("a command of the plan failed")

    plan, sums = work / "plan.json", work / "all-counts"
    parts = ["--partitions", "4", "--task-size", "30MB"]
    both([command("plan", corpus, *parts, "-o", plan)])
    tasks = range(len(json.loads(plan.read_text())["tasks"]))

    def task(kind: str, *more: str | Path) -> list[list[str]]:
        given = ["--plan", plan, "--threads", "1", "-o", work / kind, *more]
        return [command(kind, "--task", str(number), *given) for number in tasks]

    def merge(source: Path, target: Path) -> list[list[str]]:
        return [command("merge-counts", source, "--partition", n, "-o", target) for n in "0123"]

    both(task("count"))
    both(merge(work / "count", sums))
    words, model = work / "words", work / "model"
    size = ["--vocab-size", str(VOCAB)]
    both([command("train", "--counts", sums, "--method", "bpe", *size, "-o", words)])
    both(task("candidates", "--model", words, "--counts", sums))
    both(merge(work / "candidates", work / "all-candidates"))
    given = ["--counts", sums, "--candidates", work / "all-candidates", *size]
    both([command("train", *given, "-o", model)])
    return {"train": time.monotonic() - started, "model": model.read_bytes()}


def by_ray(corpus: Path, work: Path) -> dict[str, Any]:
    """Ray on this machine, with two CPUs."""
    import ray as engine
    from superword.integrations import ray

    started = time.monotonic()
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    engine.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ready = time.monotonic()
    model = ray.train(corpus, vocab_size=VOCAB, work_dir=work, task_size="30MB")
    done = time.monotonic()
    engine.shutdown()
    return {"start": ready - started, "train": done - ready, "model": model.to_bytes()}


def by_spark(corpus: Path, work: Path) -> dict[str, Any]:
    """Spark with two executors on this machine, each a process with one core."""
    import pyspark
    from pyspark.sql import SparkSession
    from superword.integrations import spark

    started = time.monotonic()
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local-cluster[2,1,2048]").config(
        "spark.ui.enabled", "false"
    )
    settings = {
        "spark.driver.memory": "4g",
        "spark.executor.memory": "2g",
        "spark.driver.maxResultSize": "0",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executorEnv.PYTHONPATH": str(ROOT / "python"),
        "spark.sql.shuffle.partitions": "4",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    ready = time.monotonic()
    df = session.read.schema("text string").json(str(corpus))
    model = spark.train(df, vocab_size=VOCAB, threads=2)
    done = time.monotonic()
    session.stop()
    return {"start": ready - started, "train": done - ready, "model": model.to_bytes()}


def child(way: str) -> None:
    """Run one way and print what it took."""
    work = Path(tempfile.mkdtemp(dir=SCRATCH))
    try:
        found = globals()[f"by_{way}"](text(), work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    found["sha256"] = hashlib.sha256(found.pop("model")).hexdigest()
    print("RESULT", json.dumps(found), flush=True)


# ---------------------------------------------------------------------------------- measuring it


def descendants(root: int) -> list[int]:
    """All processes below a process, and itself."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(entry.name))
            except (OSError, IndexError):
                pass
    found, rest = [], [root]
    while rest:
        found.append(rest.pop())
        rest += children.get(found[-1], [])
    return found


def memory(root: int) -> int:
    """The memory of all processes below a process: pages that they share count once."""
    total = 0
    for process in descendants(root):
        try:
            for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
        except OSError:
            pass
    return total


def measured(way: str) -> dict[str, Any]:
    """Run a way in a fresh process."""
    started = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'python'}:{ROOT}"}
    process = subprocess.Popen(
        [sys.executable, "-m", "benches.cluster", way],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    peak = [0]
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.25):
            peak[0] = max(peak[0], memory(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, _ = process.communicate()
    ended.set()
    watcher.join()
    lines = [line for line in output.splitlines() if line.startswith("RESULT ")]
    if process.returncode or not lines:
        raise SystemExit(f"{way} failed: exit code {process.returncode}")
    found = json.loads(lines[-1][len("RESULT ") :])
    return {"wall": time.monotonic() - started, "peak_bytes": peak[0], **found}


# ------------------------------------------------------------------------------------- estimating


def grown(files: list[Path]) -> dict[str, Any]:
    """The counts of some files, and the seconds that one thread takes for each stage."""
    from superword import stages
    from superword.counts import Candidates, Counts

    times: dict[str, float] = {}

    def timed(name: str, work: Any, *arguments: Any, **options: Any) -> Any:
        started = time.monotonic()
        result = work(*arguments, **options)
        times[name] = time.monotonic() - started
        return result

    one: dict[str, Any] = {"threads": 1}
    counts = timed("count", stages.count_pretokens, files, bounds=True, **one)
    words = timed("words", stages.train_words, counts, vocab_size=VOCAB)
    cut = stages.guess_cut(words, counts.bounds)
    given = {"cut_below": cut, "bounds": counts.bounds, **one}
    runs = timed("candidates", stages.count_candidates, files, words, **given)
    timed("superwords", stages.train_superwords, words, runs, vocab_size=VOCAB)
    folder = Path(tempfile.mkdtemp(dir=SCRATCH))
    words.save(folder / "words")
    timed("write_counts", counts.save_partitions, folder / "c", 4)
    timed("load_counts", Counts.load, folder / "c")
    timed("write_candidates", runs.save_partitions, folder / "r", 4)
    timed("load_candidates", Candidates.load, folder / "r")
    stored = {
        kind: sum(path.stat().st_size for path in (folder / kind).glob("part-*")) for kind in "cr"
    }
    peaks = {kind: learning_peak(kind, folder) for kind in ("words", "superwords")}
    shutil.rmtree(folder)
    return {
        "bytes": counts.facts["bytes"],
        "pretokens": len(counts),
        "pretokens_stored": stored["c"],
        "cut_below": cut,
        "candidates": len(runs),
        "candidates_stored": stored["r"],
        "candidates_once": sum(count == 1 for count in runs.values()),
        "uncut_candidates": len(stages.count_candidates(files, words, **one)),
        "peak_bytes": peaks,
        "seconds": times,
    }


def learning_peak(kind: str, folder: Path) -> int:
    """The memory that learning adds to an idle process."""
    code = f"from benches.cluster import learn; learn({kind!r}, {str(folder)!r})"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'python'}:{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True, env=environment
    )
    return int(done.stdout)


def learn(kind: str, folder: str) -> None:
    """Learn from a directory of counts, and print the memory that it took."""
    import superword
    from superword import stages
    from superword.counts import Candidates, Counts

    idle = resident_peak()
    if kind == "words":
        stages.train_words(Counts.load(f"{folder}/c"), vocab_size=VOCAB)
    else:
        words = superword.Tokenizer.load(f"{folder}/words")
        stages.train_superwords(words, Candidates.load(f"{folder}/r"), vocab_size=VOCAB)
    print(resident_peak() - idle)


def resident_peak() -> int:
    """The largest memory of this process so far."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def growth(corpus: Path) -> list[dict[str, Any]]:
    """How counts and times grow with the text: a quarter, a half and all of it."""
    files = sorted(corpus.iterdir())
    return [grown(files[: FILES // share]) for share in (4, 2, 1)]


def main() -> None:
    """Measure all ways, and record the result."""
    corpus = text()
    facts = machine.facts()
    results = {way: measured(way) for way in WAYS}
    wrong = [way for way in WAYS if results[way]["sha256"] != results["train"]["sha256"]]
    if wrong:
        raise SystemExit(f"another model: {', '.join(wrong)}")
    for way in WAYS:
        found = results[way]
        print(
            f"{way:6} {found['wall']:6.1f} s in all, start {found.get('start', 0):.1f} s, training "
            f"{found['train']:.1f} s, {found['peak_bytes'] / MB:,.0f} MB"
        )
    record = {
        "machine": facts,
        "bytes": SIZE,
        "files": FILES,
        "vocab_size": VOCAB,
        "method": "boundless",
        "versions": versions(),
        "ways": results,
        "growth": growth(corpus),
    }
    folder = RECORDED / "cluster"
    folder.mkdir(exist_ok=True)
    (folder / f"{date.today()}.json").write_text(json.dumps(record, indent=1) + "\n")


def versions() -> dict[str, str]:
    """The versions of the packages that were used."""
    from importlib.metadata import version

    return {name: version(name) for name in ("ray", "pyspark", "pyarrow")}


# ------------------------------------------------------------------------- all cores of a machine


def count_once(kind: str, file: str, words: bytes, cut: tuple[int, bytes]) -> float:
    """Seconds that one thread takes to count a file."""
    from superword import stages
    from superword.counts import BigramBounds
    from superword.tokenizer import Tokenizer

    model = Tokenizer.from_bytes(words)
    bounds = BigramBounds.from_slices([(0, cut[1])], 1)
    started = time.monotonic()
    if kind == "count":
        stages.count_pretokens([file], threads=1, bounds=True)
    else:
        stages.count_candidates([file], model, threads=1, cut_below=cut[0], bounds=bounds)
    return time.monotonic() - started


def rates(file: str) -> None:
    """Print the bytes per second of both passes, with a process on every core."""
    import multiprocessing

    from superword import stages

    counts = stages.count_pretokens([file], bounds=True)
    words = stages.train_words(counts, vocab_size=VOCAB)
    assert counts.bounds is not None
    below = stages.guess_cut(words, counts.bounds)
    cut = (below, counts.bounds.above(below).slice(0, 1))
    found: dict[str, Any] = {"machine": machine.facts(), "bytes": counts.facts["bytes"]}
    cores = machine.cores()
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        for kind in ("count", "candidates"):
            given = [(kind, file, words.to_bytes(), cut)] * cores
            slowest = max(pool.starmap(count_once, given, chunksize=1))
            found[kind] = cores * counts.facts["bytes"] / slowest
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    if sys.argv[1:2] == ["rates"]:
        rates(sys.argv[2])
    elif len(sys.argv) > 1:
        child(sys.argv[1])
    else:
        main()

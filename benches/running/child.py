"""One measured run, in a separate process: `python -m benches.running.child job.json result.json`.

A job is a JSON object with `kind` (a function in this module), `threads`, and the arguments of that
function. The result goes to a file, because some peers print to stdout.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import json
import os
import re
import shutil
import sys
import tempfile
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benches.peers import CannotHoldError, Check, Corpus, Exported, find_apart, package, peer
from benches.running.machine import siblings

WARM_PASSES = 3
Job = dict[str, Any]


def peak_memory() -> int:
    """The largest resident size of this process so far, in bytes."""
    try:
        # Not getrusage: its maximum includes the process that started this one.
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def pin(threads: int) -> None:
    """Restrict the process, with all threads that it will start, to this many cores."""
    if hasattr(os, "sched_setaffinity"):
        # Physical cores first, the last ones first.
        cores = sorted(
            os.sched_getaffinity(0), key=lambda core: (siblings(core).index(core), -core)
        )
        os.sched_setaffinity(0, cores[:threads])


def train(job: Job) -> dict[str, Any]:
    """Train from raw files to a saved model. Imports and checks are not timed."""
    module = peer(job["peer"])
    importlib.import_module(package(job["peer"]))
    corpus = Corpus(*(Path(job[form]) for form in ("jsonl", "nul", "txt")), job["pattern"])
    out = Path(job["out"])
    out.mkdir(parents=True, exist_ok=True)
    base = peak_memory()
    spent_before = time.process_time()
    started = time.perf_counter()
    check: Check = module.train(
        corpus, job["vocab_size"], job["threads"], out, **job.get("options", {})
    )
    seconds = time.perf_counter() - started
    cpu_seconds = time.process_time() - spent_before  # of all threads
    peak = peak_memory()
    trained = check()
    if trained.tokens is not None and job.get("tokens"):
        text = "\n".join(token.hex() for token in trained.tokens)
        Path(job["tokens"]).write_text(text)
    return {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "read_seconds": corpus.read_seconds or None,
        "peak_memory": peak,
        "base_memory": base,
        "got_vocab": trained.vocab_size,
        "report": trained.report,
        "digest": trained.digest,
    }


def read_texts(path: Path, limit: int | None) -> list[str]:
    """Whole documents of a `.nul` file, until `limit` bytes are reached."""
    data = path.read_bytes()
    if limit is not None and limit < len(data):
        end = data.find(b"\0", limit)
        data = data if end < 0 else data[:end]
    return data.removesuffix(b"\0").decode().split("\0")


def digest_of(rows: list[Any]) -> tuple[int, str]:
    """The number of ids, and a digest of all of them in order."""
    import numpy

    total, digest = 0, hashlib.sha256()
    for row in rows:
        array = numpy.asarray(row, dtype=numpy.uint32)
        total += len(array)
        digest.update(array.tobytes())
    return total, digest.hexdigest()


def exported(job: Job) -> Exported:
    """The model of a job in every form."""
    forms = (Path(job[form]) for form in ("tokenizer_json", "tiktoken", "superword"))
    return Exported(*forms, job["pattern"])


def encode(job: Job) -> dict[str, Any]:
    """Load, encode once with empty caches, then with warm caches. Ids are checked afterwards."""
    module = peer(job["peer"])
    texts = read_texts(Path(job["nul"]), job.get("limit"))
    size = sum(len(text.encode()) for text in texts)
    threads = job["threads"]
    tokenizer = module.load(exported(job))
    prepare = module.prepare_bytes if job.get("form") == "bytes" else module.prepare
    # One letter first, so that lazy imports and thread pools do not count as encoding time.
    try:
        module.ids(module.encode(tokenizer, prepare(["a"]), threads))
    except TypeError as error:
        if job.get("form") == "bytes":
            raise CannotHoldError("this version takes no bytes") from error
        raise
    prepared = prepare(texts)
    base = peak_memory()
    gc.collect()
    gc.disable()
    passes: list[float] = []
    encoded = None
    while not passes or (len(passes) <= WARM_PASSES and sum(passes) < job["warm_until"]):
        encoded = None
        started = time.perf_counter()
        encoded = module.encode(tokenizer, prepared, threads)
        passes.append(time.perf_counter() - started)
    gc.enable()
    peak = peak_memory()
    times = {"bytes": size, "first": passes[0], "warm": min(passes[1:], default=None)}
    times |= {"peak_memory": peak, "base_memory": base}
    if job.get("unchecked"):
        return times
    rows = module.ids(encoded)
    if len(rows) != len(texts):
        raise ValueError(f"{len(texts)} texts gave {len(rows)} lists of ids")
    tokens, digest = digest_of(rows)
    result: dict[str, Any] = {**times, "texts": len(texts), "tokens": tokens, "digest": digest}
    if job.get("slice"):
        # Slow peers get only the first texts of the same file.
        few = len(read_texts(Path(job["nul"]), job["slice"]))
        result["slice_digest"] = digest_of(rows[:few])[1]
    if job.get("round_trip"):
        decoded = (tokenizer.decode_bytes(row) for row in rows)
        result["round_trip"] = all(
            data == text.encode() for data, text in zip(decoded, texts, strict=True)
        )
    return result


def encode_files(job: Job) -> dict[str, Any]:
    """Encode a JSONL file into shards, in memory if the machine has a place for that."""
    import superword

    tokenizer = superword.Tokenizer.load(job["superword"])
    tokenizer.encode("a")
    source, memory = Path(job["jsonl"]), Path("/dev/shm")
    with source.open("rb") as file:  # From now on it is read from memory.
        while file.read(1 << 24):
            pass
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 4 * source.stat().st_size
    with tempfile.TemporaryDirectory(dir=memory if roomy else None) as folder:
        spent_before, started = time.process_time(), time.perf_counter()
        made = tokenizer.encode_files(
            source, Path(folder, "shards"), eot=False, threads=job["threads"]
        )
        seconds = time.perf_counter() - started
        result = {
            "seconds": seconds,
            "cpu_seconds": time.process_time() - spent_before,
            "peak_memory": peak_memory(),
            "tokens": made.tokens,
        }
        if not job.get("unchecked"):
            digest = hashlib.sha256()
            for shard in sorted(Path(folder, "shards").glob("shard-*")):
                digest.update(shard.name.encode() + shard.read_bytes())
            result["digest"] = digest.hexdigest()
    return result


def encode_several(job: Job) -> dict[str, Any]:
    """`encode` for many small texts in one process, with a new tokenizer for each of them.

    The results so far are written after each text, so that a stopped job keeps them.
    """
    done: dict[str, Any] = {}
    for name, path in job["several"].items():
        try:
            done[name] = encode(job | {"nul": path})
        except CannotHoldError:
            raise
        except Exception as error:
            done[name] = {"failed": failure(error)}
        write(job["answer"], {"first": spent(done), "several": done})
    return {"first": spent(done), "several": done}


def spent(done: dict[str, Any]) -> float:
    """The seconds of all first passes."""
    return sum(result.get("first", 0.0) for result in done.values())


def compress(job: Job) -> dict[str, Any]:
    """Compress a text with zlib in pieces of 250 kB. The threads share nothing but the text."""
    text = Path(job["nul"]).read_bytes()
    pieces = [text[at : at + 250_000] for at in range(0, len(text), 250_000)]
    threads = job["threads"]
    with ThreadPoolExecutor(threads) as pool:
        # Each of these tasks waits for the others, so each needs a thread of its own.
        started_all = threading.Barrier(threads)
        for waiting in [pool.submit(started_all.wait) for _ in range(threads)]:
            waiting.result()
        started = time.perf_counter()
        packed = list(pool.map(lambda piece: zlib.compress(piece, 1), pieces))
        seconds = time.perf_counter() - started
    digest = hashlib.sha256(b"".join(packed)).hexdigest()
    return {"seconds": seconds, "peak_memory": peak_memory(), "digest": digest}


def load(job: Job) -> dict[str, Any]:
    """The time to load the tokenizer, without imports, and to encode its first words.

    The second time includes work that a library does on first use.
    """
    module = peer(job["peer"])
    importlib.import_module(package(job["peer"]))
    model = exported(job)
    started = time.perf_counter()
    tokenizer = module.load(model)
    seconds = time.perf_counter() - started
    encoded = module.encode(tokenizer, module.prepare(["as well as"]), 1)
    ready = time.perf_counter() - started
    return {"seconds": seconds, "ready": ready, "tokens": len(module.ids(encoded)[0])}


def export(job: Job) -> dict[str, Any]:
    """Our word model for the peers, and a model of the words of each superword model."""
    from benches.running.models import export as exports

    return exports(Path(job["folder"]))


def needs(job: Job) -> dict[str, Any]:
    """The total bytes of the distinct pretokens of a text, counted in Python."""
    import superword

    cut = superword.Pretokenizer("gpt4o")
    seen: set[str] = set()
    for text in read_texts(Path(job["nul"]), None):
        seen.update(cut.split(text))
    return {"unique_pretokens": len(seen), "bytes": sum(len(text.encode()) for text in seen)}


def without_folders(text: str) -> str:
    """A message whose absolute paths are only file names."""
    return re.sub(r"(?<!\w)/[^\s:'\"]*/", "", text)


def failure(error: BaseException) -> str:
    """An error as one line, without paths of this machine."""
    said = without_folders((str(error).splitlines() or [""])[0])[:160]
    return f"{type(error).__name__}: {said}".removesuffix(": ")


def write(path: str, result: dict[str, Any]) -> None:
    """Write a result for the parent process, atomically."""
    partial = Path(path + ".partial")
    partial.write_text(json.dumps(result))
    partial.replace(path)


KINDS = {
    "train": train,
    "encode": encode,
    "encode_several": encode_several,
    "encode_files": encode_files,
    "compress": compress,
    "load": load,
    "export": export,
    "needs": needs,
}


def main() -> None:
    """Run the job in the file of the first argument, and write its result to the second."""
    job: Job = json.loads(Path(sys.argv[1]).read_text())
    pin(job["threads"])
    find_apart(job.get("peer", ""))
    try:
        result = KINDS[job["kind"]](job | {"answer": sys.argv[2]})
    except CannotHoldError as error:
        result = {"failed": f"left out: {error}"}
    except ImportError as error:
        result = {"failed": f"does not import: {error}"}
    except BaseException as error:  # Panics of Rust arrive as BaseException.
        result = {"failed": failure(error)}
    write(sys.argv[2], result)


if __name__ == "__main__":
    main()

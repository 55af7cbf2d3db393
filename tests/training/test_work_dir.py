"""A run with work_dir that was killed at any moment resumes and gives the same model."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import pytest
import superword
from superword import _core
from superword._files import work
from superword._reading.sources import gather
from superword.errors import (
    ChangedWorkWarning,
    EmptyCorpusError,
    MemoryLimitError,
    OptionError,
    WorkDirError,
)
from superword.inputs import Texts, expand
from superword.options import TrainOptions
from superword.training import Progress
from support.seeded import in_lines, unique_words


@pytest.fixture
def shards(tmp_path: Path, texts: list[str]) -> Path:
    folder = tmp_path / "shards"
    folder.mkdir()
    for number in range(6):
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts[number::6])
        (folder / f"{number}.jsonl").write_text(lines)
    return folder


OPTIONS: list[dict[str, Any]] = [
    {"method": "bpe"},
    {"method": "boundless", "special_tokens": ["<|x|>"]},
    {"method": "boundless", "picky": 0.8, "min_count": 2},
    {"method": "superbpe", "supermerges": 20, "greedy_split": "encode"},
    {"method": "boundless", "sample": 5000, "seed": 3},
    {"method": "boundless", "threads": 1, "on_error": "skip"},
]


def trained(inputs: Any, piece_bytes: int, **given: Any) -> tuple[bytes, dict[str, Any]]:
    """Train with pieces of the given size, which is not a public option."""
    options = TrainOptions(vocab_size=420, **given)
    sources = gather(expand(inputs), options)
    with work.held(options, sources.names) as (folder, _):
        engine = {
            **options.for_engine(),
            "groups": sources.groups,
            "piece_bytes": piece_bytes,
            "work_dir": folder,
        }
        model, report = _core.train(sources.sources, engine, None)
    return model.to_bytes(), report


@pytest.mark.parametrize("given", OPTIONS)
def test_kept_and_bounded_work_gives_the_same_model(
    shards: Path, tmp_path: Path, given: dict[str, Any]
) -> None:
    wanted = superword.train(shards, vocab_size=420, **given).to_bytes()
    for piece_bytes in (1, 20_000, 1 << 30):
        work = tmp_path / f"work{piece_bytes}"
        for _ in range(2):
            assert trained(shards, piece_bytes, work_dir=work, **given)[0] == wanted
    assert superword.train(shards, vocab_size=420, max_memory="1GB", **given).to_bytes() == wanted


def test_weights_are_kept_too(shards: Path, tmp_path: Path) -> None:
    files = sorted(shards.iterdir())
    groups = {"a": files[:2], "b": files[2:]}
    weights = {"a": 2.5, "b": 0.5}
    wanted = superword.train(groups, vocab_size=420, weights=weights).to_bytes()
    for piece_bytes in (1, 1 << 30):
        work = tmp_path / f"work{piece_bytes}"
        assert trained(groups, piece_bytes, work_dir=work, weights=weights)[0] == wanted
        assert trained(groups, piece_bytes, work_dir=work, weights=weights)[0] == wanted


def test_what_is_finished_is_not_done_again(shards: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    superword.train(shards, vocab_size=420, work_dir=work)
    before = {path.name: path.stat().st_mtime_ns for path in work.iterdir()}
    seen: list[str] = []
    superword.train(shards, vocab_size=420, work_dir=work, progress=lambda p: seen.append(p.phase))
    assert "merge" not in seen
    assert "supermerge" not in seen
    after = {path.name: path.stat().st_mtime_ns for path in work.iterdir()}
    for name in ("run.json", "timeline.json", "superword.lock"):
        before.pop(name, None)
        after.pop(name, None)
    assert after == before


def test_changes_are_noticed_and_said(shards: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    superword.train(shards, vocab_size=420, work_dir=work)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        superword.train(shards, vocab_size=420, work_dir=work, threads=1)
    with pytest.warns(ChangedWorkWarning, match=r"vocab_size has changed to 400 \(it was 420\)"):
        got = superword.train(shards, vocab_size=400, work_dir=work)
    assert got == superword.train(shards, vocab_size=400)
    changed = shards / "3.jsonl"
    changed.write_text(changed.read_text() + json.dumps({"text": "zebra zebra crossing " * 50}))
    with pytest.warns(ChangedWorkWarning, match=r"1 input changed \(.*3\.jsonl"):
        got = superword.train(shards, vocab_size=400, work_dir=work)
    assert got == superword.train(shards, vocab_size=400)
    same_size = changed.read_text().replace("zebra", "zebre")
    changed.write_text(same_size)
    os.utime(changed, ns=(1, 1))
    with pytest.warns(ChangedWorkWarning, match="1 input changed"):
        got = superword.train(shards, vocab_size=400, work_dir=work)
    assert got == superword.train(shards, vocab_size=400)
    # Same size, and the same time as before.
    changed.write_text(same_size.replace("zebre", "quagg"))
    os.utime(changed, ns=(1, 1))
    with pytest.warns(ChangedWorkWarning, match="1 input changed"):
        got = superword.train(shards, vocab_size=400, work_dir=work)
    assert got == superword.train(shards, vocab_size=400)
    changed.unlink()
    with pytest.warns(ChangedWorkWarning, match="1 input removed"):
        superword.train(shards, vocab_size=400, work_dir=work)


def test_work_among_the_inputs_is_no_input(shards: Path) -> None:
    wanted = superword.train(shards, vocab_size=420)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for inputs in (shards, [f"{shards}/**/*.json*"], shards / "../shards"):
            for _ in range(2):
                assert superword.train(inputs, vocab_size=420, work_dir=shards / "work") == wanted
            shutil.rmtree(shards / "work")
    other = shards / "working"
    other.mkdir()
    (other / "more.jsonl").write_text(json.dumps({"text": "zebra zebra " * 99}))
    assert superword.train(shards, vocab_size=420, work_dir=shards / "work") != wanted


def test_damaged_work_is_noticed(shards: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    wanted = superword.train(shards, vocab_size=420, work_dir=work)
    for said in ("", "{", "[]", '{"inputs": {}}', '{"inputs": {}, "options": [1]}', "\udcff"):
        (work / "run.json").write_bytes(said.encode(errors="surrogateescape"))
        assert superword.train(shards, vocab_size=420, work_dir=work) == wanted
    for path in list(work.glob("*.json")):
        for said in ("", "{}", '{"parts": [[1, 2]], "sources": 3}'):
            path.write_text(said)
            assert superword.train(shards, vocab_size=420, work_dir=work) == wanted
    for path in list(work.glob("*.superword")):
        path.write_bytes(path.read_bytes()[:-5])
    assert superword.train(shards, vocab_size=420, work_dir=work) == wanted
    for path in work.glob("*.superword"):
        path.unlink()
    part = max(work.glob("count-*.part"), key=lambda path: path.stat().st_size)
    part.write_bytes(part.read_bytes()[:-20])
    with pytest.raises(WorkDirError, match="damaged") as caught:
        superword.train(shards, vocab_size=420, work_dir=work)
    assert caught.value.path == str(part)
    part.unlink()
    assert superword.train(shards, vocab_size=420, work_dir=work) == wanted


def test_what_cannot_be_kept_is_refused(tmp_path: Path, texts: list[str]) -> None:
    with pytest.raises(OptionError, match="needs files"):
        superword.train(Texts(texts), vocab_size=300, work_dir=tmp_path / "w")
    (tmp_path / "file").write_text("x")
    with pytest.raises(WorkDirError, match="file"):
        superword.train(tmp_path / "file", vocab_size=300, work_dir=tmp_path / "file")
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(EmptyCorpusError):
        superword.train(tmp_path / "empty.txt", vocab_size=300, work_dir=tmp_path / "w")


def test_what_cannot_be_kept_is_not_read(tmp_path: Path, texts: list[str]) -> None:
    def unread() -> Any:
        raise AssertionError("it was read")
        yield

    for data in (Texts(unread()), [tmp_path, Texts(unread())]):
        (tmp_path / "a.txt").write_text("a b")
        with pytest.raises(OptionError, match="whether texts has changed") as caught:
            superword.train(data, vocab_size=300, work_dir=tmp_path / "w")
        assert caught.value.option == "work_dir"
    output = str(tmp_path / "m")
    options = ["--vocab-size", "300", "--work-dir", str(tmp_path / "w"), "-o", output]
    with subprocess.Popen(
        [sys.executable, "-m", "superword", "train", "-", *options],
        stdin=subprocess.PIPE,  # Never ends, so only a command that does not read it returns.
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.wait(timeout=30) == 2
            assert process.stderr is not None
            assert "whether standard input has changed" in process.stderr.read()
        finally:
            process.kill()
    assert not (tmp_path / "w").exists()


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_work_on_tables_goes_on(tmp_path: Path, texts: list[str], suffix: str) -> None:
    pa: Any = pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")
    from superword._counting import arrow

    folder, kept = tmp_path / "tables", tmp_path / "work"
    folder.mkdir()
    for number in range(3):
        table = pa.table({"text": texts[number::3]})
        arrow.write(str(folder / f"{number}{suffix}"), table.schema, table.to_batches())
    wanted = superword.train_from_iterator(texts, vocab_size=420).to_bytes()

    def stop(progress: Progress) -> None:
        if progress.phase == "merge":
            raise KeyboardInterrupt

    options = TrainOptions(vocab_size=420, work_dir=kept)
    sources = gather(expand(folder), options)
    with pytest.raises(KeyboardInterrupt):
        superword.training.run(sources, options, stop)
    counted = {path: path.stat().st_mtime_ns for path in kept.glob("count-*")}
    assert counted
    assert superword.train(folder, vocab_size=420, work_dir=kept).to_bytes() == wanted
    assert {path: path.stat().st_mtime_ns for path in counted} == counted
    table = pa.table({"text": ["quagga " * 50]})
    arrow.write(str(folder / f"0{suffix}"), table.schema, table.to_batches())
    with pytest.warns(ChangedWorkWarning, match=rf"1 input changed \(.*0\{suffix}"):
        got = superword.train(folder, vocab_size=420, work_dir=kept)
    assert got == superword.train(folder, vocab_size=420)


def test_too_little_memory_is_said_before_the_work(texts: list[str], tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="are needed") as caught:
        superword.train_from_iterator(texts, vocab_size=300, max_memory="10MB")
    assert caught.value.option == "max_memory"
    assert "max_memory" in str(caught.value.hint)


def many_words(path: Path, words: int) -> Path:
    lines = in_lines(unique_words(words, seed=5, bits=60), 10)
    path.write_text("\n".join(f"{line} {number}" for number, line in enumerate(lines)))
    return path


def test_counting_spills_and_gives_the_same(tmp_path: Path) -> None:
    path = many_words(tmp_path / "a.txt", 900_000)
    options: dict[str, Any] = {"vocab_size": 300, "format": "lines", "threads": 2, "method": "bpe"}
    wanted = superword.train(path, **options)
    work = tmp_path / "work"
    got = superword.train(path, **options, max_memory="190MB", work_dir=work)
    assert got == wanted
    assert len(list(work.glob("count-*.part"))) > 2  # More than the final part of each worker.


def test_words_that_do_not_fit_are_an_error_with_what_is_needed(tmp_path: Path) -> None:
    path = many_words(tmp_path / "a.txt", 700_000)
    options: dict[str, Any] = {"vocab_size": 300, "format": "lines", "threads": 1, "method": "bpe"}
    with pytest.raises(MemoryLimitError, match="do not fit") as caught:
        superword.train(path, **options, max_memory="100MB")
    said = re.search(r"max_memory of (\S+) or more", str(caught.value.hint))
    assert said is not None
    # What the hint says is enough.
    got = superword.train(path, **options, max_memory=said.group(1))
    assert got == superword.train(path, **options)


def test_a_full_disk_is_said_and_what_was_finished_is_kept(tmp_path: Path) -> None:
    pytest.importorskip("resource", reason="no limits on file sizes here")
    path = many_words(tmp_path / "a.txt", 20_000)
    code = (
        "import resource, signal, sys, superword\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)\n"
        "try:\n"
        "    superword.train(sys.argv[1], vocab_size=300, method='bpe', work_dir=sys.argv[2])\n"
        "except superword.errors.WorkDirError as error:\n"
        "    print(error)\n"
    )
    work = tmp_path / "work"
    run = [sys.executable, "-c", code, str(path), str(work)]
    said = subprocess.run([*run, "50000"], capture_output=True, text=True, timeout=60, check=True)
    assert "no space left on the disk" in said.stdout
    assert "hint: free some space and run the same command again" in said.stdout
    assert not list(work.glob("*.superword"))
    subprocess.run([*run, "100000000"], timeout=60, check=True)
    assert list(work.glob("words-*.superword"))


def kill_at_random_moments(folder: Path, tmp_path: Path, seed: int, kills: int) -> None:
    """Kill a run repeatedly; in the end it gives the model of an undisturbed run."""
    options = ["--vocab-size", "1500", "--quiet", "--threads", "2"]
    command = [sys.executable, "-m", "superword", "train", str(folder), *options]
    wanted = tmp_path / "wanted"
    started = time.monotonic()
    subprocess.run([*command, "-o", str(wanted)], check=True, timeout=120)
    whole = time.monotonic() - started
    output, work = tmp_path / "m.superword", tmp_path / "work"
    chance = random.Random(seed)
    for _ in range(kills):
        process = subprocess.Popen([*command, "--work-dir", str(work), "-o", str(output)])
        time.sleep(chance.uniform(0.1, whole * 1.1))
        process.kill()
        process.wait(timeout=20)
        if output.exists():
            assert output.read_bytes() == wanted.read_bytes()
            output.unlink()
    subprocess.run([*command, "--work-dir", str(work), "-o", str(output)], check=True, timeout=120)
    assert output.read_bytes() == wanted.read_bytes()


def big_shards(tmp_path: Path, texts: list[str], repeat: int) -> Path:
    folder = tmp_path / "big"
    folder.mkdir()
    seed = random.Random(1)
    for number in range(5):
        many = [seed.choice(texts) + f" {seed.getrandbits(30)}" for _ in range(repeat)]
        lines = "".join(json.dumps({"text": text}) + "\n" for text in many)
        (folder / f"{number}.jsonl").write_text(lines)
    return folder


def test_a_killed_run_goes_on_and_ends_with_the_same_model(
    tmp_path: Path, texts: list[str]
) -> None:
    kill_at_random_moments(big_shards(tmp_path, texts, 300), tmp_path, seed=1, kills=3)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_runs_killed_at_many_moments_end_with_the_same_model(
    tmp_path: Path, texts: list[str], seed: int
) -> None:
    kill_at_random_moments(big_shards(tmp_path, texts, 2000), tmp_path, seed, kills=12)

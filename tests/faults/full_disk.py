"""Scenarios on a full disk, run by `test_full_disk.py` on a file system that it mounts.

Usage: python full_disk.py SCENARIO DISK, where DISK is an empty file system of one megabyte.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, get_args

import pytest
import superword
from superword import _core
from superword._files import work
from superword._reading.sources import gather
from superword.errors import InputError, SaveError, SuperwordError, WorkDirError
from superword.inputs import Texts, expand
from superword.options import TrainOptions
from superword.shards import ShardFormat
from superword.stages import count_pretokens

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.seeded import in_lines, unique_words

FULL = os.strerror(errno.ENOSPC)


def fill(disk: Path, leave: int) -> Path:
    """Fill the disk so that `leave` bytes stay free."""
    ballast = disk / "ballast"
    free = os.statvfs(disk)
    ballast.write_bytes(bytes(max(free.f_bavail * free.f_frsize - leave, 0)))
    return ballast


def some_text(words: int, seed: int = 5) -> list[str]:
    return in_lines(unique_words(words, seed=seed, bits=40), 20)


def shards(elsewhere: Path) -> Path:
    folder = elsewhere / "shards"
    folder.mkdir()
    for number in range(6):
        lines = (json.dumps({"text": text}) + "\n" for text in some_text(4000, number))
        (folder / f"{number}.jsonl").write_text("".join(lines))
    return folder


def failed(kind: type[SuperwordError], run: Any) -> SuperwordError:
    with pytest.raises(kind, match=f"{FULL}|no room left|no space left") as caught:
        run()
    assert caught.value.hint, caught.value
    return caught.value


def work_dir(disk: Path, folder: Path) -> None:
    """Finished pieces are kept, and the same command resumes to the same model."""
    inputs = shards(folder)
    wanted = superword.train(inputs, vocab_size=600).to_bytes()
    options = TrainOptions(vocab_size=600, work_dir=disk / "work")

    def run() -> bytes:
        sources = gather(expand(inputs), options)
        with work.held(options, sources.names) as (held, _):
            engine = {
                **options.for_engine(),
                "groups": None,
                "piece_bytes": 60_000,
                "work_dir": held,
            }
            return _core.train(sources.sources, engine, None)[0].to_bytes()

    ballast = fill(disk, leave=0)
    error = failed(WorkDirError, run)
    assert "the same command" in str(error.hint)
    assert not list((disk / "work").glob(".superword-*"))
    ballast.unlink()
    ballast = fill(disk, leave=220_000)
    error = failed(WorkDirError, run)
    assert error.facts["path"].startswith(str(disk / "work")), error.facts
    assert "the same command" in str(error.hint)
    kept = {path: path.stat().st_mtime_ns for path in (disk / "work").glob("count-*.json")}
    assert 0 < len(kept) < 6, kept
    assert not list((disk / "work").glob(".superword-*")), "a partial file is left"
    # A bit more room each time, so that the disk fills up in other stages too.
    for leave in (500_000, 750_000, 800_000):
        ballast.unlink()
        ballast = fill(disk, leave - sum(p.stat().st_size for p in (disk / "work").iterdir()))
        with contextlib.suppress(WorkDirError):
            assert run() == wanted
    ballast.unlink()
    assert run() == wanted
    assert {path: path.stat().st_mtime_ns for path in kept} == kept, "it was counted again"


def temporary(disk: Path, folder: Path) -> None:
    """Spilled counts fill the disk: no temporary file is left behind."""
    text = folder / "a.txt"
    text.write_text("\n".join(some_text(120_000)))
    options: dict[str, Any] = {"format": "lines", "threads": 1, "max_memory": "110MB"}
    wanted = superword.train(text, vocab_size=300, method="bpe", format="lines")
    os.environ["TMPDIR"] = str(disk)
    ballast = fill(disk, leave=100_000)
    for run in (
        lambda: superword.train(text, vocab_size=300, method="bpe", **options),
        lambda: count_pretokens(text, **options),
    ):
        error = failed(WorkDirError, run)
        assert "TMPDIR" in str(error.hint)
        assert os.listdir(disk) == ["ballast"], os.listdir(disk)  # noqa: PTH208
    # Another disk has enough room.
    ballast.unlink()
    os.environ["TMPDIR"] = str(folder)
    assert superword.train(text, vocab_size=300, method="bpe", **options) == wanted


def sample(disk: Path, folder: Path) -> None:
    """A sample that does not fit on the disk is an error, and leaves no file behind."""
    text = folder / "a.txt"
    text.write_text("\n".join(some_text(2_000_000)))
    options: dict[str, Any] = {"format": "lines", "vocab_size": 300, "method": "bpe", "threads": 1}
    options["sample"] = text.stat().st_size // 2
    os.environ["TMPDIR"] = str(disk)
    error = failed(WorkDirError, lambda: superword.train(text, **options))
    assert "TMPDIR" in str(error.hint)
    assert not os.listdir(disk)  # noqa: PTH208
    kept = disk / "work"
    error = failed(WorkDirError, lambda: superword.train(text, **options, work_dir=kept))
    assert error.facts["path"].startswith(str(kept)), error.facts
    assert "the same command" in str(error.hint)
    assert not list(kept.glob("sample-*"))
    # Another disk has enough room.
    os.environ["TMPDIR"] = str(folder)
    wanted = superword.train(text, **options)
    for _ in range(2):
        assert superword.train(text, **options, work_dir=folder / "work") == wanted
    assert len(list((folder / "work").glob("sample-*.texts"))) == 1


def texts(disk: Path, folder: Path) -> None:
    """Texts in memory go through a temporary file."""
    os.environ["TMPDIR"] = str(disk)
    many = some_text(300_000)
    error = failed(InputError, lambda: superword.train_from_iterator(many, vocab_size=300))
    assert "TMPDIR" in str(error.hint)
    assert not os.listdir(disk)  # noqa: PTH208
    os.environ["TMPDIR"] = str(folder)
    superword.train_from_iterator(many[:100], vocab_size=300)


def output(disk: Path, folder: Path) -> None:
    """The old file stays, and work in the work directory is not lost."""
    inputs = shards(folder)
    model = disk / "m.superword"
    superword.train(Texts(["a b"]), vocab_size=256).save(model)
    before = model.read_bytes()
    counts = count_pretokens(inputs)
    ballast = fill(disk, leave=8192)

    def run() -> None:
        superword.train(inputs, vocab_size=4000, work_dir=folder / "work").save(model)

    error = failed(SaveError, run)
    assert error.facts["path"] == str(model)
    assert model.read_bytes() == before
    for suffix in (".tsv", ".parquet", ".arrow"):
        failed(SaveError, lambda suffix=suffix: counts.save(disk / f"c{suffix}"))
    assert sorted(os.listdir(disk)) == ["ballast", "m.superword"]  # noqa: PTH208
    ballast.unlink()
    run()
    assert superword.Tokenizer.load(model) == superword.train(inputs, vocab_size=4000)
    for suffix in (".tsv", ".parquet"):
        counts.save(disk / f"c{suffix}")
        assert count_pretokens(inputs) == superword.stages.Counts.load(disk / f"c{suffix}")
        (disk / f"c{suffix}").unlink()


def encoded(disk: Path, folder: Path) -> None:
    """A shard has all its files or none, in every format, and the run resumes to the same bytes."""
    inputs = shards(folder)
    tok = superword.train(Texts(["a b"]), vocab_size=256, method="bpe")
    formats: tuple[ShardFormat, ...] = get_args(ShardFormat)
    for format in formats:
        options: dict[str, Any] = {"format": format, "eot": False, "shard_size": 50_000}
        done = tok.encode_files(inputs, folder / format, **options)
        wanted = {path.name: path.read_bytes() for path in (folder / format).iterdir()}
        sizes = [sum(len(wanted[name]) for name in shard.files) for shard in done.shards]
        out, failures = disk / format, []
        # From no room for the records to room for all but the end of the last shard.
        for leave in (0, *range(4096, sum(sizes), sizes[0] // 2 + 1000)):
            used = sum(path.stat().st_size for path in out.glob("*"))
            ballast = fill(disk, max(leave - used, 0))
            try:
                tok.encode_files(inputs, out, **options)
            except SaveError as error:
                failures.append(error.message)
            names = {path.name for path in out.glob("*")}
            assert not [name for name in names if name.startswith(".superword-")]
            for shard in done.shards:
                there = names & set(shard.files)
                assert not there or there == set(shard.files), (format, leave, names)
            ballast.unlink()
        assert len(failures) > len(done.shards) > 2
        assert all("no space left" in message for message in failures), failures
        assert tok.encode_files(inputs, out, **options).resumed > 0
        assert {path.name: path.read_bytes() for path in out.iterdir()} == wanted
        shutil.rmtree(out)


SCENARIOS = {
    "work_dir": work_dir,
    "temporary": temporary,
    "sample": sample,
    "texts": texts,
    "output": output,
    "encoded": encoded,
}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as elsewhere:
        SCENARIOS[sys.argv[1]](Path(sys.argv[2]), Path(elsewhere))

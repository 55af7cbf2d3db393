"""Work directories, counts and shards that someone filled with links. See docs/security.md."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import superword
from superword.plans import Plan, count_task

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")

PRECIOUS = b"a file that belongs to somebody else\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text("one of the words, some of the time " * 20)
    return path


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "victim"
    path.write_bytes(PRECIOUS)
    return path


def links_in_place_of_files(source: Path, target: Path, victim: Path) -> set[str]:
    """Make `target` a copy of a directory in which every file is a link to the victim."""
    names = {path.name for path in source.iterdir()} | {"superword.lock"}
    target.mkdir()
    for name in names:
        (target / name).symlink_to(victim)
    return names


def test_a_work_directory_of_links_overwrites_no_other_file(
    tmp_path: Path, corpus: Path, victim: Path
) -> None:
    superword.train(corpus, vocab_size=270, work_dir=tmp_path / "work")
    names = links_in_place_of_files(tmp_path / "work", tmp_path / "links", victim)
    assert {"run.json", "timeline.json"} < names
    # Each link on its own, because a damaged file may end the run.
    for name in names:
        folder = tmp_path / f"with-{name}"
        folder.mkdir()
        (folder / name).symlink_to(victim)
        try:
            superword.train(corpus, vocab_size=270, work_dir=folder)
        except superword.errors.WorkDirError as error:
            assert name in str(error)  # noqa: PT017 - Most links are harmless.
        assert victim.read_bytes() == PRECIOUS, name


def test_shards_are_never_written_through_links(tmp_path: Path, corpus: Path, victim: Path) -> None:
    tokenizer = superword.train(corpus, vocab_size=270)
    tokenizer.encode_files(corpus, tmp_path / "shards", eot=False)
    names = links_in_place_of_files(tmp_path / "shards", tmp_path / "links", victim)
    assert {"manifest.json", "shard-00000.npy"} < names
    tokenizer.encode_files(corpus, tmp_path / "links", eot=False, overwrite=True)
    assert victim.read_bytes() == PRECIOUS
    assert not any(path.is_symlink() for path in (tmp_path / "links").iterdir())
    for name in ("manifest.json", "progress.json", "superword.lock"):
        folder = tmp_path / f"with-{name}"
        folder.mkdir()
        (folder / name).symlink_to(victim)
        tokenizer.encode_files(corpus, folder, eot=False, overwrite=True)
        assert victim.read_bytes() == PRECIOUS, name


def test_counts_are_never_written_through_links(tmp_path: Path, corpus: Path, victim: Path) -> None:
    plan = Plan.make(str(corpus), partitions=2)
    count_task(plan, 0, tmp_path / "counts")
    folder = tmp_path / "links" / "task-00000"
    folder.parent.mkdir()
    names = links_in_place_of_files(tmp_path / "counts" / "task-00000", folder, victim)
    assert {"receipt.json", "bounds.bin", "part-00000-of-00002.parquet"} < names
    (folder / "receipt.json").unlink()  # Otherwise it is read, and refused.
    count_task(plan, 0, tmp_path / "links")
    assert victim.read_bytes() == PRECIOUS
    assert superword.counts.Counts.load(folder) == superword.counts.Counts.load(
        tmp_path / "counts" / "task-00000"
    )


def test_a_manifest_cannot_name_files_to_remove(tmp_path: Path, corpus: Path, victim: Path) -> None:
    tokenizer = superword.train(corpus, vocab_size=270)
    tokenizer.encode_files(corpus, tmp_path / "shards", eot=False)
    manifest = tmp_path / "shards" / "manifest.json"
    text = manifest.read_text()
    for name in ("../victim", str(victim)):
        manifest.write_text(text.replace("shard-00000.npy", name))
        tokenizer.encode_files(corpus, tmp_path / "shards", eot=False, overwrite=True)
        assert victim.read_bytes() == PRECIOUS
    assert (tmp_path / "shards" / "shard-00000.npy").exists()

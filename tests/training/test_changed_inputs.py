"""An input that changes during a run is noticed: no model mixes an old text with a new one.

The engine's own tests change files at every phase. This one is about the error that Python sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from superword import _core
from superword._reading.sources import Sources, gather
from superword.errors import InputError
from superword.inputs import expand
from superword.options import TrainOptions


class ChangesAFile:
    """Texts that rewrite a file when they are read for the second time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reads = 0

    def open(self) -> Iterator[tuple[bytes, bytes, bytes | None]]:
        self.reads += 1
        if self.reads == 2:
            self.path.write_text(self.path.read_text() + " zebra crossing" * 50)
        text = b"one of the words"
        offsets = [0, len(text)]
        yield b"".join(offset.to_bytes(8, "little") for offset in offsets), text, None


def test_a_file_that_changes_between_two_passes_is_an_input_error_that_names_it(
    tmp_path: Path, texts: list[str]
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\n".join(texts))
    options = TrainOptions(vocab_size=420, format="lines", threads=1)
    sources: Sources = gather(expand(path, options.format), options)
    changes = ChangesAFile(path)
    batches = _core.Batches("batches", 0, changes.open)
    with pytest.raises(InputError, match=r"a\.txt changed while the run was reading it") as caught:
        _core.train([*sources.sources, (batches, None)], options.for_engine(), None)
    assert changes.reads == 2
    assert caught.value.path == str(path)
    assert "run again once nothing writes to the file" in str(caught.value.hint)


def test_a_sample_reads_its_inputs_once(tmp_path: Path, texts: list[str]) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\n".join(texts))
    for method in ("bpe", "boundless"):
        options = TrainOptions(vocab_size=420, format="lines", sample=3000, method=method)
        sources: Sources = gather(expand(path, options.format), options)
        changes = ChangesAFile(path)
        batches = _core.Batches("batches", 0, changes.open)
        _core.train([*sources.sources, (batches, None)], options.for_engine(), None)
        assert changes.reads == 1

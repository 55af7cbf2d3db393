"""An input that changes during a run is noticed: no model mixes an old text with a new one.

The engine's own tests change files at every phase; here it is the error that Python sees.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import superword
from superword.errors import InputError
from superword.stages import count_pretokens

pa: Any = pytest.importorskip("pyarrow", reason="pip install 'superword[arrow]'")


class ChangesAFile:
    """A table that rewrites a file when it is read for the second time."""

    def __init__(self, path: Path, texts: list[str]) -> None:
        self.path = path
        self.table = pa.table({"text": texts})
        self.reads = 0

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        self.reads += 1
        if self.reads == 2:
            self.path.write_text(self.path.read_text() + " zebra crossing" * 50)
        return self.table.__arrow_c_stream__(requested_schema)


def test_a_file_that_changes_between_two_passes_is_an_error_that_names_it(
    tmp_path: Path, texts: list[str]
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\n".join(texts))
    options: dict[str, Any] = {"sample": 3000, "threads": 1}
    for learn in (
        lambda table: superword.train([path, table], vocab_size=420, threads=1),
        lambda table: superword.train([path, table], vocab_size=300, method="bpe", **options),
        lambda table: count_pretokens([path, table], **options),
    ):
        table = ChangesAFile(path, texts)
        with pytest.raises(InputError, match="changed while the run was reading it") as caught:
            learn(table)
        assert table.reads == 2
        assert caught.value.path == str(path)
        assert "run again once nothing writes to the file" in str(caught.value.hint)


def test_one_pass_over_a_growing_file_is_no_error(tmp_path: Path, texts: list[str]) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\n".join(texts))
    table = ChangesAFile(path, texts)
    table.reads = 1
    superword.train([path, table], vocab_size=300, method="bpe")
    assert table.reads == 2

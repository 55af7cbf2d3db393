"""A work directory divides large files. The model and the report are those of whole files."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
import superword
from hypothesis import given, settings
from hypothesis import strategies as st
from superword import _core
from superword._files import work
from superword._reading.sources import gather
from superword.errors import InputError
from superword.inputs import expand
from superword.options import TrainOptions

SIZES = (1, 65, 333)
FOUND = ("documents", "bytes", "skipped", "skipped_examples", "inputs", "pretokens")


def trained(inputs: Any, piece_bytes: int = 1, **given: Any) -> tuple[bytes, dict[str, Any]]:
    """The model and the report of a run with pieces of the given size."""
    given = {"vocab_size": 300, "method": "bpe", **given}
    options = TrainOptions(**given)
    sources = gather(expand(inputs, options.format), options)
    with work.held(options, sources.names) as (folder, _):
        engine = {
            **options.for_engine(),
            "groups": sources.groups,
            "piece_bytes": piece_bytes,
            "work_dir": folder,
        }
        model, report = _core.train(sources.sources, engine, None)
    del report["seconds"], report["peak_memory"]
    return model.to_bytes(), report


def pieces(folder: Path) -> int:
    return len(list(folder.glob("count-*.json")))


def assert_divided(
    inputs: Any, tmp_path: Path, sizes: tuple[int, ...] = SIZES, **given: Any
) -> None:
    """Pieces of any size, and what is found of them later, give the same."""
    given = {"threads": 1, **given}
    model, report = trained(inputs, **given)
    for size in sizes:
        folder = tmp_path / f"work-{size}"
        assert trained(inputs, size, work_dir=folder, **given) == (model, report), size
        again, found = trained(inputs, size, work_dir=folder, **given)
        assert again == model, size
        # A model that is found says nothing about candidates.
        kept = {name: found[name] for name in FOUND}
        assert kept == {name: report[name] for name in FOUND}, size


DAMAGED = [
    "",
    json.dumps({"text": "one of the words"}),
    "   \t",
    "{broken",
    json.dumps({"text": "a line longer than a piece " * 40}),
    json.dumps({"txt": "no text"}),
    "",
    json.dumps({"text": "zwei Wörter \u2028 und noch eins"}, ensure_ascii=False),
    "[1, 2]",
    *(json.dumps({"text": f"line {number} of the file"}) for number in range(40)),
    '{"text": "\\ud800"}',
    "nul",
    json.dumps({"text": "the last line has no end"}),
]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_lines_of_all_kinds(tmp_path: Path, end: str, mark: str) -> None:
    path, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    path.write_bytes((mark + end.join(DAMAGED)).encode())
    other.write_bytes((mark + end.join(reversed(DAMAGED)) + end).encode() + b'{"text": "\xff"}\n')
    assert_divided([path, other], tmp_path, on_error="skip")
    _, report = trained(path, on_error="skip")
    assert report["skipped"] == 5
    assert f"{path}:4:2" in report["skipped_examples"][0]
    assert pieces(tmp_path / "work-1") > 80


@pytest.mark.parametrize("form", ["lines", "paragraphs"])
def test_plain_text(tmp_path: Path, form: str) -> None:
    parts = ["", "ab cd", " \t", "", "x" * 300, "one\r", "\r", "two", "", "three", "last"]
    path = tmp_path / "a.txt"
    path.write_bytes("\n".join(parts * 3).encode())
    assert_divided(path, tmp_path, format=form)
    assert pieces(tmp_path / "work-1") > 5


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["", " ", "\t", "ab", "ab cd\r", '{"text": "ab cd"}', "{", "\ufeff", "é" * 70]
        ),
        min_size=1,
        max_size=30,
    ),
    st.sampled_from(["lines", "paragraphs", "jsonl"]),
    st.integers(1, 200),
    st.booleans(),
)
def test_any_lines_and_sizes(lines: list[str], form: str, size: int, ended: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.txt"
        path.write_bytes(("\n".join(lines) + "\n" * ended).encode())
        more = Path(folder) / "b.txt"
        more.write_bytes(b'{"text": "never empty"}')
        assert_divided([path, more], Path(folder), (size,), format=form, on_error="skip")


@pytest.mark.parametrize(
    "options",
    [
        {"method": "boundless", "weights": {"a": 2.5, "b": 0.5}},
        {"method": "boundless", "sample": 5000, "seed": 3},
        {"method": "superbpe", "supermerges": 20, "weights": {"b": 3}, "sample": 9000},
    ],
)
def test_weights_samples_and_superwords(
    tmp_path: Path, texts: list[str], options: dict[str, Any]
) -> None:
    for name, some in (("a", texts[::2]), ("b", texts[1::2])):
        lines = "".join(json.dumps({"text": text}) + "\n" for text in some)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    groups = {name: [tmp_path / f"{name}.jsonl"] for name in ("a", "b")}
    assert_divided(groups, tmp_path, (1, 3000), vocab_size=420, **options)
    if "sample" not in options:  # The documents of a small sample are one piece.
        assert len(list((tmp_path / "work-3000").glob("candidates-*.json"))) > 4


@pytest.mark.parametrize("kept", [False, True])
def test_the_line_of_an_error_is_that_of_the_file(tmp_path: Path, kept: bool) -> None:
    path, folder = tmp_path / "a.jsonl", tmp_path / "work"
    good = "".join(json.dumps({"text": f"line {number}"}) + "\n" for number in range(50))
    path.write_text(good + "{broken\n" + good)
    for _ in range(2):
        with pytest.raises(InputError, match=r"a\.jsonl:51:2: not JSON") as caught:
            trained(path, 100, work_dir=folder if kept else None)
        assert caught.value.facts["line"] == 51
    assert pieces(folder) == (9 if kept else 0)


def test_an_array_is_recognised_after_blank_lines_only(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    for start, said in (
        ("\n" * 100, "is a JSON array"),
        ('{"text": "a"}\n' * 20, ":21:3: not JSON"),
    ):
        path.write_text(start + "[1,\n2]\n" + '{"text": "b"}\n' * 20)
        for folder in (None, tmp_path / "work"):
            with pytest.raises(InputError, match=said):
                trained(path, 10, work_dir=folder)


def test_files_in_another_encoding_or_compressed_stay_whole(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"text": f"line {number}"}) + "\n" for number in range(50))
    (tmp_path / "a.jsonl").write_bytes(lines.encode("utf-16-le"))
    (tmp_path / "b.jsonl").write_bytes(lines.encode("utf-16"))
    (tmp_path / "c.jsonl").write_text(lines)
    (tmp_path / "d.jsonl").write_bytes(gzip.compress(lines.encode()))
    (tmp_path / "e.txt").write_text(lines)
    paths = [tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl", "e.txt")]
    assert_divided(paths, tmp_path, (1, 100), on_error="skip")
    _, report = trained(paths, on_error="skip")
    assert [skipped for _, _, skipped in report["inputs"]] == [1, 1, 0, 0, 0]


def test_a_run_killed_within_a_file_counts_only_the_rest(tmp_path: Path) -> None:
    chance = random.Random(1)
    words = [f"w{chance.getrandbits(20)}" for _ in range(20_000)]
    path, folder = tmp_path / "a.jsonl", tmp_path / "work"
    with path.open("w") as file:
        for _ in range(30_000):
            file.write(json.dumps({"text": " ".join(chance.choices(words, k=12))}) + "\n")
    size = path.stat().st_size // 40 + 1
    code = (
        "import sys; from pathlib import Path\n"
        f"sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parents[1])]!r}\n"
        "from test_sections import trained\n"
        f"trained(Path({str(path)!r}), {size}, work_dir={str(folder)!r}, method='boundless')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        until = time.monotonic() + 60
        while pieces(folder) < 5 and time.monotonic() < until and process.poll() is None:
            time.sleep(0.005)
    finally:
        process.kill()
        process.wait(timeout=20)
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("count-*.json")}
    assert 5 <= len(kept) < 40
    wanted = superword.train(path, vocab_size=300).to_bytes()
    assert trained(path, size, work_dir=folder, method="boundless")[0] == wanted
    assert pieces(folder) == 40
    assert {path: path.stat().st_mtime_ns for path in kept} == kept, "it was counted again"

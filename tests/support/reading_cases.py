"""Cases for the reading options: what to read, how much of it, how often, and by which means.

`CASES` contains every pair of values that may occur together. `write_inputs` writes the documents
in the form that a case asks for. `expected_documents` says which documents training must see and
how often, from the documented meaning of the options alone.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import floor
from pathlib import Path
from typing import Any

import zstandard
from superword import Pretokenizer
from superword.inputs import Texts
from superword.stages import count_pretokens

from support.pairwise import Choice, pairwise
from support.seeded import common_words, sentences

TABLES = ("parquet", "arrow")
PARAMETERS: dict[str, list[Any]] = {
    "format": ["jsonl", "text", "lines", "paragraphs", *TABLES],
    "compression": ["", ".gz", ".zst"],
    "inputs": ["directory", "glob", "files"],
    "text_field": ["text", "body"],
    "on_error": ["stop", "skip"],
    "size": ["everything", "sample", "max_bytes", "more than there is"],
    "seed": [0, 7],
    "weights": ["none", "whole", "fractions", "zero"],
    "threads": [1, 2, 8],
    "max_memory": [None, "2GB"],
    "work_dir": [False, True],
    "method": ["bpe", "boundless", "superbpe"],
    "face": ["python", "command"],
}
WEIGHTS: dict[str, dict[str, float]] = {
    "none": {},
    "whole": {"first": 3.0},
    "fractions": {"first": 2.5, "second": 0.5},
    "zero": {"second": 0.0},
}


def conflict(a: Choice, b: Choice) -> bool:
    """Say which values cannot be given together."""
    match a, b:
        case ("format", format), ("compression", suffix):
            return format in TABLES and suffix != ""
        case ("format", format), ("text_field", field):
            return format in ("text", "lines", "paragraphs") and field != "text"
        case ("size", "everything"), ("seed", seed):
            return bool(seed != 0)  # A seed without a sample is refused.
    return False


CASES = pairwise(PARAMETERS, conflict)


def case_name(case: dict[str, Any]) -> str:
    """Name a case in test ids: its values that are not the first of their parameter."""
    values = (
        f"{name}={value}"
        for name, value in case.items()
        if name == "format" or value != PARAMETERS[name][0]
    )
    return ",".join(values).replace(" ", "-")


@dataclass(frozen=True)
class Document:
    """A text and the group of inputs that it is in."""

    group: str
    text: str


@cache
def documents() -> tuple[Document, ...]:
    """Documents of different lengths in two groups.

    Each text ends with a unique word, such as `#7`, by which it can be recognized in counts.
    One text occurs twice in a group, and one in both groups.
    """
    words = common_words(25, seed=1, lengths=(2, 6))
    texts = [" ".join([*sentences(words, 1 + i % 7, length=6, seed=i), f"#{i}"]) for i in range(60)]
    first = [Document("first", text) for text in [*texts[:25], texts[3]]]
    second = [Document("second", text) for text in [*texts[25:], texts[4]]]
    return (*first, *second)


def size_of(case: dict[str, Any]) -> int | None:
    """Return the size of the sample in bytes."""
    total = sum(len(document.text.encode()) for document in documents())
    sizes = {"everything": None, "more than there is": 2 * total}
    return sizes.get(case["size"], total // 3)


def weight_of(document: Document, case: dict[str, Any]) -> float:
    """Return the weight of a document's group."""
    return WEIGHTS[case["weights"]].get(document.group, 1.0)


def sampled_documents(case: dict[str, Any]) -> list[Document]:
    """Return the documents of the sample, found by drawing it without any weights.

    A document of weight 0 is not part of the text, so it is not drawn.
    """
    size = size_of(case)
    population = [document for document in documents() if weight_of(document, case) > 0]
    if size is None:
        return population
    texts = [document.text for document in population]
    counts = _counts_of_markers(Texts(texts), sample=size, seed=case["seed"])
    chosen = {text for text in texts if _marker(text) in counts}
    # Documented: never more than the size, and less by about one document (here: one text, which
    # may occur twice).
    used = sum(len(text.encode()) for text in texts if text in chosen)
    assert used <= size
    if len(chosen) < len(set(texts)):
        assert used > size - 2 * max(len(text.encode()) for text in texts)
    return [document for document in population if document.text in chosen]


def repeats(text: str, weight: float) -> int:
    """Return how often a document of a group with this weight counts."""
    if weight == floor(weight):
        return int(weight)
    # The fraction is drawn by a hash of the text, so counting shows it whatever else is read. The
    # letters make sure that the text is not empty if the document is not drawn.
    counts = _counts_of_markers({"g": Texts([text, *"abcdefgh"])}, weights={"g": weight})
    count = counts.get(_marker(text), 0)
    assert count in (floor(weight), floor(weight) + 1)
    return count


def expected_documents(case: dict[str, Any]) -> list[str]:
    """Return the documents that training sees, each as often as it counts.

    Documented: a sample is drawn before weights apply, and a weight says how often each document
    of a group counts.
    """
    return [
        document.text
        for document in sampled_documents(case)
        for _ in range(repeats(document.text, weight_of(document, case)))
    ]


def _marker(text: str) -> bytes:
    return text.rpartition(" ")[2].encode()


def _counts_of_markers(inputs: Any, **options: Any) -> dict[bytes, int]:
    by_space = Pretokenizer(pattern=r"\S+|\s+")
    counts = count_pretokens(inputs, pretokenizer=by_space, threads=1, **options)
    return {token: count for token, count in counts.items() if token.startswith(b"#")}


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


def write_inputs(directory: Path, case: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Write the documents as a case asks for and return the inputs by group.

    With `on_error="skip"` each file also contains documents that cannot be read; their number is
    returned too.
    """
    inputs: dict[str, Any] = {}
    damaged = 0
    for group in ("first", "second"):
        folder = directory / group
        folder.mkdir()
        texts = [document.text for document in documents() if document.group == group]
        # One document per file is what the format "text" means.
        parts = len(texts) if case["format"] == "text" else 3
        for number in range(parts):
            name = f"{number:02}.{_extension(case)}"
            damaged += _write(folder / name, texts[number::parts], case)
        if case["format"] == "text" and case["on_error"] == "skip":
            (folder / "damaged.txt").write_bytes(b"\xff")
            damaged += 1
        files = sorted(str(path) for path in folder.iterdir())
        pattern = str(folder / "*")
        inputs[group] = {"directory": str(folder), "glob": pattern, "files": files}[case["inputs"]]
    return inputs, damaged


def _extension(case: dict[str, Any]) -> str:
    plain = case["format"] in ("text", "lines", "paragraphs")
    return f"{'txt' if plain else case['format']}{case['compression']}"


def _write(path: Path, texts: list[str], case: dict[str, Any]) -> int:
    """Write one file and return how many documents in it are damaged."""
    format, field = case["format"], case["text_field"]
    skip = case["on_error"] == "skip"
    if format in TABLES:
        rows: list[str | None] = [*texts]
        if skip:
            rows.insert(2, None)
        _write_table(path, rows, field)
        return 1 if skip else 0
    damage: list[bytes] = []
    if format == "jsonl":
        parts = [json.dumps({"id": 1, field: text}).encode() for text in texts]
        damage = [b"{oops", b'{"other": "x"}', b'{"' + field.encode() + b'": "\xff"}']
        separator = b"\n"
    else:
        parts = [text.encode() for text in texts]
        damage = [] if format == "text" else [b"\xff"]
        separator = b"\n\n" if format == "paragraphs" else b"\n"
    if skip:
        parts[1:1] = damage
    path.write_bytes(COMPRESS[case["compression"]](separator.join(parts)))
    return len(damage) if skip else 0


def _write_table(path: Path, texts: list[str | None], field: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table: Any = pa.table({"id": list(range(len(texts))), field: texts})
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=7)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=5)

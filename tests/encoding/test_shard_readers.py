"""The readers of Megatron and datatrove themselves, where they are installed.

Both need torch, so they are not part of the test environment: `pip install megatron-core datatrove
tokenizers torch`. `test_shard_formats.py` reads the same files by their published layouts.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from superword.shards import EncodedCorpus, ShardFormat
from support.texts import DOCUMENTS
from support.variants import engine


def encoded(
    tmp_path: Path, format: ShardFormat, dtype: str
) -> tuple[EncodedCorpus, list[list[int]]]:
    """Shards of the documents, and the ids that they must hold."""
    tok = engine("boundless")
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in DOCUMENTS))
    done = tok.encode_files(path, tmp_path / "out", format=format, dtype=dtype, shard_size=500)  # type: ignore[arg-type]
    assert len(done.shards) > 1
    end = tok.special_tokens["<|endoftext|>"]
    return done, [[*tok.encode(text), end] for text in DOCUMENTS]


@pytest.mark.parametrize("dtype", ["uint16", "int32"])
@pytest.mark.parametrize("mmap", [True, False])
@pytest.mark.filterwarnings("ignore")
def test_megatron_reads_its_shards(tmp_path: Path, dtype: str, mmap: bool) -> None:
    reader = pytest.importorskip("megatron.core.datasets.indexed_dataset")
    done, ids = encoded(tmp_path, "megatron", dtype)
    read: list[list[int]] = []
    for shard in done.shards:
        dataset = reader.IndexedDataset(str(done.path / shard.files[0])[:-4], mmap=mmap)
        assert dataset.index.dtype.__name__ == dtype
        assert dataset.document_indices.tolist() == list(range(shard.documents + 1))
        read += [dataset[at].tolist() for at in range(shard.documents)]
    assert read == ids


@pytest.mark.parametrize(("dtype", "size"), [("uint16", 2), ("uint32", 4)])
@pytest.mark.filterwarnings("ignore")
def test_datatrove_reads_its_shards(tmp_path: Path, dtype: str, size: int) -> None:
    reader = pytest.importorskip("datatrove.utils.dataset")
    merger = pytest.importorskip("datatrove.pipeline.tokens.merger")
    humanize = pytest.importorskip("humanize")
    done, ids = encoded(tmp_path, "datatrove", dtype)
    documents: list[list[int]] = []
    for shard in done.shards:
        path = done.path / shard.tokens_file
        # It returns windows of one token more than asked for, and not what is left at the end.
        windows = reader.DatatroveFileDataset(str(path), seq_len=9, token_size=size)
        flat = [id for at in range(len(windows)) for id in windows[at]["input_ids"].tolist()]
        with Path(f"{path}.index").open("rb") as file:
            ends = merger.load_doc_ends(file)
        expected = ids[len(documents) : len(documents) + shard.documents]
        joined = [id for document in expected for id in document]
        assert flat == joined[: len(joined) // 10 * 10]
        documents += [joined[start:end] for start, end in pairwise([0, *ends])]
        name, tokens, shown = Path(f"{path}.metadata").read_text().split("\n")
        assert name.split("|")[1] == str(size)
        assert int(tokens) == shard.tokens
        assert shown == humanize.metric(shard.tokens, unit="T")
    assert documents == ids

"""Models with everything that imports have: engine and reference agree on files and ids."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from superword import Tokenizer
from superword.inputs import Texts
from superword.reference.file import read_model
from superword.reference.imported import Imported
from support.examples import examples
from support.published import Added, Published, flag, published, texts

words = st.lists(st.sampled_from(["a", " a", " b", "ab", " ab", " be", "abe", " "]), max_size=20)


@settings(max_examples=examples(300), deadline=None)
@given(case=published(), batch=st.lists(texts | words.map("".join), max_size=4), special=flag)
@example(
    case=Published(
        merges=[(b" a", b"b"), (b" ", b"a")],
        added=[Added("<a>", rstrip=True, normalized=True)],
        normalizer="nfc",
        whole_pieces=True,
        unmade=[b" be", b""],
        supermerges=[(b" ab", b" be"), (b" ab be", b" a")],
    ),
    batch=[" ab be a<a>  ab be e\u0301", " be ab be"],
    special=False,
)
def test_engine_and_reference_encode_the_same(
    case: Published, batch: list[str], special: bool
) -> None:
    tok = case.superword()
    content = tok.to_bytes()
    assert Tokenizer.from_bytes(content).to_bytes() == content
    reference = Imported(read_model(content))
    allowed = tok.special_tokens.keys() if special else set()
    expected = [reference.encode(text, allowed) for text in batch]
    assert tok.encode_batch(batch, allowed_special=allowed) == expected
    assert tok.count_tokens(batch, allowed_special=allowed) == list(map(len, expected))
    flat, offsets = tok.encode_batch_to_numpy(batch, allowed_special=allowed, threads=2)
    assert flat.tolist() == [id for ids in expected for id in ids]
    assert offsets[-1] == len(flat)
    spans = {}
    units: tuple[Literal["char", "byte"], ...] = ("char", "byte")
    for unit in units:
        arrays = tok._model.encode_offsets_flat(batch, list(allowed), 2, unit == "char")
        assert arrays[0].tolist() == flat.tolist()
        assert arrays[1].tolist() == offsets.tolist()
        spans[unit] = list(zip(arrays[2].tolist(), arrays[3].tolist(), strict=True))
    for unit in units:
        one_by_one = [
            span
            for text in batch
            for span in tok.encode_with_offsets(text, unit=unit, allowed_special=allowed)[1]
        ]
        assert spans[unit] == one_by_one
    for text, ids in zip(batch, expected, strict=True):
        assert tok.encode(text, allowed_special=allowed) == ids
        assert tok.encode_with_offsets(text, allowed_special=allowed)[0] == ids
        assert tok.decode_bytes(ids) == reference.decode_bytes(ids)
        if not special:
            assert tok.encode_ordinary(text) == ids


def test_every_way_to_encode_prepares_the_text(tmp_path: Path) -> None:
    """Files, columns and lines find added tokens and normalize like `encode_ordinary`."""
    tok = Published(
        merges=[(b"a", b"b"), (b"\xc3", b"\xa9")],
        added=[Added("<|endoftext|>", special=True), Added("<a>", rstrip=True)],
        normalizer="nfc",
        whole_pieces=True,
        unmade=[b" ba"],
    ).superword()
    batch = ["ab e\u0301<a>  ab", " ba<|endoftext|> ba", "", "<a>"]
    expected = [tok.encode_ordinary(text) for text in batch]
    made = tok.token_to_id
    end = tok.special_tokens["<|endoftext|>"]
    assert expected[0] == [made(b"ab"), made(b" "), made("\u00e9"), made("<a>"), made(b"ab")]
    assert expected[1][0] == expected[1][-1] == tok.unmade_tokens[b" ba"]
    assert end not in expected[1]
    tok.encode_files(Texts(batch), tmp_path)
    shard = numpy.load(tmp_path / "shard-00000.npy").tolist()
    assert shard == [id for ids in expected for id in (*ids, end)]
    column = pytest.importorskip("pyarrow").array(batch)
    assert tok.encode_arrow(column).to_pylist() == expected
    lines = tok._model.encode_lines("\n".join(batch).encode(), b"\n", [], 2)
    assert lines == "".join(" ".join(map(str, ids)) + "\n" for ids in expected).encode()

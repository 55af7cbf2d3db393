"""Small random tokenizers with every feature encode as the libraries they belong to do."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from superword import Pretokenizer, Tokenizer
from superword._support.bytechars import to_chars
from superword.errors import ConversionError
from superword.reference.file import read_model
from superword.reference.imported import Imported
from support.examples import examples

tokenizers = pytest.importorskip("tokenizers", reason="pip install 'superword[huggingface]'")
tiktoken = pytest.importorskip("tiktoken", reason="pip install 'superword[tiktoken]'")

BYTES = [bytes([byte]) for byte in range(256)]
LETTERS = "ab é"
# Text that normalization changes, spaces of all kinds, and the letters of the tokens.
CHARACTERS = "ababab   é\u0301\u0323eÅK\u212bﬁ①\n\t.1中_"
QUICK = settings(
    max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": True,
}


def added_token(content: str, **flags: Any) -> dict[str, Any]:
    plain = {"special": False, "lstrip": False, "rstrip": False, "single_word": False}
    return {"id": 0, "content": content, "normalized": False, **plain, **flags}


def hf_data(
    tokens: list[str],
    merges: list[tuple[str, str]],
    added: list[dict[str, Any]] | None = None,
    normalizer: dict[str, Any] | None = None,
    **model: Any,
) -> dict[str, Any]:
    """A tokenizer.json with these tokens besides the bytes."""
    names = [to_chars(byte) for byte in BYTES] + tokens
    return {
        "version": "1.0",
        "added_tokens": added or [],
        "normalizer": normalizer,
        "pre_tokenizer": BYTE_LEVEL,
        "post_processor": None,
        "decoder": BYTE_LEVEL,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {name: id for id, name in enumerate(names)},
            "merges": [list(merge) for merge in merges],
            **model,
        },
    }


class Both:
    """A tokenizer in its own library and imported."""

    def __init__(self, data: dict[str, Any]) -> None:
        text = json.dumps(data)
        self.origin = tokenizers.Tokenizer.from_str(text)
        self.plain = tokenizers.Tokenizer.from_str(text)
        self.plain.encode_special_tokens = True
        self.model = Tokenizer.from_huggingface(self.origin)

    def same(self, text: str, decode: bool = True) -> None:
        expected = self.origin.encode(text, add_special_tokens=False).ids
        assert self.model.encode(text, allowed_special="all") == expected
        plain = self.plain.encode(text, add_special_tokens=False).ids
        assert self.model.encode(text) == plain
        assert self.model.encode_ordinary(text) == plain
        assert self.model.count_tokens(text) == len(plain)
        assert self.model.encode_batch([text]) == [plain]
        if decode:
            decoded = self.origin.decode(expected, skip_special_tokens=False)
            assert self.model.decode(expected) == decoded


@st.composite
def vocabularies(draw: st.DrawFn) -> tuple[list[str], list[tuple[str, str]]]:
    """Tokens, and some of the pairs that make them, in any order."""
    words = st.text(LETTERS, min_size=1, max_size=4).map(lambda text: to_chars(text.encode()))
    tokens = draw(st.lists(words, max_size=12, unique=True))
    tokens = [token for token in tokens if len(token) > 1]
    known = {to_chars(byte) for byte in BYTES} | set(tokens)
    pairs = [
        (token[:at], token[at:])
        for token in tokens
        for at in range(1, len(token))
        if token[:at] in known and token[at:] in known
    ]
    merges = draw(st.lists(st.sampled_from(pairs), max_size=20)) if pairs else []
    return tokens, merges


@st.composite
def added_lists(draw: st.DrawFn) -> list[dict[str, Any]]:
    texts = st.sampled_from(
        ["<s>", "<a>", "ab", "a", "  ", "   ", "가", "\u1100\u1161", "ﬁ", "_b", "1", "<s>a", "\n"]
    )
    flag = st.sampled_from([False, False, True])
    return [
        added_token(
            content,
            special=draw(st.booleans()),
            lstrip=draw(flag),
            rstrip=draw(flag),
            single_word=draw(flag),
            normalized=draw(flag),
        )
        for content in draw(st.lists(texts, max_size=4, unique=True))
    ]


NORMALIZERS = [
    None,
    {"type": "NFC"},
    {"type": "NFKC"},
    {"type": "Sequence", "normalizers": []},
    {"type": "Sequence", "normalizers": [{"type": "NFC"}]},
]
PIECES = [
    "<s>",
    "<a>",
    "ab",
    "_b",
    "  ",
    "\u0301",
    "ﬁ",
    " <s> ",
    "<s>a",
    "x<a>",
    "é",
    "e\u0301",
    "가",
    "\u1100",
    "\u1161",
]
some_text = st.lists(st.sampled_from([*CHARACTERS, *PIECES]), max_size=12).map("".join)


@QUICK
@given(vocabulary=vocabularies(), whole=st.booleans(), texts=st.lists(some_text, max_size=6))
def test_merges_in_any_order_and_whole_pieces(
    vocabulary: tuple[list[str], list[tuple[str, str]]], whole: bool, texts: list[str]
) -> None:
    both = Both(hf_data(*vocabulary, ignore_merges=whole))
    for text in [*texts, "ab", " ab", "abab", "aé bb  é"]:
        both.same(text)


@QUICK
@given(
    added=added_lists(),
    normalizer=st.sampled_from(NORMALIZERS),
    texts=st.lists(some_text, min_size=1, max_size=8),
)
@example([added_token("ab", lstrip=True, rstrip=True)], None, ["x  ab  \n y ab"])
@example([added_token("가", normalized=True)], {"type": "NFC"}, ["\u1100\u1161 가 \u1161"])
@example([added_token("\u1100\u1161", normalized=True)], {"type": "NFC"}, ["\u1100\u1161 가"])
@example([added_token("a", single_word=True)], None, ["a ab ba a_ .a. éa a"])
def test_added_tokens_with_any_flags_and_normalizers(
    added: list[dict[str, Any]], normalizer: dict[str, Any] | None, texts: list[str]
) -> None:
    both = Both(hf_data(["ab", "Ġab"], [("a", "b"), ("Ġ", "ab")], added, normalizer))
    # Hugging Face decodes some tokens to their normalized text. superword keeps the text.
    kept = all(not t["normalized"] or t["content"].isascii() for t in added)
    for text in texts:
        both.same(text, decode=kept)


def test_a_token_that_is_added_and_made_by_merges() -> None:
    added = [added_token("ab"), added_token("abc", special=True)]
    both = Both(hf_data(["ab", "abc"], [("a", "b"), ("ab", "c")], added))
    for text in ("ab", "abc", "xabcab", "b abc", "ab c"):
        both.same(text)


def test_names_that_are_not_spelled_in_bytes_are_kept_as_ids() -> None:
    """As in Command R: some of them have the bytes of a token that merges make."""
    trademark = to_chars("™".encode())
    merges = [(trademark[0], trademark[1]), (trademark[:2], trademark[2])]
    both = Both(hf_data([trademark[:2], trademark, "™", "‼", "中文"], merges))
    for text in ("™", "a™‼ 中文", "™™"):
        both.same(text)
    for name in ("™", "‼", "中文"):
        id = both.origin.token_to_id(name)
        assert both.model.decode([id]) == both.origin.decode([id]) == name
    assert both.model.token_to_id("™".encode()) == both.origin.token_to_id(trademark)
    saved = Tokenizer.from_bytes(both.model.to_bytes())
    assert saved == both.model
    assert saved.encode("a™‼") == both.model.encode("a™‼")
    reference = Imported(read_model(saved.to_bytes()))
    for text in ("a™‼ 中文", "™™"):
        assert reference.encode(text) == saved.encode(text)
    for id in range(saved.n_vocab):
        assert reference.decode_bytes([id]) == saved.decode_bytes([id])


def test_names_that_whole_pieces_would_find_are_refused() -> None:
    data = hf_data(["‼", "abc"], [], ignore_merges=True)
    with pytest.raises(ConversionError, match="not spelled in bytes, such as '‼'"):
        Tokenizer.from_huggingface(tokenizers.Tokenizer.from_str(json.dumps(data)))


def test_holes_in_the_ids_and_an_empty_token(tmp_path: Path) -> None:
    data = hf_data(["ab"], [("a", "b")], [added_token("<s>", special=True)])
    data["model"]["vocab"] |= {"ab": 300, "": 299}
    both = Both(data)
    both.same("ab <s> a")
    assert both.model.decode([299]) == ""
    assert both.model.encode("ab") == [300]
    # The file says 0. Hugging Face numbers added tokens from the size of the vocabulary.
    assert both.model.special_tokens == {"<s>": both.origin.token_to_id("<s>")} == {"<s>": 258}
    (tmp_path / "tokenizer.json").write_text(json.dumps(data))
    from_file = Tokenizer.from_huggingface(tmp_path)
    assert from_file.special_tokens == both.model.special_tokens
    assert from_file.facts["imported"]["added_tokens_renumbered"] == 1


def test_an_added_token_that_is_the_name_of_other_bytes_is_refused() -> None:
    """In the byte alphabet, "é" stands for the byte 0xE9, and Hugging Face mixes the two up."""
    data = hf_data([], [], [added_token("é")])
    with pytest.raises(ConversionError, match="the added token 'é' has the id of another token"):
        Tokenizer.from_huggingface(tokenizers.Tokenizer.from_str(json.dumps(data)))


def test_a_merge_that_is_listed_twice_has_the_last_rank() -> None:
    merges = [("a", "b"), ("b", "c"), ("a", "b")]
    Both(hf_data(["ab", "bc"], merges)).same("abc")


@pytest.mark.parametrize(
    "split",
    [
        {"behavior": "Isolated", "invert": False},
        {"behavior": "Isolated", "invert": True},
        {"behavior": "Removed", "invert": True},
    ],
)
@pytest.mark.parametrize("pattern", [{"Regex": r"\p{L}+| ?[^\p{L}]"}, {"Regex": r"[\s\S]"}])
def test_splits_of_all_known_behaviors(split: dict[str, Any], pattern: dict[str, str]) -> None:
    data = hf_data(["ab", "Ġab", "abab"], [("a", "b"), ("Ġ", "ab"), ("ab", "ab")])
    steps = [{"type": "Split", "pattern": pattern, **split}, BYTE_LEVEL | {"use_regex": False}]
    data["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": steps}
    both = Both(data)
    for text in ("abab abab", " ab.ab  ab\nab", "é ab"):
        both.same(text)


@pytest.mark.parametrize("text", [" ", "a.b", "(", "\\", "[a]", "a-b", "é"])
def test_a_split_by_a_plain_string(text: str) -> None:
    data = hf_data(["aa", "Ġa", ".b"], [("a", "a"), ("Ġ", "a"), (".", "b")])
    split = {"type": "Split", "pattern": {"String": text}, "behavior": "Isolated", "invert": False}
    steps = [split, BYTE_LEVEL | {"use_regex": False}]
    data["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": steps}
    both = Both(data)
    for sample in (text, f"aa{text}a.b(a) [a] a-b", f"{text}{text} a", "x\\y"):
        both.same(sample)


SEQUENCES = {
    "command-r": [{"type": "Digits", "individual_digits": True}, BYTE_LEVEL],
    "deepseek-v3": [
        *(
            {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}
            for regex in (
                r"\p{N}{1,3}",
                "[一-龥\u3040-ゟ゠-ヿ]+",
                "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
                "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+"
                "|\\s+(?!\\S)|\\s+",
            )
        ),
        BYTE_LEVEL | {"use_regex": False},
    ],
}


@pytest.mark.parametrize("preset", SEQUENCES)
def test_published_sequences_of_splits_become_presets(preset: str) -> None:
    data = hf_data(["11", "Ġa", "aa", "Ġ1"], [("1", "1"), ("Ġ", "a"), ("a", "a"), ("Ġ", "1")])
    data["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": SEQUENCES[preset]}
    both = Both(data)
    assert both.model.pretokenizer == Pretokenizer(preset)
    for text in ("a 1111 a11a", "aa  1a\n 11", "中aa ひ11", "!aa.a  ", "x\u200d1 \u0301a"):
        both.same(text)


@QUICK
@given(
    tokens=st.sets(st.text(LETTERS, min_size=2, max_size=6), max_size=14),
    seed=st.integers(0, 1000),
    texts=st.lists(st.text(LETTERS + ".<s>", max_size=14), max_size=8),
)
def test_ranks_in_any_order_encode_as_tiktoken_does(
    tokens: set[str], seed: int, texts: list[str]
) -> None:
    listed = sorted(token.encode() for token in tokens)
    Random(seed).shuffle(listed)
    ranks = {byte: id for id, byte in enumerate(BYTES)}
    ranks |= {token: id for id, token in enumerate(listed, start=260)}
    special = {"<s>": 400, "<s>a": 401, "<same>": 400}
    pattern = r" ?\p{L}+|[^\p{L}]"
    origin = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
    model = Tokenizer.from_tiktoken(origin)
    for text in [*texts, *tokens]:
        plain = origin.encode_ordinary(text)
        assert model.encode(text) == plain
        assert model.decode(plain) == text
    assert model.encode("x<s>a<same>", allowed_special="all")[-1] == 400
    assert model.decode([400]) == "<s>"
    assert model.special_tokens == special


def test_a_tokenizer_with_nfc_encodes_composed_text_alike() -> None:
    both = Both(hf_data([], [], None, {"type": "NFC"}))
    assert both.model.normalizer == "nfc"
    text = unicodedata.normalize("NFD", "é Å 각 क़")
    both.same(text)
    ignored = Tokenizer.from_huggingface(both.origin, ignore_normalizer=True)
    assert ignored.normalizer is None
    assert ignored.decode(ignored.encode(text)) == text
    assert ignored.facts["imported"]["normalizer_left_out"] == "NFC"
    lower = tokenizers.Tokenizer.from_str(json.dumps(hf_data([], [], None, {"type": "Lowercase"})))
    assert Tokenizer.from_huggingface(lower, ignore_normalizer=True).encode("A") == [65]

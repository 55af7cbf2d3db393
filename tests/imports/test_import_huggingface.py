"""Imported tokenizers encode as the original does, with its ids, or they are refused."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import superword
from hypothesis import HealthCheck, given, settings
from superword import Pretokenizer, Tokenizer
from superword._support.bytechars import to_bytes, to_chars
from superword.errors import ConversionError, MissingModelError, OptionError
from support.export_models import boundless, some_documents, superwords, texts, training_text, words

tokenizers = pytest.importorskip("tokenizers", reason="pip install 'superword[huggingface]'")
tiktoken = pytest.importorskip("tiktoken", reason="pip install 'superword[tiktoken]'")

LLAMA3 = Pretokenizer("gpt4").pattern
QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)


def hf_trained(kind: str, texts: list[str], vocab_size: int = 700) -> Any:
    """Train a Hugging Face tokenizer that is set up like published models of this kind."""
    pre = tokenizers.pre_tokenizers
    made = tokenizers.Tokenizer(tokenizers.models.BPE(ignore_merges=kind == "llama3"))
    patterns = {"llama3": LLAMA3, "qwen2": QWEN2, "gpt4o": Pretokenizer("gpt4o").pattern}
    if kind == "gpt2":
        made.pre_tokenizer = pre.ByteLevel(add_prefix_space=False)
    else:
        regex = tokenizers.Regex(patterns[kind])
        split = pre.Split(regex, *(("removed", True) if kind == "gpt4o" else ("isolated",)))
        made.pre_tokenizer = pre.Sequence(
            [split, pre.ByteLevel(add_prefix_space=False, use_regex=False)]
        )
    if kind == "qwen2":
        made.normalizer = tokenizers.normalizers.NFC()
    made.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocab_size,
        initial_alphabet=pre.ByteLevel.alphabet(),
        special_tokens=["<|begin|>", "<|endoftext|>"] if kind == "llama3" else ["<|endoftext|>"],
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    if kind == "llama3":
        made.post_processor = tokenizers.processors.TemplateProcessing(
            single="<|begin|> $A", special_tokens=[("<|begin|>", 0)]
        )
    made.add_special_tokens(["<|late|>"])
    return made


KINDS = ["gpt2", "llama3", "qwen2", "gpt4o"]
Pair = tuple[Any, Tokenizer]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pair]:
    made = {}
    for kind in KINDS:
        path = tmp_path_factory.mktemp(kind) / "tokenizer.json"
        origin = hf_trained(kind, training_text())
        origin.save(str(path))
        made[kind] = origin, Tokenizer.from_huggingface(path)
    return made


def same(origin: Any, model: Tokenizer, text: str) -> None:
    ids = origin.encode(text, add_special_tokens=False).ids
    assert model.encode(text, allowed_special="all") == ids
    assert model.decode(ids) == origin.decode(ids, skip_special_tokens=False)


# Engines disagree on characters that Unicode 17.0 added or changed.
def known_to_all(text: str) -> bool:
    return all(
        unicodedata.category(char) != "Cn" and char != "\u0295" and char not in "\ua7f1"
        for char in text
    )


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=texts().filter(known_to_all))
def test_imported_tokenizers_encode_as_their_origin(imported: dict[str, Pair], text: str) -> None:
    for origin, model in imported.values():
        same(origin, model, text)


@pytest.mark.parametrize("kind", KINDS)
def test_ids_and_special_tokens_are_kept(kind: str, imported: dict[str, Pair]) -> None:
    origin, model = imported[kind]
    assert model.n_vocab == origin.get_vocab_size()
    for token, id in origin.get_vocab().items():
        expected = token.encode() if token in model.special_tokens else to_bytes(token)
        assert model.token_bytes(id) == expected
    assert model.special_tokens["<|late|>"] == origin.token_to_id("<|late|>")
    same(origin, model, "the<|endoftext|> of<|late|>and")
    assert model.facts["imported"]["counts"] == "not known, written as 1"


@pytest.mark.parametrize("kind", KINDS)
def test_imported_models_save_load_and_export(
    kind: str, imported: dict[str, Pair], tmp_path: Path
) -> None:
    origin, model = imported[kind]
    model.save(tmp_path / "m.superword")
    loaded = Tokenizer.load(tmp_path / "m.superword")
    assert loaded == model
    model.export_huggingface(tmp_path / "again")
    again = Tokenizer.from_huggingface(tmp_path / "again")
    for text in training_text(3, 20):
        same(origin, loaded, text)
        assert again.encode(text) == model.encode(text)


def test_imported_from_text_of_every_language(corpus_dir: Path, tmp_path: Path) -> None:
    documents = {
        file.name: some_documents(file, 8_000)
        for file in sorted((corpus_dir / "multi").glob("*.jsonl.zst"))
    }
    for kind in KINDS:
        all_texts = [text for found in documents.values() for text in found]
        origin = hf_trained(kind, [text[:8_000] for text in all_texts], 1_500)
        origin.save(str(tmp_path / "tokenizer.json"))
        model = Tokenizer.from_huggingface(tmp_path)
        for found in documents.values():
            same(origin, model, "\n".join(found)[:12_000])


def llama3_like(model: Tokenizer) -> dict[str, Any]:
    """Converters list every pair that makes a token, not only the one that is used."""
    ids = {model.token_bytes(id): id for id in range(model.n_vocab - len(model.special_tokens))}
    merges = []
    for token in ids:
        splits = [(token[:at], token[at:]) for at in range(1, len(token))]
        merges += [pair for pair in splits if pair[0] in ids and pair[1] in ids]
    assert len(merges) > len(model.merges)
    return {
        "added_tokens": [
            {"content": t, "id": id, "special": True} for t, id in model.special_tokens.items()
        ],
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {
                    "type": "Split",
                    "pattern": {"Regex": model.pretokenizer.pattern},
                    "behavior": "Isolated",
                    "invert": False,
                },
                {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False},
            ],
        },
        "model": {
            "type": "BPE",
            "ignore_merges": True,
            "vocab": {to_chars(token): id for token, id in ids.items()},
            "merges": [f"{to_chars(left)} {to_chars(right)}" for left, right in merges],
        },
    }


def test_merges_that_never_apply_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps(llama3_like(words())))
    model = Tokenizer.from_huggingface(tmp_path)
    assert [m[:2] for m in model.merges] == [m[:2] for m in words().merges]
    assert model.facts["imported"]["merges_left_out"] > 0
    for text in training_text(4, 30):
        assert model.encode(text) == words().encode(text)


def test_an_exact_export_comes_back_as_a_model_with_the_same_ids(tmp_path: Path) -> None:
    """A long pattern cuts words as the original does in one pass."""
    superwords().export_huggingface(tmp_path / "hf", "exact")
    boundless().export_tiktoken(tmp_path / "m.tiktoken", "exact", renumber=True)
    ids = json.loads((tmp_path / "m.tiktoken.json").read_text())["ids"]
    from_hf = Tokenizer.from_huggingface(tmp_path / "hf")
    from_ranks = Tokenizer.from_tiktoken(tmp_path / "m.tiktoken")
    for text in training_text(8, 30):
        assert from_hf.encode(text) == superwords().encode(text)
        assert [ids[id] for id in from_ranks.encode(text)] == boundless().encode(text)


@pytest.mark.parametrize("pattern", [LLAMA3, CL100K, QWEN2, Pretokenizer("gpt4o").pattern])
def test_ranks_of_tiktoken_encode_as_tiktoken_does(pattern: str, tmp_path: Path) -> None:
    trained = superword.train_from_iterator(
        training_text(),
        vocab_size=620,
        method="bpe",
        pretokenizer=Pretokenizer(pattern=pattern),
        threads=1,
    )
    # Single bytes in another order, as in the files of OpenAI.
    ranks = {bytes([byte]): place for place, byte in enumerate([*range(33, 256), *range(33)])}
    ranks |= {left + right: 256 + at for at, (left, right, _) in enumerate(trained.merges)}
    special = {"<|endoftext|>": 700, "<|fim|>": 703}
    origin = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
    model = Tokenizer.from_tiktoken(ranks, pattern, special)
    assert model.n_vocab == origin.n_vocab
    # Ids are kept, even with gaps or in another order than the bytes.
    model.export_huggingface(tmp_path)
    exported = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in [*training_text(9, 60), "the<|endoftext|>of<|fim|>", "  \n x  ", ""]:
        expected = origin.encode(text, allowed_special="all")
        assert model.encode(text, allowed_special="all") == expected
        assert exported.encode(text).ids == expected
        assert model.decode(expected) == text


def refused(path: Path, change: dict[str, Any], match: str) -> ConversionError:
    data = llama3_like(words())
    for place, value in change.items():
        target: Any = data
        *way, last = place.split(".")
        for step in way:
            target = target[int(step)] if step.isdigit() else target[step]
        target[last] = value
    (path / "tokenizer.json").write_text(json.dumps(data))
    with pytest.raises(ConversionError, match=match) as caught:
        Tokenizer.from_huggingface(path)
    assert caught.value.hint
    assert caught.value.path == str(path / "tokenizer.json")
    return caught.value


NFC = {"type": "NFC"}
PREPEND = {"type": "Prepend", "prepend": "▁"}
REPLACE = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
DIGITS = {"type": "Digits", "individual_digits": True}
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"normalizer": {"type": "Lowercase"}}, "normalizer Lowercase"),
        ({"normalizer": {"type": "Sequence", "normalizers": [NFC, NFC]}}, "normalizers NFC, NFC"),
        ({"normalizer": {"type": "Sequence", "normalizers": [PREPEND, REPLACE]}}, "SentencePiece"),
        ({"model.type": "WordPiece"}, "WordPiece model, as BERT"),
        ({"model.type": "Unigram"}, "Unigram"),
        ({"model.byte_fallback": True}, "SentencePiece"),
        ({"model.dropout": 0.1}, "dropout"),
        ({"model.end_of_word_suffix": "</w>"}, "end_of_word_suffix '</w>'"),
        ({"pre_tokenizer": None}, "without a pre-tokenizer"),
        ({"pre_tokenizer": {"type": "Metaspace"}}, "Metaspace"),
        ({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True}}, "add_prefix_space"),
        ({"pre_tokenizer.pretokenizers.0.behavior": "MergedWithNext"}, "MergedWithNext"),
        ({"pre_tokenizer.pretokenizers.1.use_regex": True}, r"in 2 steps \(Split, ByteLevel\)"),
        ({"pre_tokenizer.pretokenizers": [BYTES, DIGITS]}, "Digits comes after ByteLevel"),
        ({"pre_tokenizer.pretokenizers": [{"type": "BertPreTokenizer"}, BYTES]}, "step BertPre"),
        ({"pre_tokenizer.pretokenizers": [DIGITS]}, "with the pre-tokenizer Digits"),
        ({"post_processor": {"type": "Unknown"}}, "post_processor Unknown"),
        ({"pre_tokenizer.pretokenizers.0.pattern": {"Regex": "("}}, "pattern cannot be used"),
    ],
)
def test_what_cannot_be_imported_is_refused_with_the_reason(
    change: dict[str, Any], match: str, tmp_path: Path
) -> None:
    refused(tmp_path, change, match)


def test_a_vocabulary_without_all_bytes_is_refused(tmp_path: Path) -> None:
    data = llama3_like(words())
    del data["model"]["vocab"]["q"]
    data["model"]["merges"] = [m for m in data["model"]["merges"] if "q" not in m]
    (tmp_path / "tokenizer.json").write_text(json.dumps(data))
    with pytest.raises(ConversionError, match="lacks 1 of the bytes"):
        Tokenizer.from_huggingface(tmp_path)


def test_files_that_are_something_else(tmp_path: Path) -> None:
    with pytest.raises(MissingModelError):
        Tokenizer.from_huggingface(tmp_path)
    for content, match in (
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ("{}", "no model"),
        ('{"model": {}}', "without a pre-tokenizer"),
        (json.dumps({"model": {"vocab": 5}, "pre_tokenizer": BYTES}), "laid out"),
    ):
        (tmp_path / "tokenizer.json").write_text(content)
        with pytest.raises(ConversionError, match=match):
            Tokenizer.from_huggingface(tmp_path)
    with pytest.raises(MissingModelError):
        Tokenizer.from_tiktoken(tmp_path / "none.tiktoken", LLAMA3)
    (tmp_path / "m.tiktoken").write_text("IQ== 0\nnot base64 1\n")
    with pytest.raises(ConversionError, match="tiktoken:2: not a token"):
        Tokenizer.from_tiktoken(tmp_path / "m.tiktoken", LLAMA3)
    with pytest.raises(OptionError, match="give pattern"):
        Tokenizer.from_tiktoken({b"a": 0})
    with pytest.raises(OptionError, match=r"or a tiktoken\.Encoding, not as int"):
        Tokenizer.from_tiktoken(5)
    with pytest.raises(OptionError, match="fast tokenizer of transformers, not as int"):
        Tokenizer.from_huggingface(5)

"""Every number of a result, computed by hand for texts that are small enough."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import superword
from superword import AddedToken, Tokenizer, _core
from superword.evaluation import OVERALL, Evaluation, ModelShape, Numbers, Share
from superword.inputs import Texts
from support.imported_models import rebuilt
from support.toy_models import toy

# Encoded as `of the` `.` ` the` `\n`, and as two bytes.
DOCUMENTS = ["of the. the\n", "é"]


@pytest.fixture(scope="module")
def result() -> Evaluation:
    on = {"en": Texts(DOCUMENTS[:1]), "fr": Texts(DOCUMENTS[1:])}
    models = {"toy": toy(), "words": toy(supermerge=False)}
    return superword.evaluate(models, on, reference="words")


@pytest.fixture(scope="module")
def en(result: Evaluation) -> Numbers:
    return result.models[0].numbers["en"]


def test_the_text_is_counted_without_a_model(result: Evaluation) -> None:
    en, fr = result.groups
    assert (en.name, en.inputs, en.documents, en.skipped) == ("en", ("texts",), 1, 0)
    assert (en.bytes, en.characters, en.lines, en.words) == (12, 12, 1, 3)
    assert (fr.bytes, fr.characters, fr.lines, fr.words) == (2, 1, 1, 1)


def test_size_of_the_corpus_and_of_documents(result: Evaluation) -> None:
    toy, words = result.models
    size = toy.numbers[OVERALL].size
    assert size.tokens == 6
    assert size.bytes_per_token == pytest.approx(14 / 6)
    assert size.characters_per_token == pytest.approx(13 / 6)
    # 12 bytes in 4 tokens and 2 bytes in 2 tokens; 12 characters in 4 tokens and 1 in 2.
    assert size.median_bytes_per_token == pytest.approx((3 + 1) / 2)
    assert size.median_characters_per_token == pytest.approx((3 + 0.5) / 2)
    assert size.tokens_per_line == pytest.approx(6 / 2)
    # Without the superword there is one more token.
    assert words.numbers["en"].size.tokens == 5
    assert toy.numbers["en"].size.relative_length == pytest.approx(4 / 5)
    assert toy.numbers["fr"].size.relative_length == 1
    assert words.numbers[OVERALL].size.relative_length == 1


def test_documents_without_tokens_have_no_part_in_the_median() -> None:
    result = superword.evaluate(toy(), Texts(["", "of the", "", ""]))
    assert result.groups[0].documents == 4
    assert result.models[0].numbers[OVERALL].size.median_bytes_per_token == 6


def test_words_spaces_and_edges(en: Numbers) -> None:
    # Token boundaries are at 6, 7 and 11. Words end at 2, 7 and 11; `the.` is cut at 6.
    assert en.words.fertility == pytest.approx(4 / 3)
    assert en.words.continued == Share(1, 3)
    # `of` + space + `the.` is bridged, and there is a boundary before the second space.
    assert en.superwords.spaces_bridged == Share(1, 2)
    assert en.edges.words == Share(1, 3)
    assert en.edges.sentences == Share(0, 1)
    assert en.edges.lines == Share(0, 1)


def test_retention_is_about_the_most_frequent_words(en: Numbers, result: Evaluation) -> None:
    # `of`, `the` and `the.`: two are one token alone; after a space only ` the` is.
    assert en.words.retained == Share(2, 3)
    assert en.words.retained_after_space == Share(1, 3)
    assert en.words.listed == "all 3 words of the text"
    top = superword.evaluate(toy(), Texts(["b the a the a c"]), top_words=2).models[0]
    assert top.numbers["text"].words.listed == "the 2 most frequent words of the text"
    # `a` before `the`, because both occur twice.
    assert top.numbers["text"].words.retained == Share(2, 2)
    assert top.numbers["text"].words.retained_after_space == Share(1, 2)


def test_superwords_are_compared_with_the_words_of_the_same_model(en: Numbers) -> None:
    assert en.superwords.emitted == Share(1, 4)
    assert en.superwords.words_per_superword == 2
    assert en.superwords.tokens_without == 5
    assert en.superwords.saved == pytest.approx(1 - 4 / 5)


def test_use_of_the_vocabulary(en: Numbers) -> None:
    # 261 tokens: 256 bytes, 4 merges and a superword. `of the`, `.`, ` the` and `\n` occur.
    assert en.use.used == Share(4, 261)
    assert en.use.never_used == 257
    assert en.use.rare == 4
    # t, h, e, o, f, space; th, the, of. ` the` occurs.
    assert en.use.only_steps == 9
    assert en.use.by_length == {"1": 2, "4": 1, "6": 1}
    assert en.use.by_words == {"1": 3, "2": 1}


def test_rare_means_fewer_than_asked_for() -> None:
    result = superword.evaluate(toy(), Texts(["aaabbc"]), rare_below=3)
    assert result.models[0].numbers["text"].use.rare == 2
    assert result.rare_below == 3


def test_the_vocabulary_itself(result: Evaluation) -> None:
    vocabulary = result.models[0].vocabulary
    assert (vocabulary.tokens, vocabulary.special, vocabulary.superwords) == (261, 1, 1)
    # The bytes from 80 to FF are no characters.
    assert vocabulary.partial_characters == 128
    # Pretokens of gpt2 are made from these bytes, so all of them come out.
    assert (vocabulary.unreachable, vocabulary.unreachable_examples) == (0, ())
    # 52 letters, th, the, ` the`, of, `of the`; the other 76 bytes of ASCII are no letters.
    assert vocabulary.by_script == {"Partial": 128, "No letters": 76, "Latin": 57}
    assert vocabulary.by_length == {"0": 128, "1": 128, "2": 2, "3": 1, "4": 1, "6": 1}
    assert vocabulary.by_words == {"1": 260, "2": 1}
    assert result.models[0].n_vocab == 262


def test_tokens_that_never_come_out_are_unreachable() -> None:
    # gpt2 splits `a b` into `a` and ` b`, so that no merge can make it.
    model = _core.Model.from_parts(
        "bpe",
        _core.Pretokenizer.preset("gpt2"),
        "bytes",
        [("merge", b"a", b" ", 3), ("merge", b"a ", b"b", 2)],
        None,
        [],
        "{}",
    )
    found = superword.evaluate(Tokenizer._wrap(model), Texts(["x"])).models[0].vocabulary
    assert found.unreachable == 2
    assert found.unreachable_examples == ("a ", "a b")


def test_distribution() -> None:
    found = superword.evaluate(toy(), Texts(["aaab"])).models[0].numbers["text"].distribution
    entropy = {
        "1": 0.75 * math.log2(4 / 3) + 0.25 * 2,
        "2": -math.log2(0.75**2 + 0.25**2),
        "2.5": math.log2(0.75**2.5 + 0.25**2.5) / -1.5,
        "3": math.log2(0.75**3 + 0.25**3) / -2,
    }
    assert found.entropy == pytest.approx(entropy)
    # Two different tokens occur: log2(2) = 1.
    assert found.efficiency_observed == pytest.approx(entropy)
    whole = {order: bits / math.log2(261) for order, bits in entropy.items()}
    assert found.efficiency_vocabulary == pytest.approx(whole)
    assert found.top_share == {"10": 1, "100": 1, "1000": 1, "10000": 1}
    assert found.tokens_for_share == {"0.5": 1, "0.9": 2, "0.99": 2}
    assert found.rank_frequency == ((1, 3), (2, 1))
    # The mean difference of two tokens, relative to twice the mean count: 3, 1 and 259 zeros.
    differences = 2 * (2 + 3 * 259 + 1 * 259)
    assert found.gini == pytest.approx(differences / (2 * 261**2 * (4 / 261)))


def test_shares_of_the_top_and_tokens_needed_are_exact_at_the_limit() -> None:
    text = "".join(letter * 10 for letter in "abcdefghijklmnopqrst")
    found = superword.evaluate(toy(), Texts([text])).models[0].numbers["text"].distribution
    assert found.top_share["10"] == 0.5
    assert found.tokens_for_share == {"0.5": 10, "0.9": 18, "0.99": 20}
    assert found.efficiency_observed["2.5"] == pytest.approx(1)


def test_one_token_has_no_entropy_and_no_efficiency() -> None:
    found = superword.evaluate(toy(), Texts(["a"])).models[0].numbers["text"].distribution
    assert found.entropy == {"1": 0, "2": 0, "2.5": 0, "3": 0}
    assert set(found.efficiency_observed.values()) == {None}


def test_cost_follows_the_shape() -> None:
    shape = ModelShape(
        layers=2, hidden=8, heads=4, kv_heads=2, feed_forward=16, context=10, bytes_per_value=2
    )
    cost = (
        superword.evaluate(toy(), Texts(["of the"] * 3), shape=shape).models[0].numbers["text"].cost
    )
    per_megabyte = 1e6 / 6
    assert cost.tokens_per_megabyte == pytest.approx(per_megabyte)
    # Weights of a layer: 8*8 queries, 8*8 output, 8*4 keys, 8*4 values, 3*8*16 feed-forward.
    weights = 64 + 64 + 32 + 32 + 384
    # 5 tokens in sight: 8 multiplications and additions each for the score and for the value.
    attention = 2 * 5 * 8 * 2
    layer = 2 * weights + attention
    assert cost.prefill_flops == pytest.approx(per_megabyte * 2 * layer)
    assert cost.decode_flops == pytest.approx(per_megabyte * (2 * layer + 2 * 8 * 262))
    # Keys and values of 2 layers and 2 heads of width 2, 2 bytes each.
    assert cost.kv_cache_bytes == pytest.approx(per_megabyte * 2 * 2 * 2 * 2 * 2)


def test_the_default_shape_has_the_parameters_of_llama_3_8b() -> None:
    cost = superword.evaluate(toy(), Texts(["a"])).models[0].numbers["text"].cost
    # 6,979,321,856 weights in the layers; attention sees 4,096 tokens of width 4,096 in 32 layers.
    layers = 2 * 6_979_321_856 + 32 * 4 * 4096 * 4096
    assert cost.prefill_flops == pytest.approx(1e6 * layers)
    # 131,072 bytes per token.
    assert cost.kv_cache_bytes == pytest.approx(1e6 * 131_072)


def test_sentences_end_before_white_space_or_after_wide_marks() -> None:
    text = 'He said "no." Then 3.14 e.g... "What?!" Yes. 好。是！'
    edges = superword.evaluate(toy(), Texts([text])).models[0].numbers["text"].edges
    # After `no."`, `...`, `What?!"`, `Yes.` and the first ideographic full stop.
    assert edges.sentences.total == 5


def test_groups_and_all_groups_together(result: Evaluation) -> None:
    model = result.models[0]
    assert list(model.numbers) == ["en", "fr", OVERALL]
    assert model.numbers["fr"].words.continued == Share(1, 1)
    assert model.numbers[OVERALL].words.continued == Share(2, 4)
    assert model.numbers[OVERALL].use.used == Share(6, 261)
    assert model.numbers[OVERALL].words.listed == "all 4 words of the text"


def test_a_normalized_text_is_measured_on_the_original() -> None:
    # NFC composes e and U+0301 to one character of two bytes, which is two tokens here.
    model = rebuilt(toy(), [AddedToken("<|end|>", 261, special=True)], normalizer="nfc")
    found = superword.evaluate(model, Texts(["e\u0301 of"])).models[0].numbers["text"]
    assert found.size.tokens == 4
    assert found.size.bytes_per_token == pytest.approx(6 / 4)
    # Both bytes come from all of `é`, so the word has no boundary inside.
    assert found.words.continued == Share(0, 2)
    assert found.edges.words == Share(0, 1)


def test_added_tokens_cover_the_white_space_that_they_take() -> None:
    model = rebuilt(
        toy(),
        [AddedToken("<|end|>", 261, special=True), AddedToken("<x>", 262, lstrip=True)],
    )
    found = superword.evaluate(model, Texts(["of <x> <|end|>"])).models[0].numbers["text"]
    # `of`, ` <x>`, ` `, and the seven characters of the special token, which is plain text.
    assert found.size.tokens == 3 + 7
    assert found.edges.words == Share(0, 2)
    assert found.superwords.spaces_bridged == Share(0, 2)
    assert found.use.used.total == 262


def test_a_model_knows_the_text_that_it_was_trained_on(tmp_path: Path) -> None:
    de, en = tmp_path / "de.txt", tmp_path / "en.txt"
    de.write_text("und der Hund und der Mund " * 40)
    en.write_text("of the cat and of the hat " * 30)
    both = superword.train([de, en], vocab_size=270)
    groups = superword.train({"de": de, "en": en}, vocab_size=270)
    only_de = superword.train(de, vocab_size=270)
    models = {"both": both, "groups": groups, "de": only_de, "toy": toy()}
    result = superword.evaluate(models, {"first": de, "second": en})
    found = {model.name: model.trained_on for model in result.models}
    assert found == {
        "both": ("all",),
        "groups": ("first", "second", "all"),
        "de": ("first",),
        "toy": (),
    }
    single = superword.evaluate(models, en).models
    assert {model.name: model.trained_on for model in single}["groups"] == ("text",)
    assert {model.name: model.trained_on for model in single}["both"] == ()


def test_training_counts_are_points_of_size_and_count(result: Evaluation) -> None:
    curves = result.models[0].curves
    assert curves.merge_counts == ((258, 30), (259, 20), (260, 10), (261, 9))
    assert curves.supermerge_counts == ((262, 4),)

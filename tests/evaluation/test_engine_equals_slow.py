"""The engine counts what a slow program in Python counts."""

from __future__ import annotations

from collections import Counter

import pytest
import regex
import superword
from hypothesis import given, settings
from hypothesis import strategies as st
from superword import AddedToken, Tokenizer, _core
from superword.evaluation import OVERALL, Share
from superword.inputs import Texts
from support.examples import examples
from support.imported_models import chat_model, rebuilt
from support.nasty import nasty_texts
from support.strategies import texts
from support.variants import engine

WHITE = regex.compile(r"\p{White_Space}")
WORD = regex.compile(r"[^\p{White_Space}]+")
CLOSING = "\"')]}»›’”」』】〉》）］｝"
TERMINAL = ".!?…։؟۔।॥።፧፨᙮᠃᠉။។៕།‼‽⁇⁈⁉"
WIDE = "。！？｡．"
SENTENCE = regex.compile(
    rf"[{regex.escape(TERMINAL + WIDE)}][{regex.escape(TERMINAL + WIDE + CLOSING)}]*"
)


def normalizing() -> Tokenizer:
    model = engine("boundless")
    return rebuilt(model, [AddedToken("<|endoftext|>", 9000, special=True)], normalizer="nfkc")


MODELS = {
    "bpe": engine("bpe"),
    "boundless": engine("boundless"),
    "superbpe": engine("superbpe"),
    "picky-greedy": engine("picky-greedy"),
    "chat": chat_model(),
    "nfkc": normalizing(),
}


class Slow:
    """What a model does to a text, looked up position by position."""

    def __init__(self, model: Tokenizer, text: str) -> None:
        ids, spans = model.encode_with_offsets(text, unit="byte")
        self.ids = ids
        self.size = len(text.encode())
        inside = {place for start, end in spans for place in range(start + 1, end)}
        self.cuts = {place for place in range(1, self.size) if place not in inside}
        starts = [len(text[:at].encode()) for at in range(len(text) + 1)]
        self.words = [(starts[m.start()], starts[m.end()]) for m in WORD.finditer(text)]
        self.lines = [starts[at] for at, char in enumerate(text) if char == "\n" and at]
        self.sentences = []
        for found in SENTENCE.finditer(text):
            end = found.end()
            last = next(char for char in reversed(found[0]) if char not in CLOSING)
            if end < len(text) and (last in WIDE or WHITE.match(text[end])):
                self.sentences.append(starts[end])

    def inside(self, places: list[int]) -> int:
        return sum(place not in self.cuts for place in places)

    def word_ends(self) -> list[int]:
        return [end for _, end in self.words if end < self.size]

    def continued(self) -> int:
        return sum(any(start < cut < end for cut in self.cuts) for start, end in self.words)

    def bridged(self) -> int:
        pairs = zip(self.words, self.words[1:], strict=False)
        return sum(
            not any(end <= cut <= start for cut in self.cuts) for (_, end), (start, _) in pairs
        )


def compare(documents: list[str]) -> None:
    # A document that is not empty, because a corpus without text is an error.
    documents = [*documents, "x"]
    result = superword.evaluate(MODELS, Texts(documents))
    group = result.groups[0]
    assert group.bytes == sum(len(text.encode()) for text in documents)
    assert group.characters == sum(map(len, documents))
    assert group.words == sum(len(WORD.findall(text)) for text in documents)
    assert group.lines == sum(len(regex.findall(r"[^\n]*\n|[^\n]+$", text)) for text in documents)
    for found in result.models:
        slow = [Slow(MODELS[found.name], text) for text in documents]
        numbers = found.numbers[OVERALL]
        ids = Counter(id for one in slow for id in one.ids)
        assert numbers.size.tokens == ids.total()
        assert numbers.use.used.part == len(ids)
        assert numbers.words.continued.part == sum(one.continued() for one in slow)
        gaps = sum(max(0, len(one.words) - 1) for one in slow)
        assert numbers.superwords.spaces_bridged == Share(sum(one.bridged() for one in slow), gaps)
        for edges, places in (
            (numbers.edges.words, [one.word_ends() for one in slow]),
            (numbers.edges.sentences, [one.sentences for one in slow]),
            (numbers.edges.lines, [one.lines for one in slow]),
        ):
            inside = sum(one.inside(its) for one, its in zip(slow, places, strict=True))
            assert edges == Share(inside, sum(map(len, places))), found.name


@settings(deadline=None, max_examples=examples(60))
@given(st.lists(texts, max_size=3))
def test_counts_of_any_text(documents: list[str]) -> None:
    compare(documents)


def test_counts_of_nasty_texts() -> None:
    compare(nasty_texts(["<think>", "<|endoftext|>"]))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_result_does_not_depend_on_threads(threads: int) -> None:
    on = {
        name: Texts([f"{text} {n} of the one of the" for n in range(900)])
        for name, text in (("de", "und der Hund"), ("en", "and the cat."), ("zh", "好。是"))
    }
    models = {name: MODELS[name] for name in ("boundless", "nfkc")}
    assert superword.evaluate(models, on, threads=threads) == superword.evaluate(
        models, on, threads=3
    )


def test_many_small_files_of_alternating_groups_are_counted_in_their_group(
    tmp_path: object,
) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    on: list[tuple[str, Path]] = []
    for number in range(60):
        path = folder / f"{number}.txt"
        path.write_text("ab " * (number + 1))
        on.append((f"g{number % 3}", path))
    result = superword.evaluate(engine("bpe"), on, threads=4)
    assert [group.name for group in result.groups] == ["g0", "g1", "g2"]
    for rest, group in enumerate(result.groups):
        assert group.words == sum(n + 1 for n in range(60) if n % 3 == rest)
        assert group.documents == 20


def test_the_engine_and_its_stub_name_the_same_numbers() -> None:
    counted = _core.evaluate(
        [(_spool("a b"), None)],
        [engine("bpe")._model],
        {
            "threads": 1,
            "text_field": "text",
            "sample": None,
            "seed": 0,
            "on_error": "stop",
            "group_of": [0],
            "top_words": 5,
        },
    )
    assert counted["top_words"] == ["a", "b"]
    assert counted["groups"][0]["models"][0]["tokens_without"] is None


def _spool(text: str) -> _core.Spool:
    spool = _core.Spool()
    spool.add([text])
    return spool

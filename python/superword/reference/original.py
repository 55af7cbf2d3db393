"""The original BoundlessBPE, in a single pass over whole documents.

This is the procedure of Schmidt et al. (2025), in its simplest and slowest form. It stores every
document and makes ordinary merges and supermerges in one loop. A supermerge becomes possible once
both of its pretokens are single tokens. The two-phase form is tested against it.

The result is the same as that of `learn_boundless` under two conditions: no superword has the bytes
of another token made of other pretokens (`Superwords.ambiguous`), and encoding a pretoken of the
training text gives the tokens that it had at the end of training. PickyBPE deletions are not
supported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from superword.reference.pairs import Pair, Token, apply_merge, count_pairs, order, split_bytes
from superword.reference.pretokenize import DEFAULT_PRESET, Pretokenizer, as_pretokenizer
from superword.reference.steps import Merge, Step, Supermerge, Vocabulary, check_size


class Element:
    """An element of a document: a pretoken, or later a superword of several pretokens."""

    def __init__(self, pretoken: str, eligible: bool) -> None:
        self.tokens: list[Token] = split_bytes(pretoken.encode("utf-8"))
        self.eligible = eligible

    @property
    def unlocked(self) -> bool:
        """Whether it can be part of a supermerge now."""
        return self.eligible and len(self.tokens) == 1


Document = list[Element]


def learn_original(
    texts: Iterable[str],
    vocab_size: int,
    pretokenizer: str | Pretokenizer = DEFAULT_PRESET,
    *,
    alphabet: str = "bytes",
    min_count: int = 1,
) -> list[Step]:
    """Learn merges and supermerges together, always the most frequent of all.

    >>> learn_original(["a a a a"], 259)[:2]
    [Merge(left=b' ', right=b'a', count=3), Supermerge(left=b' a', right=b' a', count=1)]
    """
    pretokenizer = as_pretokenizer(pretokenizer)
    documents: list[Document] = [
        [
            Element(pretoken, pretokenizer.is_eligible(pretoken))
            for pretoken in pretokenizer.split(text)
        ]
        for text in texts
    ]
    vocabulary = Vocabulary(alphabet)
    check_size(vocab_size, vocabulary)
    steps: list[Step] = []
    while len(vocabulary) < vocab_size:
        ordinary = best_of(count_pairs(element.tokens) for doc in documents for element in doc)
        supermerge = best_of(count_pairs(run) for doc in documents for run in unlocked_runs(doc))
        c_r = 0 if ordinary is None else ordinary[1]
        c_s = 0 if supermerge is None else supermerge[1]
        if max(c_r, c_s) < min_count or max(c_r, c_s) == 0:
            break
        step: Step
        if supermerge is not None and c_s > c_r:
            pair = supermerge[0]
            step = Supermerge(*pair, c_s)
            documents = [join_elements(doc, pair) for doc in documents]
        else:
            assert ordinary is not None
            pair = ordinary[0]
            step = Merge(*pair, c_r)
            for doc in documents:
                for element in doc:
                    element.tokens = apply_merge(element.tokens, pair)
        steps.append(step)
        vocabulary.apply(step)
    return steps


def best_of(counted: Iterable[Counter[Pair]]) -> tuple[Pair, int] | None:
    """Add up counts and return the best pair."""
    total: Counter[Pair] = Counter()
    for counts in counted:
        total.update(counts)
    return min(total.items(), key=lambda item: order(*item), default=None)


def unlocked_runs(document: Document) -> Iterator[list[Token]]:
    """Yield the maximal runs of unlocked elements, as tokens."""
    run: list[Token] = []
    for element in document:
        if element.unlocked:
            run += element.tokens
        else:
            yield run
            run = []
    yield run


def join_elements(document: Document, pair: Pair) -> Document:
    """Join neighbouring unlocked elements that form the pair, from left to right."""
    out: Document = []
    i = 0
    while i < len(document):
        element = document[i]
        after = document[i + 1] if i + 1 < len(document) else None
        if (
            after is not None
            and element.unlocked
            and after.unlocked
            and (element.tokens[0], after.tokens[0]) == pair
        ):
            element.tokens = [pair[0] + pair[1]]
            i += 1
        out.append(element)
        i += 1
    return out

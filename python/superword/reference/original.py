"""The original BoundlessBPE, in a single pass over whole documents.

This is the procedure of Schmidt et al. (2025), slow and plain: it keeps every document, makes
ordinary merges and supermerges in one loop, and unlocks a supermerge once both of its pretokens
have become single tokens. It is here as the oracle for the two-phase form.

Its result is that of `learn_boundless` if no superword has the bytes of another token made of
other pretokens (`Superwords.ambiguous`) and if encoding cuts the pretokens of the training text
as training left them. PickyBPE deletions are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from superword.reference.pairs import Pair, Token, apply_merge, count_pairs, order, split_bytes
from superword.reference.pretokenize import DEFAULT_PRESET, Pretokenizer, as_pretokenizer
from superword.reference.steps import Merge, Step, Supermerge, Vocabulary, check_size


class Chunk:
    """One place in a document: a pretoken, later perhaps a superword made of several."""

    def __init__(self, pretoken: str, eligible: bool) -> None:
        self.tokens: list[Token] = split_bytes(pretoken.encode("utf-8"))
        self.eligible = eligible

    @property
    def unlocked(self) -> bool:
        """Whether it can take part in a supermerge now."""
        return self.eligible and len(self.tokens) == 1


Document = list[Chunk]


def learn_original(
    texts: Iterable[str],
    vocab_size: int,
    pretokenizer: str | Pretokenizer = DEFAULT_PRESET,
    *,
    alphabet: str = "bytes",
    min_count: int = 1,
) -> list[Step]:
    """Learn merges and supermerges at once: always the most frequent of all that are there.

    >>> learn_original(["a a a a"], 259)[:2]
    [Merge(left=b' ', right=b'a', count=3), Supermerge(left=b' a', right=b' a', count=1)]
    """
    pretokenizer = as_pretokenizer(pretokenizer)
    documents: list[Document] = [
        [
            Chunk(pretoken, pretokenizer.is_eligible(pretoken))
            for pretoken in pretokenizer.split(text)
        ]
        for text in texts
    ]
    vocabulary = Vocabulary(alphabet)
    check_size(vocab_size, vocabulary)
    steps: list[Step] = []
    while len(vocabulary) < vocab_size:
        ordinary = best_of(count_pairs(chunk.tokens) for doc in documents for chunk in doc)
        supermerge = best_of(count_pairs(run) for doc in documents for run in unlocked_runs(doc))
        c_r = 0 if ordinary is None else ordinary[1]
        c_s = 0 if supermerge is None else supermerge[1]
        if max(c_r, c_s) < min_count or max(c_r, c_s) == 0:
            break
        step: Step
        if supermerge is not None and c_s > c_r:
            pair = supermerge[0]
            step = Supermerge(*pair, c_s)
            documents = [join_chunks(doc, pair) for doc in documents]
        else:
            assert ordinary is not None
            pair = ordinary[0]
            step = Merge(*pair, c_r)
            for doc in documents:
                for chunk in doc:
                    chunk.tokens = apply_merge(chunk.tokens, pair)
        steps.append(step)
        vocabulary.apply(step)
    return steps


def best_of(counted: Iterable[Counter[Pair]]) -> tuple[Pair, int] | None:
    """Add up counts and give the best pair."""
    total: Counter[Pair] = Counter()
    for counts in counted:
        total.update(counts)
    return min(total.items(), key=lambda item: order(*item), default=None)


def unlocked_runs(document: Document) -> Iterator[list[Token]]:
    """Give the maximal runs of unlocked chunks, as tokens."""
    run: list[Token] = []
    for chunk in document:
        if chunk.unlocked:
            run += chunk.tokens
        else:
            yield run
            run = []
    yield run


def join_chunks(document: Document, pair: Pair) -> Document:
    """Join neighbouring unlocked chunks that are the pair, from left to right."""
    out: Document = []
    i = 0
    while i < len(document):
        chunk = document[i]
        after = document[i + 1] if i + 1 < len(document) else None
        if (
            after is not None
            and chunk.unlocked
            and after.unlocked
            and (chunk.tokens[0], after.tokens[0]) == pair
        ):
            chunk.tokens = [pair[0] + pair[1]]
            i += 1
        out.append(chunk)
        i += 1
    return out

"""The algorithms of the paper in readable Python, to learn from and to test the engine against.

Nothing here imports the engine. Read the modules in this order, next to the paper. Each adds one
idea:

1. `scripts`, `pretokenize`: text to pretokens.
2. `pairs`: count pairs of neighbours, choose the best, join it.
3. `steps`: what training records, and the resulting vocabulary.
4. `bpe`: phase 1. `picky`: its optional deletions.
5. `encode`: words, then superwords. Candidates need only the words.
6. `candidates`: the runs of words from which superwords are learned.
7. `cutting`: shorten the candidates without changing the result. `greedy`: shorten them more, which
   changes it.
8. `boundless`, `superbpe`: phase 2. `allowed`: which superwords are allowed.
9. `original`: BoundlessBPE as first published, in a single pass.
10. `model`: the tokenizer. `file`: reading a model file.

It can train and encode on its own:

>>> tok = train(["to be or not to be"] * 3, vocab_size=270, method="boundless")
>>> tok.supermerges[0]
(b' be', b' or', 3)
>>> tok.decode(tok.encode("to be or not to be"))
'to be or not to be'

Each stage can be called separately:

=====================  ==========================================  =========================
stage                  call                                        returns
=====================  ==========================================  =========================
pretokens              `split(text, pretokenizer)`                 list[str]
counts                 `count_pretokens(texts, pretokenizer)`      dict[bytes, int]
phase 1                `learn_words(counts, vocab_size, ...)`      list[Merge | Delete]
words                  `Words(events).encode(pretoken)`            tuple[bytes, ...]
candidates             `count_candidates(texts, events, ...)`      dict[tuple[bytes, ...], int]
lossless cutting       `cut(candidates, smallest_count(...))`      the same
n-grams (Algorithm 2)  `count_ngrams(candidates, c_min, length)`   the same
greedy splitting       `split_candidates(candidates, ngrams)`      the same
phase 2                `learn_boundless(events, superwords, n)`,   list[Merge | Delete |
                       `learn_superbpe(events, superwords, s)`     Supermerge]
single pass            `learn_original(texts, vocab_size, ...)`    the same
encoding               `Encoder(steps, pretokenizer).encode(t)`    list[bytes]
=====================  ==========================================  =========================
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from superword.reference.allowed import Allowed
from superword.reference.boundless import Superwords, learn_boundless
from superword.reference.bpe import learn_words
from superword.reference.candidates import Candidates, count_candidates
from superword.reference.cutting import cut, smallest_count
from superword.reference.encode import Encoder, Words
from superword.reference.exportable import Shapes
from superword.reference.greedy import (
    FLOOR,
    MAX_LENGTH,
    Ngram,
    count_ngrams,
    split_candidates,
    split_greedily,
)
from superword.reference.model import Tokenizer
from superword.reference.original import learn_original
from superword.reference.pretokenize import (
    DEFAULT_PRESET,
    PRESETS,
    Pretokenizer,
    as_pretokenizer,
    count_pretokens,
    split,
)
from superword.reference.steps import (
    ALPHABETS,
    Delete,
    Event,
    Merge,
    Step,
    Supermerge,
    truncate,
    vocabulary_of,
)
from superword.reference.superbpe import learn_superbpe

__all__ = [
    "ALPHABETS",
    "DEFAULT_PRESET",
    "PRESETS",
    "Allowed",
    "Candidates",
    "Delete",
    "Encoder",
    "Event",
    "Merge",
    "Pretokenizer",
    "Step",
    "Supermerge",
    "Superwords",
    "Tokenizer",
    "Words",
    "count_candidates",
    "count_ngrams",
    "count_pretokens",
    "cut",
    "learn_boundless",
    "learn_original",
    "learn_superbpe",
    "learn_words",
    "smallest_count",
    "split",
    "split_candidates",
    "split_greedily",
    "train",
    "truncate",
    "vocabulary_of",
]


def train(
    texts: Iterable[str],
    vocab_size: int,
    method: str = "boundless",
    *,
    supermerges: int | None = None,
    pretokenizer: str | Pretokenizer = DEFAULT_PRESET,
    alphabet: str = "bytes",
    min_count: int = 1,
    picky: float | None = None,
    picky_split: str = "parts",
    greedy_split: bool = False,
    greedy_floor: int = FLOOR,
    greedy_length: int = MAX_LENGTH,
    greedy_encode: bool = False,
    max_words: int | None = None,
    same_script: bool = False,
    boundary: str = "any",
    veto: str | None = None,
    exportable_shapes: Shapes | None = None,
    special_tokens: Sequence[str] = (),
    cutting: bool = True,
) -> Tokenizer:
    """Train a tokenizer: "bpe", "boundless" or "superbpe".

    `vocab_size` includes the special tokens. The n-grams of `greedy_split` occur at least as often
    as the rarest merge of phase 1, and at least `greedy_floor` times. `greedy_encode` stores them
    in the model and splits by them when encoding. `cutting=False` turns off lossless cutting, to
    check that it does not change the result. `exportable_shapes` is for `boundary="exportable"`
    (see `Allowed`). All other options are those of `superword.train`.
    """
    texts = list(texts)
    pretokenizer = as_pretokenizer(pretokenizer)
    if method not in ("bpe", "boundless", "superbpe"):
        raise ValueError(f"the method must be 'bpe', 'boundless' or 'superbpe', not {method!r}")
    if (method == "superbpe") != (supermerges is not None):
        raise ValueError("supermerges must be given for superbpe, and only for superbpe")
    if greedy_encode and not greedy_split:
        raise ValueError("greedy_encode needs greedy_split")
    allowed = Allowed(max_words, same_script, boundary, veto, exportable_shapes)

    size = vocab_size - len(special_tokens)
    n_words = size - (supermerges or 0)
    events = learn_words(
        count_pretokens(texts, pretokenizer),
        n_words,
        alphabet=alphabet,
        min_count=min_count,
        picky=picky,
        picky_split=picky_split,
    )

    def model(steps: Sequence[Step], ngrams: Iterable[Ngram] | None = None) -> Tokenizer:
        recorded = None if ngrams is None else frozenset(ngrams)
        return Tokenizer(method, pretokenizer, steps, alphabet, tuple(special_tokens), recorded)

    if method == "bpe":
        return model(events)

    candidates = count_candidates(texts, events, pretokenizer)
    ngrams = None
    if greedy_split:
        c_min = min((e.count for e in events if isinstance(e, Merge)), default=min_count)
        ngrams = count_ngrams(candidates, max(c_min, greedy_floor), greedy_length)
        candidates = split_candidates(candidates, ngrams)

    def phase_2(candidates: Candidates) -> tuple[list[Step], bool]:
        superwords = Superwords(candidates, events, alphabet, allowed, min_count)
        if supermerges is None:
            steps = learn_boundless(events, superwords, size, alphabet=alphabet)
        else:
            steps = learn_superbpe(events, superwords, supermerges)
        return steps, superwords.ambiguous

    # SuperBPE takes supermerges of any count, so only `min_count` is a bound there.
    bound = min_count
    if method == "boundless":
        bound = smallest_count(events, size, alphabet, min_count)
    steps, ambiguous = phase_2(cut(candidates, bound) if cutting else candidates)
    if cutting and ambiguous:
        steps, _ = phase_2(candidates)
    return model(steps, ngrams if greedy_encode else None)
